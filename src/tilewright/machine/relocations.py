"""What relocations of x86-64 objects ask for: of which address, relative to what, in how many bytes.

S is the symbol's address, A the addend, P the place itself. A *slot* is a word in memory that holds a symbol's address
(an entry of the global offset table), a *stub* a jump through a slot to what lies too far away for a call (an entry of
the procedure linkage table). Those here are what LLVM emits for position-independent code in the small model, and their
absolute and wide relatives; see the System V ABI for x86-64, table 4.9.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import Enum
from typing import Final

from msgspec import Struct


class UnsupportedObject(ValueError):
    """An object that asks for what this loader does not do; LLVM's may."""


class OutOfReach(ValueError):
    """An address that does not fit into the bytes that a relocation has for it."""


class Through(Enum):
    """Which address is meant."""

    SYMBOL = "the symbol's"
    STUB = "the symbol's, or that of a stub for it if it is not in the object"
    SLOT = "that of a slot for the symbol"


class Rule(Struct, frozen=True):
    """A kind of relocation: `width` bytes, of an address or of its distance from the place."""

    name: str
    width: int
    through: Through
    relative: bool
    signed: bool = True


NOTHING: Final = 0
_RULES: Final[Mapping[int, Rule]] = {
    1: Rule("R_X86_64_64", 8, Through.SYMBOL, relative=False, signed=False),
    2: Rule("R_X86_64_PC32", 4, Through.SYMBOL, relative=True),
    4: Rule("R_X86_64_PLT32", 4, Through.STUB, relative=True),
    9: Rule("R_X86_64_GOTPCREL", 4, Through.SLOT, relative=True),
    10: Rule("R_X86_64_32", 4, Through.SYMBOL, relative=False, signed=False),
    11: Rule("R_X86_64_32S", 4, Through.SYMBOL, relative=False),
    24: Rule("R_X86_64_PC64", 8, Through.SYMBOL, relative=True),
    41: Rule("R_X86_64_GOTPCRELX", 4, Through.SLOT, relative=True),
    42: Rule("R_X86_64_REX_GOTPCRELX", 4, Through.SLOT, relative=True),
}
_WORDS: Final = {4: struct.Struct("<I"), 8: struct.Struct("<Q")}


def rule_of(kind: int) -> Rule:
    """What a number of ELF's stands for. Raises `UnsupportedObject`."""
    rule = _RULES.get(kind)
    if rule is None:
        raise UnsupportedObject(f"it has relocations of kind {kind} of x86-64")
    return rule


def relocate(rule: Rule, memory: memoryview, offset: int, place: int, address: int, addend: int) -> None:
    """Write S + A, or S + A - P, at an offset in memory; `place` is that offset's address. Raises `OutOfReach`."""
    value = address + addend - (place if rule.relative else 0)
    bits = 8 * rule.width
    # addresses of 64 bits wrap
    if rule.width < 8 and not (-(1 << bits - 1) <= value < 1 << bits - 1 if rule.signed else 0 <= value < 1 << bits):
        raise OutOfReach(f"{rule.name} at {place:#x} cannot reach {address:#x} with {addend:+}")
    _WORDS[rule.width].pack_into(memory, offset, value & (1 << bits) - 1)
