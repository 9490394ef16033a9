"""Conversions between the elements of all formats, on NumPy arrays (of integers alone on Python's too)."""

from __future__ import annotations

from typing import Any

from tilewright.numerics import exact, formats
from tilewright.numerics.arrays import dtype_of, elements, from_bits, rounded, to_bits, to_double
from tilewright.numerics.faults import first, first_place
from tilewright.numerics.floats import absolute
from tilewright.numerics.formats import ComplexFormat, FloatFormat, Format, IntegerFormat
from tilewright.numerics.integers import extend, read, wrapped
from tilewright.numerics.later import Array, np
from tilewright.numerics.rounding import Exact, Mode


def convert(source: Format, target: Format, values: Any, is_signed: bool = True, mode: Mode = Mode.NEAREST_EVEN) -> Any:
    """Elements of another format, floats from floats in any mode.

    Integers truncate or are extended; from floats they saturate, and NaN gives 0. Floats of 8 and 4 bits saturate, but
    for what comes from integers; powers of two (f8E8M0FNU) are those of magnitudes, whatever the sign. Real numbers
    become complex, not the reverse.
    """
    match source, target:
        case IntegerFormat(), IntegerFormat():
            return extend(source, target, values, is_signed)
        case IntegerFormat(), FloatFormat() if not target.mantissa:
            return between_floats(formats.F64, target, np.abs(read(source, values, is_signed).astype(np.float64)))
        case IntegerFormat(), FloatFormat():
            return from_integers(source, target, values, is_signed)
        case FloatFormat(), IntegerFormat():
            return to_integers(source, target, values, is_signed)
        case FloatFormat(), FloatFormat():
            return between_floats(source, target, values if target.mantissa else absolute(source, values), mode)
        case _, ComplexFormat():
            numbers = to_double(source, values) if isinstance(source, FloatFormat) else values
            return numbers.astype(dtype_of(target))
        case _:
            raise TypeError(f"{source.name} does not become {target.name}")


def between_floats(source: FloatFormat, target: FloatFormat, values: Array, mode: Mode = Mode.NEAREST_EVEN) -> Array:
    """Floats of another format. What is too large for one of 8 or 4 bits becomes its largest number."""
    if values.dtype.itemsize > 2 and target.bits > 8:
        return elements(target, values, mode)
    doubles = to_double(source, values)
    if not target.mantissa:
        # there is no zero: the least number stands for it, whatever the mode
        doubles = np.where(doubles == 0, 2.0**-127, doubles)
    return elements(target, doubles, mode, saturate=target.bits <= 8)


def from_integers(source: IntegerFormat, target: FloatFormat, values: Array, is_signed: bool = True) -> Array:
    """The nearest floats; infinity, or NaN where there is none, beyond the range."""
    numbers = read(source, values, is_signed)
    if target in (formats.F32, formats.F64):
        return numbers.astype(dtype_of(target))
    if source.bits < 64:
        return elements(target, numbers.astype(np.float64))
    # a double lacks the low bits: what they are is the residue of the upper ones
    low = (numbers & numbers.dtype.type(2047)).astype(np.int64)
    high = (numbers - low.astype(numbers.dtype)).astype(np.float64)
    total, error = exact.two_sum(high, low.astype(np.float64))
    nothing = np.zeros(np.shape(total), np.int64)
    return rounded(Exact(total, np.sign(error).astype(np.int64), nothing), total, target, Mode.NEAREST_EVEN)


def beyond(target: IntegerFormat, doubles: Array, is_signed: bool) -> Array:
    """Which numbers, once truncated, are none of a width."""
    low, high = target.limits(is_signed)
    whole = np.trunc(doubles)
    return np.asarray(~((whole >= low) & (whole < float(high + 1))))


def fault_of_integers(source: FloatFormat, target: IntegerFormat, values: Array, is_signed: bool) -> str | None:
    """A number that, once truncated, is none of a width."""
    doubles = to_double(source, values)
    wrong = beyond(target, doubles, is_signed)
    if not wrong.any():
        return None
    kind = "signed" if is_signed else "unsigned"
    return f"converts {first(wrong, doubles)}{first_place(wrong)} to {kind} {target.name}"


def to_integers(source: FloatFormat, target: IntegerFormat, values: Array, is_signed: bool = True) -> Array:
    """Truncated; the nearest limit for what is too large, 0 for NaN."""
    doubles = to_double(source, values)
    wrong = beyond(target, doubles, is_signed)
    inside = np.where(wrong, 0.0, np.trunc(doubles))
    upper = inside >= 2.0**63
    whole = np.where(upper, inside - 2.0**63, inside).astype(np.int64)
    low, high = (wrapped(formats.INTEGER_FORMATS[-1], limit) for limit in target.limits(is_signed))
    clamped = np.where(np.isnan(doubles), np.int64(0), np.where(doubles < 0, np.int64(low), np.int64(high)))
    return wrapped(target, np.where(wrong, clamped, whole ^ (upper.astype(np.int64) << 63)))


def reinterpreted(source: Format, target: Format, values: Any) -> Any:
    """The same bits as elements of another format; those of tf32 as those of the f32 that holds it."""
    if isinstance(source, IntegerFormat) and isinstance(target, IntegerFormat):
        return extend(source, target, values)
    if formats.TF32 in (source, target):
        return np.ascontiguousarray(values).view(dtype_of(target)).reshape(values.shape)
    return from_bits(target, to_bits(source, values))
