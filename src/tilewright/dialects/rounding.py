"""Rounding exact numbers to a format in a direction: the definition that machines are measured by."""

from __future__ import annotations

import math
from fractions import Fraction
from math import isqrt

from tilewright.dialects.arith_floats import Rounding
from tilewright.ir.float_formats import FloatFormat


def _exponent(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def rounded(value: Fraction, layout: FloatFormat, mode: Rounding) -> float:
    """An exact number other than zero, rounded in a direction."""
    magnitude, negative = abs(value), value < 0
    unit = Fraction(2) ** (max(_exponent(magnitude), layout.lowest) - layout.precision + 1)
    steps = magnitude / unit
    away = mode is (Rounding.DOWN if negative else Rounding.UP)
    whole = math.ceil(steps) if away else math.floor(steps)
    exact = whole * unit
    beyond = math.inf if away else layout.largest
    found = beyond if exact > layout.largest else float(exact)
    return -found if negative else found


def root(value: Fraction, layout: FloatFormat, mode: Rounding) -> float:
    """The square root of a positive number, rounded in a direction."""
    shift = 2 * (layout.precision + 2000)
    scaled = value * 2**shift
    floor = isqrt(scaled.numerator // scaled.denominator)
    exact = floor * floor == scaled
    # A bit below the last one that can matter stands for all that is cut off.
    near = Fraction(2 * floor + (0 if exact else 1), 2 ** (shift // 2 + 1))
    return rounded(near, layout, mode)
