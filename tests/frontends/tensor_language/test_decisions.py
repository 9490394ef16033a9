"""Where the seed's grammar and its text disagree (G), and decisions on the front end (D)."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from frontends.tensor_language.reading import clean, error_of, errors_of, kernel, read, spmd
from tilewright.dialects import memref, scf, tl
from tilewright.frontends.tensor_language import print_module

MATRIX = "coopmatrix<f32x16x8,matrix_acc>"


def test_g1_inf_and_nan_in_all_constants() -> None:
    clean(kernel("%x = constant +inf : f32 %y = constant [nan,-inf] : c32"))


def test_g2_arrays_need_no_blank() -> None:
    attributes = clean("func @f() attributes{work_group_size=[32,2]} {}").kernels[0].attributes
    assert attributes["work_group_size"] == (32, 2)


def test_g3_matrix_parameters_are_left_to_the_verifier() -> None:
    clean(f"func @f(%a: {MATRIX}) {{}}")


@pytest.mark.parametrize("text", ["func @f(%a: void) {}", "func @f(%a: memref<voidx4>) {}"])
def test_g4_void_fits_nowhere(text: str) -> None:
    assert error_of(text).at == ("V9", "void")


def test_g4_any_number_of_functions() -> None:
    assert not clean("").kernels
    assert len(clean("func @f() {} func @g() {}").kernels) == 2


@pytest.mark.parametrize("word", ["=", "in"])
def test_g5_apply(word: str) -> None:
    text = spmd(f"%r = cooperative_matrix_apply (%p,%q,%c) {word} %X -> {MATRIX} {{ yield (%c) }}")
    assert "(%p,%q,%c)=%X" in print_module(clean(text))


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ("%r = cmp.lt %k, %k : bool", "cmp.lt", "less_than"),
        ("%r = cmp.ne %k, %k : bool", "cmp.ne", "not_equal"),
        ("%r = math.native_exp %f : f32", "math.native_exp", "native_exp"),
        ("%r = math.log2 %f : f32", "math.log2", "log2"),
    ],
)
def test_g6_spellings_of_the_examples(body: str, old: str, new: str) -> None:
    module, errors, warnings = read(kernel(body))
    assert not errors
    assert [w.at for w in warnings] == [("V2", old)]
    assert warnings[0].fix == new
    assert f"{new} " in print_module(module)


def test_g7_comparison_with_literal_is_the_old_language() -> None:
    found = error_of(kernel("%r = cmp.lt %k, 16 : i32"))
    assert found.at == ("V2", "%r = cmp.lt %k, 16 : i32")
    assert found.fix == "%c = constant 16 : i32  %r = less_than %k, %c : bool"


def test_g8_literal_indices() -> None:
    module, errors, warnings = read(kernel("%x = load %A[5,%i] : f32 store %x, %A[%i,0]"))
    assert not errors
    assert [w.at for w in warnings] == [("V2", "5"), ("V2", "0")]
    load = next(op for op in module.walk() if isinstance(op, memref.Load))
    assert load.place(("operand", 1)) == warnings[0].diagnostic.location


def test_g12_cumsum_mode() -> None:
    op = next(op for op in clean(kernel("cumsum %f, %A, 1, %f, %A")).walk() if isinstance(op, tl.Cumsum))
    assert op.mode == 1


@pytest.mark.parametrize(
    ("body", "given", "right"),
    [
        ("gemm.t.atomic %f, %A, %A, %f, %A", ".t.atomic", ".atomic.t"),
        ("%r = atomic_add.relaxed.device %k, %I[%i] : i32", ".relaxed.device", ".device.relaxed"),
        ("barrier.local.global", ".local.global", ".global.local"),
    ],
)
def test_g17_order_of_modifiers(body: str, given: str, right: str) -> None:
    found = error_of(kernel(body))
    assert found.at == ("V1", given)
    assert found.fix == right


@pytest.mark.parametrize(("names", "errors"), [("", 0), ("%p, %q = ", 0), ("%p = ", 1), ("%p, %q, %r = ", 1)])
def test_g18_all_results_or_none(names: str, errors: int) -> None:
    found = errors_of(kernel(f"{names}if %b -> (f32,f32) {{ yield (%f,%f) }} else {{ yield (%f,%f) }}"))
    assert [e.code for e in found] == ["V7"] * errors


def test_d2_quoted_known_names() -> None:
    text = 'func @f(%a: memref<f32> {"alignment"=8}) attributes{"subgroup_size"=8} {}'
    op = clean(text).kernels[0]
    assert op.subgroup_size == 8
    assert op.attributes_of(op.parameters[0]) == {"alignment": 8}
    assert "{alignment=8}" in print_module(clean(text))


@pytest.mark.parametrize("value", ["true", "1", "[1,0]", '"x"'])
def test_d2_quoted_names_mean_nothing(value: str) -> None:
    """Whatever passes call what they find out about parameters, allocations, loops and kernels."""
    names = ("dimensions", "made", "read_only", "divisor", "least", "offset", "parallel", "items", "nonnull")
    given = "{" + ", ".join(f'"{name}"={value}' for name in names) + "}"
    text = f"""func @f(%a: memref<i32x?x?> {given}) attributes{given} {{
    %t = alloca {given} : memref<i32x4,local> %i = constant 0 : index %two = constant 2 : index %k = constant 7 : i32
    for %n=%i,%two {{ store %k, %t[%n] store %k, %a[%n,%i] }} attributes{given}
}}"""
    printed = print_module(clean(text))
    assert printed.count(given) == 4
    assert print_module(clean(printed)) == printed
    for target in ("interpreter", "cpu:generic"):
        array = np.zeros((3, 2), np.int32, order="F")
        tw.compile(text, target=target, cache=False).f[1](array)
        assert array.T.tolist() == [[7, 7, 0], [0, 0, 0]]


def test_d2_unknown_bare_name() -> None:
    found = error_of("func @f(%a: memref<f32> {aligment=8}) {}")
    assert found.at == ("V2", "aligment")
    assert found.fix == "alignment"


def test_d30_smallest_integer() -> None:
    clean(kernel("%x = constant -9223372036854775808 : i64"))
    assert error_of(kernel("%x = constant -9223372036854775809 : i64")).at == ("V4", "-9223372036854775809")


@pytest.mark.parametrize(
    ("text", "at", "fix"),
    [
        (kernel("%r = arith.add %k, %k : i32"), "arith.add", "add"),
        (kernel("%t = alloca -> memref<f32x4>"), "->", ":"),
        (kernel("%g = group_size"), "group_size", "num_groups.x : index"),
        (kernel("%g = group_id"), "group_id", "group_id.x"),
        ("func @f(%p: i1) {}", "i1", "bool"),
        ("func @f() work_group_size(32,2) subgroup_size(16) {}", "work_group_size(32,2) subgroup_size(16)", None),
        (kernel("gemm %f, %A, %A, %f, %A : f32, memref<f32x?x?>, memref<f32x?x?>"), None, ""),
        (kernel("hadamard_product %f, %v, %v, %f, %v"), "hadamard_product", "hadamard"),
        (kernel("axpby 1.0, %A, %f, %A"), "1.0", None),
        (kernel("foreach %q=%i,%i { %x = load %v[%q] : f32 }"), None, None),
        (kernel("for %q=0,%i { %x = load %v[%q] : f32 }"), "0", None),
        (kernel("if %b { yield %f : f32 }"), "%f", None),
        ("func @f(%g: group<memref<f32x8>>) {}", None, ">x?"),
    ],
)
def test_d44_old_language(text: str, at: str | None, fix: str | None) -> None:
    found = error_of(text)
    if at is not None:
        assert found.text == at
    if fix is not None:
        assert found.fix == fix
    if found.code == "V2":
        hints = " ".join(found.diagnostic.hints)
        assert "old language" in found.message + hints


def test_d36_results_may_be_dropped() -> None:
    module = clean(kernel("for %n=%i,%i init(%x=%f) -> (f32) { yield (%x) }"))
    op = next(op for op in module.walk() if isinstance(op, scf.For))
    assert len(op.results) == 1
