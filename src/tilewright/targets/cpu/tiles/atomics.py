"""Atomic accesses of tiles, element by element."""

from __future__ import annotations

from tilewright.dialects import tile
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.sweep import each_position
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import Lanes, store_lanes
from tilewright.targets.cpu.memory.places import place, tile_of
from tilewright.targets.cpu.spmd.atomics import atomic_load, atomic_store, atomic_update
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Value, i64


def lower(ctx: KernelContext, roots: Roots, op: tile.AtomicLoad | tile.AtomicStore | tile.AtomicRmw) -> None:
    """Load, store or update the elements that exist, each atomically."""
    type_ = op.box().data.type
    assert isinstance(type_, TileType)
    target = place(ctx, op.memref, op.indices, op.check, type_)
    source = None if isinstance(op, tile.AtomicLoad) else roots.materialize(tile_of(ctx, op.value))
    found = None if isinstance(op, tile.AtomicStore) else roots.buffer(type_)
    dtype, ev = type_.element.name, roots.evaluator()
    if found is not None and target.checked:
        roots.fill_zero(found)

    def update(position: tuple[Value, ...]) -> None:
        pointer = ev.address(target, position)
        value = None if source is None else ev.scalar(source, position)
        old: Operand | None = None
        match op:
            case tile.AtomicLoad():
                old = atomic_load(ctx, dtype, pointer, op.semantics)
            case tile.AtomicStore():
                assert value is not None
                atomic_store(ctx, dtype, pointer, value, op.semantics)
            case tile.AtomicRmw():
                assert value is not None
                old = atomic_update(ctx, dtype, pointer, value, op.kind, op.semantics)
        if found is not None and old is not None:
            store_lanes(ctx.b, old, Lanes(dtype, ev.address(found, position), i64(1), 1))

    def act(position: tuple[Value, ...]) -> None:
        ev.forget()
        exists = _existing(ctx, target, position)
        if exists is None:
            update(position)
            return
        with ctx.b.if_then(exists):
            update(position)

    each_position(ctx.b, type_.shape, act)
    if found is not None:
        ctx.bind(op.results[0], found)


def _existing(ctx: KernelContext, target: Memory, position: tuple[Value, ...]) -> Value | None:
    """Whether an element exists; None if it surely does."""
    b, result = ctx.b, None
    for at, bound in zip(position, target.bounds, strict=True):
        if bound is not None:
            inside = b.and_(b.icmp("sge", at, bound.low), b.icmp("slt", at, bound.high))
            result = inside if result is None else b.and_(result, inside)
    return result
