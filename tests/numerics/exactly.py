"""Rounding by its definition: every format decoded by somebody else, neighbours by search, distances as fractions."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from functools import cache, lru_cache

import ml_dtypes
import numpy as np

from tilewright.numerics.rounding import Mode

BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 19,
    "f32": 32,
    "f64": 64,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E5M3FNU": 8,
    "f8E8M0FNU": 8,
    "f4E2M1FN": 4,
}
UNSIGNED = ("f8E5M3FNU", "f8E8M0FNU")
_DTYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}


def decoded(name: str, pattern: int) -> float:
    """The number behind a pattern."""
    match name:
        case "f64":
            return struct.unpack("<d", struct.pack("<Q", pattern))[0]
        case "f32":
            return struct.unpack("<f", struct.pack("<I", pattern))[0]
        case "f16":
            return struct.unpack("<e", struct.pack("<H", pattern))[0]
        case "bf16":
            return decoded("f32", pattern << 16)
        case "tf32":
            return decoded("f32", pattern << 13)
        case "f8E5M3FNU":
            # as f16 without sign, of which the last seven bits are zero; only the last pattern is no number
            if pattern == 0xFF:
                return math.nan
            exponent, fraction = pattern >> 3, pattern & 7
            return math.ldexp(fraction + 8 * (exponent > 0), max(exponent, 1) - 18)
        case _:
            return float(np.asarray(pattern, np.uint8).view(_DTYPES[name]))


@cache
def largest(name: str) -> int:
    """The pattern of the largest finite number."""
    low, high = 0, (1 << (BITS[name] - (name not in UNSIGNED))) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if math.isfinite(decoded(name, middle)) else (low, middle - 1)
    return low


@lru_cache(1 << 14)
def below(name: str, size: Fraction) -> int:
    """The pattern of the largest finite number up to a size, -1 if there is none."""
    low, high = -1, largest(name)
    while low < high:
        middle = (low + high + 1) // 2
        numerator, denominator = _ratio(name, middle)
        # as fractions compare, without making one for each step of thousands of searches
        fits = numerator * size.denominator <= size.numerator * denominator
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


@lru_cache(1 << 14)
def _ratio(name: str, pattern: int) -> tuple[int, int]:
    """The finite number behind a pattern. Searches begin with the same ones."""
    return decoded(name, pattern).as_integer_ratio()


def rounded(name: str, number: Fraction, mode: Mode) -> float:
    """A number other than zero, infinity beyond the range. Powers of two begin with the least, below all others."""
    size, negative, sign = abs(number), number < 0, -1.0 if number < 0 else 1.0
    index, top = below(name, size), largest(name)
    low = Fraction(decoded(name, index)) if index >= 0 else Fraction(0)
    if low == size:
        return math.copysign(decoded(name, index), sign)
    if index < 0:
        return math.copysign(decoded(name, 0), sign)
    # beyond the largest number, what would come next
    high = Fraction(decoded(name, index + 1)) if index < top else low + (low - Fraction(decoded(name, top - 1)))
    if name == "f8E8M0FNU" and index == top:
        high = 2 * low
    up = {
        Mode.ZERO: False,
        Mode.DOWN: negative,
        Mode.UP: not negative,
        Mode.NEAREST_AWAY: 2 * size >= low + high,
        Mode.NEAREST_EVEN: 2 * size > low + high or (2 * size == low + high and _next_is_even(name, index)),
    }[mode]
    found = (decoded(name, index + 1) if index < top else math.inf) if up else decoded(name, index)
    return math.copysign(found, sign)


def _next_is_even(name: str, index: int) -> bool:
    """Of two powers of two the larger one is the even multiple of the smaller."""
    return name == "f8E8M0FNU" or index % 2 == 1
