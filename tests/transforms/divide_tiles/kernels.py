"""Random kernels on the tile level of one product or none, whose results may be cut along both modes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from targets.nvidia.case import kernel

Array = NDArray[Any]

PARAMETERS: Final = {
    "a": "memref<f32x?x?>",
    "b": "memref<f32x?x?>",
    "c": "memref<f32x?x?>",
    "d": "memref<f32x?x?>",
    "row": "memref<f32x?>",
    "column": "memref<f32x?>",
    "e": "memref<f32x?x?>",
}
"""Matrices and vectors that do not overlap; `c` and `e` are written."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A kernel, tiles of m x n of the result and k terms, and extents that they need not divide."""

    text: str
    tiles: tuple[int, int, int]
    extents: tuple[int, int, int]
    transposed: tuple[bool, bool]

    @property
    def grid(self) -> tuple[int, int, int]:
        """A work-group for each tile."""
        (m, n, _), (tm, tn, _) = self.extents, self.tiles
        return (-(-m // tm), -(-n // tn), 1)

    def arrays(self, rng: np.random.Generator) -> list[Array]:
        """Small integers, whose sums and products are exact."""
        m, n, k = self.extents
        shapes: Sequence[tuple[int, ...]] = (
            (k, m) if self.transposed[0] else (m, k),
            (n, k) if self.transposed[1] else (k, n),
            (m, n),
            (m, 3),
            (n,),
            (m,),
            (m, n),
        )
        return [np.array(rng.integers(-3, 4, shape), np.float32, order="F") for shape in shapes]


class _Body:
    """Operations so far; `tile` is the type of a result, `value` the one at hand."""

    def __init__(self, tiles: tuple[int, int, int]) -> None:
        self.tm, self.tn, self.tk = tiles
        self.tile = f"tile<{self.tm}x{self.tn}xf32>"
        self.lines: list[str] = []
        self.value = ""
        self.count = 0

    def new(self, what: str) -> str:
        """The result of an operation."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {what}")
        return f"%v{self.count}"

    def add(self, other: str, word: str = "add") -> None:
        """Combine the value at hand with another one."""
        self.value = self.new(f"arith.{word} {self.value}, {other} -> {self.tile}") if self.value else other


def drawn(rnd: random.Random, *, multiplies: bool = True, by_rows: bool = False) -> Drawn:
    """A kernel: a product, terms behind it in any order, one or two stores, the last maybe on a condition.

    What `by_rows` alone may be cut adds up rows of the result.
    """
    tiles = (rnd.choice((4, 8, 12)), rnd.choice((4, 8, 16)), rnd.choice((2, 4)))
    transposed = (rnd.random() < 0.5, rnd.random() < 0.5)
    body = _Body(tiles)
    if multiplies:
        _product(body, transposed)
    terms = rnd.sample(_TERMS, rnd.randint(0 if multiplies else 1, 4))
    for term in terms:
        term(body)
    if by_rows:
        _shares(body)
    stored = _stores(body, rnd)
    extents = tuple(t * rnd.randint(1, 2) + rnd.choice((0, 0, rnd.randint(1, 3))) for t in tiles)
    names = ", ".join(f"%{name}: {type_}" for name, type_ in PARAMETERS.items())
    text = kernel(names, "\n".join([*_PLACE.format(*tiles).splitlines(), *body.lines, *stored]), 32, (128, 1))
    text = text.replace("work_group_size", f"parameter_attributes = [{_APART}], spread = true, work_group_size", 1)
    m, n, k = extents
    return Drawn(text, tiles, (m, n, k), transposed)


_APART = ", ".join(["{noalias = true}"] * len(PARAMETERS))
_PLACE = """%x = team.group_id {{dim = 0}} -> index
%y = team.group_id {{dim = 1}} -> index
%tm = arith.constant {{value = {0}}} -> index
%tn = arith.constant {{value = {1}}} -> index
%tk = arith.constant {{value = {2}}} -> index
%i = arith.mul %x, %tm -> index
%j = arith.mul %y, %tn -> index
%zero = arith.constant {{value = 0}} -> index"""


def _product(body: _Body, transposed: tuple[bool, bool]) -> None:
    tm, tn, tk = body.tm, body.tn, body.tk
    zeros = body.new(f"arith.constant {{value = 0.0}} -> {body.tile}")
    mode = 0 if transposed[0] else 1
    body.lines.append(f"%terms = memref.size %a {{mode = {mode}}} -> index")
    left = "%k, %i" if transposed[0] else "%i, %k"
    right = "%j, %k" if transposed[1] else "%k, %j"
    turned = "tile.permute {} {{order = [1, 0]}} -> tile<{}x{}xf32>"
    check = "{check = [true, true]}"
    body.lines += [
        f"%sum = scf.for %zero, %terms, %tk, {zeros} {{operand_segments = [1, 1, 1, 1]}} -> {body.tile} ("
        f"%k: index, %acc: {body.tile}) {{",
        f"%p = tile.load %a, {left} {check} -> tile<{tk if transposed[0] else tm}x{tm if transposed[0] else tk}xf32>",
        f"%q = tile.load %b, {right} {check} -> tile<{tn if transposed[1] else tk}x{tk if transposed[1] else tn}xf32>",
        *([f"%pt = {turned.format('%p', tm, tk)}"] if transposed[0] else []),
        *([f"%qt = {turned.format('%q', tk, tn)}"] if transposed[1] else []),
        f"%next = tile.mma %p{'t' if transposed[0] else ''}, %q{'t' if transposed[1] else ''}, %acc -> {body.tile}",
        "scf.yield %next",
        "}",
    ]
    body.value = "%sum"


def _bias(body: _Body) -> None:
    line = body.new(f"tile.load %row, %j {{check = [true]}} -> tile<{body.tn}xf32>")
    line = body.new(f"tile.reshape {line} -> tile<1x{body.tn}xf32>")
    body.add(body.new(f"tile.broadcast {line} -> {body.tile}"))


def _scale_of_rows(body: _Body) -> None:
    line = body.new(f"tile.load %column, %i {{check = [true]}} -> tile<{body.tm}xf32>")
    line = body.new(f"tile.reshape {line} -> tile<{body.tm}x1xf32>")
    body.add(body.new(f"tile.broadcast {line} -> {body.tile}"), "mul")


def _sums_of_rows(body: _Body) -> None:
    rows = body.new(f"tile.load %d, %i, %zero {{check = [true, true]}} -> tile<{body.tm}x4xf32>")
    rows = body.new(f'tile.reduce {rows} {{dim = 1, kind = "add"}} -> tile<{body.tm}xf32>')
    rows = body.new(f"tile.reshape {rows} -> tile<{body.tm}x1xf32>")
    body.add(body.new(f"tile.broadcast {rows} -> {body.tile}"))


def _old(body: _Body) -> None:
    old = body.new(f"tile.load %c, %i, %j {{check = [true, true]}} -> {body.tile}")
    two = body.new(f"arith.constant {{value = 2.0}} -> {body.tile}")
    body.add(body.new(f"arith.mul {old}, {two} -> {body.tile}"))


def _shares(body: _Body) -> None:
    """Of the sums of rows, which slices along rows alone know."""
    rows = body.new(f'tile.reduce {body.value} {{dim = 1, kind = "add"}} -> tile<{body.tm}xf32>')
    rows = body.new(f"tile.reshape {rows} -> tile<{body.tm}x1xf32>")
    body.add(body.new(f"tile.broadcast {rows} -> {body.tile}"))


def _positions(body: _Body) -> None:
    for dim in range(2):
        places = body.new(f"tile.iota {{dim = {dim}}} -> tile<{body.tm}x{body.tn}xi32>")
        body.add(body.new(f"arith.cast {places} -> {body.tile}"))


def _chosen(body: _Body) -> None:
    _positions(body)
    zero = body.new(f"arith.constant {{value = 3.0}} -> {body.tile}")
    above = body.new(f'arith.cmp {body.value}, {zero} {{predicate = "ge"}} -> tile<{body.tm}x{body.tn}xbool>')
    body.value = body.new(f"arith.select {above}, {body.value}, {zero} -> {body.tile}")


_TERMS = (_bias, _scale_of_rows, _sums_of_rows, _old, _positions, _chosen)


def _stores(body: _Body, rnd: random.Random) -> list[str]:
    found = [f"tile.store {body.value}, %c, %i, %j {{check = [true, true]}}"]
    if rnd.random() < 0.5:
        twice = f"%twice = arith.add {body.value}, {body.value} -> {body.tile}"
        store = "tile.store %twice, %e, %i, %j {check = [true, true]}"
        if rnd.random() < 0.5:
            store = f'%some = arith.cmp %x, %zero {{predicate = "gt"}} -> bool\nscf.if %some {{\n{store}\n}}'
        found += [twice, store]
    return found
