"""Programs with one marked place: `«..»` stands around the text that a diagnostic must point at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from tilewright.diagnostics import Diagnostic, Report, Severity, Source
from tilewright.frontends.tensor_language import parse
from tilewright.frontends.tensor_language.rules import verify_language

PARAMETERS = (
    "%f: f32, %d: f64, %h: f16, %b: bool, %i: index, %k: i32, %z: c32, %A: memref<f32x8x4>, %B: memref<f32x4x6>,"
    " %C: memref<f32x8x6>, %D: memref<f32x?x?>, %v: memref<f32x4>, %w: memref<f32x8>, %s: memref<f32>,"
    " %I: memref<i32x8>, %Z: memref<c32x8>, %E: memref<f64x8x6>, %T: memref<f32x4x4x4>,"
    " %G: group<memref<f32x8x4>x5>, %l: memref<f32x8x4,local>"
)
MATRICES = """
    %a = cooperative_matrix_construct %f : coopmatrix<f32x16x8,matrix_a>
    %m = cooperative_matrix_construct %f : coopmatrix<f32x8x4,matrix_b>
    %c = cooperative_matrix_construct %f : coopmatrix<f32x16x4,matrix_acc>
    %y = cooperative_matrix_construct %z : coopmatrix<c32x16x4,matrix_acc>
"""


def kernel(body: str) -> str:
    """A function of subgroup size 16 with parameters of many types and some constants."""
    constants = "%c0 = constant 0 : index %c1 = constant 1 : index %one = constant 1.0 : f32 %zero = constant 0.0 : f32"
    return f"func @f({PARAMETERS}) attributes{{subgroup_size=16}} {{\n    {constants}\n{body}\n}}\n"


def spmd(body: str) -> str:
    """The body of a parallel region with cooperative matrices for every use."""
    return f"parallel {{{MATRICES}{body}\n}}"


@dataclass(frozen=True, slots=True)
class Case:
    """A body (or, from `func` on, a program) that breaks one rule; the message and hint contain `says` and `hint`."""

    code: str
    text: str
    says: str
    hint: str = ""

    @property
    def program(self) -> str:
        """The whole marked text."""
        return self.text if self.text.lstrip().startswith(("func", "$")) else kernel(self.text)


def diagnostics_of(text: str) -> list[Diagnostic]:
    """Everything that reading and verifying a text reports."""
    report = Report()
    module = parse(Source("test.tl", text), report)
    verify_language(module, report)
    return report.diagnostics


def _marked(text: str) -> tuple[str, int, int]:
    before, _, rest = text.partition("«")
    marked, found, after = rest.partition("»")
    assert found, "no marked place"
    return before + marked + after, len(before), len(before) + len(marked)


def check(case: Case, severity: Severity) -> None:
    """Exactly one diagnostic: the code, exactly the marked range, the message, the hint, a range for every label."""
    text, start, end = _marked(case.program)
    found = diagnostics_of(text)
    assert len(found) == 1, [str(d) for d in found]
    [d] = found
    place = d.location.primary
    assert place is not None, str(d)
    assert (d.code, text[place.start : place.end]) == (case.code, text[start:end]), str(d)
    assert (place.start, place.end) == (start, end)
    assert d.severity is severity
    assert case.says in d.message, d.message
    # Declared constraints say in their message what is expected.
    assert d.hints or d.fixes or "must be" in d.message or "expected here" in d.message, f"no help with {d}"
    assert case.hint in "\n".join(d.hints), d.hints
    assert all(label.location.primary is not None for label in d.labels)


def each_is(severity: Severity, cases: Sequence[Case]) -> Callable[[Case], None]:
    """A test that each case is found with this severity, named after the rule and what is said."""

    @pytest.mark.parametrize("case", cases, ids=lambda c: f"{c.code}-{c.says}")
    def test(case: Case) -> None:
        check(case, severity)

    return test


def each_is_clean(texts: Sequence[str]) -> Callable[[str], None]:
    """A test that nothing is found in any of the texts."""

    @pytest.mark.parametrize("text", texts)
    def test(text: str) -> None:
        clean(text)

    return test


def clean(body: str) -> None:
    """Nothing at all is reported."""
    program = body if body.lstrip().startswith(("func", "$")) else kernel(body)
    assert not (found := diagnostics_of(program)), [str(d) for d in found]
