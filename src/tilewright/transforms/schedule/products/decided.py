"""Branches in a loop that are decided in all of its iterations but the first one, which stands in front of it.

Programs that go over keys from the last block down mask the scores of the first iteration, by a comparison of the
loop's index with a number.
"""

from __future__ import annotations

from tilewright.dialects import arith, scf
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import BlockArgument, Region, Value
from tilewright.transforms import emit


def decided(branch: scf.If, loop: scf.For, index: Value) -> Region | None:
    """The region that runs where `index` stands for that of a loop; None if it may be either."""
    test = branch.condition.defining_op
    if not isinstance(test, arith.Cmp) or test.lhs is not loop.index:
        return None
    bound, bounds = emit.integer_of(test.rhs), _bounds(index)
    if bound is None or bounds is None:
        return None
    least, most = bounds
    match test.predicate:
        case Predicate.LT:
            holds = (most is not None and most < bound, least >= bound)
        case Predicate.GE:
            holds = (least >= bound, most is not None and most < bound)
        case Predicate.EQ:
            holds = (least == most == bound, least > bound or (most is not None and most < bound))
        case _:
            return None
    return branch.then if holds[0] else branch.orelse if holds[1] else None


def inlined(build: Builder, branch: scf.If, region: Region, known: dict[Value, Value]) -> None:
    """Write what a region of a branch does, of what is `known` for other values."""
    inside: dict[Value, Value] = dict(known)
    for op in list(region.entry)[:-1]:
        build(op.clone(inside))
    for out, value in zip(branch.outs, scf.yielded(region), strict=True):
        known[out] = inside.get(value, value)


def _bounds(index: Value) -> tuple[int, int | None] | None:
    """What an index of a loop that counts up is at least, and at most if that is known."""
    if (exact := emit.integer_of(index)) is not None:
        return exact, exact
    owner = index.block.parent_op if isinstance(index, BlockArgument) else None
    lower = emit.integer_of(owner.lower) if isinstance(owner, scf.For) and owner.index is index else None
    return None if lower is None else (lower, None)
