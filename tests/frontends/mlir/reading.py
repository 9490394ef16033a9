"""Texts of MLIR, read, verified and printed."""

from __future__ import annotations

from tilewright.diagnostics import Diagnostic, Report, Source
from tilewright.frontends.mlir import read_mlir_file
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic


def findings(text: str) -> list[Diagnostic]:
    """Everything that reading and verifying a text reports."""
    report = Report()
    read_mlir_file(Source("test.mlir", text), report)
    return report.diagnostics


def read(text: str) -> MlirFile:
    """A valid file."""
    report = Report()
    file = read_mlir_file(Source("test.mlir", text), report)
    assert file is not None
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    return file


def reprinted(text: str) -> str:
    """What is printed of a valid file."""
    return print_generic(read(text))


def check(code: str, marked: str, says: str) -> None:
    """Exactly one diagnostic: the code, the range between the marks, and a message that contains `says`."""
    before, _, rest = marked.partition("«")
    inside, closing, after = rest.partition("»")
    found = findings(before + inside + after)
    assert [d.code for d in found] == [code], [str(d) for d in found]
    [finding] = found
    assert says in finding.message, finding.message
    place = finding.location.primary
    assert place is not None
    assert closing
    assert (place.start, place.end) == (len(before), len(before) + len(inside)), str(finding)
