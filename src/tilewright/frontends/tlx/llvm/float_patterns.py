"""Patterns of bits of floats, the numbers behind them, and how LLVM writes them."""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import Final

from tilewright.frontends.tlx.llvm.types import FloatType
from tilewright.ir.mlir.float_text import LAYOUTS, pattern_of

_PACKED: Final = {"f64": ("<d", 0), "f32": ("<f", 0), "f16": ("<e", 0), "bf16": ("<f", 16)}
"""By layout: a format of `struct` that has its numbers, and how many bits that has behind its own."""


def _number_of(bits: int, type_: FloatType) -> Fraction | None:
    """The magnitude behind a pattern of at most 64 bits; None for infinity."""
    layout = LAYOUTS[type_.layout]
    field = bits >> layout.mantissa & ((1 << layout.exponent) - 1)
    mantissa = bits & ((1 << layout.mantissa) - 1)
    if field == (1 << layout.exponent) - 1:
        return None
    significand = mantissa | (1 << layout.mantissa if field else 0)
    return Fraction(significand) * Fraction(2) ** (max(field, 1) - layout.bias - layout.mantissa)


def text_of_pattern(bits: int, type_: FloatType) -> str | None:
    """A pattern as LLVM writes it."""
    number = _number_of(bits, type_)
    if number is None:
        return None
    layout = LAYOUTS[type_.layout]
    if type_.layout in ("f16", "bf16"):
        return f"0x{'H' if type_.layout == 'f16' else 'R'}{bits:04X}"
    return f"0x{pattern_of(bool(bits >> layout.width - 1), number, LAYOUTS['f64']):016X}"


def double_of(bits: int, type_: FloatType) -> float:
    """The number behind the pattern of a float of at most 64 bits."""
    code, dropped = _PACKED[type_.layout]
    data = (bits << dropped).to_bytes(struct.calcsize(code), "little")
    return struct.unpack(code, data)[0]


def pattern_of_exact(number: float, type_: FloatType) -> int | None:
    """The pattern of a finite number; None if the type does not have it."""
    code, dropped = _PACKED[type_.layout]
    try:
        data = struct.pack(code, number)
    except OverflowError:
        return None
    bits = int.from_bytes(data, "little")
    is_exact = struct.unpack(code, data)[0] == number and not bits & ((1 << dropped) - 1)
    return bits >> dropped if is_exact else None
