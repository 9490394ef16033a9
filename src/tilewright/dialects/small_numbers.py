"""Element types as NumPy arrays, and conversions between all of them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tilewright.ir.types import F8E8M0FNU, SMALL_FLOATS, ScalarType

Array = NDArray[Any]

_TYPES: Final[dict[str, Any]] = {
    "bool": "bool",
    "i4": ml_dtypes.int4,
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "index": "int64",
    "bf16": ml_dtypes.bfloat16,
    "f16": "float16",
    "tf32": "float32",
    "f32": "float32",
    "f64": "float64",
    "c32": "complex64",
    "c64": "complex128",
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
_LARGEST: Final = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f4E2M1FN": 6.0}


@cache
def dtype_of(type_: ScalarType) -> np.dtype[Any]:
    """The NumPy type of an element type."""
    return np.dtype(_TYPES[type_.name])


def is_integral(values: Array) -> bool:
    """Whether these are integers or bools."""
    return values.dtype.kind in "iub" or values.dtype == np.dtype(ml_dtypes.int4)


def wide(values: Array) -> Array:
    """Floats of 16 bits and less as f32, in which they are computed; everything else as it is."""
    return values.astype(np.float32) if values.dtype.itemsize <= 2 and not is_integral(values) else values


def odd_f32(values: Array) -> Array:
    """As f32, rounded to odd, which keeps what a second rounding to fewer bits needs."""
    if values.dtype == np.float32:
        return values
    nearest = values.astype(np.float32)
    back = nearest.astype(np.longdouble)
    exact = values.astype(np.longdouble)
    even = (nearest.view(np.uint32) & 1) == 0
    inexact = np.isfinite(nearest) & (back != exact) & even
    toward = np.where(exact > back, np.float32(np.inf), np.float32(-np.inf))
    return np.where(inexact, np.nextafter(nearest, toward), nearest)


def to_small(values: Array, target: ScalarType) -> Array:
    """To a float of at most 8 bits: floats saturate, integers too large become infinity or NaN."""
    integral = is_integral(values)
    single = odd_f32(values.astype(np.float64) if integral and values.dtype.itemsize < 8 else wide(values))
    if target is F8E8M0FNU:
        return _nearest_power(single)
    largest = _LARGEST[target.name]
    code = np.clip(single, -largest, largest).astype(dtype_of(target))
    if target.bits == 4:
        return np.where(np.isnan(single), np.asarray(6.0).astype(code.dtype), code).astype(code.dtype)
    return single.astype(dtype_of(target)) if integral else code


def _nearest_power(values: Array) -> Array:
    magnitude = np.minimum(np.abs(values.astype(np.float64)), 2.0**127)
    fraction, exponent = np.frexp(np.maximum(magnitude, 2.0**-127))
    power = np.minimum(np.where(fraction >= 0.75, exponent, exponent - 1), 127)
    return _coded(power, values)


def to_powers(values: Array, up: bool) -> Array:
    """To f8E8M0FNU: the power of two below or above the magnitude, between 2^-127 and 2^127."""
    magnitude = np.minimum(np.abs(values), 2.0**127)
    fraction, exponent = np.frexp(np.maximum(magnitude, 2.0**-127))
    return _coded(np.where((fraction > 0.5) & up, exponent, exponent - 1), values)


def _coded(power: Array, values: Array) -> Array:
    code = np.where(np.isnan(values), 255, np.nan_to_num(power) + 127).astype(np.uint8)
    return code.view(dtype_of(F8E8M0FNU))


def to_tf32(values: Array) -> Array:
    """To an f32 whose low 13 bits are zero, rounded to nearest even."""
    single = odd_f32(values.astype(np.float64) if is_integral(values) else wide(values))
    bits = single.view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    quiet = (bits | np.uint32(1 << 22)) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(single), quiet, rounded).astype(np.uint32).view(np.float32)


def convert_unsigned(values: Array, target: ScalarType) -> Array:
    """`arith.ucast`."""
    wanted = dtype_of(target)
    with np.errstate(all="ignore"):
        if not is_integral(values):
            return _to_unsigned(values, wanted)
        plain = values if values.dtype.kind == "b" else values.view(f"u{values.dtype.itemsize}")
        if target in SMALL_FLOATS:
            return to_small(plain, target)
        if target.name in ("bf16", "f16"):
            return odd_f32(plain.astype(np.longdouble)).astype(wanted)
        if target.name == "tf32":
            return to_tf32(plain.astype(np.longdouble))
        if target.is_float:
            return plain.astype(wanted)
        if wanted.kind == "b":
            return (plain & plain.dtype.type(1)).astype(np.bool_)
        return plain.astype(f"u{wanted.itemsize}").view(wanted)


def _to_unsigned(values: Array, wanted: np.dtype[Any]) -> Array:
    bits = 1 if wanted.kind == "b" else wanted.itemsize * 8
    exact = np.trunc(np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=np.inf, neginf=0.0))
    inside = np.where((exact < 2.0**bits) & (exact > 0), exact, 0.0)
    out = inside.astype(np.uint64)
    out = np.where(exact >= 2.0**bits, np.uint64(2**bits - 1), out)
    return out.astype(np.bool_) if bits == 1 else out.astype(f"u{wanted.itemsize}").view(wanted)
