"""branch-on-masks: masks of products in loops are computed for the iterations that need one.

before:  %raw = tile.mma ..  %m = arith.cmp (tile.iota ..), (tile.splat %left)  %s = arith.select %m, %raw, -inf
after:   %raw = tile.mma ..
         %s = scf.if (%left < 128) { %m = ..  yield (arith.select %m, %raw, -inf) } else { yield %raw }

Programs mask the scores of attention for all keys, where only the last block has keys that are not there, or those that
a query does not see. While the unit multiplies, what threads compute is what a loop waits for. Masks that are added
(`%raw + select %m, 0, -inf`) likewise. Left alone are masks of which nothing is known (`bounds_of_masks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from msgspec import Struct

from tilewright.dialects import arith, scf, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.schedule.bounds_of_masks import emitted, may_have

_COMPUTED: Final = (Elementwise, MovesElements, tile.Iota, tile.Splat)


class _Masked(Struct, frozen=True):
    """A select of a mask, what it gives where the mask is `wanted` nowhere, and what is computed of it: itself, or a
    sum."""

    select: arith.Select
    usual: Value
    wanted: bool
    root: Operation


class BranchOnMasks(Pass, frozen=True):
    """Of all loops of a module."""

    name: ClassVar[str] = "branch-on-masks"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for op in list(module.walk()):
            if isinstance(op, arith.Select) and isinstance(op.parent_op, scf.For):
                found = _masked(op)
                changed |= found is not None and _place(found)
        return changed


def _masked(op: arith.Select) -> _Masked | None:
    """What products a select masks; None if it does something else."""
    if not isinstance(op.condition.type, TileType):
        return None
    for usual, wanted in ((op.on_false, True), (op.on_true, False)):
        if _is_of_product(usual, op):
            return _Masked(op, usual, wanted, op)
    (user,) = uses if len(uses := list(op.out.uses)) == 1 else (None,)
    if not isinstance(user, arith.Add) or user.block is not op.block:
        return None
    added = user.rhs if user.lhs is op.out else user.lhs
    for usual, wanted in ((op.on_false, True), (op.on_true, False)):
        constant = usual.defining_op
        if isinstance(constant, arith.Constant) and constant.value == 0 and _is_of_product(added, op):
            return _Masked(op, usual, wanted, user)
    return None


def _place(masked: _Masked) -> bool:
    """Put a mask, and what is computed of it, in a branch."""
    test = may_have(masked.select.condition, masked.wanted)
    if test is None:
        return False
    root = masked.root
    build = Builder.before_op(root)
    condition = emitted(build, test)
    if condition is True:
        return False
    cone = list(_computed(masked.select.condition))
    if condition is False:
        found = _without(build, masked)
    else:
        (then, first), (orelse, second) = new_region(), new_region()
        inside, beside = (Builder.at_end(block, root.location) for block in (first, second))
        known: dict[Value, Value] = {}
        for op in (*cone, masked.select, *([root] if root is not masked.select else [])):
            inside(op.clone(known))
        inside(scf.Yield([known[root.results[0]]]))
        beside(scf.Yield([_without(beside, masked)]))
        assert not isinstance(condition, bool)
        found = build(scf.If(condition, then, orelse, result_types=[root.results[0].type])).outs[0]
    found.name = found.name or root.results[0].name
    root.results[0].replace_all_uses_with(found)
    for op in (root, masked.select, *reversed(cone)):
        if op.parent_op is not None and not any(out.uses for out in op.results):
            op.erase()
    return True


def _without(build: Builder, masked: _Masked) -> Value:
    """What there is where nothing is masked."""
    if masked.root is masked.select:
        return masked.usual
    return build(masked.root.clone({masked.select.out: masked.usual})).results[0]


def _computed(value: Value) -> Iterator[Operation]:
    """What a tile is computed of, element by element, in order."""
    found: dict[Operation, None] = {}
    work = [(value.defining_op, False)]
    while work:
        op, is_behind = work.pop()
        if op is None or op in found or not isinstance(op, _COMPUTED):
            continue
        if is_behind:
            found[op] = None
        else:
            tiles = [each for each in op.operands if isinstance(each.type, TileType)]
            work += [(op, True), *((each.defining_op, False) for each in tiles)]
    return iter(found)


def _is_of_product(value: Value, select: Operation) -> bool:
    """Whether a tile is computed, element by element, of accumulators of the block in which a select stands."""
    seen, work = set[Operation](), [value]
    while work:
        op = work.pop().defining_op
        if isinstance(op, tile.Mma) and op.block is select.block:
            return True
        if isinstance(op, Elementwise) and op.block is select.block and op not in seen:
            seen.add(op)
            work += op.operands
    return False
