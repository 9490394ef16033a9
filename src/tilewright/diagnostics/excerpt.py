"""Lines of source with marks below them: ranges survive tabs, wide and control characters, and very long lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from tilewright.diagnostics.source import SourceRange

_TAB = 4
_WIDEST = 120
_BEFORE = 40
"""Characters shown before a range in a line that is cut."""


class Mark(Struct, frozen=True):
    """A range to mark with a character, a word on it, and the colour of both."""

    place: SourceRange
    character: str
    message: str
    color: str

    @property
    def line(self) -> int:
        """Number of the line where the range starts."""
        return self.place.source.position(self.place.start)[0]


class Paint:
    """Adds colour, or does not."""

    _RESET = "\x1b[0m"

    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, text: str, code: str) -> str:
        return f"{code}{text}{self._RESET}" if self._color and text else text


def printable(text: str) -> str:
    """Control characters made visible, so that no input moves the cursor or recolours a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" for c in text)


def excerpt(marks: Sequence[Mark], paint: Paint) -> list[str]:
    """The line in which all marks start, and below it each mark; the first without its message."""
    first = marks[0]
    text = first.place.source.line(first.line)
    columns = [_columns(mark.place, text) for mark in marks]
    low, high = _window(text, columns[0])
    shown = ("…" if low else "") + _expanded(text[low:high]) + ("…" if high < len(text) else "")
    gutter = f"{first.line:>5} | "
    blank = " " * (len(gutter) - 2) + "| "
    lines = [gutter + shown]
    for index, (mark, (start, end)) in enumerate(zip(marks, columns, strict=True)):
        indent = (1 if low else 0) + _width(_expanded(text[low : max(low, min(start, high))]))
        length = max(1, _width(_expanded(text[max(start, low) : max(low, min(end, high))])))
        note = _note(mark, first.line) if index == 0 else f" {printable(mark.message)}"
        lines.append(blank + " " * indent + paint(mark.character * length + note, mark.color))
    return lines


def _columns(place: SourceRange, text: str) -> tuple[int, int]:
    """Start and end of a range in its first line; an empty range marks one column."""
    start = place.source.position(place.start)[1] - 1
    end = min(start + place.end - place.start, len(text))
    return start, max(end, start + 1)


def _window(text: str, columns: tuple[int, int]) -> tuple[int, int]:
    """The part of a line that is shown: all of a short one, else what is around the range."""
    if len(text) <= _WIDEST:
        return 0, len(text)
    low = max(0, min(columns[0] - _BEFORE, len(text) - _WIDEST))
    return low, low + _WIDEST


def _note(mark: Mark, line: int) -> str:
    """Where a range ends that is longer than its first line."""
    last = mark.place.source.position(max(mark.place.start, mark.place.end - 1))[0]
    return f" to line {last}" if last != line else ""


def _expanded(text: str) -> str:
    return printable(text.replace("\t", " " * _TAB))


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
