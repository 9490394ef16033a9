"""merge-branches: branches on one condition with nothing but values in between become one.

before:  %x = scf.if %c { load } { gather }    %y = arith.neg %x    scf.if %c { store %y } { scatter %y }
after:   scf.if %c { load   arith.neg   store } { gather   arith.neg   scatter }

What is computed in between from results of the first stands in both arms then. So tiles need no buffer on their way
from one branch to the next, and a target may read them where they are stored. SPMD regions are left alone: what is
uniform around a branch there need not be inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.definition import PURE, SPMD_REGION
from tilewright.ir.passes import Pass, PassContext

_MOST_COPIED: Final = 32


class MergeBranches(Pass, frozen=True):
    """Make one branch of those that follow each other on the same condition."""

    name: ClassVar[str] = "merge-branches"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            changed |= _block(kernel.body.entry)
        return changed


def _block(block: Block) -> bool:
    changed = False
    op = block.first
    while op is not None:
        pair = _pair(op) if isinstance(op, scf.If) else None
        if pair is not None:
            op, changed = _merged(pair), True
            continue
        if SPMD_REGION not in op.definition.traits:
            for region in op.regions:
                for nested in region.blocks:
                    changed |= _block(nested)
        op = op.next
    return changed


class _Pair(Struct, frozen=True):
    """Two branches, and what in between is computed from results of the first."""

    first: scf.If
    between: list[Operation]
    second: scf.If

    @property
    def parts(self) -> list[Operation]:
        """All that becomes one, in order."""
        return [self.first, *self.between, self.second]


def _pair(first: scf.If) -> _Pair | None:
    """The branch with the next one on its condition, if they can be one and not too much were copied."""
    between: list[Operation] = []
    values = set[Value](first.results)
    op = first.next
    while op is not None:
        if isinstance(op, scf.If) and op.condition is first.condition:
            return _Pair(first, between, op)
        if PURE not in op.definition.traits or op.regions:
            return None
        if not values.isdisjoint(op.operands):
            between.append(op)
            values.update(op.results)
            if isinstance(op, tile.Mma) or len(between) > _MOST_COPIED:
                return None
        op = op.next
    return None


def _merged(pair: _Pair) -> scf.If:
    """One branch in the place of the second."""
    outs = [value for part in pair.parts for value in part.results if _is_used_outside(pair, value)]
    then = _arm(pair, outs, pair.first.then, pair.second.then)
    both = pair.first.orelse is not None or pair.second.orelse is not None
    orelse = _arm(pair, outs, pair.first.orelse, pair.second.orelse) if both else None
    branch = scf.If(pair.first.condition, then, orelse, result_types=[value.type for value in outs])
    Builder.before_op(pair.second)(branch)
    for value, out in zip(outs, branch.outs, strict=True):
        out.name = value.name
        value.replace_all_uses_with(out)
    for part in reversed(pair.parts):
        part.erase()
    return branch


def _is_used_outside(pair: _Pair, value: Value) -> bool:
    return any(user not in pair.between and not pair.second.is_ancestor_of(user) for user in value.uses)


def _arm(pair: _Pair, outs: Sequence[Value], first: Region | None, second: Region | None) -> Region:
    """One arm of the first branch, what is in between, the same arm of the second."""
    region, block = new_region()
    known: dict[Value, Value] = {}
    _append(block, first, pair.first, known)
    for op in pair.between:
        block.append(op.clone(known))
    _append(block, second, pair.second, known)
    block.append(scf.Yield([known[value] for value in outs], location=pair.second.location))
    return region


def _append(block: Block, arm: Region | None, branch: scf.If, known: dict[Value, Value]) -> None:
    """Copy an arm to the end of a block; `known` gains what stands for the branch's results."""
    for op in () if arm is None else arm.entry:
        if isinstance(op, scf.Yield):
            known.update((out, known.get(value, value)) for out, value in zip(branch.outs, op.operands, strict=True))
        else:
            block.append(op.clone(known))
