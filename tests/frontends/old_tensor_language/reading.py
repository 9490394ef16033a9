"""Helpers: reading old texts, and texts with one marked place."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.diagnostics import Diagnostic, Report, Severity, Source
from tilewright.dialects.builtin import Module
from tilewright.frontends.old_tensor_language import parse, upgrade, verify_language

PARAMETERS = (
    "%f: f32, %d: f64, %p: i1, %i: index, %k: i32, %A: memref<f32x8x4>, %B: memref<f32x4x6>, %C: memref<f32x8x6>, "
    "%D: memref<f32x?x?>, %v: memref<f32x4>, %w: memref<f32x8>, %s: memref<f32>, %u: memref<f32x?>, "
    "%E: memref<f64x8x4>, %I: memref<i32x8>, %N: memref<i8x8>, %T: memref<f32x4x4x4>, %G: group<memref<f32x8x4>>"
)


def kernel(body: str) -> str:
    """A function with parameters of many types."""
    return f"func @f({PARAMETERS}) {{\n{body}\n}}\n"


def read(text: str) -> tuple[Module, list[Diagnostic]]:
    """The module and everything that reading and verifying reports."""
    report = Report()
    module = parse(Source("old.tl", text), report)
    verify_language(module, report)
    return module, report.diagnostics


def clean(text: str) -> Module:
    """The module of a text that nothing is wrong with."""
    module, found = read(text)
    assert not found, [str(d) for d in found]
    return module


def upgraded(text: str) -> str:
    """The text in the new language."""
    return upgrade(Source("old.tl", text), Report())


@dataclass(frozen=True, slots=True)
class Case:
    """A body (or, from `func` on, a program) with one mistake at the text between « and »."""

    code: str
    text: str
    says: str
    hint: str = ""

    def check(self) -> None:
        """Exactly one error, of the code, at the place."""
        program = self.text if self.text.lstrip().startswith("func") else kernel(self.text)
        before, _, rest = program.partition("«")
        marked, closed, after = rest.partition("»")
        assert closed, "no marked place"
        _, diagnostics = read(before + marked + after)
        found = [d for d in diagnostics if d.severity is Severity.ERROR]
        assert len(found) == 1, [str(d) for d in found]
        [error] = found
        where = error.location.primary
        assert where is not None
        assert (error.code, where.source.text[where.start : where.end]) == (self.code, marked), str(error)
        assert (where.start, where.end) == (len(before), len(before) + len(marked))
        assert self.says in error.message, error.message
        assert self.hint in "\n".join(error.hints), error.hints
