"""Elements as NumPy arrays: the dtype of every format, and bit patterns.

Integers are signed arrays (i4 in an i8 with its sign, i1 as bool), tf32 is a float32 whose low 13 bits are zero,
f8E5M3FNU its patterns in a uint8, addresses are uint64, every other format has a dtype of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tilewright.numerics import formats
from tilewright.numerics.formats import FloatFormat, Format
from tilewright.numerics.integers import unsigned, wrapped
from tilewright.numerics.later import Array, ml_dtypes, np
from tilewright.numerics.overloads import where
from tilewright.numerics.rounding import Exact, Mode, nearest, round_bits, special_bits

if TYPE_CHECKING:
    from numpy import dtype

Number = bool | int | float | complex
_TF32_UNUSED: Final = 13
_NAMES: Final = {
    "i1": "bool",
    "i4": "int8",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "address": "uint64",
    "f16": "float16",
    "f32": "float32",
    "tf32": "float32",
    "f64": "float64",
    "f8E5M3FNU": "uint8",
    "c32": "complex64",
    "c64": "complex128",
}
_SMALL: Final = {
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f4E2M1FN": "float4_e2m1fn",
}


@cache
def dtype_of(layout: Format) -> dtype[Any]:
    """The dtype that holds elements."""
    own = _SMALL.get(layout.name)
    named: Any = _NAMES[layout.name] if own is None else getattr(ml_dtypes, own)
    return np.dtype(named)


def to_bits(layout: Format, values: Array) -> Array:
    """Bit patterns, as uint64."""
    if isinstance(layout, formats.IntegerFormat):
        return unsigned(layout, values).astype(np.uint64)
    found = values.view(f"u{values.dtype.itemsize}").astype(np.uint64)
    return found >> np.uint64(_TF32_UNUSED) if layout is formats.TF32 else found


def from_bits(layout: Format, bits: Array) -> Array:
    """Elements from bit patterns, of which the low bits count."""
    patterns = np.asarray(bits).astype(np.uint64)
    if isinstance(layout, formats.IntegerFormat):
        return np.asarray(wrapped(layout, patterns))
    if layout is formats.F4E2M1FN:
        patterns = patterns & np.uint64(15)
    if layout is formats.TF32:
        patterns = patterns << np.uint64(_TF32_UNUSED)
    dtype = dtype_of(layout)
    return patterns.astype(f"u{dtype.itemsize}").view(dtype)


@cache
def _numbers_of(layout: FloatFormat) -> Array:
    return np.array([layout.number(pattern) for pattern in range(256)])


def to_double(layout: FloatFormat, values: Array) -> Array:
    """Floats as doubles, which hold all of them."""
    if layout is formats.F8E5M3FNU:
        return _numbers_of(layout)[values]
    return values.astype(np.float64, copy=False)


def array_of(layout: Format, numbers: Sequence[Number] | Number) -> Array:
    """Elements from Python's numbers; floats are rounded to nearest."""
    with np.errstate(all="ignore"):
        if isinstance(layout, FloatFormat):
            return elements(layout, np.asarray(numbers, np.float64))
        return np.asarray(numbers).astype(dtype_of(layout))


def number_of(layout: Format, element: Array) -> Number:
    """Python's number of a single element."""
    match layout:
        case FloatFormat():
            # a signalling NaN is one like others
            with np.errstate(invalid="ignore"):
                return float(to_double(layout, element))
        case formats.ComplexFormat():
            return complex(element)
        case formats.IntegerFormat(bits=1):
            return bool(element)
        case _:
            return int(element)


def wide(layout: Format, values: Array) -> Array:
    """Floats of less than 32 bits as f32, in which they are computed; everything else as it is."""
    if isinstance(layout, FloatFormat) and layout.bits < 32:
        numbers = to_double(layout, values) if layout is formats.F8E5M3FNU else values
        return numbers.astype(np.float32, copy=False)
    return values


def rounded(number: Exact, plain: Array, layout: FloatFormat, mode: Mode, saturate: bool = False) -> Array:
    """Elements: the rounded number where it is finite, else `plain`, an infinity, a zero or NaN, as it is."""
    finite = np.isfinite(number.value)
    safe = Exact(np.where(finite, number.value, 0.0), np.where(finite, number.residue, 0), number.exponent)
    bits = round_bits(safe, layout, mode, saturate)
    return from_bits(layout, where(finite, bits, special_bits(plain, layout, saturate)))


def _bf16(values: Array) -> Array:
    singles = values.astype(np.float32)
    if (singles.view(np.uint32) & np.uint32(0xFFFF) == 0x8000).any():
        # half way between two numbers, perhaps by rounding alone
        singles = nearest(values.astype(np.float64), formats.BF16).astype(np.float32)
    return singles.astype(dtype_of(formats.BF16))


def elements(layout: FloatFormat, values: Array, mode: Mode = Mode.NEAREST_EVEN, saturate: bool = False) -> Array:
    """Floats of 32 or 64 bits, for f64 longer ones too, rounded once to a format."""
    if mode is Mode.NEAREST_EVEN and not saturate:
        # conversions that NumPy rounds once
        narrow = values.dtype.itemsize == 4
        if layout in (formats.F32, formats.F64, formats.F16) or (layout is formats.BF16 and narrow):
            return values.astype(dtype_of(layout), copy=False)
        if layout is formats.BF16:
            return _bf16(values)
    doubles = values.astype(np.float64)
    nothing = np.zeros(np.shape(doubles), np.int64)
    return rounded(Exact(doubles, nothing, nothing), doubles, layout, mode, saturate)
