"""What imported texts compute, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from frontends.tlx.kernels import findings, function, ivec, load, module_of, run, store, typed, typeinfo
from tilewright.frontends.tlx.options import LayoutConvention, Quirks, TlxOptions
from tilewright.ir.printer import print_op

PRODUCT = function(
    f"%ta = {load('%a', 'float', [2, 5])}",
    f"%tb = {load('%b', 'float', [3, 5], layout=[1, 0])}",
    "%v = call <6 x float> @llvm.tensor.matmul(token %ta, token %tb)",
    f"%tc = {typeinfo('<6 x float> %v', [2, 3])}",
    store("%c", "%tc", [0, 8]),
)


def one(text: str) -> str:
    """The only finding."""
    (line,) = findings(text)
    return line


def matrices(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Small integers, whose products are exact."""
    a = rng.integers(-8, 8, (2, 5)).astype(np.float32)
    return a, rng.integers(-8, 8, (5, 3)).astype(np.float32)


def test_the_product_of_the_reference(rng: np.random.Generator) -> None:
    a, b = matrices(rng)
    c = np.full((2, 8), np.float32(-1))
    run(PRODUCT, a, np.ascontiguousarray(b.T), c)
    assert (c[:, :3] == a @ b).all()
    assert (c[:, 3:] == -1).all()


def test_typed_and_opaque_pointers_give_one_module() -> None:
    old = PRODUCT.replace("ptr elementtype(float)", "float*").replace("ptr %", "float* %")
    assert "ptr" not in old
    assert print_op(module_of(old)) == print_op(module_of(PRODUCT))


def test_both_operand_orders_of_store_give_one_module() -> None:
    strides = ivec([0, 8])
    other = PRODUCT.replace(f"token %tc, {strides}", f"{strides}, token %tc")
    assert other != PRODUCT
    assert print_op(module_of(other)) == print_op(module_of(PRODUCT))


def test_pointers_without_elements_take_those_of_the_consumers() -> None:
    bare = PRODUCT.replace(" elementtype(float)", "")
    assert print_op(module_of(bare)) == print_op(module_of(PRODUCT))
    mangled = PRODUCT.replace("@llvm.tensor.load(ptr elementtype(float)", "@llvm.tensor.load.p0f32(ptr")
    assert print_op(module_of(mangled)) == print_op(module_of(PRODUCT))


def test_bytes_of_the_prototype_are_opaque() -> None:
    old = PRODUCT.replace("ptr elementtype(float)", "i8*").replace("ptr %", "i8* %")
    assert print_op(module_of(old, TlxOptions(Quirks.PROTOTYPE))) == print_op(module_of(PRODUCT))
    assert any(line.startswith("TLX310") for line in findings(old))


def test_conventions_are_options_of_compile(rng: np.random.Generator) -> None:
    old = PRODUCT.replace("ptr elementtype(float)", "i8*").replace("ptr %", "i8* %")
    a, b = matrices(rng)
    for target in ("interpreter", "cpu"):
        with pytest.raises(tw.CompileError, match="TLX310"):
            tw.compile(old, target=target, cache=False)
        c = np.zeros((2, 8), np.float32)
        program = tw.compile(old, target=target, cache=False, language_options={"quirks": "prototype"})
        program.k(a, np.ascontiguousarray(b.T), c)
        assert (c[:, :3] == a @ b).all()
    with pytest.raises(ValueError, match="quirks is none, prototype, rfc-text, not 'mine'"):
        tw.compile(old, language_options={"quirks": "mine"})
    with pytest.raises(ValueError, match="layouts is no option of any language; the text is in TLX"):
        tw.compile(old, language_options={"layouts": "xla"})


def test_users_settle_the_layout_of_a_product(rng: np.random.Generator) -> None:
    a, b = matrices(rng)
    c = np.zeros((3, 2), np.float32)
    text = PRODUCT.replace(typed([2, 3]), typed([3, 2], layout=[1, 0])).replace(ivec([0, 8]), ivec([0, 0]))
    run(text, a, np.ascontiguousarray(b.T), c)
    assert (a @ b == c.T).all()


def test_phi_select_and_freeze_are_looked_through(rng: np.random.Generator) -> None:
    a, b = matrices(rng)
    c = np.zeros((3, 2), np.float32)
    text = function(
        f"%ta = {load('%a', 'float', [2, 5])}",
        f"%tb = {load('%b', 'float', [3, 5], layout=[1, 0])}",
        "%v = call <6 x float> @llvm.tensor.matmul(token %ta, token %tb)",
        "%f = freeze <6 x float> %v",
        "%s = select i1 true, <6 x float> %f, <6 x float> zeroinitializer",
        "br label %next",
        "next:",
        "%p = phi <6 x float> [ %s, %0 ]",
        f"%tc = {typeinfo('<6 x float> %p', [3, 2], layout=[1, 0])}",
        store("%c", "%tc", [0, 0]),
    )
    run(text, a, np.ascontiguousarray(b.T), c)
    assert (a @ b == c.T).all()


