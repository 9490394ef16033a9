"""What a warp does where the machine stores accumulators: it fills slabs of them, one after the other, and issues the
store of each.

A slab is taken again when the machine has read what was in it, which the lane that issued its store awaits: of the
groups that it has begun since then, in this tile and the one before, so many may be left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from tilewright.dialects import gpu_stores as stores
from tilewright.dialects import lane, lane_roles
from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_products import FenceAsync, memref_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout, Owner
from tilewright.transforms import emit
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads
from tilewright.transforms.tile_values import layout_of

_PAIR: Final = 2
_USUAL_WARPS: Final = 4
"""Of blocks that share a multiprocessor: while a warp of one fills two slabs and asks then, the other block goes on.

H200, 8192 x 8192 x 128, 256, 1024 with tiles of 128x128: 1.03, 1.03, 1.01; blocks of eight warps lost up to 6 %.
"""


class Slab(Struct, frozen=True):
    """Where a slab begins in what a warp has of a tile, and its registers in the order of `lane.store_slab`."""

    start: tuple[int, int]
    registers: tuple[int, ...]


def slabs_in(layout: Layout, near: int, width: int) -> list[Slab]:
    """The slabs of `width` by 16 that make up what a warp has; the last of a row may begin in the one before."""
    places = {at: number for number, at in enumerate(layout.registers())}
    columns = sorted({at[near] for at in places})
    lines = sorted({at[1 - near] for at in places})
    own = columns[-1] - columns[0] + 8 - columns[-1] % 8
    found: list[Slab] = []
    for line in lines[:: stores.ROWS // 8]:
        for begin in (*range(0, own - width + 1, width), *([own - width] if own % width else [])):
            found.append(Slab(_at(near, begin, line), tuple(places[at] for at in _registers(near, begin, line, width))))
    return found


def _at(near: int, column: int, line: int) -> tuple[int, int]:
    return (column, line) if near == 0 else (line, column)


def _registers(near: int, begin: int, line: int, width: int) -> Iterator[tuple[int, int]]:
    for chunk in range(0, width, 8):
        for half in range(0, stores.ROWS, 8):
            for pair in range(2):
                yield _at(near, begin + chunk + pair, line + half)


def pending_before(number: int, count: int, memories: int) -> int:
    """How many groups have been begun since the memory of a slab of a tile was used, in this tile or the one before."""
    if number >= memories:
        return memories - 1
    last = max((other for other in range(count) if other % memories == number % memories), default=number)
    return count - 1 - last + number


def lower_store(
    build: Builder, threads: Threads, op: stores.StoreTile, new: Callable[[Value], Value], repeated: bool
) -> None:
    """All slabs of a tile; `repeated` if another one may have been stored before."""
    layout, type_ = layout_of(op.value), memref_of(op.slabs)
    # columns of accumulators run along a line of a slab, or across the lines of one that is turned
    columns, width = (op.modes[1], type_.shape[1]) if op.turned else (op.modes[0], type_.shape[0])
    memories = (type_.shape[3] or 0) // (threads.teams.warps * op.sides)
    found = slabs_in(layout, columns, width or 0)
    pairs = threads.teams.warps == _USUAL_WARPS and len(found) > memories and memories % _PAIR == 0
    together = _PAIR if pairs else 1
    groups = [found[k : k + together] for k in range(0, len(found), together)]
    begin = [emit.add(build, new(at), _of_warp(threads, layout, dim)) for dim, at in enumerate(op.indices)]
    warp = threads.number(Owner.WARP)
    if op.sides > 1:
        side = emit.cast(threads.head, threads.head(lane_roles.Side()).out, emit.scalar_type(warp.type))
        others = emit.mul(threads.head, side, threads.head.constant(threads.teams.warps, emit.scalar_type(warp.type)))
        warp = emit.add(threads.head, warp, others)
    first = emit.mul(threads.head, warp, threads.head.index(memories))
    asks = threads.is_first_lane()
    places = memories // together
    for number, group in enumerate(groups):
        if repeated or number >= places:
            emit.open_if(build, asks)(stores.AwaitStores(pending_before(number, len(groups), places)))
            build(lane.Synchronize())
        stages = [emit.add(build, first, build.index(number % places * together + k)) for k in range(len(group))]
        for slab, stage in zip(group, stages, strict=True):
            build(stores.StoreSlab(picked(build, [new(op.value)], slab.registers), new(op.slabs), stage, op.turned))
        build(FenceAsync())
        build(lane.Synchronize())
        ask = emit.open_if(build, asks)
        for slab, stage in zip(group, stages, strict=True):
            at = [emit.add(ask, start, ask.index(far)) for start, far in zip(begin, slab.start, strict=True)]
            ask(stores.StoreTensor(new(op.memref), at, new(op.slabs), stage, op.modes))
        ask(stores.CommitStores())


def _of_warp(threads: Threads, layout: Layout, dim: int) -> Value:
    """Where along a dimension a warp's part of a tile begins."""
    found = threads.head.index(0)
    for place in layout.along(dim):
        if place.digit.owner is Owner.WARP:
            step = emit.mul(threads.head, threads.digit(place), threads.head.index(place.digit.stride))
            found = emit.add(threads.head, found, step)
    return found


def lower_wait(build: Builder, threads: Threads, op: stores.AwaitStores) -> None:
    """Who asked waits."""
    asks = threads.is_first_lane()
    emit.open_if(build, asks)(stores.AwaitStores(op.pending))
