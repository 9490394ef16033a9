"""Walking over a whole tile in register blocks: straight-line code where it is short, loops where it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.targets.cpu.evaluation.crosswise import crosswise_memory
from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.blocks import (
    Block,
    Piece,
    Shape,
    grouped,
    map_shape,
    split_pieces,
    square_shape,
)
from tilewright.targets.cpu.expressions.nodes import (
    Expression,
    Memory,
    Product,
    Registers,
    Splat,
    first_long_dim,
    lane_bytes,
    leaves,
    natural_dim,
    subexpressions,
)
from tilewright.targets.cpu.small_products.shape import product_shape
from tilewright.targets.llvm.emitter import Builder, Value, i64

Emit = Callable[[Block], None]
_UNROLLED_GROUPS = 2
_MASKED_GROUP = 4
_UNROLLED_VECTORS = 8


class Plan:
    """How to walk over a tile: vector dimension, dimension across, pieces, code shape."""

    __slots__ = ("across", "across_first", "ends", "extents", "pieces", "shape", "straight_groups", "vector")

    def __init__(self, ev: BlockReader, tile: Expression, vector: int | None = None) -> None:
        self.extents = tile.type.shape
        self.ends: tuple[Value | None, ...] = ()
        self.straight_groups = 1 if ev.machine.compact else _UNROLLED_GROUPS
        rank = len(self.extents)
        chosen = vector if vector is not None else natural_dim(tile)
        self.vector = first_long_dim(self.extents) if chosen is None else chosen
        others = [dim for dim in range(rank) if dim != self.vector]
        self.across = max(others, key=lambda dim: self.extents[dim]) if others else None
        lanes = ev.machine.lanes(lane_bytes(tile))
        height = self.extents[self.vector] if rank else 1
        self.pieces = split_pieces(height, lanes, ev.machine)
        columns = 1 if self.across is None else self.extents[self.across]
        products = [part for part in subexpressions(tile) if isinstance(part, Product)]
        crosswise = crosswise_memory(tile, self.vector, self.across)
        self.across_first = not products and not ev.machine.compact and next(crosswise, None) is not None
        if products:
            depth = max(part.lhs.type.shape[1] for part in products)
            self.shape = product_shape(ev.machine, len(self.pieces), columns, depth, _is_bare(tile, products))
        elif self.across_first:
            self.shape = square_shape(len(self.pieces), lanes, columns)
        else:
            self.shape = map_shape(ev.machine, len(self.pieces), columns)

    def roll(self, target: Memory, masked: bool) -> None:
        """Short loops that end where the target does, or its use: for edges, much code that seldom runs."""
        bounds = tuple(None if bound is None else bound.high for bound in target.bounds)
        self.ends = (target.ends or bounds) if masked else (None,) * len(bounds)
        self.shape = Shape(min(self.shape.group, _MASKED_GROUP) if masked else self.shape.group, 1, unrolled=False)
        self.straight_groups = 1

    def end(self, b: Builder, dim: int, extent: int) -> Value:
        """Where a loop over a dimension ends."""
        limit = self.ends[dim] if self.ends else None
        return i64(extent) if limit is None else b.smin(i64(extent), limit)

    @property
    def whole(self) -> Block:
        """The tile as one block, for tiles that live in registers."""
        count = 1 if self.across is None else self.extents[self.across]
        return Block((i64(0),) * len(self.extents), self.vector, tuple(self.pieces), self.across, count)

    def block(self, origin: Sequence[Value], pieces: tuple[Piece, ...], count: int) -> Block:
        """A block of some pieces and positions across."""
        return Block(tuple(origin), self.vector, pieces, self.across, count)

    @property
    def straight(self) -> bool:
        """Whether all positions are constants."""
        others = [e for dim, e in enumerate(self.extents) if dim not in (self.vector, self.across)]
        return self.shape.unrolled and all(extent == 1 for extent in others)


def _is_bare(tile: Expression, products: Sequence[Product]) -> bool:
    """Whether a tile is a product of elements in memory that are read as they are, and nothing else is read for it."""
    read = {leaf for leaf in leaves(tile) if not isinstance(leaf, Splat)}
    factors = {factor for part in products for factor in (part.lhs, part.rhs)}
    elements = {part.type.element.name for part in subexpressions(tile)}
    in_memory = all(isinstance(factor, Memory) for factor in factors)
    return len(products) == 1 and in_memory and read == factors and elements in ({"f32"}, {"f64"})


def sweep(b: Builder, plan: Plan, emit: Emit, ev: BlockReader) -> None:
    """Call `emit` for blocks that cover the tile once."""
    if 0 in plan.extents:
        return
    if plan.straight:
        _blocks(b, plan, [i64(0)] * len(plan.extents), emit, ev)
        return
    with ev.scope():
        _outer(b, plan, 0, [i64(0)] * len(plan.extents), emit, ev)


def _outer(b: Builder, plan: Plan, dim: int, origin: list[Value], emit: Emit, ev: BlockReader) -> None:
    """Loops over the dimensions that no block spans."""
    if dim == len(plan.extents):
        _blocks(b, plan, origin, emit, ev)
    elif dim in (plan.vector, plan.across) or plan.extents[dim] == 1:
        _outer(b, plan, dim + 1, origin, emit, ev)
    else:
        with b.loop(i64(0), i64(plan.extents[dim]), hint="d") as loop, ev.scope():
            origin[dim] = loop.index
            _outer(b, plan, dim + 1, origin, emit, ev)
            origin[dim] = i64(0)


def _blocks(b: Builder, plan: Plan, origin: list[Value], emit: Emit, ev: BlockReader) -> None:
    """The blocks at an origin, along the vectors first, unless the plan says otherwise."""
    if plan.across_first:
        _along(
            b, plan, origin, lambda part: _across(b, plan, origin, lambda n: emit(plan.block(origin, part, n)), ev), ev
        )
    else:
        _across(
            b, plan, origin, lambda n: _along(b, plan, origin, lambda part: emit(plan.block(origin, part, n)), ev), ev
        )


def _across(b: Builder, plan: Plan, origin: list[Value], act: Callable[[int], None], ev: BlockReader) -> None:
    """Call `act` for runs of positions across, with how many these are; `origin` says where they begin."""
    if plan.across is None:
        act(1)
        return
    extent, width = plan.extents[plan.across], plan.shape.columns
    start = 0
    if not plan.shape.unrolled and extent // width > plan.straight_groups:
        main = extent - extent % width
        with b.loop(i64(0), plan.end(b, plan.across, main), width, hint="c") as loop, ev.scope():
            origin[plan.across] = loop.index
            act(width)
        start = main
    while start < extent:
        count = min(width, extent - start)
        origin[plan.across] = i64(start)
        act(count)
        start += count
    origin[plan.across] = i64(0)


def _along(
    b: Builder, plan: Plan, origin: list[Value], act: Callable[[tuple[Piece, ...]], None], ev: BlockReader
) -> None:
    """Call `act` for groups of pieces along the vectors; `origin` says where they begin."""
    pieces, group = plan.pieces, plan.shape.group
    looped = 0
    if not plan.shape.unrolled and pieces.full // group > plan.straight_groups:
        looped = pieces.full - pieces.full % group
        ends, step = plan.end(b, plan.vector, looped * pieces.lanes), group * pieces.lanes
        with b.loop(i64(0), ends, step, hint="v") as loop, ev.scope():
            origin[plan.vector] = loop.index
            act(pieces[:group])
    for part in grouped(pieces[looped:], group) if looped < len(pieces) else []:
        if plan.extents:
            origin[plan.vector] = i64(part[0].offset)
        act(_from_zero(part))
    if plan.extents:
        origin[plan.vector] = i64(0)


def each_vector(b: Builder, ev: BlockReader, extent: int, lanes: int, act: Callable[[Value, Piece], None]) -> None:
    """Call `act` for vectors that cover a dimension once, with where they start: in a loop if there are many."""
    straight = 1 if ev.machine.compact else _UNROLLED_VECTORS
    looped = extent - extent % lanes if extent // lanes > straight else 0
    if looped:
        with b.loop(i64(0), i64(looped), lanes, hint="v") as loop, ev.scope():
            act(loop.index, Piece(0, lanes, lanes))
    for piece in split_pieces(extent - looped, lanes, ev.machine):
        act(i64(looped + piece.offset), Piece(0, piece.lanes, piece.active))


def each_position(b: Builder, shape: Sequence[int], act: Callable[[tuple[Value, ...]], None]) -> None:
    """Loops over all positions of a tile."""

    def descend(position: tuple[Value, ...], dim: int) -> None:
        if dim < 0:
            act(position)
        elif shape[dim] == 1:
            descend((i64(0), *position), dim - 1)
        else:
            with b.loop(i64(0), i64(shape[dim]), hint="e") as loop:
                descend((loop.index, *position), dim - 1)

    if 0 not in shape:
        descend((), len(shape) - 1)


def _from_zero(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    first = pieces[0].offset
    return tuple(Piece(piece.offset - first, piece.lanes, piece.active) for piece in pieces)


def fits_registers(held: Registers, plan: Plan) -> bool:
    """Whether blocks of a plan find the vectors of a register tile as they are."""
    return plan.straight and held.vector == plan.vector and held.pieces == tuple(plan.pieces)
