"""Arithmetic on arrays with one entry a thread: integers wrap, floats are rounded once."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

DTYPES: Final[Mapping[str, np.dtype[Any]]] = {
    "i1": np.dtype(np.bool_),
    "i4": np.dtype(np.int8),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "i128": np.dtype(np.object_),
    "half": np.dtype(np.float16),
    "<2 x half>": np.dtype(np.int32),
    "<2 x bfloat>": np.dtype(np.int32),
    "bfloat": np.dtype(ml_dtypes.bfloat16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
"""Pointers are `i64`, whatever their space; two halves are the word that they fill. An `i4` is kept with its sign in a
byte, an `i128` as Python's number."""

GARBAGE: Final = 0xA5


class UndefinedError(Exception):
    """An operand for which the instruction has no defined result and may stop the machine."""


def dtype_of(ltype: str) -> np.dtype[Any]:
    """What holds a scalar or pointer."""
    return DTYPES["i64" if ltype.startswith("ptr") else ltype]


def constant(ltype: str, text: str) -> Array:
    """A literal as an array of one entry."""
    dtype = dtype_of(ltype)
    if text in ("poison", "undef"):
        return (
            np.frombuffer(bytes([GARBAGE]) * dtype.itemsize, dtype).copy() if dtype.kind != "b" else np.ones(1, dtype)
        )
    if text in ("true", "false", "null"):
        return np.array([text == "true"], dtype)
    if text.startswith("0xH"):
        return np.frombuffer(struct.pack("<H", int(text[3:], 16)), np.float16)
    if text.startswith("0xR"):
        return np.frombuffer(struct.pack("<H", int(text[3:], 16)), dtype)
    if text.startswith("0x"):
        return np.frombuffer(struct.pack("<Q", int(text[2:], 16)), np.float64).astype(dtype)
    return np.array([int(text)]).astype(dtype) if dtype.kind in "ibO" else np.array([float(text)], dtype)


@cache
def literal(text: str) -> Array:
    """A number with its type as an array of one entry, which nobody may write to."""
    ltype, _, number = text.rpartition(" ")
    found = constant(ltype, number)
    found.setflags(write=False)
    return found


@cache
def _bits(dtype: np.dtype[Any], kind: str) -> np.dtype[Any]:
    """Integers as wide as numbers of a type."""
    return dtype if dtype.kind == "b" else np.dtype(f"{kind}{dtype.itemsize}")


def unsigned(x: Array) -> Array:
    """The same bits without sign."""
    return x.view(_bits(x.dtype, "u"))


def signed(x: Array) -> Array:
    """The same bits with sign."""
    return x.view(_bits(x.dtype, "i"))


def umin(x: Array, y: Array) -> Array:
    return signed(np.minimum(unsigned(x), unsigned(y)))


def umax(x: Array, y: Array) -> Array:
    return signed(np.maximum(unsigned(x), unsigned(y)))


def absolute(x: Array, _least_is_poison: Array) -> Array:
    return np.abs(x)


def extremum(choose: Callable[[Array, Array], Array], largest: bool) -> Callable[[Array, Array], Array]:
    """A minimum or maximum of floats that takes -0 for less than 0."""

    def apply(x: Array, y: Array) -> Array:
        zeros = (x == 0) & (y == 0)
        negative = np.signbit(x) & np.signbit(y) if largest else np.signbit(x) | np.signbit(y)
        zero = np.where(negative, np.array(-0.0, x.dtype), np.array(0.0, x.dtype))
        return np.where(zeros, zero, choose(x, y))

    return apply


# Division and shifts


def _checked_divisor(x: Array, y: Array, is_signed: bool) -> None:
    if not np.all(y):
        raise UndefinedError("division by zero")
    if is_signed and np.any((y == -1) & (x == np.iinfo(x.dtype).min)):
        raise UndefinedError("the quotient overflows")


def sdiv(x: Array, y: Array) -> Array:
    _checked_divisor(x, y, True)
    quotient = np.floor_divide(x, y)
    inexact = (quotient * y != x) & ((x < 0) != (y < 0))
    return quotient + inexact.astype(x.dtype)


