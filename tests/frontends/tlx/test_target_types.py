"""Tensors as values of target types: merged without tokens, mixed with them, refused where they say no tensor."""

from __future__ import annotations

import numpy as np
import pytest

from frontends.tlx.kernels import findings, function, load, module_of, run, typeinfo
from frontends.tlx.llvm.reading import llvm_accepts
from tilewright.frontends.tlx.llvm.limits import Limits
from tilewright.frontends.tlx.printer import print_module
from tilewright.frontends.tlx.printing import TensorForm

ROWS = 'target("tlx.tensor", float, 2, 2, 3, 0, 1, 0, 0)'
COLUMNS = 'target("tlx.tensor", float, 2, 3, 2, 1, 0, 0, 0)'
STRIDES = "<2 x i64> zeroinitializer"
LOAD = f"call {ROWS} @llvm.tensor.load(ptr %a, {STRIDES})"


def stored(value: str, kind: str = ROWS, pointer: str = "%b") -> str:
    return f"call void @llvm.tensor.store(ptr {pointer}, {kind} {value}, {STRIDES})"


def test_merges_of_tensors(rng: np.random.Generator) -> None:
    """A loop that carries one, a choice, and a freeze."""
    text = f"""define void @k(ptr %a, ptr %b, i64 %steps) {{
entry:
  %t = {LOAD}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = phi {ROWS} [ %t, %entry ], [ %f, %loop ]
  %y = call {ROWS} @llvm.tensor.relu({ROWS} %x)
  %odd = trunc i64 %i to i1
  %c = select i1 %odd, {ROWS} %y, {ROWS} %x
  %f = freeze {ROWS} %c
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  {stored("%f")}
  ret void
}}
"""
    a = rng.standard_normal((2, 3)).astype(np.float32)
    for steps in (1, 2):
        b = np.zeros_like(a)
        run(text, a, b, steps)
        assert (b == (np.maximum(a, 0) if steps == 2 else a)).all()
    declared = text + "".join(
        f"declare {line}\n"
        for line in (
            f"{ROWS} @llvm.tensor.load(ptr, <2 x i64>)",
            f"{ROWS} @llvm.tensor.relu({ROWS})",
            f"void @llvm.tensor.store(ptr, {ROWS}, <2 x i64>)",
        )
    )
    assert llvm_accepts(declared)
    for form in TensorForm:
        found = print_module(module_of(text), form)
        assert print_module(module_of(found), form) == found


def test_a_product_says_its_layout(rng: np.random.Generator) -> None:
    """Without a token whose users would settle it; a token may stand beside it."""
    out = 'target("tlx.tensor", float, 2, 2, 2, 1, 0, 0, 0)'
    text = function(
        f"%x = {LOAD}",
        f"%y = {load('%a', 'float', [3, 2])}",
        f"%p = call {out} @llvm.tensor.matmul({ROWS} %x, token %y)",
        stored("%p", out),
    )
    a, b = rng.integers(-9, 9, 6).astype(np.float32), np.zeros((2, 2), np.float32)
    run(text, a, b, np.zeros(1, np.int8))
    assert (b == (a.reshape(2, 3) @ a.reshape(3, 2)).T).all()


def test_a_vector_is_typed_as_a_product_is_laid_out() -> None:
    """A call of typeinfo with a target type settles the layout of a vector, as one with operands does."""
    typed = f"%t = {typeinfo('<9 x float> %p', [3, 3], layout=[1, 0])}"
    target = 'target("tlx.tensor", float, 2, 3, 3, 1, 0, 0, 0)'
    both = [
        function(
            f"%x = {load('%a', 'float', [3, 3])}",
            "%p = call <9 x float> @llvm.tensor.matmul(token %x, token %x)",
            line,
        )
        for line in (typed, f"%t = call {target} @llvm.tensor.typeinfo(<9 x float> %p)")
    ]
    assert str(module_of(both[0])) == str(module_of(both[1]))
    assert "layout <1,0>" in str(module_of(both[0]))


