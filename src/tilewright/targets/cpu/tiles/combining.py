"""Reductions and scans by a region, on whole vectors.

The region's scalar operations are emitted on vectors. Across the contiguous dimension vectors are combined one after
another. Along it neighbours are combined: two vectors give one of pairs, eight give one of eights, whose lanes are then
halved, so that every element keeps its place in the order, as a combination that is only associative demands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects import arith, scf
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir import core
from tilewright.ir.types import TileType, element_of
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.sweep import each_position, each_vector
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import parts_of, shuffle
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.places import tile_of
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.elementwise import compute
from tilewright.targets.llvm.emitter import Builder, Complex, Value, i64, lanes_of

Row = list[Operand]
"""One vector of each tile."""

_CHUNK = 8


class Combination(Struct, frozen=True):
    """The region as a function on vectors of any width."""

    ctx: KernelContext
    body: core.Region

    def __call__(self, later: Row, earlier: Row) -> Row:
        """Combine elements with what was accumulated before them."""
        known: dict[core.Value, Operand] = {}
        for i, (element, before) in enumerate(zip(later, earlier, strict=True)):
            known[self.body.entry.arguments[2 * i]] = element
            known[self.body.entry.arguments[2 * i + 1]] = before
        lanes = lanes_of(parts_of(later[0])[0].type)

        def operand(value: core.Value) -> Operand:
            found = known.get(value)
            if found is None:
                found = self.ctx.arith.splat(self.ctx.uniform_value(self.ctx.scalar(value)), lanes)
            return found

        for op in self.body.entry:
            if isinstance(op, scf.Yield):
                break
            if isinstance(op, arith.Constant):
                known[op.out] = self.ctx.arith.constant(_dtype(op.out), op.value, lanes)
                continue
            dtypes = [_dtype(v) for v in op.operands]
            known[op.results[0]] = compute(self.ctx.arith, op, dtypes, [operand(v) for v in op.operands])
        return [operand(v) for v in scf.yielded(self.body)]

    def started(self, first: Row, starts: Sequence[core.Value]) -> Row:
        """The first elements combined with what a scan starts with, if anything."""
        if not starts:
            return first
        lanes = lanes_of(parts_of(first[0])[0].type)
        values = [self.ctx.uniform_value(self.ctx.scalar(value)) for value in starts]
        return self(first, [self.ctx.arith.splat(value, lanes) for value in values])


def _dtype(value: core.Value) -> str:
    element = element_of(value.type)
    assert element is not None
    return element.name


class Lines(Struct, frozen=True):
    """Tiles in memory, read and written along one dimension."""

    ev: Evaluator
    sources: Sequence[Memory]
    dim: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the sources."""
        return self.sources[0].type.shape

    @property
    def lanes(self) -> int:
        """Elements of the widest source in a vector."""
        return self.ev.machine.lanes(max(s.type.element.component.bytes for s in self.sources))

    def row(self, position: Sequence[Value], vector: int, piece: Piece) -> Row:
        """One vector of each source."""
        block = Block(tuple(position), vector, (piece,))
        return [self.ev.block(source, block)[0][0] for source in self.sources]

    def flatten(self, row: Row) -> list[Value]:
        """The LLVM values of a row, for phis."""
        return [part for operand in row for part in parts_of(operand)]

    def rebuild(self, values: Sequence[Value]) -> Row:
        """The inverse of `flatten`."""
        row: Row = []
        rest = list(values)
        for source in self.sources:
            if source.type.element.is_complex:
                row.append(Complex(rest.pop(0), rest.pop(0)))
            else:
                row.append(rest.pop(0))
        return row


def lower(ctx: KernelContext, roots: Roots, op: ReduceBy | ScanBy) -> None:
    """Compute the results in buffers and bind them."""
    sources = [roots.materialize(tile_of(ctx, t)) for t in op.tiles]
    vector = _contiguous(sources[0], op.dim)
    if any(_contiguous(s, op.dim) != vector for s in sources):
        sources = [roots.materialize(s, vector if vector is not None else op.dim) for s in sources]
    targets: list[Memory] = []
    for value in op.outs:
        assert isinstance(value.type, TileType)
        unit = 0 if vector is None else vector - (isinstance(op, ReduceBy) and vector > op.dim)
        targets.append(roots.buffer(value.type, unit))
    lines = Lines(roots.evaluator(), sources, op.dim)
    combine = Combination(ctx, op.body)
    match op, vector:
        case ReduceBy(), None:
            _reduce_within(ctx.b, lines, combine, targets)
        case ReduceBy(), int():
            _reduce_across(ctx.b, lines, combine, targets, vector)
        case ScanBy(), None:
            _scan_within(ctx.b, lines, combine, targets, op)
        case ScanBy(), int():
            _scan_across(ctx.b, lines, combine, targets, vector, op)
    for value, target in zip(op.outs, targets, strict=True):
        ctx.bind(value, target)


