"""Reads the debug section: for each function a row with the places of its operations."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NoReturn, TypeAlias

from tilewright.dialects.cuda_tile.debug import (
    SCOPES,
    CallSite,
    CompileUnit,
    DebugFile,
    DebugInfo,
    DebugPool,
    LexicalBlock,
    ScopedLocation,
    Subprogram,
)
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor
from tilewright.frontends.tile_ir.bytecode.form import DebugTag
from tilewright.frontends.tile_ir.bytecode.tables import Strings, Table, read_table
from tilewright.ir.mlir.limits import Limits
from tilewright.ir.mlir.trampoline import Steps, run

_LOCATIONS: Final = (ScopedLocation, CallSite)
_Info: TypeAlias = DebugInfo | None


class Row:
    """The places of one function: the entry's own, then one for each operation."""

    def __init__(self, debug: Debug, cursor: Cursor, indices: Sequence[int], start: int) -> None:
        self._debug = debug
        self._cursor = cursor
        self._indices = indices
        self._start = start
        self._next = 0

    def take(self) -> DebugInfo | None:
        """The next place."""
        at = self._start + 8 * self._next
        if self._next >= len(self._indices):
            self._cursor.fail("B9", f"the function has more operations than the {self._next} places given for them", at)
        index = self._indices[self._next]
        self._next += 1
        return self._debug.location(index, self._cursor, at)

    def finish(self) -> None:
        """All places must have been taken."""
        if self._next != len(self._indices):
            message = f"{len(self._indices)} places for a function with {self._next - 1} operations"
            self._cursor.fail("B9", message, self._start + 8 * self._next)


class Debug:
    """The debug section."""

    def __init__(self, payload: Cursor | None, strings: Strings, limits: Limits) -> None:
        self._strings = strings
        self._limits = limits
        self._pool = DebugPool()
        self._found: dict[int, _Info] = {}
        self._open: dict[int, None] = {}
        self._offsets: Sequence[int] = ()
        self._indices: Sequence[int] = ()
        self._base = 0
        self._payload = Cursor(b"", 0, 0) if payload is None else payload
        self._table: Table = read_table(None, 4, "debug attribute")
        if payload is not None:
            self._read(payload)

    def _read(self, c: Cursor) -> None:
        base = c.position
        functions = c.count("the number of functions with places", 4)
        c.align(4, base)
        at = c.position
        self._offsets = struct.unpack(f"<{functions}I", c.bytes(4 * functions, "the offsets of places"))
        places = c.count("the number of places", 8)
        if any(a > b for a, b in pairwise((*self._offsets, places))):
            c.fail("B5", f"the offsets of places do not rise up to their number, {places}", at)
        c.align(8, base)
        self._base = c.position
        self._indices = struct.unpack(f"<{places}Q", c.bytes(8 * places, "places"))
        self._table = read_table(c, 4, "debug attribute")

    def row(self, cursor: Cursor) -> Row | None:
        """The places of the function whose row stands next; None if it has none."""
        at = cursor.position
        index = cursor.varint("the index of a function's places")
        if not index:
            return None
        if index > len(self._offsets):
            cursor.fail("B4", f"the places of function {index} of {len(self._offsets)}", at)
        start = self._offsets[index - 1]
        end = self._offsets[index] if index < len(self._offsets) else len(self._indices)
        return Row(self, self._payload, self._indices[start:end], self._base + 8 * start)

    def location(self, index: int, cursor: Cursor, at: int) -> DebugInfo | None:
        """The place behind an index."""
        found = run(self._attribute(index, cursor, at))
        if found is not None and not isinstance(found, _LOCATIONS):
            cursor.fail("B8", f"expected a place, not a {type(found).__name__}", at)
        return found

    def _attribute(self, index: int, cursor: Cursor, at: int) -> Steps[_Info]:
        """An attribute; 0 is the unknown one."""
        number = index - 1
        if not index or number in self._found:
            return self._found.get(number)
        if number >= len(self._table):
            cursor.fail("B4", f"debug attribute {index} of {len(self._table)}", at)
        if number in self._open:
            cursor.fail("B8", f"debug attribute {index} contains itself", at)
        # What is open is counted, too: how deep it is, is known when everything has been read.
        if len(self._open) >= self._limits.debug_nesting:
            self._too_deep(cursor, at)
        self._open[number] = None
        found = yield _Entry(self, self._table.entry(number)).read()
        del self._open[number]
        if self._pool.depth(found) > self._limits.debug_nesting:
            self._too_deep(cursor, at)
        self._found[number] = found
        return found

    def _too_deep(self, cursor: Cursor, at: int) -> NoReturn:
        cursor.fail("B11", f"debug attributes are nested more than {self._limits.debug_nesting:,} deep", at)

    def part(self, cursor: Cursor, what: str) -> Steps[_Info]:
        """The attribute whose index stands next."""
        at = cursor.position
        return self._attribute(cursor.varint(f"the index of {what}"), cursor, at)

    @property
    def pool(self) -> DebugPool:
        """Where the attributes are made."""
        return self._pool

    @property
    def strings(self) -> Strings:
        """The strings that attributes refer to."""
        return self._strings


class _Entry:
    """Reads one entry of the table."""

    def __init__(self, debug: Debug, cursor: Cursor) -> None:
        self._debug = debug
        self._cursor = cursor

    def read(self) -> Steps[_Info]:
        """The attribute."""
        tag = self._cursor.varint("the tag of a debug attribute")
        found = yield self._fields(tag)
        if found is not None:
            self._cursor.finish("the debug attribute")
        return found

    def _fields(self, tag: int) -> Steps[_Info]:
        make = self._debug.pool.make
        match tag:
            case DebugTag.COMPILE_UNIT:
                return make(CompileUnit, (yield self._file()))
            case DebugTag.FILE:
                return make(DebugFile, self._string(), self._string())
            case DebugTag.LEXICAL_BLOCK:
                scope, file = (yield self._scope()), (yield self._file())
                return make(LexicalBlock, scope, file, self._number("line"), self._number("column"))
            case DebugTag.LOCATION:
                scope = yield self._scope()
                return make(ScopedLocation, scope, self._string(), self._number("line"), self._number("column"))
            case DebugTag.SUBPROGRAM:
                file, line = (yield self._file()), self._number("line")
                name, linkage = self._string(), self._string()
                unit = yield self._part("a compile unit", (CompileUnit,))
                return make(Subprogram, file, line, name, linkage, unit, self._number("scope line"))
            case DebugTag.CALL_SITE:
                callee = yield self._part("a callee", _LOCATIONS)
                return make(CallSite, callee, (yield self._part("a caller", _LOCATIONS)))
            case _:
                return None

    def _string(self) -> str:
        return self._debug.strings.read(self._cursor)

    def _number(self, what: str) -> int:
        return self._cursor.varint(f"a {what}")

    def _file(self) -> Steps[_Info]:
        return self._part("a file", (DebugFile,))

    def _scope(self) -> Steps[_Info]:
        return self._part("a scope", SCOPES)

    def _part(self, what: str, kinds: tuple[type[DebugInfo], ...]) -> Steps[_Info]:
        at = self._cursor.position
        found = yield self._debug.part(self._cursor, what)
        if found is not None and not isinstance(found, kinds):
            self._cursor.fail("B8", f"expected {what}, not a {type(found).__name__}", at)
        return found
