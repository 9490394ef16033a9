"""Places in a source as an artefact carries them: enough to show the line, without the rest of the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import UNKNOWN, Location, Source, SourceRange

_MAX_LINES: Final = 1 << 24
"""More than the largest source has; the lines in front of the one that is shown take memory."""


class SourcePlace(Struct, frozen=True):
    """`length` characters of a line from `column` on (both counted from 1), and the text of the line."""

    name: str
    line: int
    column: int
    length: int
    text: str

    @staticmethod
    def of(location: Location) -> SourcePlace | None:
        """The place that a location shows first; None if it is unknown."""
        place = location.primary
        if place is None:
            return None
        line, column = place.source.position(place.start)
        return SourcePlace(place.source.name, line, column, place.end - place.start, place.source.line(line))

    @property
    def location(self) -> Location:
        """The place in a source of which only the line is known."""
        source = Source(self.name, "\n" * (self.line - 1) + self.text)
        start = self.line - 1 + self.column - 1
        return SourceRange(source, start, min(start + self.length, len(source.text)))

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}"


def place_to_json(place: SourcePlace | None) -> tuple[str | int, ...]:
    """The fields in order; nothing for an unknown place."""
    return () if place is None else (place.name, place.line, place.column, place.length, place.text)


def place_from_json(fields: Sequence[object]) -> SourcePlace | None:
    """The inverse of `place_to_json`. Raises ValueError for anything else."""
    match fields:
        case []:
            return None
        case [str(name), int(line), int(column), int(length), str(text)] if (
            0 < line <= _MAX_LINES and column > 0 and length >= 0
        ):
            return SourcePlace(name, line, column, length, text)
        case _:
            raise ValueError("a place in a source has a name, a line, a column, a length and the line's text")


def location_of(place: SourcePlace | None) -> Location:
    """The location of a place that may be unknown."""
    return UNKNOWN if place is None else place.location
