"""skip-scaling: accumulators are not multiplied by factors that are all 1.

before:  %f = arith.select %far, %x, (1)  ..  %wide = lane.pick %f  %scaled = arith.mul (lane.await_mma ..), %wide
after:   %same = lane.all (arith.cmp %f, 1 {predicate = "eq"})
         %scaled = scf.if %same { scf.yield (lane.await_mma ..) } else { scf.yield (arith.mul .., %wide) }

Programs that sum up exponentials scale what they have whenever a maximum grows; those that raise it seldom say so by a
selection of 1. A warp asks its lanes: a multiplication by 1 gives what was multiplied, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from tilewright.dialects import arith, lane, scf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.lane_products import AwaitMma
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit
from tilewright.transforms.schedule.known import runs_lanes

_FEWEST: Final = 16
"""Registers that take longer to multiply than lanes to agree."""
_MOST: Final = 4
"""Factors of a thread: each is compared."""


class SkipScaling(Pass, frozen=True):
    """Of kernels on the lane level."""

    name: ClassVar[str] = "skip-scaling"

    def run(self, module: Module, context: PassContext) -> bool:
        found = [op for kernel in module.kernels if runs_lanes(kernel) for op in kernel.walk()]
        changed = False
        for op in found:
            if isinstance(op, arith.Mul) and (factors := _factors(op)) is not None:
                _skip(op, factors)
                changed = True
        return changed


def _factors(op: arith.Mul) -> Value | None:
    """The few factors of accumulators, if they are 1 at times."""
    if not isinstance(op.lhs.defining_op, AwaitMma) or fragment_of(op.out).size < _FEWEST:
        return None
    pick = op.rhs.defining_op
    if not isinstance(pick, lane.Pick) or len(pick.fragments) != 1:
        return None
    found = pick.fragments[0]
    return found if fragment_of(found).size <= _MOST and _may_be_one(found, set()) else None


def _may_be_one(value: Value, seen: set[Value]) -> bool:
    """Whether a selection says so, here or where a loop has it from."""
    if value in seen:
        return False
    seen.add(value)
    op = value.defining_op
    if isinstance(op, arith.Select):
        return any(_is_one(each) for each in (op.on_true, op.on_false))
    if isinstance(op, lane.Pick):
        return all(_may_be_one(each, seen) for each in op.fragments)
    if isinstance(value, BlockArgument) and isinstance(loop := value.block.parent_op, scf.For):
        return value is not loop.index and _may_be_one(scf.yielded(loop.body)[loop.carried.index(value)], seen)
    return False


def _is_one(value: Value) -> bool:
    op = value.defining_op
    while isinstance(op, lane.Fill | lane.Pick):
        op = (op.value if isinstance(op, lane.Fill) else op.fragments[0]).defining_op
    return isinstance(op, arith.Constant) and op.value == 1


def _skip(op: arith.Mul, factors: Value) -> None:
    build = Builder.before_op(op)
    type_ = fragment_of(factors)
    one = build(lane.Fill(build.constant(1.0, type_.element), result_types=[type_])).out
    same = build(arith.Cmp(arith.Predicate.EQ, factors, one)).out
    said = [build(lane.Item(same, register)).out for register in range(type_.size)]
    condition = build(lane.All(_all(build, said))).out
    (then, first), (orelse, second) = new_region(), new_region()
    inside, beside = (Builder.at_end(block, op.location) for block in (first, second))
    inside(scf.Yield([op.lhs]))
    scaled = beside(arith.Mul(op.lhs, op.rhs)).out
    beside(scf.Yield([scaled]))
    branch = build(scf.If(condition, then, orelse, result_types=[op.out.type]))
    op.out.replace_all_uses_with(branch.outs[0])
    op.erase()


def _all(build: Builder, said: Sequence[Value]) -> Value:
    found, *others = said
    for each in others:
        found = emit.both(build, found, each)
    return found
