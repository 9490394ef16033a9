"""Diagnostics as text with carets, as JSON, SARIF and GitHub annotations."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence

from tilewright.diagnostics.diagnostic import Diagnostic, Severity
from tilewright.diagnostics.source import Location, SourceRange

_TAB = 4
_WIDEST = 160
_COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m"}
_BOLD, _BLUE, _RESET = "\x1b[1m", "\x1b[1;34m", "\x1b[0m"


def printable(text: str) -> str:
    """Control characters made visible, so that no input moves the cursor or recolours a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" for c in text)


def render_text(diagnostics: Sequence[Diagnostic], color: bool = False) -> str:
    """All diagnostics, each with its line of source and a caret line, and what was found elsewhere."""
    paint = _Paint(color)
    return "\n".join(line for d in diagnostics for line in _one(d, paint))


class _Paint:
    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, text: str, code: str) -> str:
        return f"{code}{text}{_RESET}" if self.color else text


def _one(d: Diagnostic, paint: _Paint) -> list[str]:
    place = d.location.primary
    head = f"{paint(d.severity.value, _COLORS[d.severity])}[{d.code}]: {paint(printable(d.message), _BOLD)}"
    lines = [f"{_where(place)}: {head}" if place is not None else head]
    if place is not None:
        lines += _excerpt(place, "^", "", paint, _COLORS[d.severity])
    for label in d.labels:
        other = label.location.primary
        if other is not None:
            lines.append(f"  {_where(other)}: {printable(label.message)}")
            lines += _excerpt(other, "-", "", paint, _BLUE)
    lines += [f"  {paint('hint', _BLUE)}: {printable(hint)}" for hint in d.hints]
    for fix in d.fixes:
        said = f": write `{printable(fix.replacement)}`" if fix.replacement else ""
        lines.append(f"  {paint('fix', _BLUE)}: {printable(fix.message)}{said}")
    return lines


def _where(place: SourceRange) -> str:
    line, column = place.source.position(place.start)
    return f"{printable(place.source.name)}:{line}:{column}"


def _excerpt(place: SourceRange, mark: str, note: str, paint: _Paint, color: str) -> list[str]:
    """The first line of a range, and marks below the part that is meant."""
    number, column = place.source.position(place.start)
    text = place.source.line(number)
    start = column - 1
    end = min(max(start + 1, start + place.end - place.start), max(len(text), start + 1))
    clip = max(0, end - _WIDEST) if end > _WIDEST else 0
    shown = text[clip : clip + _WIDEST]
    before, marked = _widened(text[clip:start]), _widened(text[start:end])
    gutter = f"{number:>5} | "
    under = " " * (_width(before)) + mark * max(1, _width(marked))
    return [f"{gutter}{_widened(shown)}", f"{' ' * (len(gutter) - 2)}| {paint(under[: _WIDEST * 2], color)}{note}"]


def _widened(text: str) -> str:
    return printable(text.replace("\t", " " * _TAB))


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _span(location: Location) -> dict[str, object] | None:
    place = location.primary
    if place is None:
        return None
    line, column = place.source.position(place.start)
    end_line, end_column = place.source.position(place.end)
    return {"file": place.source.name, "line": line, "column": column, "endLine": end_line, "endColumn": end_column}


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    """A list with severity, code, message, range, labels, hints and fixes of each."""
    return json.dumps(
        [
            {
                "severity": d.severity.value,
                "code": d.code,
                "message": d.message,
                "range": _span(d.location),
                "labels": [{"range": _span(label.location), "message": label.message} for label in d.labels],
                "hints": d.hints,
                "fixes": [
                    {"range": _span(f.location), "replacement": f.replacement, "message": f.message} for f in d.fixes
                ],
            }
            for d in diagnostics
        ],
        indent=2,
    )


def _physical(location: Location) -> list[dict[str, object]]:
    place = location.primary
    if place is None:
        return []
    line, column = place.source.position(place.start)
    end_line, end_column = place.source.position(place.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return [{"physicalLocation": {"artifactLocation": {"uri": place.source.name}, "region": region}}]


def render_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """SARIF 2.1.0, as code hosting sites take it."""
    from tilewright import __version__

    codes = sorted({d.code for d in diagnostics})
    results = [
        {
            "ruleId": d.code,
            "level": d.severity.value,
            "message": {"text": "\n".join([d.message, *d.hints])},
            "locations": _physical(d.location),
            "relatedLocations": [
                {**place, "message": {"text": label.message}}
                for label in d.labels
                for place in _physical(label.location)
            ],
        }
        for d in diagnostics
    ]
    driver = {"name": "tilewright", "version": __version__, "rules": [{"id": code} for code in codes]}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }
    return json.dumps(log, indent=2)


def render_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow commands that annotate files in a pull request."""
    lines: list[str] = []
    for d in diagnostics:
        span = _span(d.location)
        place = "" if span is None else f" file={span['file']},line={span['line']},col={span['column']}"
        message = f"[{d.code}] {d.message}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        lines.append(f"::{d.severity.value}{place}::{message}")
    return "\n".join(lines)
