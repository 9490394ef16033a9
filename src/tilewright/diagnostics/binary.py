"""Inputs that are bytes: diagnostics show the byte in a hex dump."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from tilewright.diagnostics.source import Location, Source, SourceRange

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_WIDTH: Final = 16
_GUTTER: Final = len("00000000  ")
_LINE: Final = _GUTTER + 3 * _WIDTH
"""Characters of a full line of the dump with its line break."""


def bytes_of(data: ReadableBuffer, what: str) -> bytes:
    """The bytes of any object with the buffer protocol, in the order of its elements. Raises TypeError for others."""
    if isinstance(data, bytes):
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"{what} is bytes or another buffer, not {type(data).__name__}") from None


class HexDump(Source, frozen=True):
    """Bytes as text, 16 to a line."""

    def byte(self, offset: int) -> int | None:
        row, column = divmod(offset, _LINE)
        return row * _WIDTH + max(column - _GUTTER, 0) // 3


class Binary:
    """A file in memory, and the name it is reported under."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data

    @cached_property
    def dump(self) -> Source:
        """The bytes as text; made when the first diagnostic is shown."""
        rows = range(0, max(1, len(self.data)), _WIDTH)
        return HexDump(self.name, "\n".join(f"{r:08x}  {self.data[r : r + _WIDTH].hex(' ')}" for r in rows))


class ByteRange(Location):
    """Bytes `start` to `end` (exclusive) of a file."""

    __slots__ = ("end", "file", "start")

    def __init__(self, file: Binary, start: int, end: int) -> None:
        self.file = file
        self.start = start
        self.end = end

    def ranges(self) -> tuple[SourceRange, ...]:
        source = self.file.dump
        first = _column(min(self.start, len(source.text)))
        last = _column(max(self.start, self.end - 1)) + 2
        return (SourceRange(source, min(first, len(source.text)), min(last, len(source.text))),)

    def __str__(self) -> str:
        return f"{self.file.name}: byte {self.start} (0x{self.start:x})"


def _column(offset: int) -> int:
    """Where the dump spells a byte."""
    row, column = divmod(offset, _WIDTH)
    return row * _LINE + _GUTTER + 3 * column
