"""Instructions of what ptxas makes, by their codes: there is no disassembler here."""

from __future__ import annotations

import struct
from collections import Counter
from typing import Final

_SECTIONS, _SIZES = 0x28, 0x3A
"""Where the head of an ELF file of 64 bits says where sections are, and how large, how many and which has the names."""
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_INSTRUCTION: Final = struct.Struct("<QQ")
_CODE: Final = 0xFFF
_TEXT: Final = ".text."


def codes(cubin: bytes) -> dict[str, Counter[int]]:
    """Of each function how many instructions have each code."""
    (at,) = struct.unpack_from("<Q", cubin, _SECTIONS)
    size, count, named = struct.unpack_from("<HHH", cubin, _SIZES)
    heads = [_SECTION.unpack_from(cubin, at + number * size) for number in range(count)]
    names = cubin[heads[named][4] :]
    found: dict[str, Counter[int]] = {}
    for name_at, _, _, _, begin, length, *_ in heads:
        name = names[name_at:].partition(b"\0")[0].decode("ascii")
        if name.startswith(_TEXT):
            words = _INSTRUCTION.iter_unpack(cubin[begin : begin + length])
            found[name.removeprefix(_TEXT)] = Counter(low & _CODE for low, _ in words)
    return found
