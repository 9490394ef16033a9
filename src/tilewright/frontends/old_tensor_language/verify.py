"""The verifier of the new language on programs that were read from old text, with words that fit that text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tilewright.diagnostics import Diagnostic, Report, Severity
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language.rules import verify_language as verify_new_language

_CODES: Final[Mapping[str, str]] = {"V12": "U8", "V19": "U3", "V20": "U7", "V26": "U6", "V27": "U6", "V28": "U6"}
_HINTS: Final[Mapping[str, str]] = {
    "U3": "write a literal that the type holds",
    "U7": "split the loop: collective instructions run on the whole work-group, in front of the foreach or behind it",
    "V23": "move the barrier out of the foreach",
}
_APPLY: Final = re.compile("only regions of .* yield")
_YIELD: Final = re.compile(r"`yield \(\.\.\)`")
_BOOL: Final = re.compile(r"\bbool\b")


def verify_language(module: Module, report: Report) -> None:
    """Report every violation of the language's rules, as `tensor_language.rules` does."""
    findings = Report(report.limit)
    verify_new_language(module, findings)
    for finding in findings.diagnostics:
        _translate(finding)
    report.take(findings)


def _translate(finding: Diagnostic) -> None:
    """Errors that the upgrade rules number get their code; types and hints are those of the old language."""
    if finding.severity is Severity.ERROR:
        finding.code = _CODES.get(finding.code, finding.code)
    finding.message = _BOOL.sub("i1", finding.message)
    hint = _HINTS.get(finding.code)
    if hint is None:
        finding.hints[:] = [_in_old_words(text) for text in finding.hints]
    else:
        finding.hints[:] = [hint]
        finding.fixes.clear()


def _in_old_words(hint: str) -> str:
    hint = _YIELD.sub("`yield %x : type`", _APPLY.sub("only regions of an if yield", hint))
    return _BOOL.sub("i1", hint)
