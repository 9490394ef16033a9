"""Numbers as bit patterns: exact conversion between Python numbers and every element type, and their spelling."""

from __future__ import annotations

import math

from tilewright.dialects.cuda_tile.types import I1, ElementType
from tilewright.numerics.integers import wrap
from tilewright.numerics.rounding import nearest


class NumberError(ValueError):
    """A number does not fit its type."""


def integer_bits(value: int, element: ElementType) -> int:
    """Bit pattern of an integer; the union of the signed and the unsigned range is legal."""
    if element is I1:
        if not -1 <= value <= 1:
            raise NumberError(f"{value} does not fit i1")
        return int(value != 0)
    if not -(1 << (element.bits - 1)) <= value < 1 << element.bits:
        raise NumberError(f"{value} does not fit {element}")
    return value & ((1 << element.bits) - 1)


def signed_value(bits: int, element: ElementType) -> int:
    """An integer's bit pattern read as two's complement."""
    return wrap(bits, element.bits)


def float_bits(value: float, element: ElementType) -> int:
    """Bit pattern of a finite number, rounded to nearest even."""
    layout = element.floating
    if math.copysign(1.0, value) < 0 and not layout.signed:
        raise NumberError(f"{element} has no negative numbers")
    if not value and not layout.mantissa:
        raise NumberError(f"{element} has no zero")
    found = nearest(value, layout)
    if not abs(found) <= layout.largest or (value and not found and not layout.mantissa):
        raise NumberError(f"{value} does not fit {element}")
    return layout.pattern(found)


def float_value(bits: int, element: ElementType) -> float:
    """The number behind a bit pattern; exact, since doubles hold all of them."""
    return element.floating.number(bits)


def spell_number(bits: int, element: ElementType) -> str:
    """The text that reads back to the same pattern."""
    if not element.is_float:
        if element is I1:
            return "true" if bits else "false"
        return str(signed_value(bits, element))
    value = float_value(bits, element)
    if math.isfinite(value):
        for text in (f"{value:.6e}", _with_point(repr(value))):
            if float_bits(float(text), element) == bits:
                return text
    return f"0x{bits:0{(element.bits + 3) // 4}X}"


def _with_point(text: str) -> str:
    """A float's shortest text with a point, which the grammar of floats wants in front of an exponent."""
    mantissa, exponent, power = text.partition("e")
    return (mantissa if "." in mantissa else mantissa + ".0") + exponent + power
