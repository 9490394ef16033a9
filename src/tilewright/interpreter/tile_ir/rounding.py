"""Exact rounding of doubles with a known error to any floating point type, in any mode.

An `Exact` stands for `(value + residue * tiny) * 2^exponent`, `tiny` less than any bit of the double: what error-free
transformations of sums, products, quotients and roots give. It is rounded once, as an integer of 62 bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile.attributes import Rounding
from tilewright.dialects.cuda_tile.types import F4E2M1FN, F32, F64, ElementType
from tilewright.interpreter.tile_ir.values import from_bits, to_bits, to_double

Array = NDArray[Any]

_BITS: Final = 62
_TOP: Final = np.int64(1) << np.int64(_BITS - 1)
_GUARD: Final = 8


class Exact(Struct, frozen=True):
    """Finite numbers, known well enough to round them: a double, the sign of what it lacks, a power of two."""

    value: Array
    residue: Array
    exponent: Array


def largest(element: ElementType) -> int:
    """The largest finite number's pattern without sign."""
    if element.has_infinity:
        return (((1 << element.exponent) - 1) << element.mantissa) - 1
    ones = (1 << (element.exponent + element.mantissa)) - 1
    return ones if element is F4E2M1FN else ones - 1


def not_a_number(element: ElementType) -> int:
    """The canonical NaN's pattern; the largest number of types without NaN."""
    if element is F4E2M1FN:
        return largest(element)
    ones = (1 << (element.exponent + element.mantissa)) - 1
    if not element.has_infinity:
        return ones
    return ((1 << element.exponent) - 1) << element.mantissa | 1 << (element.mantissa - 1)


def _beyond(element: ElementType, saturate: bool) -> int:
    """What is larger than the largest number."""
    if saturate:
        return largest(element)
    return largest(element) + 1 if element.has_infinity else not_a_number(element)


def _rounds_up(mode: Rounding, keep: Array, rest: Array, half: Array, negative: Array) -> Array:
    match mode:
        case Rounding.ZERO:
            return np.zeros_like(negative)
        case Rounding.NEGATIVE_INF:
            return (rest > 0) & negative
        case Rounding.POSITIVE_INF:
            return (rest > 0) & ~negative
        case Rounding.NEAREST_AWAY:
            return rest >= half
        case _:
            return (rest > half) | ((rest == half) & (keep & 1 == 1))


def _overflow(mode: Rounding, element: ElementType, saturate: bool, negative: Array) -> Array:
    top, beyond = largest(element), _beyond(element, saturate)
    match mode:
        case Rounding.ZERO:
            return np.full(negative.shape, top, np.int64)
        case Rounding.NEGATIVE_INF:
            return np.where(negative, beyond, top)
        case Rounding.POSITIVE_INF:
            return np.where(negative, top, beyond)
        case _:
            return np.full(negative.shape, beyond, np.int64)


def round_bits(number: Exact, element: ElementType, mode: Rounding, saturate: bool = False) -> Array:
    """Patterns of the rounded numbers; the sign of zeros is kept. Values are finite."""
    negative = np.signbit(number.value)
    fraction, power = np.frexp(np.abs(number.value))
    inward = np.where(negative, -1, 1) * number.residue < 0
    whole = np.ldexp(fraction, 53).astype(np.int64) << _GUARD
    whole = ((whole - inward) << 1) | (number.residue != 0)
    least_bit = power.astype(np.int64) + number.exponent - _BITS
    leading = least_bit + np.where(whole >= _TOP, _BITS - 1, _BITS - 2)
    least = (1 if element.mantissa else 0) - element.bias
    scale = np.maximum(leading, least)
    shift = np.clip(scale - element.mantissa - least_bit, 1, 63)
    keep = whole >> shift
    rest = whole & ((np.int64(1) << shift) - 1)
    # A shift by 63 leaves less than half a unit of anything that has 62 bits.
    half = np.where(shift == 63, np.iinfo(np.int64).max, np.int64(1) << np.minimum(shift - 1, 62))
    keep = keep + _rounds_up(mode, keep, rest, half, negative)
    limit = (largest(element) >> element.mantissa) - (1 if element.mantissa else 0)
    field = np.minimum(scale - least, limit)
    pattern = (field << element.mantissa) + keep if element.mantissa else np.maximum(field + keep - 1, 0)
    pattern = np.where(number.value == 0, 0, pattern)
    large = ((pattern > largest(element)) | (scale - least > limit)) & (number.value != 0)
    pattern = np.where(large, _overflow(mode, element, saturate, negative), pattern).astype(np.uint64)
    return _with_sign(pattern, negative, element)


def _with_sign(pattern: Array, negative: Array, element: ElementType) -> Array:
    if element.signed:
        return pattern | (negative.astype(np.uint64) << np.uint64(element.exponent + element.mantissa))
    return np.where(negative & (pattern != 0), np.uint64(not_a_number(element)), pattern)


def special_bits(values: Array, element: ElementType, saturate: bool = False) -> Array:
    """Patterns of infinities, zeros and NaN (of other doubles: anything)."""
    negative = np.signbit(values)
    size = np.where(values == 0, 0, _beyond(element, saturate)).astype(np.uint64)
    infinite = _with_sign(size, negative, element)
    return np.where(np.isnan(values), np.uint64(not_a_number(element)), infinite)


def rounded(number: Exact, plain: Array, element: ElementType, mode: Rounding, saturate: bool = False) -> Array:
    """Elements: the rounded number where `plain`, the same in doubles, is made of finite operands, else `plain`."""
    finite = np.isfinite(number.value)
    safe = Exact(np.where(finite, number.value, 0.0), np.where(finite, number.residue, 0), number.exponent)
    bits = round_bits(safe, element, mode, saturate)
    return from_bits(np.where(finite, bits, special_bits(plain, element, saturate)), element)


def from_double(values: Array, element: ElementType, mode: Rounding, saturate: bool = False) -> Array:
    """Doubles rounded once to an element type."""
    nothing = np.zeros(np.shape(values), np.int64)
    return rounded(Exact(values, nothing, nothing), values, element, mode, saturate)


def nearest(values: Array, element: ElementType) -> Array:
    """Doubles rounded to the nearest element, ties to even."""
    with np.errstate(all="ignore"):
        if element is F64:
            return values
        if element is F32:
            return values.astype(np.float32)
        return from_double(values, element, Rounding.NEAREST_EVEN)


def flushed(values: Array, element: ElementType) -> Array:
    """Subnormal numbers as zeros of their sign."""
    bits = to_bits(values, element)
    fraction = np.uint64((1 << element.mantissa) - 1)
    exponent = np.uint64(((1 << element.exponent) - 1) << element.mantissa)
    small = (bits & exponent == 0) & (bits & fraction != 0)
    return from_bits(np.where(small, bits & ~fraction, bits), element)


__all__ = ["Exact", "flushed", "from_double", "nearest", "round_bits", "rounded", "special_bits", "to_double"]