REFUSED = [
    ("TLX204", ['%t = call target("tlx.tensor", i7, 1, 4, 0, 0) @llvm.tensor.load(ptr %a, <1 x i64> <i64 1>)']),
    ("TLX204", ['%t = call target("tlx.tensor", float, 2, 4, 0, 0) @llvm.tensor.load(ptr %a, <1 x i64> <i64 1>)']),
    ("TLX204", ['%t = call target("tlx.tensor", float, 1, 4, 0) @llvm.tensor.load(ptr %a, <1 x i64> <i64 1>)']),
    ("TLX204", ['%t = call target("tlx.tensor", float, 1, 4, 0, 0, 0) @llvm.tensor.load(ptr %a, <1 x i64> <i64 1>)']),
    ("TLX204", ['%t = call target("tlx.tensor", float) @llvm.tensor.load(ptr %a, <1 x i64> <i64 1>)']),
    ("TLX302", [f'%t = call target("tlx.tensor", float, 2, 4, 4, 0, 0, 0, 0) @llvm.tensor.load(ptr %a, {STRIDES})']),
    ("TLX304", ['%t = call target("tlx.tensor", float, 1, 4, 0, 4) @llvm.tensor.load(ptr %a, <1 x i64> <i64 1>)']),
    ("TLX203", [f"%t = call {ROWS} @llvm.tensor.load(ptr %a)"]),
    ("TLX206", [f"%t = call {ROWS} @llvm.tensor.load(ptr elementtype(i32) %a, {STRIDES})"]),
    ("TLX206", [f"%t = {LOAD}", stored("%t").replace("ptr %b", "ptr elementtype(i32) %b")]),
    ("TLX305", [f"%t = call {ROWS} @llvm.tensor.typeinfo(<5 x float> zeroinitializer)"]),
    ("TLX310", [f"%t = call {ROWS} @llvm.tensor.typeinfo(<6 x i32> zeroinitializer)"]),
    ("TLX319", [f"%t = {LOAD}", f"%u = call {COLUMNS} @llvm.tensor.relu({ROWS} %t)"]),
    ("TLX305", [f"%t = {LOAD}", f'%u = call target("tlx.tensor", float, 1, 4, 0, 0) @llvm.tensor.relu({ROWS} %t)']),
    ("TLX203", [f"%t = {LOAD}", f"%u = call {ROWS} @llvm.tensor.broadcast({ROWS} %t, {ROWS} %t)"]),
    ("TLX203", [f"%t = {LOAD}", f"store {ROWS} %t, ptr %b"]),
    ("TLX203", [f"%t = load {ROWS}, ptr %b"]),
    ("TLX203", [f"%t = alloca {ROWS}"]),
    ("TLX203", [f"%t = {LOAD}", f"%u = fadd {ROWS} %t, %t"]),
    ("TLX204", ['%t = freeze target("spirv.Image") poison']),
]


@pytest.mark.parametrize(("code", "lines"), REFUSED, ids=[f"{code} {k}" for k, (code, _) in enumerate(REFUSED)])
def test_what_is_refused(code: str, lines: list[str]) -> None:
    found = findings(function(*lines))
    assert len(found) == 1, found
    assert found[0].startswith(f"{code} {len(lines) + 1}: "), found


def test_kernels_take_and_return_no_tensors() -> None:
    taken = function("ret void", parameters=f"{ROWS} %t").replace("  ret void\n  ret void", "  ret void")
    assert [line[:6] for line in findings(taken)] == ["TLX404"]
    returned = f"define {ROWS} @k(ptr %a) {{\n  %t = {LOAD}\n  ret {ROWS} %t\n}}\n"
    assert [line[:6] for line in findings(returned)] == ["TLX404"]


def test_sizes_have_limits() -> None:
    def text(extent: int) -> str:
        kind = f'target("tlx.tensor", float, 1, {extent}, 0, 0)'
        return function(f"%t = call {kind} @llvm.tensor.load(ptr %a, <1 x i64> zeroinitializer)")

    limits = Limits(elements=8)
    assert findings(text(8), limits=limits) == []
    assert [line[:6] for line in findings(text(9), limits=limits)] == ["TLX501"]
    for rank, codes in ((32, []), (33, ["TLX502"])):
        numbers = [*[1] * rank, *range(rank), *[0] * rank]
        kind = f'target("tlx.tensor", float, {rank}, {", ".join(map(str, numbers))})'
        lines = findings(function(f"%t = call {kind} @llvm.tensor.load(ptr %a, <{rank} x i64> zeroinitializer)"))
        assert [line[:6] for line in lines] == codes
