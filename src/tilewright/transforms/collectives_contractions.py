"""contract: products of matrices whose rows, columns and terms are several modes of tensors each.

A tile is a box of the tensor, loaded whole and reshaped: nothing moves if the target can read a matrix through that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from tilewright.dialects import tile, tl
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import TileType, memref
from tilewright.transforms import emit
from tilewright.transforms.collectives_elementwise import update_each
from tilewright.transforms.collectives_products import accumulate, extended
from tilewright.transforms.policy import Schedule
from tilewright.transforms.scaling import update
from tilewright.transforms.tiling import Box, Piece, along, cover, loop_order

_Step = Callable[[Builder, Sequence[Piece], Value], Value]


class Matrix(Box, frozen=True):
    """A box of a tensor as a matrix: its first `split` modes are the rows, the others the columns."""

    split: int

    @property
    def lengths(self) -> tuple[int, ...]:
        """Of the pieces."""
        return tuple(p.length for p in self.pieces)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        return (prod(self.lengths[: self.split]), prod(self.lengths[self.split :]))

    def load(self, build: Builder, view: Value) -> Value:
        """The matrix at this place."""
        return _reshaped(build, Box(self.pieces).load(build, view), self.shape)

    def store(self, build: Builder, value: Value, view: Value) -> None:
        """Write a matrix at this place."""
        Box(self.pieces).store(build, _reshaped(build, value, self.lengths), view)


def _reshaped(build: Builder, value: Value, shape: tuple[int, ...]) -> Value:
    type_ = TileType(shape, emit.scalar_type(value.type))
    return value if value.type == type_ else build(tile.Reshape(value, result_types=[type_])).out


def lower_contract(op: tl.Contract, build: Builder, schedule: Schedule) -> None:
    """`C := alpha A B + beta C`, in boxes whose matrices are of the sizes that suit `gemm`."""
    goal = update(build, op.alpha, op.beta, op.c, False)
    if goal.alpha.is_zero:
        update_each(build, goal, schedule, lambda at, box: at.zero(TileType(box.shape, goal.accumulator)))
        return
    rows, terms, _ = op.groups
    b, c = _extents(op.b), _extents(op.c)
    extents = (c[:rows], c[rows:], b[:terms])
    m, n, k = map(prod, extents)
    kinds = [emit.memref_type(v).element for v in (op.a, op.b, op.c)]
    flat = [memref(e, shape, (None, None)) for e, shape in zip(kinds, ((m, k), (k, n), (m, n)), strict=True)]
    down, across, deep = map(_lengths, extents, schedule.tiles.gemm_tile(flat[0], flat[1], flat[2]))

    def body(at: Builder, box: Box) -> None:
        lines, columns = box.pieces[:rows], box.pieces[rows:]

        def step(inner: Builder, pieces: Sequence[Piece], total: Value) -> Value:
            left, right = Matrix((*lines, *pieces), rows), Matrix((*pieces, *columns), terms)
            x = extended(inner, left.load(inner, op.a), op.unsigned_a, goal.accumulator)
            y = extended(inner, right.load(inner, op.b), op.unsigned_b, goal.accumulator)
            return inner(tile.Mma(x, y, total)).out

        def summed(first: Value) -> Value:
            return _each(at, list(zip(extents[2], deep, strict=True)), [], step, first)

        accumulate(at, goal, Matrix(box.pieces, rows), summed)

    cover(build, c, (*down, *across), loop_order(emit.memref_type(op.c)), body, schedule.tiles.remainders)


def _extents(view: Value) -> tuple[int, ...]:
    shape = tuple(n for n in emit.memref_type(view).shape if n is not None)
    assert len(shape) == emit.memref_type(view).order, "extents are static"
    return shape


def _lengths(extents: Sequence[int], most: int) -> list[int]:
    """Lengths of boxes of about `most` elements, the first modes whole, in as few and as even pieces as that takes."""
    found: list[int] = []
    for extent in extents:
        pieces = -(-extent // max(most, 1))
        found.append(max(-(-extent // max(pieces, 1)), 1))
        most //= found[-1]
    return found


def _each(build: Builder, modes: list[tuple[int, int]], pieces: list[Piece], step: _Step, total: Value) -> Value:
    """The sum of `step` over all boxes of some modes, whose extents and lengths are given, the last one outermost."""
    if not modes:
        return step(build, pieces, total)
    *others, (extent, length) = modes

    def inside(at: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
        return [_each(at, others, [piece, *pieces], step, carried[0])]

    return along(build, extent, length, inside, [total])[0]