def test_two_layouts_for_one_result_are_an_error() -> None:
    extra = f"%td = {typeinfo('<6 x float> %v', [3, 2], layout=[1, 0])}\n  ret void"
    line = one(PRODUCT.replace("ret void", extra))
    assert line.startswith("TLX317 4: the result of matmul is given two layouts")
    plain = PRODUCT.replace(typed([2, 3]), typed([3, 2], layout=[1, 0]))
    line = one(plain.replace("ret void", "%w = fadd <6 x float> %v, %v\n  ret void"))
    assert line.startswith("TLX317")


def test_a_mathematical_transpose_is_a_relayout_and_another_type(rng: np.random.Generator) -> None:
    a = rng.standard_normal((3, 4)).astype(np.float32)
    c = np.zeros((4, 3), np.float32)
    text = function(
        f"%t = {load('%a', 'float', [3, 4])}",
        f"%v = call <12 x float> @llvm.tensor.transpose(token %t, {ivec([1, 0])})",
        f"%w = {typeinfo('<12 x float> %v', [4, 3])}",
        store("%b", "%w", [0, 0]),
        parameters="ptr %a, ptr %b",
    )
    run(text, a, c)
    assert (c == a.T).all()


def test_loops_carry_vectors(rng: np.random.Generator) -> None:
    steps = 3
    a = rng.integers(-100, 100, (steps, 4, 8)).astype(np.int8)
    b = rng.integers(-100, 100, (steps, 8, 4)).astype(np.int8)
    c = np.zeros((4, 4), np.int32)
    text = "\n".join(
        [
            "define void @k(ptr %a, ptr %b, ptr %c, i64 %steps) {",
            "entry:",
            "  %shape = alloca <2 x i32>",
            "  store <2 x i32> splat (i32 4), ptr %shape",
            "  br label %k",
            "k:",
            "  %i = phi i64 [ 0, %entry ], [ %n, %k ]",
            "  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %next, %k ]",
            "  %s = load <2 x i32>, ptr %shape",
            f"  %t = call token @llvm.tensor.typeinfo(<16 x i32> %acc, <2 x i32> %s, {ivec([0, 1])}, {ivec([0, 0])})",
            "  %pa = getelementptr [32 x i8], ptr %a, i64 %i",
            "  %pb = getelementptr [4 x [8 x i8]], ptr %b, i64 %i",
            f"  %ta = {load('%pa', 'i8', [4, 8])}",
            f"  %tb = {load('%pb', 'i8', [8, 4])}",
            "  %next = call <16 x i32> @llvm.tensor.smma(token %t, token %ta, token %tb)",
            "  %n = add i64 %i, 1",
            "  %more = icmp ult i64 %n, %steps",
            "  br i1 %more, label %k, label %done",
            "done:",
            f"  %r = {typeinfo('<16 x i32> %next', [4, 4])}",
            f"  {store('%c', '%r', [0, 0])}",
            "  ret void",
            "}",
        ]
    )
    run(text, a, b, c, steps)
    assert (c == (a.astype(np.int32) @ b.astype(np.int32)).sum(0)).all()


def test_strides_may_come_from_the_launch(rng: np.random.Generator) -> None:
    a = rng.standard_normal((6, 7, 9)).astype(np.float32)
    c = np.zeros((2, 3, 4), np.float32)
    text = function(
        "%s0 = insertelement <3 x i32> poison, i32 63, i32 0",
        "%s1 = insertelement <3 x i32> %s0, i32 0, i32 1",
        "%s = insertelement <3 x i32> %s1, i32 %row, i32 2",
        f"%t = call token @llvm.tensor.load(ptr elementtype(float) %a, {typed([2, 3, 4])}, <3 x i32> %s)",
        store("%c", "%t", [0, 0, 0]),
        parameters="ptr %a, ptr %c, i32 %row",
    )
    run(text, a, c, 9)
    assert (c == a[:2, :3, :4]).all()


def test_distances_by_dimension(rng: np.random.Generator) -> None:
    a = rng.standard_normal((6, 8)).astype(np.float32)
    c = np.zeros((3, 4), np.float32)
    text = function(
        f"%t = call token @llvm.tensor.load(ptr elementtype(float) %a, {typed([3, 4])}, {ivec([16, 2])})"
        ' "tlx.strides"="dim"',
        store("%c", "%t", [0, 0]),
        parameters="ptr %a, ptr %c",
    )
    run(text, a, c)
    assert (c == a[::2, ::2]).all()


def test_arguments_and_results_that_are_vectors_are_arrays(rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal(8).astype(np.float32) for _ in range(2))
    c = np.zeros(8, np.float32)
    text = """define <8 x float> @k(<8 x float> %a, ptr byval(<8 x float>) align 4 %b) {
  %t = call token @llvm.tensor.typeinfo(ptr byval(<8 x float>) %b, <1 x i32> <i32 8>, <1 x i32> zeroinitializer,
                                        <1 x i32> zeroinitializer)
  %v = call <8 x float> @llvm.tensor.tovector(token %t)
  %w = fmul <8 x float> %a, %v
  %m = add <8 x i32> splat (i32 4), <i32 0, i32 1, i32 2, i32 3, i32 -4, i32 -3, i32 -2, i32 -1>
  %x = shufflevector <8 x float> %w, <8 x float> poison, <8 x i32> %m
  ret <8 x float> %x
}
"""
    run(text, a, b, c)
    assert (c == np.roll(a * b, 4)).all()


