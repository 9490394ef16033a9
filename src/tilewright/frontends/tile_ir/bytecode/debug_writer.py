"""Writes the debug section."""

from __future__ import annotations

from tilewright.dialects.cuda_tile.debug import (
    CallSite,
    CompileUnit,
    DebugFile,
    DebugInfo,
    FileLocation,
    LexicalBlock,
    ScopedLocation,
    Subprogram,
    bottom_up,
)
from tilewright.frontends.tile_ir.bytecode.attribute_writer import Inexpressible
from tilewright.frontends.tile_ir.bytecode.buffer import Buffer, table
from tilewright.frontends.tile_ir.bytecode.form import DebugTag
from tilewright.frontends.tile_ir.bytecode.pools_writer import StringPool


class DebugPool:
    """Rows of places and the attributes they refer to; parts of an attribute stand in front of it."""

    def __init__(self, strings: StringPool) -> None:
        self._strings = strings
        self._indices: dict[DebugInfo, int] = {}
        self._entries: list[bytes] = []
        self._rows: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, places: list[int]) -> int:
        """What a function refers to its places by; 0 if all of them are unknown."""
        if not any(places):
            return 0
        self._rows.append(places)
        return len(self._rows)

    def index(self, info: DebugInfo | None) -> int:
        """The index of an attribute; 0 is the unknown one, and places without a scope become that."""
        if info is None:
            return 0
        for part in bottom_up(info, self._indices):
            self._indices[part] = 0 if isinstance(part, FileLocation) else self._add(part)
        return self._indices[info]

    def _add(self, info: DebugInfo) -> int:
        """The index of an attribute whose parts have theirs."""
        out = Buffer()
        self._encode(out, info)
        self._entries.append(bytes(out.data))
        return len(self._entries)

    def payload(self) -> bytes:
        """The section."""
        out = Buffer()
        out.varint(len(self._rows))
        out.align(4)
        offset = 0
        for row in self._rows:
            out.fixed(offset, 4)
            offset += len(row)
        out.varint(offset)
        out.align(8)
        for row in self._rows:
            for index in row:
                out.fixed(index, 8)
        out.bytes(table(self._entries, 4))
        return bytes(out.data)

    def _encode(self, out: Buffer, info: DebugInfo) -> None:
        match info:
            case CompileUnit():
                self._fields(out, DebugTag.COMPILE_UNIT, info.file)
            case DebugFile():
                self._fields(out, DebugTag.FILE, info.name, info.directory)
            case LexicalBlock():
                self._fields(out, DebugTag.LEXICAL_BLOCK, info.scope, info.file, info.line, info.column)
            case ScopedLocation():
                self._fields(out, DebugTag.LOCATION, info.scope, info.file, info.line, info.column)
            case Subprogram():
                names = (info.name, info.linkage_name)
                self._fields(out, DebugTag.SUBPROGRAM, info.file, info.line, *names, info.compile_unit, info.scope_line)
            case CallSite():
                self._fields(out, DebugTag.CALL_SITE, info.callee, info.caller)
            case _:
                raise Inexpressible("bytecode holds scoped locations and call sites only")

    def _fields(self, out: Buffer, tag: DebugTag, *fields: DebugInfo | str | int | None) -> None:
        numbers = [self._number(field) for field in fields]
        out.varint(tag)
        for number in numbers:
            out.varint(number)

    def _number(self, field: DebugInfo | str | int | None) -> int:
        if isinstance(field, str):
            return self._strings.index(field)
        if isinstance(field, int):
            return field
        return 0 if field is None else self._indices[field]
