"""Texts of generic MLIR, read, verified and printed."""

from __future__ import annotations

from pathlib import Path

from tilewright.diagnostics import Diagnostic, Report, Source
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic
from tilewright.ir.mlir.reader import read_generic
from tilewright.ir.verifier import verify

PRINTED = sorted((Path(__file__).parent / "printed").glob("*.mlir"))
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.mlir"))


def findings(text: str) -> list[Diagnostic]:
    """Everything that reading and, if that went well, verifying a text reports."""
    report = Report()
    file = read_generic(Source("test.mlir", text), report)
    if file is not None and not report.errors:
        verify(file.module, report)
    return report.diagnostics


def read(text: str) -> MlirFile:
    """A valid file."""
    report = Report()
    file = read_generic(Source("test.mlir", text), report)
    assert file is not None
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    assert verify(file.module, report), [str(d) for d in report.diagnostics]
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
    if closing:
        assert (place.start, place.end) == (len(before), len(before) + len(inside)), str(finding)
