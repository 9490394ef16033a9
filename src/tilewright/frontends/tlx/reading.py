"""Reading TLX: from text to a verified module."""

from __future__ import annotations

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.builtin import Module
from tilewright.frontends.tlx.codes import CODES
from tilewright.frontends.tlx.importer import import_module
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tlx.llvm.promotion import TooManyMerges, promote
from tilewright.frontends.tlx.llvm.reader import read_module
from tilewright.frontends.tlx.llvm.structure import Checker
from tilewright.frontends.tlx.options import DEFAULT_OPTIONS, TlxOptions
from tilewright.ir.verifier import verify


def read_tlx(
    source: Source, report: Report, options: TlxOptions = DEFAULT_OPTIONS, limits: Limits = DEFAULT_LIMITS
) -> Module:
    """The valid program in a text: kernels of `cf`, `tlx` and the shared dialects. Raises `CompileError`."""
    module = read_module(source, report, CODES, limits)
    functions = [(f, Checker(source, module, f, report, CODES).check()) for f in module.functions]
    if not functions and not report.has_errors:
        report.error(CODES.syntax, _start(source), "there is no function in this text")
    report.raise_if_errors()
    for index, (function, structure) in enumerate(functions):
        try:
            promoted = promote(function, structure, limits.instructions)
        except TooManyMerges:
            place = SourceRange(source, function.start, function.end)
            most = f"{limits.instructions:,}"
            message = f"variables of this function change on so many paths that more than {most} values merge"
            report.error(CODES.limit, place, message)
            report.raise_if_errors()
            raise
        if promoted:
            functions[index] = function, Checker(source, module, function, Report(), CODES).check()
    program = import_module(source, module, functions, report, options, limits)
    verify(program, report)
    report.raise_if_errors()
    return program


def _start(source: Source) -> SourceRange:
    return SourceRange(source, 0, 0)
