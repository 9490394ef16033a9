"""early-loads: loads are issued before what was loaded in front of them is waited for.

before:  %a = tile.load ..  %b = arith.cast %a  %c = tile.load ..  %d = arith.cast %c  %e = arith.add %b, %d
after:   %a = tile.load ..  %c = tile.load ..  %b = arith.cast %a  %d = arith.cast %c  %e = arith.add %b, %d

Behind products, before they are waited for:

before:  %s = gpu.await_mma %p  team.barrier  %a = tile.load ..     after:  %a = tile.load ..  %s = gpu.await_mma %p ..

An assembler does so itself, but not across the branches of loads at ragged edges. Loads move up over elementwise
operations only, so that what `recompute-tiles` has put behind a reduction stays there, and only as long as registers
have room for all that is on its way. Behind products they move over copies to shared memory, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from tilewright.dialects import gpu_products, gpu_tensors, scf, team, tile
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.definition import PURE
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.schedule.accesses import WHOLE
from tilewright.transforms.schedule.choose_schedule import rows_there
from tilewright.transforms.schedule.known import collective, runs_lanes, teams_of
from tilewright.transforms.schedule.recompute_tiles import blocks_of, words_of_thread

_ROOM: Final = 32
"""Words of a thread that loads which follow each other may fill."""
_PRODUCTS: Final = (gpu_products.Mma, gpu_products.MmaParts)
_TO_SHARED: Final = (gpu_tensors.Expect, gpu_tensors.CopyTensor, scf.Yield)
_BARRIERS: Final = (tile.Reduce, tile.Scan, tile.Mma)
"""Of what is pure, that which waits for other threads."""


class EarlyLoads(Pass, frozen=True):
    """Put loads behind each other."""

    name: ClassVar[str] = "early-loads"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if not runs_lanes(kernel):
                continue
            multiplies = any(isinstance(op, _PRODUCTS) for op in collective(kernel))
            threads, there = teams_of(kernel).threads, rows_there(kernel)
            for block in blocks_of(kernel):
                changed |= (_ask_behind_products if multiplies else _gather)(block, threads, there)
        return changed


def _gather(block: Block, threads: int, there: Mapping[int, int]) -> bool:
    """Move the loads of a block up to the ones before them; whether there was any to move."""
    changed, words = False, 0
    last: Operation | None = None
    for op in list(block):
        if not isinstance(op, tile.Load):
            continue
        more = words_of_thread(op.out, threads, there)
        path = None if last is None or words + more > _ROOM else _path(last, op)
        if path is None:
            words = 0
        elif path:
            _move(op, path)
            changed = True
        words += more
        last = op
    return changed


def _ask_behind_products(block: Block, threads: int, there: Mapping[int, int]) -> bool:
    """Move the loads behind the last products of a tile in front of their wait; whether there were any."""
    wait: gpu_products.AwaitMma | None = None
    words, between, loads = 0, list[Operation](), list[tile.Load]()
    for op in block:
        if isinstance(op, gpu_products.AwaitMma) and not op.pending:
            wait, words, between = op, 0, []
        elif wait is not None and isinstance(op, tile.Load) and _is_global(op):
            words += words_of_thread(op.out, threads, there)
            needed = _needed(op, {wait, *between})
            # what branches read is not looked into
            if words > _ROOM or wait in needed or any(one.regions for one in needed):
                wait = None
                continue
            loads.append(op)
            for each in [one for one in between if one in needed] + [op]:
                each.detach()
                block.insert(each, wait)
            between = [one for one in between if one not in needed]
        elif wait is not None and not _leaves_global_memory(op):
            wait = None
        else:
            between.append(op)
    for load in loads:
        load.attributes[WHOLE] = True
    return bool(loads)


def _is_global(load: tile.Load) -> bool:
    type_ = load.memref.type
    return isinstance(type_, MemrefType) and type_.space is AddressSpace.GLOBAL


def _leaves_global_memory(op: Operation) -> bool:
    """Whether loads from global memory may move over an operation."""
    if isinstance(op, team.Barrier):
        return not op.fence_global
    if isinstance(op, scf.If | scf.For):
        return all(_leaves_global_memory(inner) for region in op.regions for inner in region.entry)
    return isinstance(op, _TO_SHARED) or (not op.regions and PURE in op.definition.traits)


def _path(last: Operation, load: tile.Load) -> list[Operation] | None:
    """The operations between two loads that the second does not need; None if it must stay behind one of them."""
    between: list[Operation] = []
    op = last.next
    while op is not None and op is not load:
        if op.regions or PURE not in op.definition.traits or isinstance(op, _BARRIERS):
            return None
        between.append(op)
        op = op.next
    needed = _needed(load, set(between))
    return [op for op in between if op not in needed]


def _needed(load: tile.Load, between: set[Operation]) -> set[Operation]:
    """Those operations that the load depends on."""
    found: set[Operation] = set()
    waiting: list[Operation] = [load]
    while waiting:
        for operand in waiting.pop().operands:
            op = operand.defining_op
            if op is not None and op in between and op not in found:
                found.add(op)
                waiting.append(op)
    return found


def _move(load: tile.Load, path: list[Operation]) -> None:
    """Put what a load does not need behind it, in its order."""
    block = load.block
    assert block is not None
    behind = load.next
    for op in path:
        op.detach()
        block.insert(op, behind)
