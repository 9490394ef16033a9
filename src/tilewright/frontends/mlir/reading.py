"""Reading MLIR, and verifying it."""

from __future__ import annotations

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.builder import new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.mlir import mlir_operations
from tilewright.frontends.mlir.structured_text import StructuredFormReader
from tilewright.ir.core import Operation
from tilewright.ir.mlir.codes import LIMIT
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.verifier import verify


def read_mlir_file(source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> MlirFile | None:
    """What a text holds, verified as far as it could be read; what is wrong is in `report`."""
    if len(source.text) > limits.source_bytes:
        report.error(LIMIT, SourceRange(source, 0, 0), f"a text has at most {limits.source_bytes:,} characters")
        return None
    file = StructuredFormReader(source, report, limits, mlir_operations()).file()
    if file is not None and not report.has_errors:
        verify(file.module, report)
    return file


def program_of(unit: Operation) -> Module:
    """A program that consists of one module of MLIR."""
    body, block = new_region()
    block.append(unit)
    return Module(body, location=unit.location)


def unit_of(module: Module) -> Operation:
    """The module of MLIR that a program consists of."""
    unit = module.body.entry.first
    assert unit is not None, "what `read` gives holds one module"
    return unit
