"""Helpers of the front end's tests: parse a text, read an error as (code, text it points at, message)."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.diagnostics import Diagnostic, Report, Severity, Source
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language import parse

PARAMETERS = (
    "%f: f32, %b: bool, %i: index, %k: i32, %z: c32, %A: memref<f32x?x?>, %v: memref<f32x?>, %M: memref<f32x32x4x?x64>,"
    " %G: group<memref<f32x8x?>x?>, %I: memref<i32x?>, %l: memref<f32x16x8,local>"
)


def kernel(body: str) -> str:
    """A function with parameters of many types."""
    return f"func @f({PARAMETERS}) {{\n{body}\n}}\n"


def spmd(body: str) -> str:
    """A function whose body is in a region where work-items differ, with a cooperative matrix `%X`."""
    matrix = "%X = cooperative_matrix_construct %f : coopmatrix<f32x16x8,matrix_acc>"
    return kernel(f"parallel {{\n{matrix}\n{body}\n}}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic as tests compare it."""

    code: str
    text: str
    message: str
    diagnostic: Diagnostic

    @property
    def at(self) -> tuple[str, str]:
        """Code and the text that is underlined."""
        return self.code, self.text

    @property
    def fix(self) -> str | None:
        """The first replacement offered."""
        fixes = self.diagnostic.fixes
        return fixes[0].replacement if fixes else None


def _finding(diagnostic: Diagnostic) -> Finding:
    place = diagnostic.location.primary
    text = place.source.text[place.start : place.end] if place is not None else ""
    return Finding(diagnostic.code, text, diagnostic.message, diagnostic)


def read(text: str, **definitions: str | int) -> tuple[Module, list[Finding], list[Finding]]:
    """Module, errors, warnings."""
    report = Report()
    module = parse(Source("test.tl", text), report, definitions)
    errors = [_finding(d) for d in report.diagnostics if d.severity is Severity.ERROR]
    warnings = [_finding(d) for d in report.diagnostics if d.severity is Severity.WARNING]
    return module, errors, warnings


def clean(text: str, **definitions: str | int) -> Module:
    """The module of a text without errors."""
    module, errors, _ = read(text, **definitions)
    assert not errors, [str(e.diagnostic) for e in errors]
    return module


def errors_of(text: str, **definitions: str | int) -> list[Finding]:
    """All errors of a text."""
    return read(text, **definitions)[1]


def error_of(text: str, **definitions: str | int) -> Finding:
    """The only error of a text."""
    found = errors_of(text, **definitions)
    assert len(found) == 1, [str(e.diagnostic) for e in found]
    return found[0]
