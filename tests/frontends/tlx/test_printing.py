"""Printed text reads back as what was printed, LLVM takes it, and what LLVM makes of it means the same."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

import numpy as np
import pytest

from frontends.tlx.kernels import findings, function, ivec, load, module_of, renamed, run, store, typed, typeinfo
from frontends.tlx.llvm.reading import kernel, llvm_accepts
from frontends.tlx.llvm.test_instructions import VALID
from frontends.tlx.test_meaning import PRODUCT
from tilewright.diagnostics import Report, Source
from tilewright.dialects.tlx import OPERATIONS
from tilewright.frontends.tlx.formatter import format_source
from tilewright.frontends.tlx.printer import print_module
from tilewright.frontends.tlx.printing import TensorForm
from tilewright.machine.llvm_binding import binding
from tilewright.machine.processor import machine
from tilewright.machine.target_machine import target_machine

OPT: Final = shutil.which("opt-19") or shutil.which("opt-18") or shutil.which("opt-16")
LOOP: Final = f"""define void @k(ptr %a, ptr %b, ptr %c, i64 %steps) {{
entry:
  br label %k
k:
  %i = phi i64 [ 0, %entry ], [ %n, %k ]
  %pa = phi ptr [ %a, %entry ], [ %next.pa, %k ]
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %next, %k ]
  %t = {typeinfo("<16 x i32> %acc", [4, 4])}
  %ta = {load("%pa", "i8", [4, 8])}
  %dead = {load("%b", "i8", [8, 4])}
  %again = {load("%b", "i8", [8, 4])}
  %next = call <16 x i32> @llvm.tensor.smma(token %t, token %ta, token %again)
  %unused = call <16 x i32> @llvm.tensor.smma(token %t, token %ta, token %dead)
  %next.pa = getelementptr i8, ptr %pa, i64 32
  %n = add i64 %i, 1
  %more = icmp ult i64 %n, %steps
  br i1 %more, label %k, label %done
done:
  %r = {typeinfo("<16 x i32> %next", [4, 4])}
  {store("%c", "%r", [0, 0])}
  ret void
}}
"""
T: Final = f"%t = {load('%a', 'float', [2, 3, 4], layout=[1, 0, 2], padding=[0, 1, 1])}"
INTEGERS: Final = f"%t = {load('%a', 'i32', [2, 3])}"
DENSE: Final = f"%t = {load('%a', 'float', [2, 3, 4])}"
INTRINSICS: Final = {
    "llvm.tensor.load": (T,),
    "llvm.tensor.store": (T, store("%b", "%t", [0, 0, 9])),
    "llvm.tensor.typeinfo": (f"%v = {typeinfo('<6 x float> zeroinitializer', [2, 3])}", store("%b", "%v", [0, 0])),
    "llvm.tensor.tovector": (
        T,
        "%v = call <24 x float> @llvm.tensor.tovector(token %t)",
        "store <24 x float> %v, ptr %b",
    ),
    "llvm.tensor.matmul": (
        f"%t = {load('%a', 'half', [5, 2, 3])}",
        f"%u = {load('%b', 'half', [5, 3, 4])}",
        "%v = call <40 x float> @llvm.tensor.matmul(token %t, token %u)",
        f"%w = {typeinfo('<40 x float> %v', [4, 5, 2], layout=[2, 0, 1])}",
    ),
    "llvm.tensor.contract": (
        f"%t = {load('%a', 'float', [2, 3, 4])}",
        f"%v = call <9 x float> @llvm.tensor.contract(token %t, token %t, {ivec([0, 2])}, {ivec([0, 2])})",
    ),
    "llvm.tensor.convolution": (
        f"%t = {load('%a', 'float', [1, 2, 6, 7])}",
        f"%u = {load('%b', 'float', [3, 2, 3, 3])}",
        "%v = call <60 x float> @llvm.tensor.convolution(token %t, token %u)",
        "%w = call <18 x float> @llvm.tensor.convolution(token %t, token %u, "
        f"{ivec([2, 2])}, {ivec([0, 1])}, {ivec([1, 1])})",
    ),
    "llvm.tensor.transpose": (
        T,
        f"%v = call <24 x float> @llvm.tensor.transpose(token %t, {ivec([2, 0, 1])})",
        "%w = call <24 x float> @llvm.tensor.transpose(token %t)",
    ),
    "llvm.tensor.broadcast": (T, "%v = call <24 x float> @llvm.tensor.broadcast(token %t, float 2.5)"),
    "llvm.tensor.reshape.block": (
        DENSE,
        f"%v = call <32 x float> @llvm.tensor.reshape.block(token %t, {ivec([1])}, {ivec([2])})",
    ),
    "llvm.tensor.reshape.permute": (
        DENSE,
        f"%v = call <24 x float> @llvm.tensor.reshape.permute(token %t, {ivec([6, 4])})",
    ),
    "llvm.tensor.pad": (
        INTEGERS,
        f"%v = call <12 x i32> @llvm.tensor.pad(token %t, i32 7, {ivec([1, 1])})",
        f"%w = call <20 x i32> @llvm.tensor.pad(token %t, i32 7, {ivec([1, 1])}, {ivec([1, 1])})",
        f"%x = call <42 x i32> @llvm.tensor.pad(token %t, i32 7, {ivec([1, 1])}, {ivec([1, 1])}, {ivec([2, 1])})",
    ),
    "llvm.tensor.concat": (INTEGERS, "%v = call <12 x i32> @llvm.tensor.concat(token %t, token %t, i32 1)"),
    "llvm.vector.reduce.mac": (
        "%v = call <2 x i32> @llvm.vector.reduce.mac(<8 x i8> %bytes, <8 x i8> %bytes, i32 4)",
        "store <2 x i32> %v, ptr %b",
    ),
    "llvm.vector.reduce.mac.acc": (
        "%v = call <2 x i32> @llvm.vector.reduce.mac.acc(<2 x i32> %sums, <8 x i8> %bytes, <8 x i8> %bytes, i32 4)",
        "store <2 x i32> %v, ptr %b",
    ),
    **{
        f"llvm.tensor.{name}": (
            f"%t = {load('%a', 'i32', [2, 4])}",
            f"%u = {load('%b', 'i8', [2, 3])}",
            f"%w = {load('%b', 'i8', [3, 4])}",
            f"%v = call <8 x i32> @llvm.tensor.{name}(token %t, token %u, token %w)",
        )
        for name in ("umma", "smma", "usmma", "summa")
    },
    **{
        f"llvm.tensor.reduce.{name}": (
            INTEGERS,
            f"%v = call <2 x i32> @llvm.tensor.reduce.{name}(token %t, {ivec([3])}, {ivec([1])})",
        )
        for name in ("max", "min", "add", "mul", "and", "or", "xor")
    },
    **{
        f"llvm.tensor.{name}": (T, f"%v = call <24 x float> @llvm.tensor.{name}(token %t)")
        for name in (
            *("tanh", "sigmoid", "relu", "sin", "cos", "exp", "exp2"),
            *("log", "log2", "log10", "sqrt", "fabs", "floor", "ceil"),
        )
    },
}
UNTRIED: Final = ("alloca", "call", "bfloat", "i64 %l", "ptr %p, <4")
PLAIN: Final = [body for body in VALID if not any(word in body for word in UNTRIED)]
PARAMETERS: Final = "ptr %a, ptr %b, <8 x i8> %bytes, <2 x i32> %sums"


def plain(body: str) -> str:
    """A kernel around instructions, that gets what kernels get."""
    text = kernel("%m = icmp slt <4 x i32> %v, splat (i32 3)", body, "ret void")
    return text.replace("float* %q, ", "").replace(", <4 x i1> %m)", ")")


def printed(text: str, form: TensorForm = TensorForm.TOKENS) -> str:
    """The text in a form, which is its own, and says the same as the canonical one."""
    module = module_of(text)
    found = print_module(module, form)
    assert print_module(module_of(found), form) == found
    assert renamed(print_module(module_of(found))) == renamed(print_module(module))
    return found


def optimised(text: str) -> str:
    """What `opt -O2` makes of a text; where there is none, the same passes of the LLVM that we come with."""
    if OPT is None:
        return optimised_here(text)
    done = subprocess.run([OPT, "-O2", "-S"], input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def optimised_here(text: str) -> str:
    llvm = binding()
    engine = target_machine(machine(), 2)
    module = llvm.parse_assembly(text)
    passes = llvm.create_pass_builder(engine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(module, passes)
    return str(module)


@pytest.mark.parametrize("form", TensorForm, ids=lambda form: form.value)
@pytest.mark.parametrize("intrinsic", sorted(INTRINSICS))
def test_every_intrinsic_goes_round(intrinsic: str, form: TensorForm) -> None:
    text = function(*INTRINSICS[intrinsic], parameters=PARAMETERS)
    assert findings(text) == []
    found = printed(text, form)
    assert f"@{intrinsic}." in found or f"@{intrinsic}(" in found
    assert ("token" in found) is (form is TensorForm.TOKENS and not intrinsic.startswith("llvm.vector"))
    assert llvm_accepts(found)


def test_the_list_is_that_of_the_dialect() -> None:
    assert {cls.spec.intrinsic for cls in OPERATIONS} == set(INTRINSICS)


@pytest.mark.parametrize("body", PLAIN)
def test_plain_instructions_go_round(body: str) -> None:
    assert llvm_accepts(printed(plain(body)))


@pytest.mark.parametrize("form", TensorForm, ids=lambda form: form.value)
@pytest.mark.parametrize("text", [PRODUCT, LOOP], ids=["product", "loop"])
def test_llvm_optimises_what_is_printed(text: str, form: TensorForm, rng: np.random.Generator) -> None:
    found = printed(text, form)
    assert llvm_accepts(found)
    better = optimised(found)
    if text is LOOP:
        assert better.count("call ") < found.count("call ")
        steps = 3
        a = rng.integers(-100, 100, (steps, 4, 8)).astype(np.int8)
        b = rng.integers(-100, 100, (8, 4)).astype(np.int8)
        c = np.zeros((4, 4), np.int32)
        run(better, a, b, c, steps)
        assert (c == (a.astype(np.int32) @ b.astype(np.int32)).sum(0)).all()
    else:
        a, b = rng.integers(-8, 8, (2, 5)).astype(np.float32), rng.integers(-8, 8, (5, 3)).astype(np.float32)
        c = np.zeros((2, 8), np.float32)
        run(better, a, np.ascontiguousarray(b.T), c)
        assert (c[:, :3] == a @ b).all()


def test_distances_of_the_launch_are_printed() -> None:
    text = function(
        "%s = insertelement <2 x i32> zeroinitializer, i32 %row, i32 1",
        f"%t = call token @llvm.tensor.load(ptr elementtype(float) %a, {typed([3, 4])}, <2 x i32> %s)",
        store("%b", "%t", [0, 0]),
        parameters="ptr %a, ptr %b, i32 %row",
    )
    found = printed(text)
    assert "sext i32 %row to i64" in found
    assert llvm_accepts(found)
    every = text.replace("zeroinitializer, i32 %row, i32 1", "<i32 0, i32 9>, i32 %row, i32 0")
    assert "mul" not in printed(every), "nothing is computed that no distance is left out for"


def test_formatting_lays_out_and_keeps_the_rest() -> None:
    untidy = (
        PRODUCT.replace("  %ta =", "%ta   =").replace("  ret", "      ; the end\n\n\n ret").replace("float", "float ")
    )
    text = format_source(Source("k.ll", untidy), Report())
    assert format_source(Source("k.ll", text), Report()) == text
    assert "  ; the end\n" in text
    assert print_module(module_of(text)) == print_module(module_of(PRODUCT))
    assert max(map(len, text.splitlines())) <= 120
    broken = "define void @k( {\n  ret void\n}\n"
    report = Report()
    assert format_source(Source("k.ll", broken), report) == broken
    assert report.has_errors


def test_llvm_keeps_loads_behind_stores_to_their_memory(rng: np.random.Generator) -> None:
    """It would merge them if they were declared as touching no memory."""
    a = rng.standard_normal((2, 2)).astype(np.float32)
    b, c = np.ones((2, 2), np.float32), np.zeros((2, 2), np.float32)
    text = function(
        f"%before = {load('%b', 'float', [2, 2])}",
        store("%c", "%before", [0, 0]),
        f"%t = {load('%a', 'float', [2, 2])}",
        store("%b", "%t", [0, 0]),
        f"%behind = {load('%b', 'float', [2, 2])}",
        store("%c", "%behind", [0, 0]),
    )
    run(optimised(printed(text)), a, b, c)
    assert (c == a).all()


@pytest.mark.parametrize("form", TensorForm, ids=lambda form: form.value)
@pytest.mark.parametrize("users", ["", "dead", "only dead"])
def test_layouts_stay_where_users_come_and_go(users: str, form: TensorForm, rng: np.random.Generator) -> None:
    """What settled the layout of a product (decision 9) may be dropped, or joined by others that nothing needs."""
    dead = [
        f"%u = {typeinfo('<4 x float> %p', [2, 2], layout=[1, 0])}",
        "%w = call <4 x float> @llvm.tensor.relu(token %u)",
    ]
    used = [f"%t = {typeinfo('<4 x float> %p', [2, 2], layout=[1, 0])}", store("%c", "%t", [0, 0])]
    text = function(
        f"%x = {load('%a', 'float', [2, 3])}",
        f"%y = {load('%b', 'float', [3, 2])}",
        "%p = call <4 x float> @llvm.tensor.matmul(token %x, token %y)",
        *(dead if users else []),
        *([store("%c", "%x", [0, 0])] if users == "only dead" else used),
    )
    a, b = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((2, 3), (3, 2)))
    wanted = a if users == "only dead" else (a @ b).T
    c = np.zeros(wanted.shape, np.float32)
    run(text, a, b, c)
    assert (c == wanted).all()
    better = optimised(printed(text, form))
    assert "relu" not in better
    if users == "only dead":
        assert "matmul" not in better
        b = b.view(np.int8)
    c[:] = 0
    run(better, a, b, c)
    assert (c == wanted).all()


def test_vectors_of_results_that_are_not_row_major_say_so() -> None:
    """Printed as the result itself, one of them would be used as row-major and give it two layouts."""
    text = function(
        f"%x = {load('%a', 'float', [2, 3])}",
        f"%y = {load('%b', 'float', [3, 2])}",
        "%p = call <4 x float> @llvm.tensor.matmul(token %x, token %y)",
        f"%t = {typeinfo('<4 x float> %p', [2, 2], layout=[1, 0])}",
        "%v = call <4 x float> @llvm.tensor.tovector(token %t)",
        "%s = fadd <4 x float> %v, %v",
        f"%u = {typeinfo('<4 x float> %s', [2, 2], layout=[1, 0])}",
        store("%c", "%u", [0, 0]),
    )
    found = printed(text)
    assert "fadd <4 x float> %v, %v" in found
    assert printed(found) == found


def test_a_vector_that_gets_its_type_back_is_the_tensor() -> None:
    text = function(
        T,
        "%v = call <24 x float> @llvm.tensor.relu(token %t)",
        f"%w = {typeinfo('<24 x float> %v', [2, 3, 4], layout=[1, 0, 2], padding=[0, 1, 1])}",
        "%x = call <24 x float> @llvm.tensor.tovector(token %w)",
        f"%y = {typeinfo('<24 x float> %x', [2, 3, 4], layout=[1, 0, 2], padding=[0, 1, 1])}",
        "%z = call <24 x float> @llvm.tensor.relu(token %y)",
    )
    assert printed(text).count("call token @llvm.tensor.typeinfo") == 1


def test_a_layout_that_nothing_else_says_is_printed() -> None:
    text = function(
        f"%t = {load('%a', 'float', [2, 3])}",
        f"%u = {load('%b', 'float', [3, 4])}",
        "%v = call <8 x float> @llvm.tensor.matmul(token %t, token %u)",
        f"%w = {typeinfo('<8 x float> %v', [4, 2], layout=[1, 0])}",
    )
    assert "tensor<4x2xf32, layout <1,0>>" in str(module_of(printed(text)))
