"""Source texts and ranges in them: every operation, type and diagnostic points at one."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from msgspec import Struct


class Source(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """One input `text` and the `name` it is reported under (a path, `<stdin>`, `<string>`)."""

    name: str
    text: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line."""
        starts = [0]
        find = self.text.find
        end = find("\n")
        while end >= 0:
            starts.append(end + 1)
            end = find("\n", end + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def byte(self, offset: int) -> int | None:
        """The byte of a file that is shown at an offset, where the text is a dump of one; None where it is a text."""
        return None

    def line(self, number: int) -> str:
        """Text of line `number` (from 1) without its line break."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


class Location:
    """Where something comes from: a range of a source, or several of them after a fusion."""

    __slots__ = ()

    def ranges(self) -> tuple[SourceRange, ...]:
        """The source ranges behind this location, most relevant first; empty if unknown."""
        return ()

    @property
    def primary(self) -> SourceRange | None:
        """The range to show first, or None if unknown."""
        found = self.ranges()
        return found[0] if found else None


class UnknownLocation(Location):
    """No place in a source: built by a tool rather than read from text."""

    __slots__ = ()

    def __str__(self) -> str:
        return "<unknown>"


UNKNOWN = UnknownLocation()


class SourceRange(Location, Struct, frozen=True, gc=False):
    """Characters `start` to `end` (exclusive) of a `source`.

    No source leads to its ranges, so the collector of cycles need not look at them: of what there is while a kernel is
    compiled they are a seventh.
    """

    source: Source
    start: int
    end: int

    def ranges(self) -> tuple[SourceRange, ...]:
        return (self,)

    def to(self, other: Location) -> SourceRange:
        """The range from the start of this one to the end of `other`, if that is in the same source."""
        last = other.primary
        if last is None or last.source is not self.source:
            return self
        return SourceRange(self.source, min(self.start, last.start), max(self.end, last.end))

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        end_line, end_column = self.source.position(max(self.start, self.end - 1))
        tail = f"-{end_column}" if end_line == line else f"-{end_line}:{end_column}"
        return f"{self.source.name}:{line}:{column}{tail}"


class FusedLocation(Location):
    """The locations of several operations that a pass made one."""

    __slots__ = ("_ranges",)

    def __init__(self, ranges: tuple[SourceRange, ...]) -> None:
        self._ranges = ranges

    def ranges(self) -> tuple[SourceRange, ...]:
        return self._ranges

    def __str__(self) -> str:
        return "fused<" + ", ".join(str(r) for r in self._ranges) + ">"


def fuse(*locations: Location) -> Location:
    """One location for an operation that replaces several; duplicates and unknowns vanish."""
    merged = tuple(dict.fromkeys(r for location in locations for r in location.ranges()))
    if not merged:
        return UNKNOWN
    return merged[0] if len(merged) == 1 else FusedLocation(merged)
