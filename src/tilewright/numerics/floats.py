"""Floats of a format on NumPy arrays: correctly rounded arithmetic in every mode, order, signs.

To nearest, f32 and f64 are computed by NumPy as they are, narrower formats in f32, which has more than twice their
bits: rounding twice is then rounding once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.numerics import exact
from tilewright.numerics.arrays import elements, from_bits, rounded, to_bits, to_double, wide
from tilewright.numerics.formats import F4E2M1FN, F32, F64, FloatFormat
from tilewright.numerics.integers import Relation
from tilewright.numerics.later import Array, np
from tilewright.numerics.rounding import Exact, Mode


def _correctly(
    plain: Callable[..., Any],
    precise: Callable[..., Exact],
    layout: FloatFormat,
    mode: Mode,
    flush: bool,
    values: tuple[Array, ...],
) -> Array:
    """`plain` where NumPy rounds as is asked, else `precise`; subnormal numbers become zeros on `flush`."""
    if flush:
        given = tuple(flushed(layout, v) for v in values)
        return flushed(layout, _correctly(plain, precise, layout, mode, False, given))
    if mode is Mode.NEAREST_EVEN and layout in (F32, F64):
        return plain(*values)
    if mode is Mode.NEAREST_EVEN:
        return elements(layout, np.asarray(plain(*(wide(layout, v) for v in values))))
    doubles = [to_double(layout, v) for v in values]
    close = np.asarray(plain(*doubles))
    number = precise(*doubles)
    finite = np.isfinite(number.value)
    for value in doubles:
        finite = finite & np.isfinite(value)
    # rounding down, exact zeros are negative unless all that is added is positive
    is_sum = mode is Mode.DOWN and precise in (exact.add, exact.subtract)
    zero = -np.asarray(plain(*(-d for d in doubles))) if is_sum else close
    value = np.where(finite, np.where(number.value == 0, zero, number.value), np.nan)
    return rounded(Exact(value, number.residue, number.exponent), close, layout, mode)


def add(layout: FloatFormat, a: Array, b: Array, mode: Mode = Mode.NEAREST_EVEN, flush: bool = False) -> Array:
    """Sum."""
    return _correctly(np.add, exact.add, layout, mode, flush, (a, b))


def subtract(layout: FloatFormat, a: Array, b: Array, mode: Mode = Mode.NEAREST_EVEN, flush: bool = False) -> Array:
    """Difference."""
    return _correctly(np.subtract, exact.subtract, layout, mode, flush, (a, b))


def multiply(layout: FloatFormat, a: Array, b: Array, mode: Mode = Mode.NEAREST_EVEN, flush: bool = False) -> Array:
    """Product."""
    return _correctly(np.multiply, exact.multiply, layout, mode, flush, (a, b))


def divide(layout: FloatFormat, a: Array, b: Array, mode: Mode = Mode.NEAREST_EVEN, flush: bool = False) -> Array:
    """Quotient."""
    return _correctly(np.divide, exact.divide, layout, mode, flush, (a, b))


def square_root(layout: FloatFormat, a: Array, mode: Mode = Mode.NEAREST_EVEN, flush: bool = False) -> Array:
    """Square root."""
    return _correctly(np.sqrt, exact.square_root, layout, mode, flush, (a,))


def multiply_add(
    layout: FloatFormat, a: Array, b: Array, c: Array, mode: Mode = Mode.NEAREST_EVEN, flush: bool = False
) -> Array:
    """Product plus third operand, rounded once."""
    if flush:
        return flushed(layout, multiply_add(layout, *(flushed(layout, v) for v in (a, b, c)), mode=mode))
    x, y, z = (np.asarray(to_double(layout, v)) for v in (a, b, c))
    if layout is F64 and mode is Mode.NEAREST_EVEN and all(map(exact.is_tame, (x, y, z))):
        return exact.tame_multiply_add(x, y, z)
    product = x * y
    zero = -((-x) * y - z) if mode is Mode.DOWN else product + z
    if layout is not F64:
        # products of narrower numbers are exact in doubles
        total = exact.odd_sum(product, z)
        return elements(layout, np.where(total == 0, zero, total), mode)
    tame = np.isfinite(x) & np.isfinite(y)
    special = np.where(tame, z, product + z)
    number = exact.multiply_add(x, y, z)
    value = np.where(number.value == 0, zero, number.value)
    value = np.where(tame & np.isfinite(z), value, np.nan)
    return rounded(Exact(value, number.residue, number.exponent), special, layout, mode)


def remainder(layout: FloatFormat, a: Array, b: Array) -> Array:
    """Exact remainder of the truncated quotient (C's fmod)."""
    return elements(layout, np.asarray(np.fmod(wide(layout, a), wide(layout, b))))


def larger_number(layout: FloatFormat, a: Array, b: Array) -> Array:
    """`extremum`, the maximum, of which a number wins over NaN."""
    found = np.fmax(wide(layout, a), wide(layout, b)).astype(a.dtype)
    return extremum(layout, a, b, larger=True, nan=False) if (found == 0).any() else found


def smaller_number(layout: FloatFormat, a: Array, b: Array) -> Array:
    """`extremum`, the minimum, of which a number wins over NaN."""
    found = np.fmin(wide(layout, a), wide(layout, b)).astype(a.dtype)
    return extremum(layout, a, b, larger=False, nan=False) if (found == 0).any() else found


def extremum(layout: FloatFormat, a: Array, b: Array, larger: bool, nan: bool, flush: bool = False) -> Array:
    """IEEE 754-2019 maximum or minimum: with `nan` NaN if either is, else only if both are; +0 is above -0."""
    if flush:
        a, b = flushed(layout, a), flushed(layout, b)
    x, y = wide(layout, a), wide(layout, b)
    first = (x > y) if larger else (x < y)
    first = first | ((x == y) & np.signbit(y if larger else x))
    chosen = np.isnan(x) | (first & ~np.isnan(y)) if nan else np.isnan(y) | first
    found = np.where(chosen, a, b)
    return flushed(layout, found) if flush else found


def compare(layout: FloatFormat, relation: Relation, a: Array, b: Array, unordered: bool | None = None) -> Array:
    """Whether numbers are in a relation; of NaN the answer is `unordered`, None: that of IEEE 754's comparisons."""
    x, y = wide(layout, a), wide(layout, b)
    found = relation.holds(x, y)
    if unordered is None:
        return found
    nan = np.isnan(x) | np.isnan(y)
    return found | nan if unordered else found & ~nan


def nonzero(layout: FloatFormat, a: Array) -> Array:
    """Whether numbers are not zero; NaN is not."""
    return np.asarray(wide(layout, a) != 0)


def absolute(layout: FloatFormat, a: Array) -> Array:
    """Clears the sign."""
    bits, sign = _signs(layout, a)
    return (bits & ~sign).view(a.dtype)


def negate(layout: FloatFormat, a: Array) -> Array:
    """Flips the sign."""
    bits, sign = _signs(layout, a)
    return (bits ^ sign).view(a.dtype)


def _signs(layout: FloatFormat, a: Array) -> tuple[Array, Array]:
    """Patterns, and that of a sign alone."""
    bits = np.asarray(a).view(f"u{a.dtype.itemsize}")
    place = layout.magnitude if layout is F4E2M1FN else 8 * a.dtype.itemsize - 1
    return bits, bits.dtype.type(1 << place)


def flushed(layout: FloatFormat, a: Array) -> Array:
    """Subnormal numbers as zeros of their sign."""
    if layout in (F32, F64):
        return np.where(np.abs(a) < np.finfo(a.dtype).tiny, np.copysign(a.dtype.type(0), a), a)
    bits = to_bits(layout, a)
    fraction = np.uint64((1 << layout.mantissa) - 1)
    exponent = np.uint64(((1 << layout.exponent) - 1) << layout.mantissa)
    small = (bits & exponent == 0) & (bits & fraction != 0)
    return from_bits(layout, np.where(small, bits & ~fraction, bits))
