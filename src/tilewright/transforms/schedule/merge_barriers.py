"""merge-barriers: a barrier waits for what the one before it does not.

before:  team.barrier {fence_global}  %x = lane.load %g ..  team.barrier {fence_local}  lane.store %s, %shared ..
after:   team.barrier {fence_global, fence_local}  %x = lane.load %g ..  lane.store %s, %shared ..

Lowerings know nothing of each other: where one makes sure that nobody reads shared memory any more, all may have waited
already. Of two barriers in one block the second one is not needed where nothing between them touches what it fences.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import scf, team
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.definition import RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.schedule.known import runs_lanes

_FENCES: Final = {AddressSpace.GLOBAL: "fence_global", AddressSpace.LOCAL: "fence_local"}
_EVERY: Final = frozenset(_FENCES.values())
_ACCESSES: Final = (EffectKind.READ, EffectKind.WRITE)
_QUIET: Final = (EffectKind.HINT, EffectKind.ALLOCATE, EffectKind.FREE)


class MergeBarriers(Pass, frozen=True):
    """Of kernels on the lane level."""

    name: ClassVar[str] = "merge-barriers"

    def run(self, module: Module, context: PassContext) -> bool:
        spmd = [op for kernel in module.kernels if runs_lanes(kernel) for op in kernel.walk()]
        bodies = [op.body.entry for op in spmd if isinstance(op, team.Spmd)]
        # outer blocks come first: what an operation touches is asked before anything in it is merged
        known: dict[Operation, frozenset[str]] = {}
        changed = [_merge(block, known) for body in bodies for block in _blocks(body)]
        return any(changed)


def _blocks(body: Block) -> list[Block]:
    """A block and those of the loops and branches in it, as all threads of a work-group take them."""
    inner = [region.entry for op in body if isinstance(op, scf.For | scf.While | scf.If) for region in op.regions]
    return [body, *(found for block in inner for found in _blocks(block))]


def _merge(block: Block, known: dict[Operation, frozenset[str]]) -> bool:
    """Let barriers of a block do for those behind them."""
    changed = False
    last: team.Barrier | None = None
    touched: set[str] = set()
    for op in list(block):
        if not isinstance(op, team.Barrier):
            if last is not None:
                touched |= _touched(op, known)
            continue
        fences = {name for name in _EVERY if getattr(op, name)}
        if last is None or not fences or fences & touched:
            last, touched = op, set()
            continue
        for name in fences:
            setattr(last, name, True)
        op.erase()
        changed = True
    return changed


def _touched(op: Operation, known: dict[Operation, frozenset[str]]) -> frozenset[str]:
    """The fences of the memory that an operation, or what it contains, may touch or waits for."""
    found = known.get(op)
    if found is None:
        found = _touched_by(op)
        for region in op.regions:
            for block in region.blocks:
                found = found.union(*(_touched(inner, known) for inner in block))
        known[op] = found
    return found


def _touched_by(op: Operation) -> frozenset[str]:
    """The same of an operation without what it contains."""
    effects = op.effects()
    if effects is None:
        return frozenset() if RECURSIVE_EFFECTS in op.definition.traits else _EVERY
    found: set[str] = set()
    for effect in effects:
        type_ = None if effect.value is None else effect.value.type
        if effect.kind in _ACCESSES and isinstance(type_, MemrefType):
            found.add(_FENCES[type_.space])
        elif effect.kind not in _QUIET:
            return _EVERY
    return frozenset(found)
