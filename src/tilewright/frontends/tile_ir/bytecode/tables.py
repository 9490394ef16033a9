"""Sections and the tables in them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from tilewright.dialects.cuda_tile.attributes import Dense, dense_from_pool
from tilewright.dialects.cuda_tile.types import ElementType, Tile, Version
from tilewright.frontends.recognise import BYTECODE_MAGIC
from tilewright.frontends.tile_ir.bytecode.budget import Budget
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor
from tilewright.frontends.tile_ir.bytecode.form import ALIGNMENT, MAJOR, SectionId


def read_header(cursor: Cursor) -> Version:
    """The version of a file."""
    found = cursor.data[: len(BYTECODE_MAGIC)]
    if found != BYTECODE_MAGIC:
        cursor.fail(
            "B1", f"Tile IR bytecode begins with {BYTECODE_MAGIC.hex(' ')}, not {found.hex(' ') or 'nothing'}", 0
        )
    cursor.position = len(BYTECODE_MAGIC)
    at = cursor.position
    major, minor = cursor.byte("the major version"), cursor.byte("the minor version")
    known = ", ".join(map(str, Version))
    if major != MAJOR or minor not in tuple(Version):
        cursor.fail("B1", f"version {major}.{minor} cannot be read; the versions {known} can", at)
    tag = cursor.fixed(2, "the version tag")
    if tag:
        cursor.fail("B1", f"the version tag is 0, not {tag}; files with preview features cannot be read", at + 2)
    return Version(minor)


def read_sections(cursor: Cursor) -> dict[SectionId, Cursor]:
    """The payload of each section, up to the end of the file."""
    found: dict[SectionId, Cursor] = {}
    while True:
        at = cursor.position
        head = cursor.byte("a section or the end of the file")
        if head & 0x7F == 0:
            if head:
                cursor.fail("B3", "the end of the file is the byte 0, without an alignment", at)
            break
        section = _section_id(cursor, head & 0x7F, at)
        if section in found:
            cursor.fail("B3", f"section {section} comes twice", at)
        found[section] = _payload(cursor, section, bool(head & 0x80), at)
    cursor.finish("the file")
    for section in (SectionId.STRING, SectionId.FUNC):
        if section not in found:
            cursor.fail("B3", f"the file has no section {section}", at)
    return found


def _section_id(cursor: Cursor, number: int, at: int) -> SectionId:
    if number not in tuple(SectionId):
        cursor.fail("B3", f"there is no section {number}; the sections are 1 to {len(SectionId)}", at)
    return SectionId(number)


def _payload(cursor: Cursor, section: SectionId, aligned: bool, at: int) -> Cursor:
    length = cursor.varint(f"the length of section {section}")
    alignment = cursor.varint(f"the alignment of section {section}") if aligned else 1
    if not alignment or alignment & (alignment - 1):
        cursor.fail("B3", f"the alignment of section {section} is a power of two, not {alignment}", at)
    if alignment % ALIGNMENT[section]:
        cursor.fail("B3", f"section {section} is aligned to {ALIGNMENT[section]} bytes, not {alignment}", at)
    cursor.align(alignment, 0)
    start = cursor.position
    if length > cursor.left:
        cursor.fail("B2", f"section {section} has {length} bytes, but {cursor.left} are left", at)
    cursor.position = start + length
    return Cursor(cursor.data, start, start + length, section)


class Table(Struct, frozen=True):
    """Entries of a section; `starts` has one more than there are entries."""

    payload: Cursor
    starts: Sequence[int]
    what: str

    def __len__(self) -> int:
        return len(self.starts) - 1

    def entry(self, index: int) -> Cursor:
        """A cursor on an entry."""
        return self.payload.slice(self.starts[index], self.starts[index + 1])

    def index(self, cursor: Cursor) -> int:
        """An index of this table."""
        at = cursor.position
        found = cursor.varint(f"the index of a {self.what}")
        if found >= len(self):
            cursor.fail("B4", f"{self.what} {found} of {len(self)}", at)
        return found


def read_table(payload: Cursor | None, width: int, what: str) -> Table:
    """A table with offsets of `width` bytes; empty if the file has none."""
    if payload is None:
        return Table(Cursor(b"", 0, 0), (0,), what)
    base = payload.position
    count = payload.count(f"the number of {what}s")
    if not count:
        # NVIDIA's Python writer pads in front of the offsets even if there are none.
        if payload.left:
            payload.align(width, base)
        payload.finish(f"the table of {what}s")
        return Table(payload, (payload.end,), what)
    payload.align(width, base)
    at = payload.position
    if count * width > payload.left:
        payload.fail("B5", f"{count} offsets do not fit into the {payload.left} bytes that are left", at)
    offsets = struct.unpack(f"<{count}{'IQ'[width // 8]}", payload.bytes(count * width, "offsets"))
    blob = payload.position
    for index, (a, b) in enumerate(pairwise(offsets)):
        if a > b:
            payload.fail("B5", f"the offset of {what} {index + 1} is below that of the one before", at + width * index)
    if offsets[-1] > payload.left:
        payload.fail("B5", f"{what} {count - 1} lies behind the end of the table", at + width * (count - 1))
    return Table(payload, (*(blob + o for o in offsets), payload.end), what)


class Strings:
    """The string table."""

    def __init__(self, table: Table, budget: Budget) -> None:
        self._table = table
        self._budget = budget
        self._found: dict[int, str] = {}

    def read(self, cursor: Cursor) -> str:
        """The string whose index stands next."""
        index = self._table.index(cursor)
        found = self._found.get(index)
        if found is None:
            entry = self._table.entry(index)
            data = entry.bytes(entry.left, "a string")
            try:
                found = data.decode("utf-8")
            except UnicodeDecodeError as error:
                entry.fail("B8", f"string {index} is no UTF-8", entry.end - len(data) + error.start)
            self._found[index] = found
        self._budget.bytes(cursor, len(found))
        return found

    def name(self, cursor: Cursor, what: str) -> str:
        """A string that is not empty."""
        at = cursor.position
        found = self.read(cursor)
        if not found:
            cursor.fail("B8", f"{what} is not empty", at)
        return found


class Constants:
    """The constant pool. It does not say of what type its entries are."""

    def __init__(self, table: Table, budget: Budget) -> None:
        self._table = table
        self._budget = budget
        self._found: dict[tuple[int, ElementType, int], Dense] = {}

    def read(self, cursor: Cursor, type_: Tile, element: ElementType) -> Dense:
        """The elements of a tile whose index stands next."""
        at = cursor.position
        key = (self._table.index(cursor), element, type_.size)
        found = self._found.get(key)
        if found is None:
            entry = self._table.entry(key[0])
            data = entry.bytes(entry.count("the bytes of a constant"), "a constant")
            entry.finish("the constant")
            made = dense_from_pool(element, data, type_.size)
            if made is None:
                cursor.fail("B8", f"constant {key[0]} has {len(data)} bytes, which do not make a {type_}", at)
            found = self._found[key] = made
        self._budget.bytes(cursor, len(found.data))
        return found


__all__ = ["Constants", "Strings", "Table", "read_header", "read_sections", "read_table"]
