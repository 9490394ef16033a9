"""Memory of a function's own: allocations that are no variables, `malloc` and `free`."""

from __future__ import annotations

import numpy as np
import pytest

from frontends.tlx.kernels import findings, function, load, run, store, typeinfo
from frontends.tlx.llvm.reading import llvm_accepts
from frontends.tlx.test_printing import printed
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.own_memory import MOST_BYTES
from tilewright.ir.printer import print_op

MALLOC = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
LOOP = """define void @k(ptr %a, ptr %c, i64 %n) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  {phi}
  %m = {memory}
  %from = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %from
  store i32 %x, ptr %m
  {call}
  %y = load i32, ptr %m
  %to = getelementptr i32, ptr %c, i64 %i
  store i32 %y, ptr %to
  {end}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}}
"""


@pytest.mark.parametrize(
    ("memory", "end"), [("alloca [12 x float]", ""), ("call ptr @malloc(i64 48)", "call void @free(ptr %m)")]
)
def test_tensors_pass_through_it(memory: str, end: str, rng: np.random.Generator) -> None:
    a, c = rng.standard_normal((3, 4)).astype(np.float32), np.zeros((4, 3), np.float32)
    text = MALLOC + function(
        f"%m = {memory}",
        f"%t = {load('%a', 'float', [3, 4])}",
        store("%m", "%t", [0, 0]),
        f"%u = {load('%m', 'float', [3, 4])}",
        "%v = call <12 x float> @llvm.tensor.transpose(token %u)",
        f"%w = {typeinfo('<12 x float> %v', [4, 3])}",
        store("%c", "%w", [0, 0]),
        end,
        parameters="ptr %a, ptr %c",
    )
    run(text, a, c)
    assert (c == a.T).all()
    assert "alloca [48 x i8]" in printed(text)
    assert llvm_accepts(printed(text))


def test_elements_are_found_by_number(rng: np.random.Generator) -> None:
    """A histogram in an array of structures."""
    text = """%pair = type { i32, i64 }
define void @k(ptr %a, ptr %c) {
  %m = alloca [4 x %pair]
  call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 64, i1 false)
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %head ]
  %from = getelementptr i32, ptr %a, i64 %i
  %kind = load i32, ptr %from
  %at = getelementptr [4 x %pair], ptr %m, i64 0, i32 %kind, i32 1
  %old = load i64, ptr %at
  %new = add i64 %old, 1
  store i64 %new, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 50
  br i1 %more, label %head, label %done
done:
  %last = getelementptr [4 x %pair], ptr %m, i64 0, i64 2, i32 1
  %count = load i64, ptr %last
  store i64 %count, ptr %c
  ret void
}
"""
    a, c = rng.integers(0, 4, 50).astype(np.int32), np.zeros(1, np.int64)
    run(text, a, c)
    assert c[0] == (a == 2).sum()
    assert llvm_accepts(printed(text))


def test_results_that_overlap_what_they_are_made_of(rng: np.random.Generator) -> None:
    """Large tensors stay where they are, and are written to where they are not read any more."""
    a, c = rng.standard_normal((80, 80)).astype(np.float32), np.zeros((80, 80), np.float32)
    text = function(
        "%m = alloca [7000 x float]",
        f"%t = {load('%a', 'float', [80, 80])}",
        store("%m", "%t", [0, 0]),
        f"%u = {load('%m', 'float', [80, 80])}",
        "%v = call <6400 x float> @llvm.tensor.relu(token %u)",
        f"%w = {typeinfo('<6400 x float> %v', [80, 80])}",
        "%n = getelementptr float, ptr %m, i64 100",
        store("%n", "%w", [0, 0]),
        f"%x = {load('%n', 'float', [80, 80])}",
        store("%c", "%x", [0, 0]),
        parameters="ptr %a, ptr %c",
    )
    run(text, a, c)
    assert (c == np.maximum(a, 0)).all()


@pytest.mark.parametrize(
    ("memory", "end"), [("alloca i32, i32 2", ""), ("call ptr @malloc(i64 8)", "call void @free(ptr %m)")]
)
def test_each_round_of_a_loop_has_its_own(memory: str, end: str) -> None:
    a, c = np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
    text = MALLOC + LOOP.format(memory=memory, phi="", call="%p = ptrtoint ptr %m to i64", end=end)
    run(text, a, c, 5)
    assert (c == a).all()


def test_what_outlives_its_time_is_refused() -> None:
    carried = "%old = phi ptr [ null, %entry ], [ %m, %head ]"
    (found,) = findings(LOOP.format(memory="alloca [2 x i32]", phi=carried, call="", end=""))
    assert found == "TLX303 7: the address of this memory is handed on, and a loop makes new memory each time"
    kept = "TLX303 4: the address of this memory is handed on, and the memory may outlive the function"
    assert findings(MALLOC + function("%m = call ptr @malloc(i64 8)", "store ptr %m, ptr %a")) == [kept]
    moved = ("%n = getelementptr i8, ptr %m, i64 4", "%x = ptrtoint ptr %n to i64", "store i64 %x, ptr %a")
    assert findings(MALLOC + function("%m = call ptr @malloc(i64 8)", *moved)) == [kept]


def test_lengths_are_constants_within_the_limit() -> None:
    def of(*lines: str) -> list[str]:
        return findings(MALLOC + function(*lines, parameters="ptr %a, i64 %n"))

    assert of("%m = call ptr @malloc(i64 %n)") == [
        "TLX303 4: the length of malloc must be a constant after folding, and not negative"
    ]
    assert of("%m = alloca float, i64 %n", "call void @free(ptr %m)")[0].startswith("TLX303 4: the number of elements")
    assert of(f"%m = call ptr @malloc(i64 {MOST_BYTES})") == []
    assert of(f"%m = alloca [{MOST_BYTES} x i8]", "%p = ptrtoint ptr %m to i64") == []
    for lines in ([f"%m = call ptr @malloc(i64 {MOST_BYTES + 1})"], [f"%m = call ptr @malloc(i64 {MOST_BYTES})"] * 2):
        lines = [line.replace("%m", f"%m{k}") for k, line in enumerate(lines)]
        (found,) = of(*lines)
        assert found.startswith("TLX501")
        assert f"the limit is {MOST_BYTES:,}" in found
    assert of("%m = call i64 @malloc(i64 8)") == ["TLX203 4: malloc takes a number of bytes and gives a pointer"]
    assert of("call void @free(i64 8)") == ["TLX203 4: free takes a pointer"]


def stages(parameters: str) -> str:
    """A large relu behind the first stage."""
    text = function(
        f"%t = {load('%a', 'float', [80, 80])}",
        "%v = call <6400 x float> @llvm.tensor.relu(token %t)",
        f"%w = {typeinfo('<6400 x float> %v', [80, 80])}",
        store("%c", "%w", [0, 0]),
        parameters=parameters,
    )
    source = Source("k.ll", text)
    assert printed(text).startswith(f"define void @k({parameters})")
    return print_op(read_module(source, Report()))


def test_noalias_is_believed() -> None:
    """No test whether target and operand overlap, and no buffer for the case that they do."""
    assert "memref.reserve" in stages("ptr %a, ptr %c")
    for parameters in ("ptr noalias %a, ptr %c", "ptr %a, ptr noalias %c"):
        assert "memref.reserve" not in stages(parameters)
