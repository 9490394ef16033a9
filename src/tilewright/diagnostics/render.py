"""Diagnostics as text for people: source lines with carets, what was found elsewhere, hints and fixes."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics.diagnostic import Diagnostic, Fix, Severity
from tilewright.diagnostics.excerpt import Mark, Paint, excerpt, printable
from tilewright.diagnostics.source import SourceRange

_COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m"}
_BOLD, _BLUE = "\x1b[1m", "\x1b[1;34m"


def render_text(diagnostics: Sequence[Diagnostic], color: bool = False) -> str:
    """All diagnostics, each with its line of source and a caret line, and what was found elsewhere."""
    paint = Paint(color)
    return "\n".join(line for d in diagnostics for line in _one(d, paint))


def _one(d: Diagnostic, paint: Paint) -> list[str]:
    place = d.location.primary
    head = f"{paint(d.severity.value, _COLORS[d.severity])}[{d.code}]: {paint(printable(d.message), _BOLD)}"
    lines = [head if place is None else f"{_where(place)}: {head}"]
    marks = [Mark(p, "-", label.message, _BLUE) for label in d.labels if (p := label.location.primary) is not None]
    if place is not None:
        primary = Mark(place, "^", "", _COLORS[d.severity])
        beside = [m for m in marks if m.place.source is place.source and m.line == primary.line]
        lines += excerpt([primary, *beside], paint)
        marks = [m for m in marks if m not in beside]
    for mark in marks:
        lines.append(f"  {_where(mark.place)}: {printable(mark.message)}")
        lines += excerpt([mark], paint)
    lines += [f"  {paint('hint', _BLUE)}: {printable(hint)}" for hint in d.hints]
    return lines + [f"  {paint('fix', _BLUE)}: {_fix(fix)}" for fix in d.fixes]


def _fix(fix: Fix) -> str:
    """What a fix does, with its text if the message does not contain that."""
    text = printable(fix.replacement.strip())
    message = printable(fix.message)
    return message if not text or f"`{text}`" in message else f"{message}: `{text}`"


def _where(place: SourceRange) -> str:
    name, byte = printable(place.source.name), place.source.byte(place.start)
    if byte is not None:
        return f"{name}: byte {byte} (0x{byte:x})"
    line, column = place.source.position(place.start)
    return f"{name}:{line}:{column}"
