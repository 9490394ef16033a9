"""Reductions and scans by a region: composed affine maps, whose order matters, against a loop."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter import interpret
from transforms.support import kernel

SHAPE = (3, 5)
TILE = "tile<3x5xi32>"
COMPOSED = """(%a: i32, %c: i32, %b: i32, %d: i32) {
  %x = arith.mul %a, %c -> i32 %p = arith.mul %a, %d -> i32 %y = arith.add %p, %b -> i32 scf.yield %x, %y }"""
"""`a (c x + d) + b`: the element after what was accumulated."""


def composed(factors: np.ndarray, terms: np.ndarray, reverse: bool, start: tuple[int, int]) -> list[tuple[int, int]]:
    """What is accumulated at each element of a line."""
    order = range(len(factors) - 1, -1, -1) if reverse else range(len(factors))
    found, (c, d) = [(0, 0)] * len(factors), start
    for k in order:
        c, d = int(factors[k]) * c, int(factors[k]) * d + int(terms[k])
        found[k] = c, d
    return found


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("start", [None, (2, 7)])
def test_scans(dim: int, reverse: bool, start: tuple[int, int] | None, rng: np.random.Generator) -> None:
    given = "" if start is None else ", %c2, %c7"
    segments = f"operand_segments = [2, {0 if start is None else 2}]"
    module = kernel(
        ", ".join(f"%{name}: memref<i32x3x5>" for name in "FTGU") + ", %z: index",
        f"""%c2 = arith.constant {{value = 2}} -> i32 %c7 = arith.constant {{value = 7}} -> i32
            %f = tile.load %F, %z, %z -> {TILE} %t = tile.load %T, %z, %z -> {TILE}
            %g, %u = tile.scan_by %f, %t{given} {{dim = {dim}, reverse = {str(reverse).lower()}, {segments}}}
              -> {TILE}, {TILE} {COMPOSED}
            tile.store %g, %G, %z, %z tile.store %u, %U, %z, %z""",
    )
    factors, terms = (np.asfortranarray(rng.integers(-3, 4, SHAPE, np.int32)) for _ in range(2))
    outs = [np.zeros(SHAPE, np.int32, order="F") for _ in range(2)]
    interpret(module.kernels[0], [factors, terms, *outs, 0])
    lines = zip(*(np.moveaxis(array, dim, 1) for array in (factors, terms, *outs)), strict=True)
    for f, t, *found in lines:
        assert list(zip(*(line.tolist() for line in found), strict=True)) == composed(f, t, reverse, start or (1, 0))


@pytest.mark.parametrize("dim", [0, 1])
def test_reductions(dim: int, rng: np.random.Generator) -> None:
    left = SHAPE[1 - dim]
    out = f"tile<{left}xi32>"
    module = kernel(
        f"%F: memref<i32x3x5>, %T: memref<i32x3x5>, %G: memref<i32x{left}>, %U: memref<i32x{left}>, %z: index",
        f"""%f = tile.load %F, %z, %z -> {TILE} %t = tile.load %T, %z, %z -> {TILE}
            %g, %u = tile.reduce_by %f, %t {{dim = {dim}}} -> {out}, {out} {COMPOSED}
            tile.store %g, %G, %z tile.store %u, %U, %z""",
    )
    factors, terms = (np.asfortranarray(rng.integers(-3, 4, SHAPE, np.int32)) for _ in range(2))
    outs = [np.zeros(left, np.int32) for _ in range(2)]
    interpret(module.kernels[0], [factors, terms, *outs, 0])
    lines = zip(np.moveaxis(factors, dim, 1), np.moveaxis(terms, dim, 1), strict=True)
    assert list(zip(*(o.tolist() for o in outs), strict=True)) == [composed(f, t, False, (1, 0))[-1] for f, t in lines]
