"""Which instructions stand in which regions, and whether all work-items reach them (V20, V21, V23)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import memref, scf, team, tl
from tilewright.frontends.tensor_language.rules.facts import varies
from tilewright.ir.check_reports import spoken
from tilewright.ir.core import Operation
from tilewright.ir.specs import COLLECTIVE, CONVERGENT, SPMD_ONLY, SPMD_REGION


def _opener(op: Operation) -> Operation | None:
    """The instruction that opens the innermost SPMD region around `op`."""
    for outer in op.ancestors():
        if SPMD_REGION in outer.definition.traits or isinstance(outer, tl.CoopApply):
            return outer
    return None


def is_collective(cls: type[Operation]) -> bool:
    """Whether operations of a class stand in collective regions only."""
    # Later passes allocate inside SPMD regions, a program does not.
    return COLLECTIVE in cls.definition.traits or issubclass(cls, memref.Alloca | memref.LifetimeStop)


def check_kind(op: Operation, report: Report) -> None:
    """Collective instructions in collective regions, SPMD ones in SPMD regions; convergent ones where all arrive."""
    traits = op.definition.traits
    collective = is_collective(type(op))
    if not collective and SPMD_ONLY not in traits and CONVERGENT not in traits:
        return
    opener = _opener(op)
    if collective and opener is not None:
        report.error(
            "V20", op.place("mnemonic"), f"{spoken(op)} is collective and cannot stand in an SPMD region"
        ).label(opener.place("mnemonic"), "this opens the SPMD region").hint(
            f"move it out of {spoken(opener)}, where the work-group runs together"
        )
    elif SPMD_ONLY in traits and opener is None:
        report.error(
            "V21",
            op.place("mnemonic"),
            f"{spoken(op)} is for single work-items and cannot stand in a collective region",
        ).hint("put it into parallel or foreach_tile")
    elif CONVERGENT in traits and opener is not None:
        _convergence(op, opener, report)


def _convergence(op: Operation, opener: Operation, report: Report) -> None:
    where, what = op.place("mnemonic"), spoken(op)
    barrier = isinstance(op, team.Barrier)
    if isinstance(opener, tl.CoopApply):
        report.error("V23", where, f"{what} cannot stand in cooperative_matrix_apply").label(
            opener.place("mnemonic"), "work-items run this once for each component they hold"
        ).hint("apply is for arithmetic on single components; do this before or after it")
    elif isinstance(opener, tl.Foreach) or (barrier and isinstance(opener, tl.ForeachTile)):
        report.warning("V23", where, f"{what} in {spoken(opener)}: not all work-items arrive equally often").label(
            opener.place("mnemonic"), "how often each work-item runs this is up to the compiler"
        ).hint("use parallel" if barrier else "use foreach_tile or parallel")
    else:
        _divergence(op, opener, report)


def _divergence(op: Operation, opener: Operation, report: Report) -> None:
    """Report a convergent instruction under control flow that certainly differs between work-items."""
    for outer in op.ancestors():
        if outer is opener:
            return
        # What decides how often a region runs: a condition, or bounds and step.
        count = 1 if isinstance(outer, scf.If) else 0
        if isinstance(outer, scf.For):
            count = 2 if outer.step is None else 3
        for index, value in enumerate(outer.operands[:count]):
            if varies(value):
                report.warning("V23", op.place("mnemonic"), f"not all work-items reach this {spoken(op)}").label(
                    outer.place(("operand", index)), "this differs between work-items"
                ).hint("move it out, or make the condition the same for the whole subgroup")
                return
