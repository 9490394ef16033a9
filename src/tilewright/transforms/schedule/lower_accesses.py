"""Accesses to memory on the way to lanes: each thread's part of a tile's, and what one does for all."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Final

from tilewright.dialects import addresses, memref, team, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.layouts import Layout
from tilewright.transforms import emit
from tilewright.transforms.schedule.accesses import of_access
from tilewright.transforms.schedule.atomics import Atomic, ScalarAtomic, by_one_thread, for_all_holders, of_registers
from tilewright.transforms.schedule.lowering import Lower, Lowering, copy, lowered_type, shape_of
from tilewright.transforms.schedule.threads import copies
from tilewright.transforms.steps import STEP
from tilewright.transforms.tile_values import layout_of

_Scatters = addresses.Scatter | addresses.ScatterUpdate | addresses.ScatterExchange


def _load(low: Lowering, build: Builder, op: tile.Load) -> None:
    transfer = of_access(op, low.new(op.memref), [low.new(i) for i in op.indices], layout_of(op.out))
    low.put(op.out, transfer.load(build, low.threads))


def _store(low: Lowering, build: Builder, op: tile.Store) -> None:
    layout = layout_of(op.value)
    transfer = of_access(op, low.new(op.memref), [low.new(i) for i in op.indices], layout)
    with _in_step(low, build, op, layout):
        transfer.store(low.once(build, layout), low.threads, low.new(op.value))


@contextmanager
def _in_step(low: Lowering, build: Builder, op: Operation, layout: Layout) -> Generator[None]:
    """What one of several holders writes the others may have read in the same step, and in a loop will read."""
    shared = STEP in op.attributes and bool(copies(layout))
    if shared:
        build(team.Barrier(fence_global=True, fence_local=True))
    yield
    if shared and low.in_loop:
        build(team.Barrier(fence_global=True, fence_local=True))


def _atomic(low: Lowering, build: Builder, op: Atomic) -> None:
    value = op.value if isinstance(op, tile.AtomicStore) else op.out
    layout, shape = layout_of(value), shape_of(value)
    with _in_step(low, build, op, layout):
        _by_holder(low, build, op, layout, lambda at: of_registers(at, low.threads, op, (shape, layout), low.new))


def _scatter(low: Lowering, build: Builder, op: _Scatters) -> None:
    def access(at: Builder) -> Value | None:
        _gather(low, at, op)
        return low.new(op.results[0]) if op.results else None

    _by_holder(low, build, op, layout_of(op.value), access)


def _gather(low: Lowering, build: Builder, op: addresses.Gather | _Scatters) -> None:
    """Only elements of the tile are accessed."""
    kept = low.inside(build, op.addresses)
    if kept is None:
        copy(low, build, op)
        return
    masked = op.mask is not None
    operands = [low.new(value) for value in op.operands[: len(op.operands) - masked]]
    operands.append(kept if op.mask is None else emit.both(build, low.new(op.mask), kept))
    new = type(op).of_parts(operands, [lowered_type(value.type) for value in op.results], dict(op.attributes))
    new.places = op.places
    build(new)
    for value, became in zip(op.results, new.results, strict=True):
        low.put(value, became)


def _by_holder(
    low: Lowering, build: Builder, op: Operation, layout: Layout, access: Callable[[Builder], Value | None]
) -> None:
    """Let one of the threads that hold copies access memory for all of them."""
    if op.results and op.results[0].uses:
        low.put(op.results[0], for_all_holders(build, low.threads, layout, low.buffer, access))
    else:
        access(low.once(build, layout))


def _elected(low: Lowering, build: Builder, op: memref.Store | ScalarAtomic) -> None:
    """One thread acts for the work-group."""
    operands = [low.new(value) for value in op.operands]
    used = [value for value in op.results if value.uses]
    new = type(op).of_parts(operands, [value.type for value in op.results], dict(op.attributes))
    new.places = op.places
    found = by_one_thread(build, low.threads, low.buffer, new, bool(used))
    if found is not None:
        low.put(op.results[0], found)


ONCE: Final = (memref.Store, memref.AtomicLoad, memref.AtomicStore, memref.AtomicRmw)
"""What has no tile and still is done by one thread for all."""

ACCESSES: Final[Mapping[type[Operation], Lower]] = {
    tile.Load: _load,
    tile.Store: _store,
    tile.AtomicLoad: _atomic,
    tile.AtomicStore: _atomic,
    tile.AtomicRmw: _atomic,
    addresses.Gather: _gather,
    addresses.Scatter: _scatter,
    addresses.ScatterUpdate: _scatter,
    addresses.ScatterExchange: _scatter,
    **dict.fromkeys(ONCE, _elected),
}
