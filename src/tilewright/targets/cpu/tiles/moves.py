"""Operations whose result is put together in a buffer: reshape, reinterpret, other moves, scan, map."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import scf, tile
from tilewright.ir import core
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import ScalarType, TileType
from tilewright.targets.cpu.context import KernelContext, NoLowering
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.reductions import combine
from tilewright.targets.cpu.evaluation.sweep import each_position, each_vector
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import flatten, pick, rebuild, shuffle
from tilewright.targets.cpu.expressions.nodes import Expression, Memory
from tilewright.targets.cpu.expressions.rearranged import rearranged
from tilewright.targets.cpu.expressions.reshaping import column_major
from tilewright.targets.cpu.lowered import Operand, Scalar
from tilewright.targets.cpu.memory.lanes import Lanes, store_lanes
from tilewright.targets.cpu.memory.places import tile_of
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.positions import moved


def lower(ctx: KernelContext, roots: Roots, op: core.Operation) -> Memory:
    """The buffer that holds the operation's result."""
    type_ = op.results[0].type
    assert isinstance(type_, TileType)
    match op:
        case tile.Reshape():
            return column_major(roots.materialize(tile_of(ctx, op.tile), 0, packed=True), type_)
        case tile.Reinterpret():
            return _reinterpreted(roots.materialize(tile_of(ctx, op.tile), 0, packed=True), type_)
        case MovesElements():
            return _moved(roots, [tile_of(ctx, operand) for operand in op.operands], op.moves(), type_)
        case tile.Scan():
            return _scan(ctx, roots, op, type_)
        case tile.Map():
            return _map(ctx, roots, op, type_)
        case _:
            raise NoLowering(op)


def _reinterpreted(packed: Memory, type_: TileType) -> Memory:
    """In memory low bytes come first."""
    span = None if packed.span is None else packed.span * packed.type.element.bits // type_.element.bits
    return Memory(type_, packed.pointer, packed.strides, packed.bounds, span)


def _moved(roots: Roots, sources: Sequence[Expression], moves: Sequence[Move], type_: TileType) -> Memory:
    """Box by box: as an expression where the move is one, else element by element."""
    whole, ev = roots.buffer(type_), roots.evaluator()
    for move in moves:
        part = TileType(move.shape, type_.element)
        target = Memory(part, ev.address(whole, tuple(map(i64, move.start))), whole.strides, whole.bounds)
        expression = rearranged(sources[move.operand], move)
        if expression is not None:
            roots.store(expression, target)
            continue
        source = roots.materialize(sources[move.operand])

        def act(position: tuple[Value, ...], move: Move = move, source: Memory = source, to: Memory = target) -> None:
            ev.forget()
            found = ev.scalar(source, moved(roots.ctx.b, move, position))
            store_lanes(roots.ctx.b, found, Lanes(type_.element.name, ev.address(to, position), i64(1), 1))

        each_position(roots.ctx.b, move.shape, act)
    return whole


def _map(ctx: KernelContext, roots: Roots, op: tile.Map, type_: TileType) -> Memory:
    """The region once for each element, as scalar code."""
    source, target = roots.materialize(tile_of(ctx, op.tile)), roots.buffer(type_)
    ev, body = roots.evaluator(), op.body.entry
    lanes, mask = ctx.lanes, ctx.mask
    ctx.lanes, ctx.mask = 1, None

    def act(position: tuple[Value, ...]) -> None:
        ev.forget()
        for argument, at in zip(body.arguments, position, strict=False):
            ctx.bind(argument, Scalar(ctx.b.resize(at, "i32")))
        ctx.bind(body.arguments[-1], Scalar(ev.scalar(source, position)))
        ctx.lower_block(body)
        result = ctx.scalar(scf.yielded(op.body)[0]).operand
        store_lanes(ctx.b, result, Lanes(type_.element.name, ev.address(target, position), i64(1), 1))

    each_position(ctx.b, type_.shape, act)
    ctx.lanes, ctx.mask = lanes, mask
    return target


# Scan


