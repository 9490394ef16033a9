"""async-copies: what threads copy to shared memory while they compute is copied by the device itself.

before:  %x = lane.load %a[%i]  lane.store %x, %s[%j]  scf.for .. { tile.load %s .. }  team.barrier
after:   lane.copy_async %a[%i], %s[%j]  gpu.commit_copies  scf.for .. { .. }  gpu.await_copies  team.barrier

A load that is only stored, to shared memory and in whole accesses, waits for memory in registers of its thread; a copy
by itself needs neither them nor the thread. Others see what is stored behind the next barrier, so copies are awaited in
front of that, or at the end of the block. Until then no thread may have a look: the memory is read by warps together,
as tiles, at most. Such a read of what one of its threads has just stored would be a race without a barrier. Nothing is
gained, and nothing changed, where no loop and no product stands between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane, lane_products, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.effects import EffectKind
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace
from tilewright.transforms.address_spaces import is_surely_global
from tilewright.transforms.aliasing import effects_of
from tilewright.transforms.index_ranges import linear
from tilewright.transforms.schedule.known import blocks_within, runs_lanes

_TOGETHER: Final = 4
"""Copies: ptxas puts three idle instructions between a read of shared memory and a copy to it."""


class AsyncCopies(Pass, frozen=True):
    """Of kernels on the lane level whose work-items run by themselves."""

    name: ClassVar[str] = "async-copies"

    def run(self, module: Module, context: PassContext) -> bool:
        spmd = [op for kernel in module.kernels if runs_lanes(kernel) for op in kernel.walk()]
        blocks = [block for op in spmd if isinstance(op, team.Spmd) for block in blocks_within(op)]
        changed = [_copy_apart(block) for block in blocks]
        return any(changed)


def _copy_apart(block: Block) -> bool:
    """Turn the stores of a block in front of its first barrier, or between two, that can be copies."""
    changed = False
    stretch: list[Operation] = []
    for op in [*block, None]:
        if op is not None and not isinstance(op, team.Barrier) and op is not block.last:
            stretch.append(op)
            continue
        if op is not None:
            changed |= _copy_in(stretch, op)
        stretch = []
    return changed


def _copy_in(stretch: Sequence[Operation], end: Operation) -> bool:
    """Let operations without a barrier between copy by themselves; all has arrived in front of `end`."""
    stores = [op for op in stretch if isinstance(op, lane.Store) and _is_copy(op, stretch)]
    stores = [op for op in stores if _is_left_alone(op, stores, stretch)]
    behind = stretch[stretch.index(stores[-1]) + 1 :] if stores else ()
    if not _hides(behind):
        return False
    places = _places(behind, len(stores))
    for place, store in zip(places, stores, strict=True):
        _copy(Builder.before_op(place), store)
    Builder.before_op(places[-1])(gpu.CommitCopies())
    Builder.before_op(end)(gpu.AwaitCopies(0))
    return True


def _places(behind: Sequence[Operation], count: int) -> list[Operation]:
    """In front of what each copy stands: a few at a time over the first half of the products, which hide them."""
    products = [op for op in behind if isinstance(op, tile.Mma)]
    half, groups = (len(products) + 1) // 2, -(-count // _TOGETHER)
    starts = [products[group * half // groups] for group in range(groups)] if half else [behind[0]] * groups
    return [starts[number // _TOGETHER] for number in range(count)]


def _copy(build: Builder, store: lane.Store) -> None:
    """Copy what a store writes."""
    load = store.value.defining_op
    assert isinstance(load, lane.Load)
    source, target = (load.memref, load.indices), (store.memref, store.indices)
    digits = (load.registers, store.registers, load.width)
    build(lane_products.CopyAsync(*source, *target, *digits))
    store.erase()
    for user in list(load.out.uses):
        user.erase()
    load.erase()


def _is_copy(store: lane.Store, stretch: Sequence[Operation]) -> bool:
    """Whether a store writes what one load has read, which nothing else needs or may have changed since."""
    load = store.value.defining_op
    if not isinstance(load, lane.Load) or load not in stretch or any(load.check) or any(store.check):
        return False
    source, target = gpu.memref_of(load.memref), gpu.memref_of(store.memref)
    if target.space is not AddressSpace.LOCAL or not is_surely_global(load.memref) or load.width != store.width:
        return False
    if load.width * source.element.bytes not in gpu.COPIED_BYTES:
        return False
    between = stretch[stretch.index(load) : stretch.index(store)]
    used = [op for op in load.out.uses if op is not store and (not isinstance(op, lane.Item) or any(op.out.uses))]
    return not used and all(_leaves_global(op) for op in between)


def _leaves_global(op: Operation) -> bool:
    """Whether an operation writes nothing but shared memory, and keeps no order."""
    effects = effects_of(op)
    if effects is None:
        return False
    return all(
        effect.kind is EffectKind.READ
        or (
            effect.kind is EffectKind.WRITE
            and effect.value is not None
            and gpu.memref_of(effect.value).space is AddressSpace.LOCAL
        )
        for effect in effects
    )


def _is_left_alone(store: lane.Store, copies: Sequence[lane.Store], stretch: Sequence[Operation]) -> bool:
    """Whether nothing but warps with tiles reads what is stored, and nothing else is stored there, until it arrives."""
    behind = stretch[stretch.index(store) + 1 :]
    for op in (inner for outer in behind for inner in outer.walk()):
        if isinstance(op, team.Barrier):
            return False
        if isinstance(op, lane.Store) and op in copies and _are_apart(store, op):
            continue
        effects = effects_of(op)
        if effects is None or any(effect.kind is EffectKind.ORDER for effect in effects):
            return False
        if isinstance(op, tile.Load) or op.regions:
            continue
        if any(effect.value is None or effect.value is store.memref for effect in effects):
            return False
    return True


def _are_apart(one: lane.Store, other: lane.Store) -> bool:
    """Whether two stores of a thread are known to write different elements."""
    if one.memref is not other.memref:
        return True
    for first, second in zip(one.indices, other.indices, strict=True):
        distance = linear(first).plus(linear(second), -1)
        if not distance.terms and abs(distance.constant) >= max(one.width, other.width):
            return True
    return False


def _hides(ops: Sequence[Operation]) -> bool:
    """Whether threads have something to do while copies are on their way."""
    return any(isinstance(inner, tile.Mma) or inner.regions for op in ops for inner in op.walk())
