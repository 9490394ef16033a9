"""sink-into-branches: tiles that one side of a branch alone needs are computed on that side.

before:  %a = tile.reshape %rows    scf.if %near { tile.load .. } { tile.gather %a }
after:   scf.if %near { tile.load .. } { %a = tile.reshape %rows    tile.gather %a }

Such are addresses, where accesses through them have become accesses of memory in rows for the case that they lie so.
Operations move only over what is between them and the branch, never into a loop, so nothing is computed more often.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import scf
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.definition import CONVERGENT, PURE
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType


class SinkIntoBranches(Pass, frozen=True):
    """Move tiles to the one side of an `scf.if` that needs them."""

    name: ClassVar[str] = "sink-into-branches"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        # outer blocks first: what moves into a side may move on from there
        blocks = dict.fromkeys(op.block for op in module.walk() if isinstance(op, scf.If))
        for block in blocks:
            # users before what they are computed from, which moves in front of them
            for op in list(reversed(block)) if block is not None else ():
                side = _side(op) if _may_move(op) else None
                if side is not None:
                    op.detach()
                    side.insert(op, next(iter(side)))
                    changed = True
        return changed


def _may_move(op: Operation) -> bool:
    traits = op.definition.traits
    tiles = bool(op.results) and all(isinstance(result.type, TileType) for result in op.results)
    return tiles and PURE in traits and CONVERGENT not in traits and not op.regions


def _side(op: Operation) -> Block | None:
    """The side of a branch behind an operation that has all users of its results."""
    found: Block | None = None
    for result in op.results:
        for user in result.uses:
            side = _side_with(user, op.block)
            if side is None or found not in (None, side):
                return None
            found = side
    return found


def _side_with(user: Operation, block: Block | None) -> Block | None:
    """The side of a branch of a block within which an operation stands."""
    inner = user
    for parent in user.ancestors():
        if parent.block is block:
            return inner.block if isinstance(parent, scf.If) else None
        inner = parent
    return None
