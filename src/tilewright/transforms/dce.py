"""dce: what nobody notices is deleted.

before:  %t = memref.alloca    tile.store %x, %t    %y = tile.load %A (unused)    scf.for .. { }
after:   (nothing)

Unused results of operations that only read, loops and ifs without effects, and allocations that are only written to,
together with the stores.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import memref, tile
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import TERMINATOR
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.aliasing import effects_of

_INVISIBLE = {EffectKind.READ, EffectKind.ALLOCATE}


class EliminateDeadCode(Pass, frozen=True):
    """Delete operations without use."""

    name: ClassVar[str] = "dce"

    def run(self, module: Module, context: PassContext) -> bool:
        return eliminate_dead_code(module)


def eliminate_dead_code(root: Operation) -> bool:
    """Delete until nothing changes, the root too if it is in a block; whether something did."""
    rounds = 0
    home = root.block
    changed = True
    while changed:
        rounds += 1
        changed = _sweep(root)
        if root.block is not home:
            return True
        for op in list(root.walk()):
            if isinstance(op, memref.Alloca) and op.block is not None:
                changed |= _drop_write_only(op)
    return rounds > 1


def _sweep(root: Operation) -> bool:
    """One pass from the last operation to the first, inner ones before their parents."""
    changed = False
    for op in reversed(list(root.walk())):
        if op.block is not None and _is_unnoticed(op):
            op.erase()
            changed = True
    return changed


def _is_unnoticed(op: Operation) -> bool:
    if any(r.uses for r in op.results) or TERMINATOR in op.definition.traits:
        return False
    own = op.effects()
    if own is not None and not own:
        return True
    effects = effects_of(op)
    return effects is not None and all(e.kind in _INVISIBLE for e in effects)


def _drop_write_only(op: memref.Alloca) -> bool:
    """Delete an allocation whose content nobody reads, with the stores to it."""
    writers: list[Operation] = []
    work: list[Value] = [op.out]
    while work:
        value = work.pop()
        for user in value.uses:
            match user:
                case ViewLike():
                    writers.append(user)
                    work += user.results
                case memref.Store() | tile.Store() | memref.LifetimeStop():
                    writers.append(user)
                case _:
                    return False
    for user in reversed(list(dict.fromkeys(writers))):
        if not any(r.uses for r in user.results):
            user.erase()
    if op.out.uses:
        return bool(writers)
    op.erase()
    return True