def test_the_convention_of_xla() -> None:
    text = PRODUCT.replace(typed([3, 5], layout=[1, 0]), typed([5, 3], layout=[0, 1]))
    text = text.replace(typed([2, 5]), typed([2, 5], layout=[1, 0])).replace(
        typed([2, 3]), typed([2, 3], layout=[1, 0])
    )
    options = TlxOptions(layout_convention=LayoutConvention.XLA)
    assert print_op(module_of(text, options)) == print_op(module_of(PRODUCT))


def test_indices_may_have_any_width() -> None:
    wide = PRODUCT.replace("x i32>", "x i64>").replace("i32 ", "i64 ")
    assert print_op(module_of(wide)) == print_op(module_of(PRODUCT))


@pytest.mark.parametrize("condition", [0, 1])
def test_variables_and_branches_of_unoptimised_code(condition: int) -> None:
    text = """define i32 @k(i32 %c) {
  %x = alloca i32, align 4
  %y = alloca i32, align 4
  store i32 5, ptr %x, align 4
  %1 = icmp ne i32 %c, 0
  br i1 %1, label %2, label %4
2:
  %3 = load i32, ptr %x
  store i32 7, ptr %y
  store i32 %3, ptr %x
  br label %5
4:
  store i32 9, ptr %y
  store i32 6, ptr %x
  br label %5
5:
  %6 = load i32, ptr %x
  %7 = load i32, ptr %y
  %8 = mul nsw i32 %6, %7
  switch i32 %8, label %11 [ i32 35, label %9
                             i32 54, label %10 ]
9:
  ret i32 1
10:
  ret i32 2
11:
  ret i32 3
}
"""
    out = np.zeros(1, np.int32)
    run(text, condition, out)
    assert out[0] == (1 if condition else 2)


def test_addresses_of_parts_count_bytes_as_llvm_does() -> None:
    """Fields lie where C's do, vectors of three floats have sixteen bytes in arrays."""
    text = """%s = type { i8, i32, [3 x <3 x float>], <{ i8, i16 }> }
define void @k(ptr %p) {
  %a = getelementptr %s, ptr %p, i64 1, i32 1
  store i32 7, ptr %a
  %b = getelementptr %s, ptr %p, i64 1, i32 2, i64 1, i64 2
  store float 2.5, ptr %b
  %c = getelementptr %s, ptr %p, i64 1, i32 3, i32 1
  store i16 5, ptr %c, align 1
  ret void
}
"""
    size, found = 80, np.zeros(200, np.int8)
    run(text, found)
    expected = np.zeros(200, np.int8)
    expected[size + 4 : size + 8].view(np.int32)[:] = 7
    expected[size + 16 + 16 + 8 :][:4].view(np.float32)[:] = 2.5
    expected[size + 65] = 5
    assert (found == expected).all()


@pytest.mark.parametrize("size", [3, 1500])
def test_memory_that_is_not_aligned_to_its_elements(rng: np.random.Generator, size: int) -> None:
    """No machine but the CPU could access it at once; rows longer than values in registers come in parts."""
    text = f"""define void @k(ptr %p, ptr %q) {{
  %a = getelementptr i8, ptr %p, i64 3
  %v = load <{size} x float>, ptr %a, align 1
  %w = fadd <{size} x float> %v, %v
  %b = getelementptr i8, ptr %q, i64 2
  store <{size} x float> %w, ptr %b, align 2
  %c = getelementptr i8, ptr %p, i64 7
  %x = load i64, ptr %c, align 1
  %d = getelementptr i8, ptr %q, i64 {4 * size + 3}
  store i64 %x, ptr %d, align 1
  ret void
}}
"""
    found = np.zeros(4 * size + 20, np.int8)
    given, numbers = found.copy(), rng.standard_normal(size).astype(np.float32)
    given[3 : 3 + 4 * size] = numbers.view(np.int8)
    expected = found.copy()
    expected[2 : 2 + 4 * size] = (2 * numbers).view(np.int8)
    expected[4 * size + 3 :][:8] = given[7:15]
    run(text, given, found)
    assert (found == expected).all()


def test_launches_that_llvm_may_reorder(rng: np.random.Generator) -> None:
    """A load between two stores to the same memory reads what the first wrote."""
    a = rng.standard_normal((2, 2)).astype(np.float32)
    b, c = np.zeros((2, 2), np.float32), np.zeros((2, 2), np.float32)
    text = function(
        f"%t = {load('%a', 'float', [2, 2])}",
        store("%b", "%t", [0, 0]),
        f"%u = {load('%b', 'float', [2, 2])}",
        "%r = call <4 x float> @llvm.tensor.broadcast(token %u, float 1.0)",
        f"%o = {typeinfo('<4 x float> %r', [2, 2])}",
        store("%b", "%o", [0, 0]),
        store("%c", "%u", [0, 0]),
    )
    run(text, a, b, c)
    assert (c == a).all()
    assert (b == 1).all()