def _contiguous(source: Memory, dim: int) -> int | None:
    """The dimension other than `dim` whose elements are neighbours; None if there is none of more than one."""
    for other, (stride, extent) in enumerate(zip(source.strides, source.type.shape, strict=True)):
        if other != dim and stride.integer == 1 and extent > 1:
            return other
    return None


def _without(position: Sequence[Value], dim: int) -> list[Value]:
    return [*position[:dim], *position[dim + 1 :]]


def _store(
    ev: Evaluator, targets: Sequence[Memory], position: Sequence[Value], vector: int, row: Row, p: Piece
) -> None:
    block = Block(tuple(position), vector, (p,))
    for target, operand in zip(targets, row, strict=True):
        ev.store(target, block, [[operand]])


def _positions(lines: Lines, b: Builder, fixed: Sequence[int], act: Callable[[list[Value]], None]) -> None:
    """Loops over the dimensions that are not fixed."""

    def anew(position: tuple[Value, ...]) -> None:
        lines.ev.forget()
        act(list(position))

    each_position(b, [1 if k in fixed else extent for k, extent in enumerate(lines.shape)], anew)


# Across the contiguous dimension


def _across(
    b: Builder,
    lines: Lines,
    combine: Combination,
    vector: int,
    scan: ScanBy | None,
    each: Callable[[list[Value], Piece, Row], None] | None,
    last: Callable[[list[Value], Piece, Row], None] | None,
) -> None:
    extent = lines.shape[lines.dim]
    reverse = scan is not None and scan.reverse

    def line(origin: list[Value], piece: Piece) -> None:
        def at(step: Value) -> list[Value]:
            place = [*origin]
            place[lines.dim] = b.sub(i64(extent - 1), step) if reverse else step
            return place

        total = combine.started(lines.row(at(i64(0)), vector, piece), () if scan is None else scan.starts)
        if each is not None:
            each(at(i64(0)), piece, total)
        if extent > 1:
            with b.loop(i64(1), i64(extent), 1, lines.flatten(total), hint="r") as loop, lines.ev.scope():
                before = lines.rebuild(loop.carried)
                inside = combine(lines.row(at(loop.index), vector, piece), before)
                if each is not None:
                    each(at(loop.index), piece, inside)
                loop.yield_(*lines.flatten(inside))
            total = lines.rebuild(loop.results)
        if last is not None:
            last(origin, piece, total)

    def act(position: list[Value]) -> None:
        def start(at: Value, piece: Piece) -> None:
            origin = [*position]
            origin[vector] = at
            line(origin, piece)

        each_vector(b, lines.ev, lines.shape[vector], lines.lanes, start)

    _positions(lines, b, (lines.dim, vector), act)


def _reduce_across(b: Builder, lines: Lines, combine: Combination, targets: Sequence[Memory], vector: int) -> None:
    unit = vector - (vector > lines.dim)

    def last(origin: list[Value], piece: Piece, total: Row) -> None:
        _store(lines.ev, targets, _without(origin, lines.dim), unit, total, piece)

    _across(b, lines, combine, vector, None, None, last)


def _scan_across(
    b: Builder, lines: Lines, combine: Combination, targets: Sequence[Memory], vector: int, op: ScanBy
) -> None:
    def each(place: list[Value], piece: Piece, total: Row) -> None:
        _store(lines.ev, targets, place, vector, total, piece)

    _across(b, lines, combine, vector, op, each, None)


# Along it


