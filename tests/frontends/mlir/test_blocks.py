"""Functions of blocks that branch, as the stock tool prints them behind `--convert-scf-to-cf`."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from frontends.mlir.reading import reprinted

LOOP = """func.func @f(%A: memref<?xi32>, %n: index, %B: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^bb1(%c0, %zero, %zero : index, i32, i32)
^bb1(%i: index, %sum: i32, %count: i32):  // 2 preds: ^bb0, ^bb4
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^bb2, ^bb5
^bb2:  // pred: ^bb1
  %x = memref.load %A[%i] : memref<?xi32>
  %positive = arith.cmpi sgt, %x, %zero : i32
  cf.cond_br %positive, ^bb3, ^bb4(%sum, %count : i32, i32)
^bb3:  // pred: ^bb2
  %s = arith.addi %sum, %x : i32
  %c = arith.addi %count, %one : i32
  cf.br ^bb4(%s, %c : i32, i32)
^bb4(%after: i32, %number: i32):  // 2 preds: ^bb2, ^bb3
  %next = arith.addi %i, %c1 : index
  cf.br ^bb1(%next, %after, %number : index, i32, i32)
^bb5:  // pred: ^bb1
  memref.store %sum, %B[%c0] : memref<2xi32>
  memref.store %count, %B[%c1] : memref<2xi32>
  return
}
"""

EARLY = """func.func @f(%A: memref<?xi32>, %n: index, %B: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %none = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %none, ^bb1, ^bb2
^bb1:
  return
^bb2:
  linalg.fill ins(%seven : i32) outs(%B : memref<2xi32>)
  return
}
""".replace("  %none", "  %seven = arith.constant 7 : i32\n  %none")


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("generic", [False, True])
def test_sums_in_blocks(target: str, generic: bool, rng: np.random.Generator) -> None:
    kernel = tw.compile(reprinted(LOOP) if generic else LOOP, target=target, cache=False).f[1]
    for length in (0, 1, 20):
        a, b = rng.integers(-9, 10, length).astype(np.int32), np.full(2, -1, np.int32)
        kernel(a, length, b)
        assert b.tolist() == [a[a > 0].sum(), (a > 0).sum()]


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_a_function_may_return_early(target: str) -> None:
    kernel = tw.compile(EARLY, target=target, cache=False).f[1]
    for length, wanted in ((0, [1, 1]), (3, [7, 7])):
        b = np.ones(2, np.int32)
        kernel(np.zeros(max(length, 1), np.int32), length, b)
        assert b.tolist() == wanted


def test_what_is_printed_is_read_again() -> None:
    once = reprinted(LOOP)
    assert reprinted(once) == once


@pytest.mark.parametrize(
    ("was", "becomes", "code", "says"),
    [
        ("^bb4(%s, %c : i32, i32)", "^bb4(%s : i32)", "M10", "the block takes (i32, i32), not (i32)"),
        ("^bb4(%s, %c : i32, i32)", "^bb4(%s, %c : i32)", "M", "1 types for 2 values"),
        ("^bb4(%s, %c : i32, i32)", "^bb9", "M", "^bb9"),
        ("cf.br ^bb1(%next, %after, %number : index, i32, i32)", "cf.br ^bb4(%s, %c : i32, i32)", "IR", "%s"),
    ],
)
def test_branches_that_lead_nowhere_are_errors(was: str, becomes: str, code: str, says: str) -> None:
    assert LOOP.count(was) == 1
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(LOOP.replace(was, becomes), target="interpreter")
    finding = caught.value.diagnostics[0]
    assert finding.code.startswith(code)
    assert says in finding.message
    assert finding.location.primary is not None


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("func.func @f() {\n  cf.br ^bb1\n^bb1:\n  cf.br ^bb1\n}\n", "T008", "never ends"),
        (
            "func.func @f(%A: memref<4xf32>) {\n  cf.br ^bb1(%A : memref<4xf32>)\n"
            "^bb1(%B: memref<4xf32>):\n  return\n}\n",
            "M11",
            "only numbers are handed on",
        ),
        (
            "func.func private @g() {\n  cf.br ^bb1\n^bb1:\n  return\n}\n"
            "func.func @f() {\n  func.call @g() : () -> ()\n  return\n}\n",
            "M11",
            "in functions that are launched",
        ),
        (
            "func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {\n  cf.br ^bb1\n^bb1:\n  return %t : tensor<4xf32>\n}\n",
            "M11",
            "returns nothing",
        ),
    ],
)
def test_blocks_that_are_not_supported(text: str, code: str, says: str) -> None:
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(text, target="interpreter")
    finding = caught.value.diagnostics[0]
    assert finding.code == code
    assert says in finding.message
    assert finding.location.primary is not None
