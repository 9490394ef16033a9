"""Reading MLIR, and verifying it."""

from __future__ import annotations

from typing import cast

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.builder import new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.mlir import mlir_operations
from tilewright.dialects.mlir.file import FileEntries
from tilewright.frontends.mlir.structured_text import StructuredFormReader
from tilewright.ir.attributes import Attribute
from tilewright.ir.mlir.codes import LIMIT
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.opaque_text import Alias
from tilewright.ir.mlir.operations import MlirFile, Resources, WrittenLocation
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


def program_of(file: MlirFile) -> Module:
    """A program that consists of one module of MLIR; what else the file holds is kept behind it."""
    body, block = new_region()
    block.append(file.module)
    if file.aliases or file.resources:
        block.append(
            FileEntries(file.aliases, cast("dict[str, Attribute]", file.resources), location=file.module.location)
        )
    return Module(body, location=file.module.location)


def file_of(module: Module) -> MlirFile:
    """The file that a program was read from."""
    unit, *rest = module.body.entry
    located = any(isinstance(op.location, WrittenLocation) for op in unit.walk())
    entries = next((op for op in rest if isinstance(op, FileEntries)), None)
    if entries is None:
        return MlirFile(unit, locations=located)
    return MlirFile(unit, cast("tuple[Alias, ...]", entries.aliases), cast("Resources", entries.resources), located)
