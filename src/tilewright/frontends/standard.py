"""Which tensor language a text is in, and reading it as such: the one place that knows both.

The words that only one of the languages has are counted, and the majority decides: a text with one slip of the pen is
still in the language of the rest. A text without such words is read as both. If it is valid in one language, it is in
that one; if in both, it mostly is the same program, and where it is not (a plain `barrier` fences nothing now, and
fenced all memory before), it is taken for a new one, with a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.builtin import Module
from tilewright.frontends.recognise import resembles
from tilewright.frontends.standard_words import SPAN, Standard, first_word, judgements
from tilewright.frontends.tensor_language.lexer import END, tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS
from tilewright.ir.core import Operation

__all__ = ["Standard", "detect", "read_language", "refuse_foreign", "refuse_mixed", "refuse_old"]

_PREFIX: Final = 1 << 13
"""Characters that are looked at first: most texts say what they are in these."""


def detect(source: Source) -> Standard:
    """The language of a text."""
    return _by_words(source) or _by_reading(source, {}).standard


def refuse_old(source: Source, report: Report, certain: bool = False) -> bool:
    """Report a text of the old language where only the new one makes sense; whether it is one (`certain`: it is)."""
    if not certain and detect(source) is Standard.NEW:
        return False
    finding = report.error("U10", _first(source, Standard.OLD) or _start(source), "the text is in the old language")
    finding.hint("`tilewright upgrade FILE` gives it in the new one, formatted")
    return True


def refuse_mixed(source: Source, report: Report) -> bool:
    """Report words of the old language in a text that is taken for a new one, but is not valid as that."""
    old = _first(source, Standard.OLD)
    if old is None:
        return False
    findings = Report()
    read_language(source, findings, {}, Standard.NEW)
    if not findings.has_errors:
        return False
    finding = report.error("U9", old, "this belongs to the old language, but most of the text is in the new one")
    new = _first(source, Standard.NEW)
    if new is not None:
        finding.label(new, "this belongs to the new language")
    finding.hint("write it in the new language; `tilewright check FILE` says how the text is read")
    return True


def refuse_foreign(source: Source, report: Report) -> bool:
    """Report a text, which is not valid in the tensor language, as what it looks like; whether it is one of these."""
    found = resembles(source.text)
    if found is None:
        return False
    where = SourceRange(source, found.start, found.end)
    report.error(found.code, where, f"this looks like {found.what}, not like the tensor language").hint(found.advice)
    return True


def read_language(
    source: Source, report: Report, definitions: Mapping[str, str] | None = None, standard: Standard | None = None
) -> Module:
    """Parse a text in either language and check the language's rules; what is wrong is in `report`."""
    findings = Report(report.limit)
    module = _read_either(source, findings, definitions, standard)
    if not findings.has_errors or not refuse_foreign(source, report):
        report.take(findings)
    return module


def _read_either(
    source: Source, report: Report, definitions: Mapping[str, str] | None, standard: Standard | None
) -> Module:
    known = standard or _by_words(source)
    if known is not None:
        return _read(source, known, definitions or {}, report)
    reading = _by_reading(source, definitions or {})
    report.take(reading.report)
    return reading.module


# By words


def _by_words(source: Source) -> Standard | None:
    """The language that most of the decisive words belong to; if that says nothing, that of the first one."""
    text = source.text
    if len(text) > _PREFIX:
        end = text.rfind("\n", 0, _PREFIX)
        texts = _texts(Source(source.name, text[: end if end > 0 else _PREFIX]))
        # What the end of the prefix cuts off could change what the words in front of it say.
        found = _majority([(i, standard) for i, standard in judgements(texts) if i < len(texts) - SPAN])
        if found is not None:
            return found
    return _majority(list(judgements(_texts(source))))


def _majority(found: Sequence[tuple[int, Standard]]) -> Standard | None:
    if not found:
        return None
    votes = Counter(standard for _, standard in found)
    if votes[Standard.OLD] == votes[Standard.NEW]:
        return found[0][1]
    return max(votes, key=votes.__getitem__)


def _texts(source: Source) -> Sequence[str]:
    tokens = tokenize(source, Report(), DEFAULT_LIMITS)
    return [END] if tokens is None else tokens.texts


def _first(source: Source, standard: Standard) -> SourceRange | None:
    tokens = tokenize(source, Report(), DEFAULT_LIMITS)
    return None if tokens is None else first_word(tokens, standard)


def _start(source: Source) -> SourceRange:
    return SourceRange(source, 0, 0)


# By reading


class _Reading(Struct, frozen=True):
    """A text as a program of one of the languages."""

    standard: Standard
    module: Module
    report: Report


def _read(source: Source, standard: Standard, definitions: Mapping[str, str], report: Report) -> Module:
    if standard is Standard.OLD:
        from tilewright.frontends.old_tensor_language import parse, verify_language
    else:
        from tilewright.frontends.tensor_language import parse
        from tilewright.frontends.tensor_language.rules import verify_language
    module = parse(source, report, definitions)
    verify_language(module, report)
    return module


def _reading(source: Source, standard: Standard, definitions: Mapping[str, str]) -> _Reading:
    report = Report()
    return _Reading(standard, _read(source, standard, definitions, report), report)


def _by_reading(source: Source, definitions: Mapping[str, str]) -> _Reading:
    """The language in which the text is valid, or has fewer errors; in doubt the new one."""
    new, old = (_reading(source, standard, definitions) for standard in (Standard.NEW, Standard.OLD))
    # No words of the old language, and parts of the new one: no reason to take it for an old text with a mistake.
    mixed = any(finding.code == "U9" for finding in old.report.diagnostics)
    if old.report.errors < new.report.errors and not mixed:
        return old
    different = None if new.report.has_errors or old.report.has_errors else _difference(new.module, old.module)
    if different is not None:
        message = "the text is valid in the old language and in the new one, and this means different things"
        finding = new.report.warning("U12", different.location, message)
        finding.hint("it is taken for a new text; say `--std=old` or `--std=new` (in Python `std=`)")
    return new


def _difference(new: Module, old: Module) -> Operation | None:
    """The first operation that is not the same in both."""
    for ours, theirs in zip(new.walk(), old.walk(), strict=False):
        same = type(ours) is type(theirs) and ours.attributes == theirs.attributes
        if not same or [r.type for r in ours.results] != [r.type for r in theirs.results]:
            return ours
    return None