def _reduce_within(b: Builder, lines: Lines, combine: Combination, targets: Sequence[Memory]) -> None:
    extent, lanes = lines.shape[lines.dim], lines.lanes
    chunk = lanes * _CHUNK
    main = extent - extent % chunk

    def vectors(position: list[Value], start: Value, widths: Sequence[tuple[int, int]]) -> list[Row]:
        place = [*position]
        place[lines.dim] = start
        return [lines.row(place, lines.dim, Piece(offset, width, width)) for offset, width in widths]

    def act(position: list[Value]) -> None:
        total: Row | None = None
        if main:
            whole = [(k * lanes, lanes) for k in range(_CHUNK)]
            total = _neighbours(b, combine, vectors(position, i64(0), whole))
            if main > chunk:
                with b.loop(i64(chunk), i64(main), chunk, lines.flatten(total), hint="r") as loop, lines.ev.scope():
                    more = _neighbours(b, combine, vectors(position, loop.index, whole))
                    loop.yield_(*lines.flatten(combine(more, lines.rebuild(loop.carried))))
                total = lines.rebuild(loop.results)
        at, width = main, lanes
        while at < extent:
            while extent - at < width:
                width //= 2
            more = _neighbours(b, combine, vectors(position, i64(at), [(0, width)]))
            total = more if total is None else combine(more, total)
            at += width
        assert total is not None
        _store(lines.ev, targets, _without(position, lines.dim), 0, total, Piece(0, 1, 1))

    _positions(lines, b, (lines.dim,), act)


def _neighbours(b: Builder, combine: Combination, rows: list[Row]) -> Row:
    """Neighbouring elements combined until one is left; a power of two of rows and of lanes."""
    while len(rows) > 1:
        rows = [_paired(b, combine, rows[k], rows[k + 1]) for k in range(0, len(rows), 2)]
    row = rows[0]
    while (lanes := lanes_of(parts_of(row[0])[0].type)) > 1:
        row = combine(_picked(b, row, range(1, lanes, 2)), _picked(b, row, range(0, lanes, 2)))
    return row


def _paired(b: Builder, combine: Combination, low: Row, high: Row) -> Row:
    lanes = lanes_of(parts_of(low[0])[0].type)
    if lanes == 1:
        return combine(high, low)
    even = [shuffle(b, x, y, range(0, 2 * lanes, 2)) for x, y in zip(low, high, strict=True)]
    odd = [shuffle(b, x, y, range(1, 2 * lanes, 2)) for x, y in zip(low, high, strict=True)]
    return combine(odd, even)


def _picked(b: Builder, row: Row, lanes: Sequence[int]) -> Row:
    return [shuffle(b, x, None, lanes) for x in row]


def _scan_within(b: Builder, lines: Lines, combine: Combination, targets: Sequence[Memory], op: ScanBy) -> None:
    """Prefixes within a vector, combined with the total of the vectors before."""
    extent, lanes, reverse = lines.shape[lines.dim], lines.lanes, op.reverse
    main = extent - extent % lanes

    def step(position: list[Value], done: Value, width: int, carry: Row | None) -> Row:
        place = [*position]
        place[lines.dim] = b.sub(i64(extent - width), done) if reverse else done
        piece = Piece(0, width, width)
        turned = range(width - 1, -1, -1)
        row = lines.row(place, lines.dim, piece)
        if reverse and width > 1:
            row = _picked(b, row, turned)
        row = _prefixes(b, combine, row, width)
        if carry is None:
            row = combine.started(row, op.starts)
        else:
            row = combine(row, [combine.ctx.arith.splat(x, width) for x in carry])
        stored = _picked(b, row, turned) if reverse and width > 1 else row
        _store(lines.ev, targets, place, lines.dim, stored, piece)
        return _picked(b, row, [width - 1]) if width > 1 else row

    def act(position: list[Value]) -> None:
        carry: Row | None = None
        if main:
            carry = step(position, i64(0), lanes, None)
            if main > lanes:
                with b.loop(i64(lanes), i64(main), lanes, lines.flatten(carry), hint="s") as loop, lines.ev.scope():
                    after = step(position, loop.index, lanes, lines.rebuild(loop.carried))
                    loop.yield_(*lines.flatten(after))
                carry = lines.rebuild(loop.results)
        at, width = main, lanes
        while at < extent:
            while extent - at < width:
                width //= 2
            carry = step(position, i64(at), width, carry)
            at += width

    _positions(lines, b, (lines.dim,), act)


def _prefixes(b: Builder, combine: Combination, row: Row, width: int) -> Row:
    """In log2(width) steps: each lane takes in the one 1, 2, 4, .. further down."""
    distance = 1
    while distance < width:
        lower = _picked(b, row, [max(lane - distance, 0) for lane in range(width)])
        order = [lane if lane < distance else width + lane for lane in range(width)]
        row = [shuffle(b, old, new, order) for old, new in zip(row, combine(row, lower), strict=True)]
        distance *= 2
    return row