def _scan(ctx: KernelContext, roots: Roots, op: tile.Scan, type_: TileType) -> Memory:
    """Lines along the scanned dimension: whole vectors of them at once where there are others, else within vectors."""
    source, target = roots.materialize(tile_of(ctx, op.tile)), roots.buffer(type_)
    ev = roots.evaluator()
    if type_.rank == 1 or source.strides[op.dim].integer == 1:
        _scan_within(ctx, ev, op, source, target)
    else:
        _scan_across(ctx, ev, op, source, target)
    return target


def _scan_across(ctx: KernelContext, ev: Evaluator, op: tile.Scan, source: Memory, target: Memory) -> None:
    """Vectors along the contiguous dimension, one after another along the scanned one."""
    b, shape, dtype = ctx.b, source.type.shape, source.type.element.name
    vector = next(dim for dim in range(len(shape)) if source.strides[dim].integer == 1 and dim != op.dim)
    lanes = ev.machine.lanes(source.type.element.component.bytes)
    others = [shape[dim] if dim not in (op.dim, vector) else 1 for dim in range(len(shape))]

    def line(position: tuple[Value, ...], start: Value, piece: Piece) -> None:
        def block(at: Value) -> Block:
            origin = [*position]
            origin[op.dim], origin[vector] = at, start
            return Block(tuple(origin), vector, (piece,))

        first = ev.block(source, block(i64(0)))
        ev.store(target, block(i64(0)), first)
        with b.loop(i64(1), i64(shape[op.dim]), 1, flatten(first), hint="scan") as loop:
            before = rebuild(loop.carried, dtype, 1, 1)[0][0]
            total = combine(ev, op.kind.value, dtype, before, ev.block(source, block(loop.index))[0][0])
            ev.store(target, block(loop.index), [[total]])
            loop.yield_(*flatten([[total]]))

    def act(position: tuple[Value, ...]) -> None:
        each_vector(b, ev, shape[vector], lanes, lambda start, piece: line(position, start, piece))

    each_position(ctx.b, others, act)


def _scan_within(ctx: KernelContext, ev: Evaluator, op: tile.Scan, source: Memory, target: Memory) -> None:
    """Each line by vectors along it: prefixes within a vector, plus the total of the vectors before."""
    b, shape, element = ctx.b, source.type.shape, source.type.element
    lanes = ev.machine.lanes(element.component.bytes)
    extent = shape[op.dim]
    main = extent - extent % lanes

    def step(position: tuple[Value, ...], at: Value, width: int, carry: Operand | None) -> Operand:
        origin = tuple(at if dim == op.dim else p for dim, p in enumerate(position))
        block = Block(origin, op.dim, (Piece(0, width, width),))
        prefix = _prefixes(ev, op.kind.value, element, ev.block(source, block)[0][0], width)
        if carry is not None:
            prefix = combine(ev, op.kind.value, element.name, ev.arith.splat(carry, width), prefix)
        ev.store(target, block, [[prefix]])
        return pick(b, prefix, [width - 1]) if width > 1 else prefix

    def act(position: tuple[Value, ...]) -> None:
        carry: Operand | None = None
        if main:
            carry = step(position, i64(0), lanes, None)
            with b.loop(i64(lanes), i64(main), lanes, flatten([[carry]]), hint="scan") as loop:
                before = rebuild(loop.carried, element.name, 1, 1)[0][0]
                loop.yield_(*flatten([[step(position, loop.index, lanes, before)]]))
            carry = rebuild(loop.results, element.name, 1, 1)[0][0]
        at, width = main, lanes
        while at < extent:
            width //= 2
            if extent - at >= width:
                carry = step(position, i64(at), width, carry)
                at += width
                width *= 2

    each_position(ctx.b, [1 if dim == op.dim else e for dim, e in enumerate(shape)], act)


def _prefixes(ev: Evaluator, word: str, element: ScalarType, operand: Operand, width: int) -> Operand:
    """Prefixes within a vector in log2(width) steps: each adds the lane 1, 2, 4, .. further down."""
    distance = 1
    while distance < width:
        lower = shuffle(ev.b, operand, None, [max(lane - distance, 0) for lane in range(width)])
        combined = combine(ev, word, element.name, lower, operand)
        order = [lane if lane < distance else width + lane for lane in range(width)]
        operand = shuffle(ev.b, operand, combined, order)
        distance *= 2
    return operand
