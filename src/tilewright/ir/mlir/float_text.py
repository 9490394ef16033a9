"""Bit patterns of floats of any format, and their text as MLIR spells it.

A literal is a double first, as in MLIR, and then rounded to the format. A number is spelled in six digits and an
exponent if that reads back exactly, else in as many digits as the format needs, else as its bit pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Final

from msgspec import Struct


class Specials(Enum):
    """Which patterns are no finite numbers."""

    IEEE = "infinity and NaN have the highest exponent"
    FN = "NaN is all ones; there is no infinity"
    FNUZ = "NaN is the pattern of -0; there are no -0 and no infinity"
    FINITE = "there are finite numbers only"
    SCALE = "powers of two without sign; NaN is all ones"


class FloatLayout(Struct, frozen=True):
    """Bits of a format: sign, `exponent` bits, `mantissa` bits without the implicit one."""

    exponent: int
    mantissa: int
    bias: int
    specials: Specials = Specials.IEEE
    explicit_one: bool = False

    @property
    def width(self) -> int:
        """All bits."""
        return (self.specials is not Specials.SCALE) + self.exponent + self.mantissa + self.explicit_one

    @property
    def precision(self) -> int:
        """Significant bits."""
        return self.mantissa + 1

    @property
    def lowest(self) -> int:
        """Exponent of the smallest normal number."""
        return -self.bias if self.specials is Specials.SCALE else 1 - self.bias


LAYOUTS: Final[Mapping[str, FloatLayout]] = {
    "f16": FloatLayout(5, 10, 15),
    "bf16": FloatLayout(8, 7, 127),
    "tf32": FloatLayout(8, 10, 127),
    "f32": FloatLayout(8, 23, 127),
    "f64": FloatLayout(11, 52, 1023),
    "f80": FloatLayout(15, 63, 16383, explicit_one=True),
    "f128": FloatLayout(15, 112, 16383),
    "f8E5M2": FloatLayout(5, 2, 15),
    "f8E4M3": FloatLayout(4, 3, 7),
    "f8E3M4": FloatLayout(3, 4, 3),
    "f8E4M3FN": FloatLayout(4, 3, 7, Specials.FN),
    "f8E5M2FNUZ": FloatLayout(5, 2, 16, Specials.FNUZ),
    "f8E4M3FNUZ": FloatLayout(4, 3, 8, Specials.FNUZ),
    "f8E4M3B11FNUZ": FloatLayout(4, 3, 11, Specials.FNUZ),
    "f8E8M0FNU": FloatLayout(8, 0, 127, Specials.SCALE),
    "f6E3M2FN": FloatLayout(3, 2, 3, Specials.FINITE),
    "f6E2M3FN": FloatLayout(2, 3, 1, Specials.FINITE),
    "f4E2M1FN": FloatLayout(2, 1, 1, Specials.FINITE),
}
"""By the name of the type."""


def pattern_of_double(value: float, layout: FloatLayout) -> int:
    """The bit pattern of a finite double, rounded to nearest even."""
    numerator, denominator = value.as_integer_ratio()
    negative = value < 0 or (value == 0 and str(value)[0] == "-")
    return pattern_of(negative, Fraction(abs(numerator), denominator), layout)


def pattern_of(negative: bool, magnitude: Fraction, layout: FloatLayout) -> int:
    """The bit pattern of a number, rounded to nearest even; too large ones become what the format has for them."""
    exponent = layout.lowest
    if magnitude:
        exponent = max(magnitude.numerator.bit_length() - magnitude.denominator.bit_length(), layout.lowest)
        if exponent > layout.lowest and magnitude < Fraction(2) ** exponent:
            exponent -= 1
    significand = round(magnitude / Fraction(2) ** (exponent - layout.mantissa))
    if significand >> layout.precision:
        significand >>= 1
        exponent += 1
    normal = significand >> layout.mantissa
    field = exponent + layout.bias if normal else 0
    if layout.specials is Specials.SCALE:
        # There is no zero: the smallest power of two stands for it.
        return min(max(field, 0), 0xFF)
    if _beyond(field, significand & ((1 << layout.mantissa) - 1), layout):
        return _overflow(negative, layout)
    if layout.specials is Specials.FNUZ and not significand:
        return 0
    bits = significand if layout.explicit_one else significand & ((1 << layout.mantissa) - 1)
    stored = layout.mantissa + layout.explicit_one
    return negative << (layout.width - 1) | field << stored | bits


def _beyond(field: int, mantissa: int, layout: FloatLayout) -> bool:
    """Whether a number is larger than the largest finite one."""
    top = (1 << layout.exponent) - 1
    match layout.specials:
        case Specials.IEEE:
            return field >= top
        case Specials.FN:
            return field > top or (field == top and mantissa == (1 << layout.mantissa) - 1)
        case _:
            return field > top


def _overflow(negative: bool, layout: FloatLayout) -> int:
    sign = negative << (layout.width - 1)
    ones = (1 << (layout.width - 1)) - 1
    match layout.specials:
        case Specials.FNUZ:
            return 1 << (layout.width - 1)
        case Specials.IEEE:
            infinity = ((1 << layout.exponent) - 1) << (layout.mantissa + layout.explicit_one)
            return sign | infinity | (layout.explicit_one << layout.mantissa)
        case _:
            return sign | ones


def number_of(bits: int, layout: FloatLayout) -> tuple[bool, int, int] | None:
    """Sign, significand and power of two behind a bit pattern; None for infinities and NaN."""
    if layout.specials is Specials.SCALE:
        return None if bits == 0xFF else (False, 1, bits - layout.bias)
    negative = bool(bits >> (layout.width - 1))
    stored = layout.mantissa + layout.explicit_one
    field = bits >> stored & ((1 << layout.exponent) - 1)
    significand = bits & ((1 << stored) - 1)
    if _is_special(bits, field, significand, layout):
        return None
    if field and not layout.explicit_one:
        significand |= 1 << layout.mantissa
    return negative, significand, max(field - layout.bias, layout.lowest) - layout.mantissa


def _is_special(bits: int, field: int, stored: int, layout: FloatLayout) -> bool:
    top = field == (1 << layout.exponent) - 1
    match layout.specials:
        case Specials.IEEE:
            return top
        case Specials.FN:
            return top and stored == (1 << layout.mantissa) - 1
        case Specials.FNUZ:
            return bits == 1 << (layout.width - 1)
        case _:
            return False


def value_of(bits: int, layout: FloatLayout) -> float:
    """The nearest double; NaN and infinities as such."""
    found = number_of(bits, layout)
    if found is not None:
        negative, significand, power = found
        magnitude = Fraction(significand) * Fraction(2) ** power
        try:
            return -float(magnitude) if negative else float(magnitude)
        except OverflowError:
            return float("-inf") if negative else float("inf")
    infinite = layout.specials is Specials.IEEE and not bits & ((1 << layout.mantissa) - 1)
    sign = -1.0 if bits >> (layout.width - 1) else 1.0
    return sign * float("inf") if infinite else float("nan")


def spell_float(bits: int, layout: FloatLayout) -> str:
    """The text that MLIR prints for a bit pattern."""
    found = number_of(bits, layout)
    if found is None:
        return f"0x{bits:X}"
    negative, significand, power = found
    sign = "-" if negative else ""
    if not significand:
        return sign + "0.000000e+00"
    digits, exponent = _decimal(significand, power, 6)
    if _reads_back(negative, digits, exponent, bits, layout):
        point = exponent + len(digits) - 1
        return f"{sign}{digits[0]}.{digits[1:]:0<6}e{'-' if point < 0 else '+'}{abs(point):02}"
    precision = 2 + layout.precision * 59 // 196
    text = _plain(*_decimal(significand, power, precision), precision)
    return sign + text if "." in text else f"0x{bits:X}"


def _reads_back(negative: bool, digits: str, exponent: int, bits: int, layout: FloatLayout) -> bool:
    return pattern_of(negative, Fraction(int(digits)) * Fraction(10) ** exponent, layout) == bits


def _decimal(significand: int, power: int, precision: int) -> tuple[str, int]:
    """At most `precision` decimal digits and the power of ten of the last one, as LLVM's APFloat cuts and rounds."""
    zeros = (significand & -significand).bit_length() - 1
    significand, power = significand >> zeros, power + zeros
    if power >= 0:
        significand, exponent = significand << power, 0
    else:
        significand, exponent = significand * 5**-power, power
    # LLVM drops most digits without rounding, by an estimate of how many there are.
    surplus = (significand.bit_length() - (precision * 196 + 58) // 59) * 59 // 196
    if surplus > 0:
        significand //= 10**surplus
        exponent += surplus
    text = str(significand)
    if len(text) > precision:
        dropped = len(text) - precision
        rounded = int(text[:precision]) + (text[precision] >= "5")
        text, exponent = str(rounded), exponent + dropped
    digits = text.rstrip("0")
    return digits, exponent + len(text) - len(digits)


def _plain(digits: str, exponent: int, precision: int) -> str:
    """The digits with a point, or with an exponent where it would take many zeros."""
    point = exponent + len(digits)
    if exponent >= 0:
        if exponent <= 3 and len(digits) + exponent <= precision:
            return digits + "0" * exponent
    elif point > 0:
        return f"{digits[:point]}.{digits[point:]}"
    elif 1 - point <= 3:
        return "0." + "0" * -point + digits
    return f"{digits[0]}.{digits[1:] or '0'}E{'-' if point < 1 else '+'}{abs(point - 1)}"
