"""licm: what a loop computes anew in every iteration is computed once in front of it.

before:  scf.for %i .. { %a = arith.mul %x, %y   %b = memref.load %s, %z   use %a, %b }
after:   %a = arith.mul %x, %y   %b = memref.load %s, %z   scf.for %i .. { use %a, %b }

Scalars and views move if they are pure; nothing of these traps. Loads (group elements too, which read their table) move
only if the loop runs at least once, the access is not conditional, nothing in the loop writes what may overlap, and no
check stands before them that stays where it is.
Cheap tiles stay with their users: targets compute them where they are needed.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import memref, scf, tile
from tilewright.dialects.builtin import Module
from tilewright.dialects.reports import Check
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import CONVERGENT, PURE
from tilewright.ir.effects import EffectKind
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.aliasing import Access, accesses, effects_of, may_overlap
from tilewright.transforms.control_folding import trip_count

_EXPENSIVE = (tile.Mma, tile.Reduce, tile.Scan)


class HoistLoopInvariants(Pass, frozen=True):
    """Move invariant operations out of `scf.for`."""

    name: ClassVar[str] = "licm"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for op in reversed(list(module.walk())):
            if isinstance(op, scf.For):
                changed |= _hoist(op)
        return changed


def _hoist(loop: scf.For) -> bool:
    changed = False
    effects: list[Access] | None = None
    runs = (trip_count(loop) or 0) > 0
    for op in loop.body.entry:
        if any(_defined_in(v, loop) for v in op.operands):
            runs = runs and not isinstance(op, Check)
            continue
        if _moves_freely(op) or (runs and isinstance(op, Check)):
            _move(op, loop)
            changed = True
        elif runs and isinstance(op, memref.Load | memref.GroupLoad):
            effects = _writes(loop) if effects is None else effects
            if effects is not None and _undisturbed(op, effects, loop):
                _move(op, loop)
                changed = True
    return changed


def hoist_computations(root: Operation) -> bool:
    """Move what computes with invariant scalars out of all loops of an operation; no access of memory moves.

    Whether there was any.
    """
    changed = False
    for loop in reversed(list(root.walk())):
        if isinstance(loop, scf.For):
            for op in loop.body.entry:
                if _moves_freely(op) and not any(_defined_in(v, loop) for v in op.operands):
                    _move(op, loop)
                    changed = True
    return changed


def _defined_in(value: Value, loop: scf.For) -> bool:
    home = value.block.parent_op if isinstance(value, BlockArgument) else value.defining_op
    return home is not None and loop.is_ancestor_of(home)


def _moves_freely(op: Operation) -> bool:
    traits = op.definition.traits
    if PURE not in traits or CONVERGENT in traits or isinstance(op, memref.GroupLoad):
        return False
    return not any(isinstance(r.type, TileType) for r in op.results) or isinstance(op, _EXPENSIVE)


def _writes(loop: scf.For) -> list[Access] | None:
    """Writes inside the loop; None if they cannot be told or memory is ordered there."""
    effects = effects_of(loop)
    if effects is None or any(e.kind in (EffectKind.ORDER, EffectKind.FREE) for e in effects):
        return None
    return [a for a in accesses(loop) if a.writes]


def _undisturbed(op: memref.Load | memref.GroupLoad, writes: list[Access], loop: scf.For) -> bool:
    if isinstance(op, memref.GroupLoad):
        return True
    return not any(may_overlap(a, w, (loop,)) for a in accesses(op) for w in writes)


def _move(op: Operation, loop: scf.For) -> None:
    op.detach()
    assert loop.block is not None
    loop.block.insert(op, loop)
