"""Loops that load for iterations to come: whether there will be one, numbers that go round, products put in place."""

from __future__ import annotations

from tilewright.dialects import scf, tile
from tilewright.dialects.arith import Cast, Cmp, Predicate
from tilewright.dialects.arith_integers import UCast
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit


def at_iteration(
    build: Builder, loop: scf.For, index: Value, present: Value, upper: Value | None = None
) -> Builder | None:
    """Where code runs if the loop has an iteration of an index, None if it surely has not.

    `present` is an index that has not wrapped; `upper` stands for the loop's bound where that is another one.
    """
    found = is_iteration(build, loop, index, present, upper)
    if isinstance(found, bool):
        return build if found else None
    return emit.open_if(build, found)


def is_iteration(
    build: Builder, loop: scf.For, index: Value, present: Value, bound: Value | None = None
) -> Value | bool:
    """Whether the loop has an iteration of an index; `present` is an index that has not wrapped."""
    bound = loop.upper if bound is None else bound
    upper, last = emit.to_index(build, bound), emit.integer_of(bound)
    known = emit.integer_of(index)
    if known is not None and last is not None:
        return known < last
    more = emit.less(build, index, upper)
    if loop.upper.type is INDEX and last is None and index is not present:
        # what lies beyond the largest index has wrapped
        more = emit.both(build, more, emit.not_less(build, index, present))
    return more


def step_of(loop: scf.For) -> int:
    """The step of a loop, which is known."""
    step = 1 if loop.step is None else emit.integer_of(loop.step)
    assert step is not None, "choose-products has asked"
    return step


def carried(build: Builder, loop: scf.For, count: int, name: str, first: Value | None = None) -> Value:
    """Let a loop carry a number that goes round below `count`, from `first` or 0 on; its value in the loop."""
    number = carry(loop, build.index(0) if first is None else first, name)
    at = _at_end(loop)
    is_last = at(Cmp(Predicate.EQ, number, at.index(count - 1))).out
    hand_on(loop, emit.select(at, is_last, at.index(0), emit.add(at, number, at.index(1))))
    return number


def carry(loop: scf.For, first: Value, name: str) -> Value:
    """Let a loop carry one more value, whose next one `hand_on` tells; its value in the loop."""
    loop.operands = [*loop.operands, first]
    loop.attributes["operand_segments"] = (1, 1, int(loop.step is not None), len(loop.outs) + 1)
    loop.add_result(first.type)
    return loop.body.entry.add_argument(first.type, name)


def hand_on(loop: scf.For, value: Value) -> None:
    """Hand the next value of what a loop carries last on to the next iteration."""
    end = loop.body.entry.last
    if isinstance(end, scf.Yield):
        end.operands = [*end.operands, value]
    else:
        _at_end(loop)(scf.Yield([value]))


def handed_on(loop: scf.For, op: tile.Mma) -> int | None:
    """As which carried value the loop hands the accumulators on to where they are added up further, if they go nowhere
    else."""
    end = loop.body.entry.last
    acc = op.acc
    if not (isinstance(acc, BlockArgument) and acc in loop.carried and isinstance(end, scf.Yield)):
        return None
    if list(op.out.uses) != [end]:
        return None
    place = loop.carried.index(acc)
    places = [number for number, value in enumerate(end.operands) if value is op.out]
    return place if places == [place] and list(op.acc.uses) == [op] else None


def _at_end(loop: scf.For) -> Builder:
    end = loop.body.entry.last
    return Builder(loop.body.entry, end if isinstance(end, scf.Yield) else None, loop.location)


def stage_of(build: Builder, turn: Value, count: int) -> Value:
    """Which of so many stages is that of a turn, of which there are less than three rounds."""
    stages = build.index(count)
    for _ in range(2):
        turn = emit.select(build, emit.less(build, turn, stages), turn, emit.sub(build, turn, stages))
    return turn


def branched(condition: Value, loop: scf.For) -> scf.For:
    """Let a loop run only on a condition, else a copy of it; the copy."""
    (then, first), (orelse, second) = new_region(), new_region()
    build = Builder.before_op(loop)
    branch = build(scf.If(condition, then, orelse, result_types=[value.type for value in loop.outs]))
    for value, out in zip(loop.outs, branch.outs, strict=True):
        value.replace_all_uses_with(out)
    twin = Builder.at_end(second, loop.location)(loop.clone({}))
    assert isinstance(twin, scf.For)
    loop.detach()
    Builder.at_end(first, loop.location)(loop)
    for block, each in ((first, loop), (second, twin)):
        if each.outs:
            Builder.at_end(block, loop.location)(scf.Yield(list(each.outs)))
    return twin


def finish(op: tile.Mma, found: Value) -> None:
    """Put the accumulators in the place of a product, and take out loads that were only for it."""
    found.name = op.out.name
    op.out.replace_all_uses_with(found)
    factors = (op.lhs, op.rhs)
    op.erase()
    for value in factors:
        _erase_unused(value)


def _erase_unused(value: Value) -> None:
    op = value.defining_op
    # both factors may be one tile, which is gone then
    if isinstance(op, tile.Load | tile.Permute | Cast | UCast) and op.block is not None and not value.uses:
        operands = list(op.operands)
        op.erase()
        if not isinstance(op, tile.Load):
            _erase_unused(operands[0])
