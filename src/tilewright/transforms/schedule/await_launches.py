"""await-launches: kernels whose launches depend on those before them wait in front of all that touches memory.

before:  builtin.kernel {schedule = "dependent=yes"} { gpu.open_barriers %full  scf.if %more { copy_tensor .. } }
after:   builtin.kernel {schedule = "dependent=yes"} { gpu.open_barriers %full  gpu.await_launch  scf.if %more { .. } }

Arithmetic, shared memory and barriers come before, while the launch in front of this one ends. Every way through a
kernel has a wait, so that no launch is over before the one in front of it is: what comes behind it waits for both.
"""

from __future__ import annotations

from itertools import takewhile
from typing import ClassVar

from tilewright.dialects import scf, team
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.gpu_launches import AwaitLaunch
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, GroupType, MemrefType, PointerType, TileType
from tilewright.transforms.schedule.said import schedule_of


class AwaitLaunches(Pass, frozen=True):
    """Behind the passes that schedule kernels."""

    name: ClassVar[str] = "await-launches"

    def run(self, module: Module, context: PassContext) -> bool:
        found = [kernel for kernel in module.kernels if schedule_of(kernel).depends]
        for kernel in found:
            _wait(kernel.body)
        return bool(found)


def _wait(region: Region) -> None:
    """In front of the first operation of a region that may touch memory, or at its end."""
    block = region.entry
    first = next((op for op in block if not _is_private(op)), None)
    match first:
        case team.Spmd():
            _wait(first.body)
        case scf.If(outs=[]) if _meets(first.then):
            if first.orelse is None:
                first.add_region(new_region()[0])
            for branch in first.regions:
                _wait(branch)
        case None:
            _at(block, block.last if isinstance(block.last, scf.Yield) else None)
        case _:
            _at(block, first)


def _at(block: Block, before: Operation | None) -> None:
    assert block.parent_op is not None
    Builder(block, before, block.parent_op.location)(AwaitLaunch())


def _meets(region: Region) -> bool:
    """Whether all work-items meet in a region before they touch memory: it is run by all of them or by none."""
    private = takewhile(_is_private, region.entry)
    return any(isinstance(inner, team.Barrier) for op in private for inner in op.walk())


def _is_private(op: Operation) -> bool:
    """Whether an operation, and all in it, touches nothing but registers and memory of the work-group."""
    if op.regions:
        return all(_is_private(inner) for region in op.regions for block in region.blocks for inner in block)
    # tables of pointers are memory that reading says no effect of; tiles of subgroups are not looked into
    if any(isinstance(value.type, GroupType | TileType) for value in (*op.operands, *op.results)):
        return False
    effects = op.effects()
    if not effects:
        return effects is not None
    # what orders accesses to memory of others may be one
    memory = [value for value in op.operands if isinstance(value.type, MemrefType | PointerType)]
    return all(map(_is_own, memory)) and all(
        effect.kind is EffectKind.ORDER if effect.value is None else _is_own(effect.value) for effect in effects
    )


def _is_own(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, MemrefType) and type_.space is AddressSpace.LOCAL
