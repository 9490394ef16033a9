"""What regions hand back, and the types of loops (V22, V45)."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects import scf, team, tl
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language.rules.facts import counted, integer_of, name_of, said
from tilewright.ir.check_reports import spoken
from tilewright.ir.core import Operation, Region
from tilewright.ir.types import CoopMatrixType, Type


def _no_yield(op: Operation, report: Report) -> None:
    """Nothing yields from functions, parallel, foreach and foreach_tile."""
    what = "a function" if isinstance(op, Kernel) else spoken(op)
    for region in op.regions:
        for inner in region.entry:
            if isinstance(inner, scf.Yield):
                report.error("V22", inner.location, f"{what} returns nothing, so nothing is yielded here").label(
                    op.place("mnemonic"), "the region belongs to this"
                ).hint("only regions of if, for and cooperative_matrix_apply yield; store the value instead")


def _yields(op: Operation, region: Region, wanted: Sequence[Type], report: Report) -> None:
    """The region ends in a yield of values of these types, and yields nowhere else."""
    last = region.entry.last
    for inner in region.entry:
        if isinstance(inner, scf.Yield) and inner is not last:
            report.error("V22", inner.location, "yield must be the last instruction of its region").label(
                op.place("mnemonic"), "the region belongs to this"
            ).hint("move it to the end")
            return
    spelt = ", ".join(map(str, wanted))
    if not isinstance(last, scf.Yield):
        if wanted:
            report.error(
                "V22", op.place("mnemonic"), f"a region of this {spoken(op)} yields nothing, but {spelt} is wanted"
            ).hint("end every region with `yield (..)`")
        return
    if len(last.values) != len(wanted):
        report.error(
            "V22", last.location, f"{counted(len(last.values), 'value')} yielded, but {len(wanted)} wanted"
        ).label(op.place("mnemonic"), f"this returns {spelt or 'nothing'}").hint(
            f"yield {spelt}" if wanted else "declare what is returned with `-> (..)`, or drop the yield"
        )
        return
    for index, (value, type_) in enumerate(zip(last.values, wanted, strict=True)):
        if value.type != type_:
            report.error(
                "V22", last.place(("operand", index)), f"{said(last, index)} is {value.type}, but {type_} is wanted"
            ).label(op.place(("type", index)), "declared here").hint(f"yield a value of type {type_}")


def _result_types(op: Operation) -> list[Type]:
    return [r.type for r in op.results]


def if_(op: scf.If, report: Report) -> None:
    """With results both arms yield them."""
    if op.results and op.orelse is None:
        report.error("V22", op.place("mnemonic"), "an if with results needs an else").label(
            op.place("type"), "the results are declared here"
        ).hint("without it nothing is returned where the condition is false")
    for region in op.regions:
        _yields(op, region, _result_types(op), report)


def for_(op: scf.For, report: Report) -> None:
    """One integer type, a positive constant step, initial values of the carried types."""
    if op.step is not None and op.step.type != op.lower.type:
        report.error(
            "V45", op.place(("operand", 2)), f"the loop counts in {op.lower.type}, its step is {op.step.type}"
        ).label(op.place(("operand", 0)), f"this is {op.lower.type}").hint(
            f"cast {name_of(op.step)} to {op.lower.type}"
        )
        return
    step = integer_of(op.step) if op.step is not None else None
    if op.step is not None and step is not None and step <= 0:
        report.error("V45", op.place(("operand", 2)), f"a step of {step} gets nowhere").label(
            op.step.location, "defined here"
        ).hint("the step is positive; count up and compute the index from it")
    unroll = op.attributes.get("unroll")
    if unroll is not None and not isinstance(unroll, bool) and not (isinstance(unroll, int) and unroll > 0):
        report.error("V45", op.place("unroll"), f"a loop cannot be unrolled {unroll} times").hint(
            "unroll is true, false or a positive count"
        )
    inits, results = len(op.inits), len(op.results)
    if inits != results:
        report.error(
            "V45", op.place("type"), f"{counted(inits, 'initial value')}, but {counted(results, 'carried type')}"
        ).hint("each carried value has an initial value and a type")
        return
    first = len(op.operands) - inits
    for index, (value, result) in enumerate(zip(op.inits, op.results, strict=True)):
        if value.type != result.type:
            report.error(
                "V45",
                op.place(("operand", first + index)),
                f"{name_of(value)} is {value.type}, {result.type} is carried",
            ).label(op.place(("type", index)), "declared here").hint("the initial value has the carried type")
    _yields(op, op.body, _result_types(op), report)


def apply(op: tl.CoopApply, report: Report) -> None:
    """One value of the component type."""
    type_ = op.matrix.type
    if isinstance(type_, CoopMatrixType):
        _yields(op, op.body, [type_.element], report)


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        Kernel: _no_yield,
        team.Spmd: _no_yield,
        tl.Foreach: _no_yield,
        tl.ForeachTile: _no_yield,
        scf.If: if_,
        scf.For: for_,
        tl.CoopApply: apply,
    }
