"""Tile operations of collective regions: the threads of the work-group share the elements of what must be computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.nvidia.atomics import atomic_load, atomic_store, atomic_update
from tilewright.targets.nvidia.buffers import Coordinates, each_element, fill, new_buffer
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.elements import Elements, guarded, materialize_op, tile_type
from tilewright.targets.nvidia.memory import address, in_bounds
from tilewright.targets.nvidia.runs import hold, store_runs
from tilewright.targets.nvidia.values import Operand, View


def lower_tile(ctx: KernelContext, op: core.Operation) -> None:
    """Lower a tile operation of a collective region whose result, if any, cannot wait."""
    match op:
        case tile.Store():
            store_runs(ctx, op)
        case tile.Load() if op.out in ctx.distributions.held:
            hold(ctx, op)
        case tile.Item():
            zeros = tuple(i64(0) for _ in tile_type(op.tile).shape)
            ctx.bind(op.out, Elements(ctx).at(op.tile, zeros))
        case tile.AtomicStore():
            _atomic_store(ctx, op)
        case tile.AtomicLoad():
            _atomic_load(ctx, op)
        case tile.AtomicRmw():
            _atomic_rmw(ctx, op)
        case _:
            materialize_op(ctx, op)


def place(
    ctx: KernelContext,
    memref: core.Value,
    indices: Sequence[core.Value],
    where: Sequence[Value],
    check: Sequence[object],
) -> tuple[View, list[Value], Value]:
    """View, indices and bounds test of the element of a tile at `where`."""
    view = ctx.view(memref)
    found = [ctx.b.add(ctx.scalar(i), at) for i, at in zip(indices, where, strict=True)]
    return view, found, in_bounds(ctx, view, found, check)


def _atomic_store(ctx: KernelContext, op: tile.AtomicStore) -> None:
    with each_element(ctx, tile_type(op.value).shape) as where:
        view, indices, inside = place(ctx, op.memref, op.indices, where, op.check)
        with ctx.b.if_then(inside):
            value = Elements(ctx).at(op.value, where)
            atomic_store(ctx, view.element, value, address(ctx, view, indices), op.scope, op.semantics)


def _atomic_load(ctx: KernelContext, op: tile.AtomicLoad) -> None:
    def element(where: Coordinates) -> Operand:
        view, indices, inside = place(ctx, op.memref, op.indices, where, op.check)
        return guarded(
            ctx,
            inside,
            lambda: atomic_load(ctx, view.element, address(ctx, view, indices), op.scope, op.semantics),
            lambda: ctx.arith.constant(view.element.name, 0),
        )

    computed(ctx, op.out, element)


def _atomic_rmw(ctx: KernelContext, op: tile.AtomicRmw) -> None:
    def element(where: Coordinates) -> Operand:
        view, indices, inside = place(ctx, op.memref, op.indices, where, op.check)

        def update() -> Operand:
            value = Elements(ctx).at(op.value, where)
            pointer = address(ctx, view, indices)
            return atomic_update(ctx, op.kind, view.element, value, pointer, op.scope, op.semantics)

        return guarded(ctx, inside, update, lambda: ctx.arith.constant(view.element.name, 0))

    computed(ctx, op.out, element)


def computed(ctx: KernelContext, result: core.Value, element: Callable[[Coordinates], Operand]) -> None:
    """Run for each element; keep the tile only if it is used."""
    if not result.uses:
        with each_element(ctx, tile_type(result).shape) as where:
            element(where)
        return
    target = new_buffer(ctx, tile_type(result))
    fill(ctx, target, element)
    ctx.bind(result, target)
