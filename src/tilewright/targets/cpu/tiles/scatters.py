"""Scatters by vectors; atomic gathers, scatters and updates element by element."""

from __future__ import annotations

from tilewright.dialects import addresses
from tilewright.dialects.addresses import UpdateKind
from tilewright.dialects.memref import AtomicKind
from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext, NoLowering
from tilewright.targets.cpu.evaluation.gathers import active_lanes, scatter
from tilewright.targets.cpu.evaluation.sweep import Plan, each_position, sweep
from tilewright.targets.cpu.expressions.blocks import Block
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.expressions.nodes import Expression, Memory
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import Lanes, store_lanes
from tilewright.targets.cpu.memory.places import tile_of
from tilewright.targets.cpu.spmd.atomics import atomic_exchange, atomic_load, atomic_store, atomic_swap, atomic_update
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Value, i64


def lower(ctx: KernelContext, roots: Roots, op: core.Operation) -> None:
    """Lower a scatter, or an atomic gather, scatter or update."""
    match op:
        case addresses.Scatter() if op.semantics is None:
            mask = None if op.mask is None else tile_of(ctx, op.mask)
            _store(roots, tile_of(ctx, op.value), tile_of(ctx, op.addresses), mask)
        case addresses.Gather() | addresses.Scatter() | addresses.ScatterUpdate() | addresses.ScatterExchange():
            _one_by_one(ctx, roots, op)
        case _:
            raise NoLowering(op)


def _store(roots: Roots, value: Expression, places: Expression, mask: Expression | None) -> None:
    """All of the value is computed before anything is written: addresses may be those of what it came from."""
    value = value if isinstance(value, Memory) else roots.materialize(value)
    parts = tuple(roots.materialize_operands(part, None) for part in (places, *([] if mask is None else [mask])))
    inside = roots.inside(list(parts))
    ev = roots.evaluator(inside is not None)
    plan = Plan(ev, parts[0])

    def emit(block: Block) -> None:
        at = ev.block(parts[0], block)
        masks = None if mask is None else ev.block(parts[1], block)
        stored = ev.block(value, block)
        for j in range(block.count):
            for p, piece in enumerate(block.pieces):
                on = active_lanes(ev, masks, j, p, piece)
                scatter(ev, value.type.element.name, stored[j][p], value_of(at[j][p]), on, piece)
        ev.forget()

    sweep(roots.ctx.b, plan, emit, ev)


_Access = addresses.Gather | addresses.Scatter | addresses.ScatterUpdate | addresses.ScatterExchange
_KINDS = {UpdateKind.ADD: AtomicKind.ADD, UpdateKind.MAX: AtomicKind.MAX, UpdateKind.MIN: AtomicKind.MIN}


def _one_by_one(ctx: KernelContext, roots: Roots, op: _Access) -> None:
    """Atomic accesses."""
    type_ = op.elements().data.type
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
        with ctx.b.if_then(value_of(ev.scalar(sources["mask"], position))):
            update(position)

    each_position(ctx.b, type_.shape, act)
    if found is not None:
        ctx.bind(op.results[0], found)


def _access(ctx: KernelContext, op: _Access, dtype: str, read: dict[str, Operand]) -> Operand | None:
    pointer = ctx.b.cast("inttoptr", value_of(read["addresses"]), "ptr", hint="at")
    match op:
        case addresses.Gather():
            assert op.semantics is not None
            return atomic_load(ctx, dtype, pointer, op.semantics)
        case addresses.Scatter():
            assert op.semantics is not None
            atomic_store(ctx, dtype, pointer, read["value"], op.semantics)
            return None
        case addresses.ScatterExchange():
            expected, value = value_of(read["expected"]), value_of(read["value"])
            return atomic_swap(ctx, dtype, pointer, expected, value, op.semantics)
        case addresses.ScatterUpdate():
            kind = _KINDS.get(op.kind)
            if kind is not None:
                return atomic_update(ctx, dtype, pointer, read["value"], kind, op.semantics)
            return atomic_exchange(ctx, dtype, pointer, value_of(read["value"]), op.kind.value, op.semantics)
