"""Tiles whose elements lie at addresses of their own: gathers and scatters by vectors, atomics element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.dialects import addresses
from tilewright.dialects.addresses import UpdateKind
from tilewright.dialects.memref import AtomicKind
from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.evaluation.sweep import Plan, sweep
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.nodes import AnyTile, Fragments, Gathered, Memory
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import Lanes, prefix_mask, store_lanes
from tilewright.targets.cpu.memory.places import tile_of
from tilewright.targets.cpu.spmd.atomics import atomic_exchange, atomic_load, atomic_store, atomic_swap, atomic_update
from tilewright.targets.llvm.emitter import Value, boolean, i64, vector, zero
from tilewright.targets.llvm.types import ELEMENTS

if TYPE_CHECKING:
    from tilewright.targets.cpu.context import KernelContext
    from tilewright.targets.cpu.evaluation.evaluate import Evaluator
    from tilewright.targets.cpu.tiles.roots import Roots


def gathered_block(ev: Evaluator, tile: Gathered, block: Block) -> Fragments:
    """One vector gather a piece."""
    places = ev.block(tile.addresses, block)
    masks = None if tile.mask is None else ev.block(tile.mask, block)
    return [
        [
            _gather(ev, tile.type.element.name, _value(places[j][p]), _mask(ev, masks, j, p, piece), piece)
            for p, piece in enumerate(block.pieces)
        ]
        for j in range(block.count)
    ]


def _value(operand: Operand) -> Value:
    assert isinstance(operand, Value)
    return operand


def _mask(ev: Evaluator, masks: Fragments | None, j: int, p: int, piece: Piece) -> Value | None:
    """The lanes to access; None if all."""
    found = None if masks is None else _value(masks[j][p])
    if not piece.partial:
        return found
    static = prefix_mask(piece.active, piece.lanes)
    return static if found is None else ev.b.and_(found, static)


def _gather(ev: Evaluator, dtype: str, at: Value, mask: Value | None, piece: Piece) -> Value:
    b, element = ev.b, ELEMENTS[dtype]
    pointers = b.cast("inttoptr", at, vector("ptr", piece.lanes), hint="at")
    if piece.lanes > 1:
        ltype = vector(element.llvm, piece.lanes)
        return b.gather(ltype, pointers, mask or b.splat(boolean(True), piece.lanes), element.bytes)
    if mask is None:
        return b.load(element.llvm, pointers, element.bytes)
    with b.if_else(mask) as branch:
        with branch.then():
            branch.yield_(b.load(element.llvm, pointers, element.bytes))
        with branch.otherwise():
            branch.yield_(zero(element.llvm))
    return branch.results[0]


def _scatter(ev: Evaluator, dtype: str, value: Value, at: Value, mask: Value | None, piece: Piece) -> None:
    b, element = ev.b, ELEMENTS[dtype]
    pointers = b.cast("inttoptr", at, vector("ptr", piece.lanes), hint="at")
    if piece.lanes > 1:
        b.scatter(value, pointers, mask or b.splat(boolean(True), piece.lanes), element.bytes)
    elif mask is None:
        b.store(value, pointers, element.bytes)
    else:
        with b.if_then(mask):
            b.store(value, pointers, element.bytes)


def lower(ctx: KernelContext, roots: Roots, op: core.Operation) -> None:
    """Lower an access to scattered elements."""
    match op:
        case addresses.Scatter() if op.semantics is None:
            mask = None if op.mask is None else tile_of(ctx, op.mask)
            _store(roots, tile_of(ctx, op.value), tile_of(ctx, op.addresses), mask)
        case addresses.Gather() | addresses.Scatter() | addresses.ScatterUpdate() | addresses.ScatterExchange():
            _one_by_one(ctx, roots, op)
        case _:
            raise AssertionError(f"{op.name} has no lowering on the CPU")


def _store(roots: Roots, value: AnyTile, places: AnyTile, mask: AnyTile | None) -> None:
    """All of the value is computed before anything is written: addresses may be those of what it came from."""
    value = value if isinstance(value, Memory) else roots.materialize(value)
    parts = tuple(roots.settle(part, None) for part in (places, *([] if mask is None else [mask])))
    inside = roots.inside(list(parts))
    ev = roots.evaluator(inside is not None)
    plan = Plan(ev, parts[0])

    def emit(block: Block) -> None:
        at = ev.block(parts[0], block)
        masks = None if mask is None else ev.block(parts[1], block)
        stored = ev.block(value, block)
        for j in range(block.count):
            for p, piece in enumerate(block.pieces):
                on = _mask(ev, masks, j, p, piece)
                _scatter(ev, value.type.element.name, _value(stored[j][p]), _value(at[j][p]), on, piece)
        ev.forget()

    sweep(roots.ctx.b, plan, emit, ev)


_Access = addresses.Gather | addresses.Scatter | addresses.ScatterUpdate | addresses.ScatterExchange
_KINDS = {UpdateKind.ADD: AtomicKind.ADD, UpdateKind.MAX: AtomicKind.MAX, UpdateKind.MIN: AtomicKind.MIN}


def _one_by_one(ctx: KernelContext, roots: Roots, op: _Access) -> None:
    """Atomic accesses."""
    from tilewright.targets.cpu.tiles.elements import each_position

    type_ = op.out.type if isinstance(op, addresses.Gather) else op.value.type
    assert isinstance(type_, TileType)
    found = None if isinstance(op, addresses.Scatter) else roots.buffer(type_)
    sources = {
        name: roots.materialize(tile_of(ctx, value))
        for name, value in (
            ("addresses", op.addresses),
            ("mask", op.mask),
            ("value", None if isinstance(op, addresses.Gather) else op.value),
            ("expected", op.expected if isinstance(op, addresses.ScatterExchange) else None),
        )
        if value is not None
    }
    if found is not None:
        if isinstance(op, addresses.ScatterExchange):
            roots.store(sources["expected"], found)
        else:
            roots.fill_zero(found)
    ev = roots.evaluator()

    def update(position: tuple[Value, ...]) -> None:
        read = {name: ev.scalar(source, position) for name, source in sources.items() if name != "mask"}
        old = _access(ctx, op, type_.element.name, read)
        if found is not None and old is not None:
            store_lanes(ctx.b, old, Lanes(type_.element.name, ev.address(found, position), i64(1), 1))

    def act(position: tuple[Value, ...]) -> None:
        ev.forget()
        if op.mask is None:
            update(position)
            return
        with ctx.b.if_then(_value(ev.scalar(sources["mask"], position))):
            update(position)

    each_position(ctx, type_.shape, act)
    if found is not None:
        ctx.bind(op.results[0], found)


def _access(ctx: KernelContext, op: _Access, dtype: str, read: dict[str, Operand]) -> Operand | None:
    pointer = ctx.b.cast("inttoptr", _value(read["addresses"]), "ptr", hint="at")
    match op:
        case addresses.Gather():
            assert op.semantics is not None
            return atomic_load(ctx, dtype, pointer, op.semantics)
        case addresses.Scatter():
            assert op.semantics is not None
            atomic_store(ctx, dtype, pointer, read["value"], op.semantics)
            return None
        case addresses.ScatterExchange():
            expected, value = _value(read["expected"]), _value(read["value"])
            return atomic_swap(ctx, dtype, pointer, expected, value, op.semantics)
        case addresses.ScatterUpdate():
            kind = _KINDS.get(op.kind)
            if kind is not None:
                return atomic_update(ctx, dtype, pointer, read["value"], kind, op.semantics)
            return atomic_exchange(ctx, dtype, pointer, _value(read["value"]), op.kind.value, op.semantics)
