"""What an ELF object asks of the outside: the names of its undefined symbols.

The JIT binds undefined symbols to whatever the process happens to export, so a misspelt call could silently reach a
function of some other library. The loader therefore reads the symbol table itself and lets nothing through that was not
asked for.
"""

from __future__ import annotations

import struct
from typing import Final

_MAGIC: Final = b"\x7fELF"
_CLASS_64: Final = 2
_LITTLE_ENDIAN: Final = 1
_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE: Final = 2
_UNDEFINED_SECTION: Final = 0
_BIND_WEAK: Final = 2


class ObjectFormatError(ValueError):
    """Bytes that are no well-formed 64-bit little-endian ELF object."""


def is_elf(data: bytes) -> bool:
    """Whether the bytes start like an ELF file."""
    return data.startswith(_MAGIC)


def undefined_symbols(data: bytes) -> frozenset[str]:
    """Names that the object refers to, does not define and cannot do without (weak references are left out)."""
    try:
        return frozenset(_undefined(data))
    except (struct.error, ValueError, IndexError) as error:
        raise ObjectFormatError(f"damaged ELF object: {error}") from None


def _undefined(data: bytes) -> list[str]:
    if not is_elf(data) or data[4] != _CLASS_64 or data[5] != _LITTLE_ENDIAN:
        raise ObjectFormatError("not a 64-bit little-endian ELF object")
    header = _HEADER.unpack_from(data)
    section_offset, section_count = int(header[6]), int(header[12])
    sections: list[tuple[int, ...]] = [
        _SECTION.unpack_from(data, section_offset + k * _SECTION.size) for k in range(section_count)
    ]
    names: list[str] = []
    for section in sections:
        if section[1] != _SYMBOL_TABLE:
            continue
        strings = sections[section[6]]
        table = data[strings[4] : strings[4] + strings[5]]
        # the first entry of a symbol table is the null symbol
        for offset in range(section[4] + _SYMBOL.size, section[4] + section[5], _SYMBOL.size):
            name, info, _, index, _, _ = _SYMBOL.unpack_from(data, offset)
            if index == _UNDEFINED_SECTION and info >> 4 != _BIND_WEAK:
                names.append(table[name : table.index(b"\0", name)].decode())
    return names
