"""Sums and products of doubles together with what rounding took from them, and `a * b + c` rounded once.

The transformations are those of Knuth and Dekker; a sum that is rounded to odd may be rounded again to fewer bits
(at least two fewer) without rounding twice (Boldo and Melquiond, 2008).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.small_numbers import odd_f32

Array = NDArray[Any]

_SPLITTER: Final = 134217729.0
_TAME: Final = 2.0**300
"""Operands up to this, and down to one over it, are multiplied without overflow or underflow, errors included."""


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """A sum and its error, whose exact sum is that of the operands; nothing may overflow."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = a * _SPLITTER
    high = scaled - (scaled - a)
    return high, a - high


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """A product and its error; neither may overflow or underflow."""
    product = a * b
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


def odd_sum(a: Array, b: Array) -> Array:
    """A sum that is rounded to odd, so that rounding it again is rounding once."""
    total, error = two_sum(a, b)
    even = total.view(np.int64) & 1 == 0
    toward = np.where(error > 0, np.inf, -np.inf)
    return np.where((error != 0) & np.isfinite(error) & even, np.nextafter(total, toward), total)


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c`, rounded once, of floats of one type: two, four or eight bytes wide."""
    with np.errstate(all="ignore"):
        x, y, z = (np.asarray(v, np.float64) for v in np.broadcast_arrays(a, b, c))
        if a.dtype.itemsize == 8:
            return _doubles(x, y, z)
        found = odd_sum(x * y, z)  # products of narrower numbers are exact
        return (odd_f32(found) if a.dtype.itemsize == 2 else found).astype(a.dtype)


def _doubles(x: Array, y: Array, z: Array) -> Array:
    plain = x * y + z
    settled = (x == 0) | (y == 0) | ~(np.isfinite(x) & np.isfinite(y) & np.isfinite(z))
    tame = ~settled & (z != 0)
    for value in (x, y, z):
        size = np.abs(value)
        tame = tame & (size <= _TAME) & (size >= 1 / _TAME)
    found = np.where(tame, _tame_doubles(*(np.where(tame, v, 1.0) for v in (x, y, z))), plain)
    for at in np.argwhere(~(settled | tame)):
        place = tuple(at)
        found[place] = _exactly(float(x[place]), float(y[place]), float(z[place]))
    return found


def _tame_doubles(x: Array, y: Array, z: Array) -> Array:
    high, low = two_product(x, y)
    middle, rest = two_sum(z, low)
    first, second = two_sum(high, middle)
    return first + odd_sum(second, rest)


def _exactly(x: float, y: float, z: float) -> float:
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
