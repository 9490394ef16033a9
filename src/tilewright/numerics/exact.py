"""Sums, products, quotients, roots and fused products of doubles, exactly enough to round them once in any mode.

The transformations are those of Knuth and Dekker; a sum that is rounded to odd may be rounded again to fewer bits (at
least two fewer) without rounding twice (Boldo and Melquiond, 2008). Operands are split into fractions in [0.5, 1) and
powers of two, so that nothing over- or underflows. Powers of two that are far apart are moved together: far is far,
only the sign of the small part counts.
"""

from __future__ import annotations

from typing import Final

from tilewright.numerics.later import Array, np
from tilewright.numerics.overloads import frexp
from tilewright.numerics.rounding import Exact

_SPLITTER: Final = 134217729.0
_FAR: Final = 150
_TAME: Final = 2.0**300


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
    even = np.asarray(total).view(np.int64) & 1 == 0
    toward = np.where(error > 0, np.inf, -np.inf)
    return np.where((error != 0) & np.isfinite(error) & even, np.nextafter(total, toward), total)


def is_tame(values: Array) -> bool:
    """Whether no product and sum of such numbers, errors included, over- or underflows."""
    size = np.abs(values)
    return bool(((size <= _TAME) & (size >= 1 / _TAME)).all())


def tame_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a b + c` of tame doubles, rounded once."""
    high, low = two_product(a, b)
    middle, rest = two_sum(c, low)
    first, second = two_sum(high, middle)
    return first + odd_sum(second, rest)


def _sign(values: Array) -> Array:
    return np.sign(values).astype(np.int64)


def _parts(values: Array) -> tuple[Array, Array]:
    """Fractions in [0.5, 1) and powers of two."""
    fraction, power = frexp(values)
    return fraction, power


def _down(fraction: Array, distance: Array) -> Array:
    return np.ldexp(fraction, -np.minimum(distance, _FAR).astype(np.int32))


def add(a: Array, b: Array) -> Exact:
    """Sum."""
    (x, ex), (y, ey) = _parts(a), _parts(b)
    # a zero is as near as the other one
    ex, ey = np.where(x == 0, ey, ex), np.where(y == 0, ex, ey)
    top = np.maximum(ex, ey)
    total, error = two_sum(_down(x, top - ex), _down(y, top - ey))
    return Exact(total, _sign(error), top)


def subtract(a: Array, b: Array) -> Exact:
    """Difference."""
    return add(a, -b)


def multiply(a: Array, b: Array) -> Exact:
    """Product."""
    (x, ex), (y, ey) = _parts(a), _parts(b)
    product, error = two_product(x, y)
    return Exact(product, _sign(error), ex + ey)


def divide(a: Array, b: Array) -> Exact:
    """Quotient."""
    (x, ex), (y, ey) = _parts(a), _parts(b)
    quotient = x / y
    product, error = two_product(quotient, y)
    residue = _sign((x - product) - error) * _sign(y)
    return Exact(quotient, residue, ex - ey)


def square_root(a: Array) -> Exact:
    """Square root."""
    x, ex = _parts(a)
    odd = ex & 1
    x = np.ldexp(x, -odd.astype(np.int32))
    root = np.sqrt(x)
    product, error = two_product(root, root)
    return Exact(root, _sign((x - product) - error), (ex + odd) >> 1)


def multiply_add(a: Array, b: Array, c: Array) -> Exact:
    """Product plus third operand."""
    (x, ex), (y, ey), (z, ez) = _parts(a), _parts(b), _parts(c)
    high, low = two_product(x, y)
    power = ex + ey
    power, ez = np.where(high == 0, ez, power), np.where(z == 0, power, ez)
    top = np.maximum(power, ez)
    high, low = _down(high, top - power), _down(low, top - power)
    z = _down(z, top - ez)
    middle, rest = two_sum(z, low)
    first, second = two_sum(high, middle)
    total, error = two_sum(first, odd_sum(second, rest))
    return Exact(total, _sign(error), top)
