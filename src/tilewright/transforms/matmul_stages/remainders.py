"""Rows, columns and summed elements behind the last whole tile: loops of their own, behind those that are tiled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine
from tilewright.ir.core import Operation
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    axes_around,
    make_loop,
    move_bounds,
    name_of,
    nested,
    variable,
)
from tilewright.transforms.matmul_stages.open_extents import emit_whole
from tilewright.transforms.matmul_stages.updates import emit_update
from tilewright.transforms.matmul_stages.visits import known_subscripts, products

WHAT = "remainders"
Box = Mapping[str, tuple[Linear, Linear]]
"""From where to where, for i, j and k."""
_Range = Mapping[str, tuple[int, int]]


def peel(matmul: Matmul) -> int:
    """Let i, j and k run over whole tiles, and other loops behind them over the rest; gives how many nests these are.

    Raises `NotApplicable` if there is surely no whole tile.
    """
    loops = {letter: matmul.loop(letter, WHAT) for letter in "ijk"}
    for letter, loop in loops.items():
        size = matmul.sizes[letter]
        if isinstance(size, int) and size < matmul.block[letter]:
            said = f"the {size} iterations over %{name_of(loop)} are fewer than the tile's {matmul.block[letter]}"
            raise NotApplicable(
                loop, said, f'give smaller tiles in the schedule, `"block={_fitting(matmul)} warp=.."` for example'
            )
    if matmul.is_open:
        emit_whole(matmul)
    matmul.made.cut = "".join(letter for letter in "kji" if matmul.whole[letter] != matmul.lengths[letter])
    for letter, loop in loops.items():
        move_bounds(loop, Linear(), matmul.whole[letter])
    outermost = loops["i"]
    assert outermost.block is not None
    build = Builder(outermost.block, outermost.next, outermost.location)
    rest = rest_boxes(matmul)
    for box in rest:
        nest = [make_loop(None, low, high, 1) for low, high in box.values()]
        inner = nested(build, nest)
        at = {letter: Linear(0, ((variable(loop), 1),)) for letter, loop in zip(box, nest, strict=True)}
        emit_update(matmul, inner, at)
    return len(rest)


def _fitting(matmul: Matmul) -> str:
    """A block of which there is a tile."""
    known = ((matmul.block[letter], matmul.sizes[letter]) for letter in "ijk")
    return "x".join(str(min(most, size) if isinstance(size, int) else most) for most, size in known)


def rest_boxes(matmul: Matmul) -> list[Box]:
    """What is not in whole tiles: behind them along k, then j, then i."""
    lengths, whole = matmul.lengths, matmul.whole
    found: list[Box] = []
    for cut in matmul.made.cut:
        before = {"k": "", "j": "k", "i": "jk"}[cut]
        found.append(
            {
                letter: (whole[cut], lengths[cut])
                if letter == cut
                else (Linear(), lengths[letter] if letter in before else whole[letter])
                for letter in "ijk"
            }
        )
    return found


def rest_of(matmul: Matmul) -> list[affine.For | affine.Parallel]:
    """The nests behind the tiles that compute products."""
    found: list[affine.For | affine.Parallel] = []
    others = {*matmul.made.beside, *matmul.made.before, *matmul.made.behind}
    op = matmul.nest(WHAT).next
    while op is not None:
        if isinstance(op, affine.For | affine.Parallel) and op not in others and products(matmul, op):
            found.append(op)
        op = op.next
    return found


def check_remainders(matmul: Matmul) -> None:
    """The tiles and the nests behind them are each (i, j, k) once. Raises `Broken` if not."""
    extents, tiled = matmul.extents, matmul.tiled
    first = matmul.axis("i", WHAT).op
    boxes: list[_Range] = [{letter: (0, tiled[letter]) for letter in "ijk"}]
    boxes += [_box_of(matmul, op) for op in rest_of(matmul)]
    for one, other in combinations(boxes, 2):
        if all(max(one[k][0], other[k][0]) < min(one[k][1], other[k][1]) for k in "ijk"):
            raise Broken(WHAT, first, "something is computed in two nests")
    volume = sum(math.prod(high - low for low, high in box.values()) for box in boxes)
    if volume != math.prod(extents.values()):
        raise Broken(WHAT, first, f"{volume} products are computed, not {math.prod(extents.values())}")


def _box_of(matmul: Matmul, nest: Operation) -> _Range:
    """What a nest behind the tiles computes: a loop for each of i, j and k around one product."""
    (one,) = products(matmul, nest)[:1]
    accesses = ((matmul.c, one.c), (matmul.a, one.a), (matmul.b, one.b), (matmul.c, one.stored))
    found: dict[str, tuple[int, int]] = {}
    axes = {axis.variable: axis for axis in axes_around(one.op)}
    for matrix, op in accesses:
        if op.memref is not matrix.memref:
            raise Broken(WHAT, op, f"reads %{op.memref.name} in place of %{matrix.memref.name}")
        for letter, form in zip(matrix.letters, known_subscripts(op), strict=True):
            axis = axes.get(form.terms[0][0]) if len(form.terms) == 1 and form.terms[0][1] == 1 else None
            first, trips = (None, None) if axis is None else (axis.first, axis.numbers)
            if axis is None or first is None or trips is None or axis.step != 1:
                raise Broken(WHAT, op, f"{letter} is not one loop's variable")
            low = first + form.constant
            if found.setdefault(letter, (low, low + len(trips))) != (low, low + len(trips)):
                raise Broken(WHAT, op, f"{letter} is not that of what it is combined with")
    if (
        any(low < 0 or high > matmul.extents[letter] for letter, (low, high) in found.items())
        or set(found) != set("ijk")
        or len(axes) != 3 + len(matmul.batch)
    ):
        raise Broken(WHAT, nest, "a nest leaves the matrices, or computes its products several times")
    return found
