"""The verifier of the new language on programs that were read from old text, with words that fit that text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.diagnostics import Diagnostic, Report, Severity
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language.rules import verify_language as verify_new_language

_CODES: Final[Mapping[str, str]] = {"V12": "U8", "V19": "U3", "V20": "U7", "V26": "U6", "V27": "U6", "V28": "U6"}
_HINTS: Final[Mapping[str, str]] = {
    "U3": "write a literal that the type holds",
    "U7": "split the loop: collective instructions run on the whole work-group, in front of the foreach or behind it",
}


def verify_language(module: Module, report: Report) -> None:
    """Report every violation of the language's rules, as `tensor_language.rules` does."""
    findings = Report(report.limit)
    verify_new_language(module, findings)
    for finding in findings.diagnostics:
        _translate(finding)
    report.take(findings)


def _translate(finding: Diagnostic) -> None:
    """Errors that the upgrade rules number get their code; what says how the new language writes it goes."""
    code = _CODES.get(finding.code)
    if code is None or finding.severity is not Severity.ERROR:
        return
    finding.code = code
    hint = _HINTS.get(code)
    if hint is not None:
        finding.hints[:] = [hint]
        finding.fixes.clear()
