"""Numbers as bit patterns: exact conversion between Python numbers and every element type, and their spelling."""

from __future__ import annotations

import math

from tilewright.dialects.cuda_tile.types import F4E2M1FN, I1, ElementType


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
    return bits - (1 << element.bits) if bits >> (element.bits - 1) else bits


def _top(element: ElementType) -> int:
    """Largest pattern, without sign, of a finite number."""
    ones = (1 << (element.exponent + element.mantissa)) - 1
    if element.has_infinity:
        return (((1 << element.exponent) - 1) << element.mantissa) - 1
    return ones if element is F4E2M1FN else ones - 1


def float_bits(value: float, element: ElementType) -> int:
    """Bit pattern of a finite number, rounded to nearest even."""
    sign = int(math.copysign(1.0, value) < 0)
    if sign and not element.signed:
        raise NumberError(f"{element} has no negative numbers")
    if element.signed:
        sign <<= element.exponent + element.mantissa
    magnitude = abs(value)
    # Types without a mantissa have no subnormal numbers and no zero: exponent field 0 is a power of two as well.
    least = (1 if element.mantissa else 0) - element.bias
    if not magnitude and not element.mantissa:
        raise NumberError(f"{element} has no zero")
    power = max(math.frexp(magnitude)[1] - 1, least) if magnitude else least
    # exact: the scaled number is normal or has the bits that it had
    steps = round(math.ldexp(magnitude, element.mantissa - power))
    if element.mantissa:
        pattern = steps + ((power - least) << element.mantissa) if magnitude else 0
    else:
        if not steps:
            raise NumberError(f"{value} does not fit {element}")
        pattern = power - least + (steps - 1)
    if pattern > _top(element):
        raise NumberError(f"{value} does not fit {element}")
    return sign | pattern


def float_value(bits: int, element: ElementType) -> float:
    """The number behind a bit pattern; exact, since doubles hold all of them."""
    width = element.exponent + element.mantissa
    negative = element.signed and bits >> width & 1
    magnitude = bits & ((1 << width) - 1)
    exponent, mantissa = magnitude >> element.mantissa, magnitude & ((1 << element.mantissa) - 1)
    if magnitude > _top(element):
        found = math.nan if mantissa or not element.has_infinity else math.inf
    elif not element.mantissa:
        found = math.ldexp(1.0, exponent - element.bias)
    elif exponent:
        found = math.ldexp((1 << element.mantissa) + mantissa, exponent - element.bias - element.mantissa)
    else:
        found = math.ldexp(mantissa, 1 - element.bias - element.mantissa)
    return -found if negative else found


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
