"""Products on the way to lanes, and what threads ask the machine for that feeds and drains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import (
    gpu_clusters,
    gpu_products,
    gpu_stores,
    gpu_tensors,
    lane,
    lane_products,
    scf,
    team,
    tile,
)
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.transforms import emit
from tilewright.transforms.schedule.lowering import Lower, Lowering, shape_of
from tilewright.transforms.schedule.products.copying import lower_copy
from tilewright.transforms.schedule.products.multiplying import lower_parts, lower_product, lower_read
from tilewright.transforms.schedule.products.plain import plain_product
from tilewright.transforms.schedule.products.slabs import lower_store, lower_wait
from tilewright.transforms.schedule.reshapes import Held
from tilewright.transforms.tile_values import layout_of


def _plain_product(low: Lowering, build: Builder, op: tile.Mma) -> None:
    def held(value: Value) -> Held:
        return shape_of(value), layout_of(value)

    values = (low.new(op.lhs), low.new(op.rhs), low.new(op.acc))
    low.put(op.out, plain_product(build, low.threads, op, values, held, low.buffer))


def _product(low: Lowering, build: Builder, op: gpu_products.Mma) -> None:
    low.put(op.out, lower_product(build, low.threads, op, [low.new(value) for value in op.operands]))


def _read_parts(low: Lowering, build: Builder, op: gpu_products.ReadParts) -> None:
    low.put(op.out, lower_read(build, low.threads, op, [low.new(value) for value in op.operands]))


def _product_of_parts(low: Lowering, build: Builder, op: gpu_products.MmaParts) -> None:
    low.put(op.out, lower_parts(build, op, [low.new(value) for value in op.operands]))


def _awaited(low: Lowering, build: Builder, op: gpu_products.AwaitMma) -> None:
    low.put(op.out, build(lane_products.AwaitMma(low.new(op.acc), pending=op.pending, others=op.others)).out)


def _copied(low: Lowering, build: Builder, op: gpu_products.CopyAsync) -> None:
    lower_copy(build, low.threads, op, [low.new(value) for value in op.operands])


def _stored(low: Lowering, build: Builder, op: gpu_stores.StoreTile) -> None:
    lower_store(build, low.threads, op, low.new, bool(low.in_loop))


def _awaited_stores(low: Lowering, build: Builder, op: gpu_stores.AwaitStores) -> None:
    lower_wait(build, low.threads, op)


def _asked(low: Lowering, build: Builder, op: Operation) -> None:
    """One thread asks, on one branch for all that follows each other; its warp waits with it.

    A wait of that thread alone would take all that is computed behind it out of registers that a warp has in common.
    """
    if isinstance(op, (*_OF_WARPS, *PUBLISHED, gpu_clusters.Release)):
        warp = op.warp if isinstance(op, _OF_WARPS) else 0
        here = _at_branch(build, low.threads.is_of_warp(warp % low.threads.teams.warps))
        if not isinstance(op, gpu_tensors.AwaitReaders | team.AwaitPublished):
            here = _elected_branch(here)
    else:
        here = _at_branch(build, low.threads.is_first_thread())
    new = type(op).of_parts([low.new(value) for value in op.operands], [], dict(op.attributes))
    new.places = op.places
    here(new)


def _published(low: Lowering, build: Builder, op: team.Publish) -> None:
    """One thread says so when all have written."""
    build(team.Barrier(fence_global=True))
    _asked(low, build, op)


def _awaited_part(low: Lowering, build: Builder, op: team.AwaitPublished) -> None:
    """A warp waits, and all for it."""
    _asked(low, build, op)
    build(team.Barrier(fence_global=True))


def _at_branch(build: Builder, condition: Value) -> Builder:
    """At the end of a branch on a condition, the last one if it is that."""
    last = build.block.last
    if isinstance(last, scf.If) and last.condition is condition:
        return Builder.at_end(last.then.entry, build.location)
    return emit.open_if(build, condition)


def _elected_branch(build: Builder) -> Builder:
    """At the end of the branch of the thread that acts for its warp."""
    last = build.block.last
    if isinstance(last, scf.If) and isinstance(last.condition.defining_op, lane.Elect):
        return Builder.at_end(last.then.entry, build.location)
    return emit.open_if(build, build(lane.Elect()).out)


_OF_WARPS: Final = (
    gpu_tensors.AwaitReaders,
    gpu_tensors.Expect,
    gpu_tensors.CopyTensor,
    gpu_clusters.MulticastTensor,
)
"""What the first thread of any warp may issue."""
ASKED: Final = (
    gpu_tensors.OpenBarriers,
    gpu_tensors.CloseBarriers,
    gpu_tensors.AwaitReaders,
    gpu_tensors.Expect,
    gpu_tensors.CopyTensor,
    gpu_clusters.MulticastTensor,
    gpu_clusters.Release,
)
"""What one thread asks the machine for."""
PUBLISHED: Final = (team.AwaitPublished, team.Publish)
"""What one thread or warp does for all, who meet."""

PRODUCTS: Final[Mapping[type[Operation], Lower]] = {
    **dict.fromkeys(ASKED, _asked),
    tile.Mma: _plain_product,
    gpu_products.Mma: _product,
    gpu_products.ReadParts: _read_parts,
    gpu_products.MmaParts: _product_of_parts,
    gpu_products.AwaitMma: _awaited,
    gpu_products.CopyAsync: _copied,
    gpu_stores.StoreTile: _stored,
    gpu_stores.AwaitStores: _awaited_stores,
    team.AwaitPublished: _awaited_part,
    team.Publish: _published,
}
