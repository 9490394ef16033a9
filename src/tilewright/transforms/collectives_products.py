"""gemm and gemv: tiles of the result accumulate over the inner dimension, then are scaled and written once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from tilewright.dialects import tile, tl
from tilewright.dialects.arith import Add, Mul
from tilewright.dialects.arith_integers import UCast
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType, TileType, with_element
from tilewright.transforms import emit
from tilewright.transforms.collectives_elementwise import stretched, update_each
from tilewright.transforms.policy import Remainders, Schedule, ThinTiles, contiguous_mode
from tilewright.transforms.scaling import Update, update
from tilewright.transforms.spread_collectives.wishes import wish_for
from tilewright.transforms.thin_products import are_dots, cover_dots, cover_thin, is_thin
from tilewright.transforms.tiling import Box, Piece, along, cover, extents, loop_order, strips

Write: TypeAlias = Callable[[Builder, Box, Value], None]
"""What becomes of a finished tile of the target, whose elements have the target's type."""


def lower_gemm(op: tl.Gemm, build: Builder, schedule: Schedule, write: Write | None = None) -> None:
    """`C := alpha op1(A) op2(B) + beta C`; `write` takes the tiles instead, if alpha is not 0 and nothing atomic."""
    goal = update(build, op.alpha, op.beta, op.c, op.atomic)
    if goal.alpha.is_zero:
        update_each(build, goal, schedule, lambda at, box: at.zero(TileType(box.shape, goal.accumulator)))
        return
    a = emit.permuted(build, op.a, op.transpose_a)
    b = emit.permuted(build, op.b, op.transpose_b)
    types = (emit.memref_type(a), emit.memref_type(b), emit.memref_type(op.c))
    rows, columns, depth = schedule.tiles.gemm_tile(*types)
    remainders = schedule.tiles.remainders
    sharing = schedule.tiles.gemm_sharing(*types)
    inner = emit.extent(build, a, 1)

    def body(at: Builder, box: Box, depth: int = depth, remainders: Remainders = remainders) -> None:
        def step(deep: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
            left = extended(deep, Box((box.pieces[0], piece)).load(deep, a), op.unsigned_a, goal.accumulator)
            right = extended(deep, Box((piece, box.pieces[1])).load(deep, b), op.unsigned_b, goal.accumulator)
            return [deep(tile.Mma(left, right, carried[0])).out]

        def products(first: Value) -> Value:
            return wish_for(along(at, inner, depth, step, [first], remainders=remainders)[0], sharing)

        accumulate(at, goal, box, products, write)

    totals = extents(build, op.c)

    def usual(at: Builder) -> None:
        cover(at, totals, (rows, columns), loop_order(types[2]), body, remainders)

    tiles = schedule.tiles.thin_tiles(*types)
    if tiles is None:
        usual(build)
        return

    def dots(at: Builder, mode: int) -> None:
        factors = _Lines(a, op.unsigned_a), _Lines(emit.permuted(at, b, True), op.unsigned_b)

        def each(deep: Builder, box: Box) -> None:
            def products(first: Value) -> Value:
                return _box_of_dots(deep, factors, mode, inner, tiles.depth, box, first)

            accumulate(deep, goal, box, products, write)

        cover_dots(at, totals, tiles, mode, each)

    def few(at: Builder) -> None:
        cover_thin(at, totals, tiles, lambda deep, box: body(deep, box, 1, Remainders.ALONE))

    _by_lengths(build, (*totals, inner), tiles, _Ways(dots, few, usual), tiles.dots)


class _Ways(Struct, frozen=True):
    """Code for a product whose results along a mode are dot products, for one with a short side, and for any other."""

    dots: Callable[[Builder, int], None]
    few: Callable[[Builder], None]
    usual: Callable[[Builder], None]


def _by_lengths(
    at: Builder, lengths: Sequence[emit.Length], tiles: ThinTiles, ways: _Ways, modes: Sequence[int]
) -> None:
    """The way that the lengths of a launch want; dot products are left along `modes`."""
    if modes:
        mode, *others = modes
        emit.if_else(
            at,
            are_dots(at, lengths, tiles, mode),
            lambda then: ways.dots(then, mode),
            lambda orelse: _by_lengths(orelse, lengths, tiles, ways, others),
        )
    elif (is_short := is_thin(at, lengths, tiles)) is not None:
        emit.if_else(at, is_short, ways.few, ways.usual)
    else:
        ways.usual(at)


class _Lines(Struct, frozen=True):
    """A factor whose terms lie along mode 1, and whether its elements have no sign."""

    view: Value
    is_unsigned: bool

    def load(self, build: Builder, line: Piece, terms: Piece, accumulator: ScalarType) -> Value:
        """Some terms of some lines in the type of the sums."""
        return emit.cast(
            build,
            extended(build, Box((line, terms)).load(build, self.view), self.is_unsigned, accumulator),
            accumulator,
        )


def _box_of_dots(
    build: Builder, factors: Sequence[_Lines], mode: int, inner: emit.Length, depth: int, box: Box, first: Value
) -> Value:
    """A box one position long along a mode: each line of the other mode's factor times the one of this mode's."""
    element, count = emit.scalar_type(first.type), box.shape[1 - mode]

    def product(at: Builder, piece: Piece) -> Value:
        one, many = (factors[k].load(at, box.pieces[k], piece, element) for k in (mode, 1 - mode))
        return at(Mul(many, stretched(at, one, (1, piece.length), (count, piece.length)))).out

    start = build(tile.Reshape(first, result_types=[TileType((count,), element)])).out
    total = sum_rows(build, product, inner, depth, count, start)
    return build(tile.Reshape(total, result_types=[TileType(box.shape, element)])).out


def extended(build: Builder, value: Value, is_unsigned: bool, accumulator: ScalarType) -> Value:
    """A factor as products take it: of a type that the accumulator holds, extended by zeros if it has no sign."""
    if not is_unsigned or emit.scalar_type(value.type) is accumulator:
        return value
    return build(UCast(value, result_types=[with_element(value.type, accumulator)])).out


def accumulate(
    build: Builder, goal: Update, box: Box, products: Callable[[Value], Value], write: Write | None = None
) -> None:
    """Sum products onto the old target where that is exact, else onto zero with the scaling at the end."""
    total = products(goal.old(build, box) if goal.is_sum else build.zero(TileType(box.shape, goal.accumulator)))
    if goal.atomic:
        goal.finish(build, total, box)
        return
    value = emit.cast(build, total, goal.element) if goal.is_sum else goal.finished(build, total, box)
    if write is None:
        box.store(build, value, goal.target)
    else:
        write(build, box, value)


def lower_gemv(op: tl.Gemv, build: Builder, schedule: Schedule, write: Write | None = None) -> None:
    """`c := alpha op(A) b + beta c`; `write` as for a product of matrices."""
    goal = update(build, op.alpha, op.beta, op.c, op.atomic)
    if goal.alpha.is_zero:
        update_each(build, goal, schedule, lambda at, box: at.zero(TileType(box.shape, goal.accumulator)))
        return
    a = emit.permuted(build, op.a, op.transpose)
    type_ = emit.memref_type(a)
    rows, depth = schedule.tiles.reduction_tile(type_, 1)
    adds_tiles = schedule.tiles.adds_tiles or contiguous_mode(type_) == 1
    product = _dot_products if adds_tiles else _axpy_products
    inner = emit.extent(build, a, 1)

    def body(at: Builder, box: Box) -> None:
        accumulate(at, goal, box, lambda first: product(at, a, op.b, inner, depth, box, first), write)

    strips(build, emit.extent(build, op.c, 0), rows, body)


def _axpy_products(build: Builder, a: Value, b: Value, inner: emit.Length, depth: int, box: Box, first: Value) -> Value:
    """Columns of A are adjacent in memory: a product with a one-column matrix."""
    rows = box.pieces[0]
    element = emit.scalar_type(first.type)

    def step(at: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
        left = Box((rows, piece)).load(at, a)
        right = Box((piece,)).load(at, b)
        column = stretched(at, right, (piece.length, 1), (piece.length, 1))
        return [at(tile.Mma(left, column, carried[0])).out]

    start = stretched(build, first, (rows.length, 1), (rows.length, 1))
    total = along(build, inner, depth, step, [start])[0]
    return build(tile.Reshape(total, result_types=[TileType((rows.length,), element)])).out


def _dot_products(build: Builder, a: Value, b: Value, inner: emit.Length, depth: int, box: Box, first: Value) -> Value:
    """Element by element products, summed up in a tile and then along its rows, which had better be adjacent in memory
    where one thread does it all."""
    rows = box.pieces[0]
    element = emit.scalar_type(first.type)

    def product(at: Builder, piece: Piece) -> Value:
        left = emit.cast(at, Box((rows, piece)).load(at, a), element)
        right = emit.cast(at, Box((piece,)).load(at, b), element)
        return at(Mul(left, stretched(at, right, (1, piece.length), (rows.length, piece.length)))).out

    return sum_rows(build, product, inner, depth, rows.length, first)


def sum_rows(
    build: Builder,
    product: Callable[[Builder, Piece], Value],
    inner: emit.Length,
    depth: int,
    rows: int,
    first: Value,
) -> Value:
    """`first` plus the sums along dimension 1 of the tiles `product(builder, piece)` over [0, inner).

    Partial sums stay in a tile as wide as the pieces, so that the sum across lanes happens once.
    """
    element = emit.scalar_type(first.type)
    if isinstance(inner, int) and inner <= depth:
        depth = max(inner, 1)
    wide = build.zero(TileType((rows, depth), element))
    totals = [first]

    def step(at: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
        value = product(at, piece)
        if piece.length != depth:
            totals[0] = at(Add(totals[0], at(tile.Reduce(value, AtomicKind.ADD, 1)).out)).out
            return carried
        return [at(Add(carried[0], value)).out]

    partial = along(build, inner, depth, step, [wide])[0]
    if partial is wide:
        return totals[0]
    return build(Add(totals[0], build(tile.Reduce(partial, AtomicKind.ADD, 1)).out)).out
