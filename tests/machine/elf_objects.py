"""Relocatable x86-64 objects made by hand, field by field as the ELF and System V specifications lay them out."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

CODE: Final = 0x2 | 0x4
CONSTANTS: Final = 0x2
DATA: Final = 0x2 | 0x1
PROGRAM: Final = 1
ZEROS: Final = 8
FUNCTION: Final = 2
THING: Final = 1
LOCAL, GLOBAL, WEAK = 0, 1, 2
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2


@dataclass(frozen=True, slots=True)
class Content:
    """A section; `size` only matters for zeros."""

    flags: int
    data: bytes = b""
    alignment: int = 1
    kind: int = PROGRAM
    size: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol; `section` counts the contents from 1."""

    name: str
    section: int = UNDEFINED
    place: int = 0
    size: int = 0
    kind: int = THING
    binding: int = GLOBAL


@dataclass(frozen=True, slots=True)
class Fix:
    """A relocation in a content counted from 1, to a symbol counted from 1."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """An object's parts. `bytes()` lays them out: header, contents, symbols, relocations, names, section headers."""

    contents: Sequence[Content]
    names: Sequence[Name]
    fixes: Sequence[Fix] = field(default_factory=list[Fix])
    processor: int = 62
    kind: int = 1

    def bytes(self) -> bytes:
        body, texts = bytearray(64), bytearray(1)
        rows = [struct.pack("<IIQQQQIIQQ", *[0] * 10)]

        def named(text: str) -> int:
            texts.extend(text.encode() + b"\0")
            return len(texts) - len(text.encode()) - 1

        def add(kind: int, flags: int, data: bytes, size: int, alignment: int, *rest: int) -> None:
            link, info, entry = rest or (0, 0, 0)
            name = named(f".section{len(rows)}")
            rows.append(struct.pack("<IIQQQQIIQQ", name, kind, flags, 0, len(body), size, link, info, alignment, entry))
            body.extend(data)

        for one in self.contents:
            add(one.kind, one.flags, one.data, one.size if one.kind == ZEROS else len(one.data), one.alignment)
        symbols = bytearray(24)
        for name in self.names:
            bound = name.binding << 4 | name.kind
            symbols += struct.pack("<IBBHQQ", named(name.name), bound, 0, name.section, name.place, name.size)
        table = len(self.contents) + 1
        last = table + 1 + len({fix.section for fix in self.fixes})
        add(2, 0, bytes(symbols), len(symbols), 8, last, 1, 24)
        for number in sorted({fix.section for fix in self.fixes}):
            found = [fix for fix in self.fixes if fix.section == number]
            data = b"".join(struct.pack("<QIIq", fix.offset, fix.kind, fix.symbol, fix.addend) for fix in found)
            add(4, 0x40, data, len(data), 8, table, number, 24)
        # with its own name, which `add` is about to append
        add(3, 0, bytes(texts) + f".section{last}\0".encode(), len(texts) + len(f".section{last}") + 1, 1)
        identity = b"\x7fELF\2\1\1" + bytes(9)
        body[:64] = struct.pack(
            "<16sHHIQQQIHHHHHH",
            identity,
            self.kind,
            self.processor,
            1,
            0,
            0,
            len(body),
            0,
            64,
            0,
            0,
            64,
            len(rows),
            last,
        )
        return bytes(body) + b"".join(rows)
