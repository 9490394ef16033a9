"""MLIR's scf: loops and branches with regions."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import BOOLEAN_TYPE, INDEX_TYPE, INTEGER_LIKE, MlirOperation, fail
from tilewright.ir.core import Block
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import (
    RECURSIVE_EFFECTS,
    TERMINATOR,
    OpResult,
    Region,
    Value,
    operand,
    operands,
    region,
    regions,
    results,
)
from tilewright.ir.types import Type


class Yield(MlirOperation, name="scf.yield", traits=(TERMINATOR,), assembly="<attributes> [? $values : @values ]?"):
    """Ends a region and hands values to the operation around it."""

    values: list[Value] = operands()


class For(MlirOperation, name="scf.for", traits=(RECURSIVE_EFFECTS,), assembly="<loop>"):
    """Counts from `lower` while below `upper`, signed; block arguments are the index and the carried values."""

    lowerBound: Value = operand(INTEGER_LIKE, var="T")
    upperBound: Value = operand(INTEGER_LIKE, var="T")
    step: Value = operand(INTEGER_LIKE, var="T")
    initArgs: list[Value] = operands()
    body: Region = region()
    outs: list[OpResult] = results()

    def verify(self, report: Report) -> None:
        types = [v.type for v in self.initArgs]
        check_types(self, report, "results", [r.type for r in self.outs], types)
        check_arguments(self, report, self.body, [self.lowerBound.type, *types])
        check_yield(self, report, self.body, Yield, types)


class If(MlirOperation, name="scf.if", traits=(RECURSIVE_EFFECTS,), assembly="<branch>"):
    """Runs one of two regions, of which the second may be empty if there are no results."""

    condition: Value = operand(BOOLEAN_TYPE)
    thenRegion: Region = region()
    elseRegion: Region = region()
    outs: list[OpResult] = results()

    def verify(self, report: Report) -> None:
        types = [r.type for r in self.outs]
        check_yield(self, report, self.thenRegion, Yield, types)
        if self.elseRegion.blocks:
            check_yield(self, report, self.elseRegion, Yield, types)
        elif types:
            fail(self, report, "with results there are two regions")


class Condition(
    MlirOperation,
    name="scf.condition",
    traits=(TERMINATOR,),
    assembly="'(' $condition ')' <attributes> [? $values : @values ]?",
):
    """Ends the first region of a while: goes on with the second if the condition holds."""

    condition: Value = operand(BOOLEAN_TYPE)
    values: list[Value] = operands()


class While(MlirOperation, name="scf.while", traits=(RECURSIVE_EFFECTS,), assembly="<while>"):
    """Runs `before`, and while its condition holds `after` and `before` again."""

    inits: list[Value] = operands()
    before: Region = region()
    after: Region = region()
    outs: list[OpResult] = results()

    def verify(self, report: Report) -> None:
        types, carried = [r.type for r in self.outs], [v.type for v in self.inits]
        check_arguments(self, report, self.before, carried)
        check_arguments(self, report, self.after, types)
        check_yield(self, report, self.after, Yield, carried)
        last = self.before.entry.last
        if not isinstance(last, Condition):
            fail(self, report, "the first region ends in scf.condition")
        else:
            check_types(self, report, "values of the condition", [v.type for v in last.values], types)


class ReduceReturn(
    MlirOperation, name="scf.reduce.return", traits=(TERMINATOR,), assembly="$value <attributes> : @value"
):
    """Ends a region of a reduction."""

    value: Value = operand()


class Reduce(MlirOperation, name="scf.reduce", traits=(TERMINATOR,), assembly="<reduce>"):
    """Ends a parallel loop; each value is combined with those of other iterations by a region of its own."""

    values: list[Value] = operands()
    combiners: list[Region] = regions()

    def verify(self, report: Report) -> None:
        if len(self.combiners) != len(self.values):
            fail(self, report, f"there are {len(self.combiners)} regions for {len(self.values)} values")


class Parallel(MlirOperation, name="scf.parallel", traits=(RECURSIVE_EFFECTS,), assembly="<parallel>"):
    """A nest of loops whose iterations run in any order."""

    lowerBound: list[Value] = operands(INDEX_TYPE)
    upperBound: list[Value] = operands(INDEX_TYPE)
    step: list[Value] = operands(INDEX_TYPE)
    initVals: list[Value] = operands()
    body: Region = region()
    outs: list[OpResult] = results()

    def verify(self, report: Report) -> None:
        count = len(self.lowerBound)
        if len(self.upperBound) != count or len(self.step) != count:
            fail(self, report, "there are as many lower bounds as upper bounds and steps")
            return
        types = [v.type for v in self.initVals]
        check_types(self, report, "results", [r.type for r in self.outs], types)
        check_arguments(self, report, self.body, [v.type for v in self.lowerBound])
        last = self.body.entry.last
        reduced = [v.type for v in last.values] if isinstance(last, Reduce) else []
        check_types(self, report, "reduced values", reduced, types)
        if isinstance(last, Reduce):
            for part, type_ in zip(last.combiners, reduced, strict=False):
                check_arguments(last, report, part, [type_, type_])
                check_yield(last, report, part, ReduceReturn, [type_])


# What operations with regions check


def check_types(op: CoreOperation, report: Report, what: str, found: Sequence[Type], wanted: Sequence[Type]) -> None:
    """The types are those that are wanted."""
    if list(found) != list(wanted):
        said, meant = ", ".join(map(str, found)), ", ".join(map(str, wanted))
        fail(op, report, f"the types of the {what} are ({said}), wanted are ({meant})")


def check_arguments(op: CoreOperation, report: Report, part: Region, wanted: Sequence[Type]) -> None:
    """A region of one block takes arguments of these types."""
    if len(part.blocks) != 1:
        fail(op, report, "a region consists of one block")
        return
    check_types(op, report, "block arguments", [a.type for a in part.entry.arguments], wanted)


def check_yield(
    op: CoreOperation, report: Report, part: Region, terminator: type[CoreOperation], wanted: Sequence[Type]
) -> None:
    """A region of one block ends in the terminator, which hands on values of these types."""
    if len(part.blocks) != 1:
        fail(op, report, "a region consists of one block")
        return
    last = last_of(part.entry)
    if not isinstance(last, terminator):
        fail(op, report, f"the region ends in {terminator.name}, not {'nothing' if last is None else last.name}")
        return
    found = [v.type for v in last.operands]
    if found != list(wanted):
        said, meant = ", ".join(map(str, found)), ", ".join(map(str, wanted))
        fail(last, report, f"hands on ({said}); ({meant}) are wanted")


def last_of(block: Block) -> CoreOperation | None:
    """The last operation of a block."""
    return block.last
