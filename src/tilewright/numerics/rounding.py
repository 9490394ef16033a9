"""Rounding exact numbers once, to any floating point format in any mode: doubles with a known error, as integers.

An `Exact` stands for `(value + residue * tiny) * 2^exponent`, `tiny` less than any bit of the double: what error-free
transformations of sums, products, quotients and roots give. One definition for Python's numbers and for arrays.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, Final

from msgspec import Struct

from tilewright.numerics.formats import F64, FloatFormat
from tilewright.numerics.overloads import (
    copysign,
    frexp,
    is_plain,
    larger,
    ldexp,
    scaled_integer,
    signbit,
    smaller,
    where,
    whole,
)

_BITS: Final = 62
_TOP: Final = 1 << (_BITS - 1)
_GUARD: Final = 8


class Mode(Enum):
    """Which of the two neighbours an inexact number becomes."""

    NEAREST_EVEN = "nearest_even"
    NEAREST_AWAY = "nearest_away"
    ZERO = "zero"
    UP = "up"
    DOWN = "down"


class Exact(Struct, frozen=True):
    """Finite numbers, known well enough to round them: a double, the sign of what it lacks, a power of two."""

    value: Any
    residue: Any
    exponent: Any


def _rounds_up(mode: Mode, keep: Any, rest: Any, half: Any, negative: Any) -> Any:
    match mode:
        case Mode.ZERO:
            return False
        case Mode.DOWN:
            return (rest > 0) & negative
        case Mode.UP:
            return (rest > 0) & (negative == 0)
        case Mode.NEAREST_AWAY:
            return rest >= half
        case Mode.NEAREST_EVEN:
            return (rest > half) | ((rest == half) & (keep & 1 == 1))


def _overflow(mode: Mode, layout: FloatFormat, saturate: bool, negative: Any) -> Any:
    beyond = layout.top if saturate else layout.beyond
    match mode:
        case Mode.ZERO:
            return layout.top
        case Mode.DOWN:
            return where(negative, beyond, layout.top)
        case Mode.UP:
            return where(negative, layout.top, beyond)
        case _:
            return beyond


def round_bits(number: Exact, layout: FloatFormat, mode: Mode, saturate: bool = False) -> Any:
    """Patterns of the rounded numbers; the sign of zeros is kept. Values are finite.

    What is too large becomes infinity, or NaN where there is none, unless it is to `saturate`; negative numbers of
    formats without sign become NaN.
    """
    negative, inexact = signbit(number.value), number.residue != 0
    fraction, power = frexp(abs(number.value))
    inward = inexact & ((number.residue < 0) != negative)
    steps = ((scaled_integer(fraction, 53) << _GUARD) - inward << 1) | inexact
    least_bit = power + number.exponent - _BITS
    leading = least_bit + (_BITS - 2) + (steps >= _TOP)
    scale = larger(leading, layout.lowest)
    # a shift by 63 leaves less than half a unit of anything that has 62 bits
    shift = smaller(larger(scale - layout.mantissa - least_bit, 1), 63)
    keep, one = steps >> shift, shift - shift + 1
    rest, half = steps & ((one << shift) - 1), one << (shift - 1)
    keep = keep + _rounds_up(mode, keep, rest, half, negative)
    limit = layout.highest - layout.lowest
    field = smaller(scale - layout.lowest, limit)
    pattern = (field << layout.mantissa) + keep if layout.mantissa else larger(field + keep - 1, 0)
    large = (pattern > layout.top) | (scale - layout.lowest > limit)
    pattern = where(large, _overflow(mode, layout, saturate, negative), pattern)
    return _with_sign(where(number.value == 0, 0, pattern), negative, layout)


def _with_sign(pattern: Any, negative: Any, layout: FloatFormat) -> Any:
    if not layout.signed:
        return where(negative & (pattern != 0), layout.nan, pattern)
    return pattern | (negative << layout.magnitude if is_plain(negative) else _shifted(negative, layout.magnitude))


def _shifted(negative: Any, places: int) -> Any:
    return negative.astype("int64") << places


def special_bits(values: Any, layout: FloatFormat, saturate: bool = False) -> Any:
    """Patterns of infinities, zeros and NaN (of other doubles: anything)."""
    size = where(values == 0, 0, layout.top if saturate else layout.beyond)
    return where(values != values, layout.nan, _with_sign(size, signbit(values), layout))


def nearest(values: Any, layout: FloatFormat, saturate: bool = False) -> Any:
    """Doubles rounded to the nearest number of a format, ties to even; still doubles, signs of zeros kept.

    What is too large becomes infinity, or NaN or the largest number where there is none. The short way to what
    `round_bits` does for every mode: a double is a whole number of units of its last place. Formats without sign keep
    signs here.
    """
    if layout is F64 or (is_plain(values) and not math.isfinite(values)):
        return values
    power = frexp(values)[1]
    unit = smaller(larger(power - 1, layout.lowest), layout.highest) - layout.mantissa
    found = ldexp(whole(ldexp(values, -unit)), unit)
    beyond = math.inf if layout.infinite else math.nan if layout.has_nan else layout.largest
    beyond = layout.largest if saturate else beyond
    return where(abs(found) > layout.largest, copysign(beyond, values), found)