def srem(x: Array, y: Array) -> Array:
    return x - sdiv(x, y) * y


def udiv(x: Array, y: Array) -> Array:
    _checked_divisor(x, y, False)
    return signed(np.floor_divide(unsigned(x), unsigned(y)))


def urem(x: Array, y: Array) -> Array:
    _checked_divisor(x, y, False)
    return signed(np.remainder(unsigned(x), unsigned(y)))


def _shifted(operation: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    """Amounts from the width on give anything."""
    width = 8 * x.dtype.itemsize
    amount = unsigned(y)
    if np.maximum.reduce(amount) < width:
        return operation(x, y)
    sensible = amount < width
    found = operation(x, np.where(sensible, amount, 0).astype(x.dtype))
    return np.where(sensible, found, constant(f"i{width}", "poison").view(x.dtype)[0])


def shl(x: Array, y: Array) -> Array:
    return _shifted(np.left_shift, x, y)


def ashr(x: Array, y: Array) -> Array:
    return _shifted(np.right_shift, x, y)


def lshr(x: Array, y: Array) -> Array:
    if x.dtype == np.object_:
        return x >> y
    return signed(_shifted(np.right_shift, unsigned(x), unsigned(y)))


# Rounding once


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """The rounded sum and what was lost, for float64 (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _two_product(x: Array, y: Array) -> tuple[Array, Array]:
    """The rounded product and what was lost, for float64 (Dekker)."""
    product = x * y
    (a, b), (c, d) = _halves(x), _halves(y)
    return product, ((a * c - product) + a * d + b * c) + b * d


def _halves(x: Array) -> tuple[Array, Array]:
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    return high, x - high


def _to_odd(total: Array, lost: Array) -> Array:
    """The sum rounded to odd: if inexact, the neighbour whose last bit is set, so that rounding it again cannot err."""
    if not np.logical_or.reduce(lost):
        return total
    bits = total.view(np.int64)
    adjust = (lost != 0) & np.isfinite(total) & np.isfinite(lost) & (bits & 1 == 0)
    # Towards what was lost: up in magnitude if it has the sign of the sum.
    step = np.where((lost > 0) == (total > 0), 1, -1)
    return np.where(adjust, bits + step, bits).view(np.float64)


def permuted_bytes(x: Array, y: Array, places: Array) -> Array:
    """Each byte that one of two words says it is, by four bits of `places`, whose highest repeats its sign."""
    x, y, places = np.broadcast_arrays(x, y, places)
    given = np.ascontiguousarray(np.stack([x, y], axis=-1).astype(np.int32)).view(np.int8)
    at = places[..., None].astype(np.int64) >> np.array([0, 4, 8, 12])
    found = np.take_along_axis(given, at & 7, axis=-1)
    found = np.where(at & 8 != 0, found >> 7, found).astype(np.int8)
    return np.ascontiguousarray(found).view(np.int32)[..., 0]


def saturated_fraction(x: Array) -> Array:
    """Between 0 and 1; NaN is 0."""
    return np.where(np.isnan(x), 0, np.clip(x, 0, 1)).astype(x.dtype)


def almost_reciprocal(x: Array) -> Array:
    """Wrong in the last place, as the hardware's may be."""
    found = 1 / x
    return np.nextafter(found, np.where(x.view(np.int32) & 1, 2 * found, found / 2))


def fma(x: Array, y: Array, z: Array) -> Array:
    """`x y + z` rounded once, away from overflow and underflow of intermediate float64 (Boldo and Melquiond)."""
    dtype = x.dtype
    if dtype == np.float32:
        return _single(np.multiply(x, y, dtype=np.float64), z)
    a, b, c = (np.atleast_1d(v.astype(np.float64)) for v in (x, y, z))
    if dtype != np.float64:
        return narrowed(_to_odd(*_two_sum(a * b, c)), dtype)
    high, low = _two_product(a, b)
    mid, rest = _two_sum(c, low)
    top, bottom = _two_sum(high, mid)
    exact = top + _to_odd(*_two_sum(rest, bottom))
    plain = a * b + c
    return np.where(np.isfinite(exact) & ((exact != 0) | (plain != 0)), exact, plain)


def _single(product: Array, added: Array) -> Array:
    """The sum of an exact product and a single, as a single: what rounding to double loses decides nothing but ties."""
    total = np.add(product, added, dtype=np.float64)
    found = total.astype(np.float32)
    if np.logical_and.reduce(found == total):
        return found
    tied = total.view(np.int64) & _BEHIND_SINGLE == _HALF_OF_SINGLE
    # Those below normal singles have fewer bits.
    if np.logical_or.reduce(tied) or np.minimum.reduce(np.abs(total)) < _LEAST_NORMAL_SINGLE:
        return _to_odd(*_two_sum(product, added.astype(np.float64))).astype(np.float32)
    return found


_BEHIND_SINGLE: Final = (1 << 29) - 1
"""The bits of a double behind those of a single."""
_HALF_OF_SINGLE: Final = 1 << 28
_LEAST_NORMAL_SINGLE: Final = 2.0**-126


def narrowed(x: Array, dtype: np.dtype[Any]) -> Array:
    """A float in a narrower format, rounded once."""
    if x.dtype == np.float64 and dtype == DTYPES["bfloat"]:
        single = x.astype(np.float32)
        lost = x - single.astype(np.float64)
        bits = single.view(np.int32)
        adjust = (lost != 0) & np.isfinite(lost) & (bits & 1 == 0)
        # What underflows leaves a zero with a sign.
        step = np.where((lost > 0) != np.signbit(single), 1, -1).astype(np.int32)
        x = np.where(adjust, bits + step, bits).view(np.float32)
    return x.astype(dtype)


def saturated(x: Array, dtype: np.dtype[Any], is_signed: bool) -> Array:
    """The integer part, clamped to the range of a type; 0 for NaN."""
    target = dtype if is_signed else np.dtype(f"u{dtype.itemsize}")
    info = np.iinfo(target)
    wide = np.trunc(x.astype(np.float64))
    above = wide >= float(info.max)
    inside = np.where(np.isnan(wide) | above | (wide < float(info.min)), 0.0, wide).astype(target)
    inside = np.where(above, info.max, np.where(wide < float(info.min), info.min, inside))
    return inside.astype(target).view(dtype)


# Comparison

INTEGER_PREDICATES: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
    "ult": lambda x, y: np.less(unsigned(x), unsigned(y)),
    "ule": lambda x, y: np.less_equal(unsigned(x), unsigned(y)),
    "ugt": lambda x, y: np.greater(unsigned(x), unsigned(y)),
    "uge": lambda x, y: np.greater_equal(unsigned(x), unsigned(y)),
}

_ORDERED: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def float_predicate(name: str) -> Callable[[Array, Array], Array]:
    """An LLVM predicate: ordered ones are false for NaN, unordered ones true."""
    if name in ("ord", "uno"):
        return lambda x, y: (np.isnan(x) | np.isnan(y)) == (name == "uno")
    compare = _ORDERED[name[1:]]
    if name[0] == "o":
        return lambda x, y: compare(x, y) & ~(np.isnan(x) | np.isnan(y))
    return lambda x, y: compare(x, y) | np.isnan(x) | np.isnan(y)


_SMALL: Final = {"e4m3x2": np.dtype(ml_dtypes.float8_e4m3fn), "e5m2x2": np.dtype(ml_dtypes.float8_e5m2)}


def widened_pair(name: str) -> Callable[[Array], Array]:
    """`cvt.rn.f16x2` of two floats of 8 bits in a word of 16: the word of two halves."""

    def apply(pairs: Array) -> Array:
        small = np.ascontiguousarray(pairs.astype(np.int16)).view(_SMALL[name])
        return small.astype(np.float16).view(np.int32)

    return apply
