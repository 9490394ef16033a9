"""What is read of ELF objects before they are loaded: sections, symbols, and what is asked of the outside.

The JIT binds undefined symbols to whatever the process happens to export, so a misspelt call could silently reach a
function of some other library. The loader therefore reads the symbol table itself and lets nothing through that was not
asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum, IntFlag
from typing import Final

from msgspec import Struct

_MAGIC: Final = b"\x7fELF"
_CLASS_64: Final = 2
_LITTLE_ENDIAN: Final = 1
_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_RELOCATION: Final = struct.Struct("<QIIq")
_SYMBOL_TABLE: Final = 2
_RELOCATIONS: Final = 4
_RELOCATIONS_WITHOUT_ADDENDS: Final = 9
_NO_BYTES: Final = 8
_UNDEFINED_SECTION: Final = 0
_FIRST_RESERVED_SECTION: Final = 0xFF00
_BIND_GLOBAL: Final = 1

RELOCATABLE: Final = 1
"""Kind of the objects that compilers make."""


class SymbolKind(IntEnum):
    """Kinds of symbols that matter here."""

    OBJECT = 1
    FUNCTION = 2
    THREAD_LOCAL = 6
    RESOLVER = 10


class SectionFlags(IntFlag):
    """Properties of sections."""

    WRITE = 1
    ALLOCATE = 2
    EXECUTE = 4
    THREAD_LOCAL = 0x400
    COMPRESSED = 0x800


RUN_BY_LOADERS: Final = frozenset({14, 15, 16})
"""Kinds of sections with functions that loaders call: at the start, at the end, and before both."""
X86_64: Final = 62
"""The processor's number in ELF."""


class ObjectFormatError(ValueError):
    """Bytes that are no well-formed 64-bit little-endian ELF object."""


class Section(Struct, frozen=True):
    """A run of bytes of the object; what `link` and `info` number depends on the kind."""

    kind: int
    flags: int
    offset: int
    size: int
    alignment: int = 1
    link: int = 0
    info: int = 0

    @property
    def is_zero(self) -> bool:
        """Whether it has no bytes in the object, and is all zeros in memory."""
        return self.kind == _NO_BYTES


class Symbol(Struct, frozen=True):
    """A name in an object; `section` is a number, 0 if something else has to define it."""

    name: str
    kind: int
    section: int
    place: int
    size: int
    is_global: bool

    @property
    def is_undefined(self) -> bool:
        """Whether the object only refers to it."""
        return self.section == _UNDEFINED_SECTION

    @property
    def is_in_section(self) -> bool:
        """Whether it is a place in a section: neither defined elsewhere, nor a number, nor memory yet to be given."""
        return _UNDEFINED_SECTION < self.section < _FIRST_RESERVED_SECTION


_NULL_SYMBOL: Final = Symbol("", 0, _UNDEFINED_SECTION, 0, 0, False)
"""The first of every symbol table, which `ElfObject.symbols` leaves out."""


class Relocation(Struct, frozen=True):
    """A place in a section that is to hold something of a symbol's address, in a way that `kind` numbers."""

    section: int
    offset: int
    kind: int
    symbol: Symbol
    addend: int


class ElfObject(Struct, frozen=True):
    """An object file: its kind and processor by ELF's numbers, sections and symbols."""

    data: bytes
    kind: int
    processor: int
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    def content(self, symbol: Symbol) -> bytes:
        """The bytes of a defined symbol, fewer than its size where the object has no more."""
        if not 0 < symbol.section < len(self.sections):
            return b""
        section = self.sections[symbol.section]
        if section.kind == _NO_BYTES or symbol.place + symbol.size > section.size:
            return b""
        start = section.offset + symbol.place
        return self.data[start : start + symbol.size]

    def bytes_of(self, section: Section) -> bytes:
        """What the object has of a section. Raises `ObjectFormatError` if it ends before."""
        if section.is_zero:
            return b""
        if section.offset + section.size > len(self.data):
            raise ObjectFormatError("damaged ELF object: a section behind its end")
        return self.data[section.offset : section.offset + section.size]

    def relocations(self) -> Iterator[Relocation]:
        """The relocations of all sections, in the object's order. Raises `ObjectFormatError`."""
        if sum(section.kind == _SYMBOL_TABLE for section in self.sections) > 1:
            raise ObjectFormatError("damaged ELF object: several symbol tables")
        for section in self.sections:
            if section.kind == _RELOCATIONS_WITHOUT_ADDENDS:
                raise ObjectFormatError("relocations without addends, which this processor's objects do not have")
            if section.kind == _RELOCATIONS:
                yield from self._relocations(section)

    def _relocations(self, table: Section) -> Iterator[Relocation]:
        if table.size % _RELOCATION.size:
            raise ObjectFormatError("damaged ELF object: half a relocation")
        for offset, kind, number, addend in _RELOCATION.iter_unpack(self.bytes_of(table)):
            if number > len(self.symbols):
                raise ObjectFormatError(f"damaged ELF object: a relocation to symbol {number}")
            symbol = self.symbols[int(number) - 1] if number else _NULL_SYMBOL
            yield Relocation(table.info, offset, kind, symbol, addend)


def is_elf(data: bytes) -> bool:
    """Whether the bytes start like an ELF file."""
    return data.startswith(_MAGIC)


def undefined_symbols(data: bytes) -> frozenset[str]:
    """Names that the object refers to and does not define, weak references too: called unbound they end the process."""
    return frozenset(symbol.name for symbol in read_object(data).symbols if symbol.is_undefined)


def read_object(data: bytes) -> ElfObject:
    """Sections and symbols of an object. Raises `ObjectFormatError`."""
    if not is_elf(data):
        raise ObjectFormatError("not an ELF object")
    try:
        return _read(data)
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        raise ObjectFormatError(f"damaged ELF object: {error}") from None


def _read(data: bytes) -> ElfObject:
    if data[4] != _CLASS_64 or data[5] != _LITTLE_ENDIAN:
        raise ObjectFormatError("not a 64-bit little-endian ELF object")
    header = _HEADER.unpack_from(data)
    section_offset, section_count = int(header[6]), int(header[12])
    rows: list[tuple[int, ...]] = [
        _SECTION.unpack_from(data, section_offset + k * _SECTION.size) for k in range(section_count)
    ]
    symbols: list[Symbol] = []
    for row in rows:
        if row[1] == _SYMBOL_TABLE:
            strings = rows[row[6]]
            table = data[strings[4] : strings[4] + strings[5]]
            symbols += _symbols(data, table, row[4], row[5])
    sections = tuple(Section(row[1], row[2], row[4], row[5], row[8], row[6], row[7]) for row in rows)
    return ElfObject(data, int(header[1]), int(header[2]), sections, tuple(symbols))


def _symbols(data: bytes, names: bytes, start: int, size: int) -> list[Symbol]:
    found: list[Symbol] = []
    # the first entry of a symbol table is the null symbol
    for offset in range(start + _SYMBOL.size, start + size, _SYMBOL.size):
        name, info, _, section, place, length = _SYMBOL.unpack_from(data, offset)
        text = names[name : names.index(b"\0", name)].decode()
        found.append(Symbol(text, info & 15, section, place, length, info >> 4 == _BIND_GLOBAL))
    return found
