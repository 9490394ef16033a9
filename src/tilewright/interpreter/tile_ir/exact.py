"""Sums, products, quotients, roots and fused products of doubles, exactly enough to round them once in any mode.

Operands are split into fractions in [0.5, 1) and powers of two, so that the error-free transformations never over- or
underflow. Powers of two that are far apart are moved together: far is far, only the sign of the small part counts.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.error_free import odd_sum, two_product, two_sum
from tilewright.interpreter.tile_ir.rounding import Exact

Array = NDArray[Any]

_FAR: Final = 150


def _sign(values: Array) -> Array:
    return np.sign(values).astype(np.int64)


def _parts(values: Array) -> tuple[Array, Array]:
    fraction, power = np.frexp(values)
    return fraction, power.astype(np.int64)


def add(a: Array, b: Array) -> Exact:
    """Sum."""
    (x, ex), (y, ey) = _parts(a), _parts(b)
    # A zero is as near as the other one.
    ex, ey = np.where(x == 0, ey, ex), np.where(y == 0, ex, ey)
    top = np.maximum(ex, ey)
    total, error = two_sum(_down(x, top - ex), _down(y, top - ey))
    return Exact(total, _sign(error), top)


def _down(fraction: Array, distance: Array) -> Array:
    return np.ldexp(fraction, -np.minimum(distance, _FAR).astype(np.int32))


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
