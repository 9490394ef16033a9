"""Loops that sum nothing touch no element of their target, and neither do the instructions that they amount to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from tilewright.interpreter import interpret
from tilewright.transforms.raise_contractions import RaiseContractions
from transforms.raise_contractions.test_delinearisation import lowered
from transforms.support import names, run

TYPE = "memref<?x?xf32>"


def nest(loops: Sequence[str], a: str, b: str, c: str) -> str:
    """A sum of products in loops; what they access."""
    heads = " ".join(f"affine.for {loop} {{" for loop in loops)
    return f"""
func.func @f(%A: {TYPE}, %B: {TYPE}, %C: {TYPE}, %m: index, %n: index, %k: index) {{
  {heads}
    %a = affine.load %A[{a}] : {TYPE}
    %b = affine.load %B[{b}] : {TYPE}
    %c = affine.load %C[{c}] : {TYPE}
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[{c}] : {TYPE}
  {"}" * len(loops)}
  return
}}
"""


ROWS, COLUMNS, TERMS = "%i = 0 to %m", "%j = 0 to %n", "%q = 0 to %k"
TILES = "%t = 0 to %k step 4"
TILE = "%q = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%k]"
NESTS = {
    "tl.gemm": nest([ROWS, COLUMNS, TERMS], "%i, %q", "%q, %j", "%i, %j"),
    "tl.gemm behind": nest([TERMS, ROWS, COLUMNS], "%i, %q + 2", "%q + 1, %j", "%i + 2, %j + 1"),
    "tl.gemm in tiles": nest([TILES, ROWS, COLUMNS, TILE], "%i, %q", "%q, %j", "%i, %j"),
    "tl.gemm of known rows": nest(["%i = 0 to 4", "%j = 0 to 5", TERMS], "%i, %q", "%q, %j", "%i, %j"),
    "tl.gemv": nest([ROWS, TERMS], "%i, %q", "%q, 1", "%i, 2"),
    "tl.gemv of a row": nest([TERMS, COLUMNS], "0, %q", "%q, %j", "3, %j"),
}


@pytest.mark.parametrize("name", NESTS)
def test_nothing_is_accessed(name: str) -> None:
    module = lowered(NESTS[name])
    run(module, RaiseContractions())
    assert names(module)[name.split(" ")[0]] == 1
    shapes = [(0, 0), (1, 1), (4, 2)]
    for k, *found in product((0, -3), shapes, shapes, shapes):
        a, b, c = (np.ones(shape, np.float32) for shape in found)
        interpret(module.kernels[0], [a, b, c, 2, 3, k])
        assert (c == 1).all()
    a, b, c = (np.ones((9, 9), np.float32) for _ in range(3))
    interpret(module.kernels[0], [a, b, c, 2, 3, 2])
    assert c.max() == 3


def test_what_is_all_of_its_memory_needs_no_branch() -> None:
    """So that what follows a product may still be computed with it."""
    text = NESTS["tl.gemm"].replace("  affine.for", "  %c0 = arith.constant 0 : index\n  affine.for", 1)
    for name, memory, dimension in (("m", "C", "%c0"), ("n", "C", "%c1")):
        text = text.replace(f", %{name}: index", "").replace(f"to %{name} ", f"to %{name} ")
        text = text.replace("  affine.for", f"  %{name} = memref.dim %{memory}, {dimension} : {TYPE}\n  affine.for", 1)
    text = text.replace("  %c0 =", "  %c1 = arith.constant 1 : index\n  %c0 =")
    module = lowered(text)
    run(module, RaiseContractions())
    assert (names(module)["tl.gemm"], names(module)["scf.if"]) == (1, 0)
