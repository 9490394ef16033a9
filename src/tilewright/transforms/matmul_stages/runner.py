"""Runs the stages one after the other, and checks after each what it promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.own_dialects import print_mlir
from tilewright.ir.mlir.printer import print_generic
from tilewright.ir.verifier import verify
from tilewright.transforms.matmul_stages import s01_start
from tilewright.transforms.matmul_stages.codes import BROKEN, NOT_APPLICABLE
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.schedule import Schedule
from tilewright.transforms.matmul_stages.specialised import known_programs
from tilewright.transforms.matmul_stages.stages import NAMES, STAGES, START


class Outcome(Struct, frozen=True):
    """What a stage made of the program: `changed` in words, `text` in generic MLIR.

    `module` is what the last stage ends in: a kernel in the dialects that all targets know.
    """

    number: int
    name: str
    changed: str
    text: str
    module: Module | None = None


def run_stages(unit: Operation, schedule: Schedule, until: str, report: Report) -> Iterator[Outcome]:
    """Transform the product of a module, and give each program on the way to stage `until`.

    What a stage cannot do, or what does not hold behind it, is in `report`; nothing comes after that.
    """
    name = NAMES[0]
    before: Sequence[str] = ()
    try:
        matmul = s01_start.start(unit, schedule)
        START.check(matmul, before)
        yield _outcome(unit, matmul, name, s01_start.said(matmul), report)
        for stage in STAGES:
            if report.has_errors or NAMES.index(name) >= NAMES.index(until):
                return
            name, before = stage.name, operation_names(matmul)
            changed = stage.apply(matmul)
            stage.check(matmul, before)
            yield _outcome(unit, matmul, name, changed, report)
    except NotApplicable as problem:
        said = f"stage {NAMES.index(name) + 1}, {name}, does not apply: {problem}"
        finding = report.error(NOT_APPLICABLE, problem.place, said)
        if problem.hint:
            finding.hint(problem.hint)
    except Broken as problem:
        said = f"what should hold after stage {NAMES.index(name) + 1}, {name}, does not: {problem}"
        report.error(BROKEN, problem.place, said)


def _outcome(unit: Operation, matmul: Matmul, name: str, changed: str, report: Report) -> Outcome:
    module = matmul.made.module
    verify(unit if module is None else module, report)
    text = print_generic(MlirFile(unit)) if module is None else print_mlir(module)
    return Outcome(NAMES.index(name) + 1, name, changed, text, module)


def operation_names(matmul: Matmul) -> list[str]:
    """The names of all operations of the function, in the order of the text, where extents are known."""
    return [op.name for op in next(known_programs(matmul)).function.walk()]
