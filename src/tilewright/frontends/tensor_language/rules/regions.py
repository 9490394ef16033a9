"""Regions: which instructions stand where, yields, loops, convergence (V20 to V23, V45)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import scf, team, tl
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language.rules.facts import integer_of, name_of, varies
from tilewright.ir.core import Operation, Region
from tilewright.ir.definition import COLLECTIVE, CONVERGENT, SPMD_ONLY, SPMD_REGION

_WORDS = {"team.spmd": "parallel", "scf.if": "if", "scf.for": "for"}


def spelled(op: Operation) -> str:
    """An operation as the language calls it."""
    return _WORDS.get(op.name, op.name.split(".", 1)[1])


def _opener(op: Operation) -> Operation | None:
    """The instruction that opens the innermost SPMD region around `op`."""
    for outer in op.ancestors():
        if SPMD_REGION in outer.definition.traits or isinstance(outer, tl.CoopApply):
            return outer
    return None


def check_kind(op: Operation, report: Report) -> None:
    """Collective instructions in collective regions, SPMD ones in SPMD regions; convergent ones where all arrive."""
    traits = op.definition.traits
    opener = _opener(op)
    if COLLECTIVE in traits and opener is not None:
        report.error(
            "V20", op.place("mnemonic"), f"{spelled(op)} is collective and cannot stand in an SPMD region"
        ).label(opener.place("mnemonic"), "this opens the SPMD region")
    elif SPMD_ONLY in traits and opener is None:
        report.error("V21", op.place("mnemonic"), f"{spelled(op)} works on work-items and needs an SPMD region").hint(
            "put it into parallel { } or foreach_tile"
        )
    elif CONVERGENT in traits and opener is not None:
        _convergence(op, opener, report)


def _convergence(op: Operation, opener: Operation, report: Report) -> None:
    where, what = op.place("mnemonic"), spelled(op)
    barrier = isinstance(op, team.Barrier)
    if isinstance(opener, tl.CoopApply):
        report.error("V23", where, f"{what} cannot stand in cooperative_matrix_apply").label(
            opener.place("mnemonic"), "work-items run this once per component they hold"
        )
    elif isinstance(opener, tl.Foreach) or (barrier and isinstance(opener, tl.ForeachTile)):
        report.warning("V23", where, f"{what} in {spelled(opener)}: work-items need not arrive equally often").label(
            opener.place("mnemonic"), "how often each work-item runs this is up to the compiler"
        )
    else:
        for outer in op.ancestors():
            if outer is opener:
                break
            if isinstance(outer, scf.If) and varies(outer.condition):
                report.warning("V23", where, f"not all work-items reach this {what}").label(
                    outer.place(("operand", 0)), "this condition differs between work-items"
                )
                break


def kernel(op: Kernel, report: Report) -> None:
    """Nothing yields from a function."""
    _no_yield(op, op.body, "a function returns nothing", report)


def plain_body(op: team.Spmd | tl.Foreach | tl.ForeachTile, report: Report) -> None:
    """Nothing yields from parallel, foreach, foreach_tile."""
    _no_yield(op, op.body, f"{spelled(op)} returns nothing", report)


def _no_yield(op: Operation, region: Region, why: str, report: Report) -> None:
    for inner in region.entry:
        if isinstance(inner, scf.Yield):
            report.error("V22", inner.location, f"yield has no place here: {why}")


def _yields(op: Operation, region: Region, wanted: int, report: Report) -> None:
    """The region ends in a yield of as many values of the right types as the instruction has results."""
    last = region.entry.last
    for inner in region.entry:
        if isinstance(inner, scf.Yield) and inner is not last:
            report.error("V22", inner.location, "yield must be the last instruction of its region")
            return
    if not isinstance(last, scf.Yield):
        if wanted:
            report.error("V22", op.location, f"a region of this {spelled(op)} must end in a yield of {wanted} values")
        return
    if len(last.values) != wanted:
        report.error("V22", last.location, f"{len(last.values)} values are yielded, {wanted} are wanted").label(
            op.place("mnemonic"), "by this"
        )
        return
    for index, (value, result) in enumerate(zip(last.values, op.results, strict=False)):
        if value.type != result.type:
            report.error(
                "V22", last.place(("operand", index)), f"{name_of(value)} is {value.type}, but {result.type} is wanted"
            ).label(value.location, "defined here")


def if_(op: scf.If, report: Report) -> None:
    """With results both arms yield them."""
    if op.results and op.orelse is None:
        report.error("V22", op.location, "an if with results needs an else")
    for region in op.regions:
        _yields(op, region, len(op.results), report)


def for_(op: scf.For, report: Report) -> None:
    """One integer type, a positive constant step, initial values of the carried types."""
    for index, bound in ((1, op.upper), (2, op.step)):
        if bound is not None and bound.type is not op.lower.type:
            report.error(
                "V45", op.place(("operand", index)), f"the loop counts in {op.lower.type}, not {bound.type}"
            ).label(op.lower.location, "by its first bound")
    step = integer_of(op.step) if op.step is not None else None
    if step is not None and step <= 0:
        report.error("V45", op.place(("operand", 2)), f"a step of {step} never ends; it must be positive")
    if len(op.inits) != len(op.results):
        report.error("V45", op.location, f"{len(op.inits)} initial values for {len(op.results)} carried types")
        return
    for value, result in zip(op.inits, op.results, strict=True):
        if value.type != result.type:
            report.error(
                "V45", op.place("type"), f"{name_of(value)} is {value.type}, but {result.type} is carried"
            ).label(value.location, "defined here")
    unroll = op.attributes.get("unroll")
    if unroll is not None and not isinstance(unroll, bool) and not (isinstance(unroll, int) and unroll > 0):
        report.error("V45", op.place("unroll"), "unroll is true, false or a positive count")
    _yields(op, op.body, len(op.results), report)


def apply(op: tl.CoopApply, report: Report) -> None:
    """One value of the component type."""
    last = op.body.entry.last
    if not isinstance(last, scf.Yield) or len(last.values) != 1:
        report.error("V22", op.location, "the region of cooperative_matrix_apply ends in a yield of one value")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        Kernel: kernel,
        team.Spmd: plain_body,
        tl.Foreach: plain_body,
        tl.ForeachTile: plain_body,
        scf.If: if_,
        scf.For: for_,
        tl.CoopApply: apply,
    }
