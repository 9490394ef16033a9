"""Numbers from Python, NumPy and ml_dtypes as the values of slots, rounded once and checked against their range."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from functools import partial
from typing import Final, SupportsComplex, SupportsFloat, SupportsIndex, TypeAlias, cast

import numpy as np

from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.rounding import nearest
from tilewright.runtime.dtypes import numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError

SlotValue: TypeAlias = int | float | bytes
ScalarBinder: TypeAlias = Callable[[object], tuple[SlotValue, ...]]

# struct codes of slots, each padded to 8 bytes
SLOT_FORMATS: Final = {
    "bool": "B7x",
    "i8": "b7x",
    "i16": "h6x",
    "i32": "i4x",
    "i64": "q",
    "index": "q",
    "bf16": "2s6x",
    "f16": "e6x",
    "f32": "f4x",
    "f64": "d",
    "tf32": "f4x",
    "f8E4M3FN": "s7x",
    "f8E5M2": "s7x",
    "f8E8M0FNU": "s7x",
    "c32": "ff",
    "c64": "dd",
    "ptr": "Q",
}

_INTEGER_BITS: Final = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
_SHOWN_BITS: Final = 256
_BOOL: Final = (bool, np.bool_)
# asking for a protocol takes microseconds, asking for these does not
_PLAIN_REAL: Final = (int, np.floating, np.integer)
_LONG: Final = (np.longdouble,)
_PLAIN_INTEGER: Final = (int, np.integer)
# truth values and durations are integers to Python and NumPy
_NO_NUMBER: Final = (bool, np.bool_, np.timedelta64, np.datetime64, str, bytes, bytearray)
_NOT_REAL: Final = (complex, np.complexfloating, *_NO_NUMBER)
_PART: Final = {"c32": "f32", "c64": "f64"}
_BYTES: Final = frozenset({"f8E4M3FN", "f8E5M2", "f8E8M0FNU"})


def scalar_binder(dtype: str, where: str) -> ScalarBinder:
    """A function from a number to the values of its slot; its errors begin with `where`."""
    if dtype == "bool":
        return partial(_bind_bool, where)
    if dtype in _INTEGER_BITS:
        half = 1 << (_INTEGER_BITS[dtype] - 1)
        return partial(_bind_integer, where, dtype, -half, half - 1)
    if dtype in _PART:
        return partial(_bind_complex, where, dtype, _PART[dtype])
    if dtype == "bf16":
        return partial(_bind_bf16, where)
    if dtype == "tf32":
        return partial(_bind_tf32, where)
    if dtype in _BYTES:
        return partial(_bind_byte, where, dtype)
    return partial(_bind_float, where, dtype)


def slot_number(dtype: str, values: tuple[SlotValue, ...]) -> np.generic:
    """The number that slot values hold, as kernels read it."""
    packed = struct.pack(f"<{SLOT_FORMATS[dtype]}", *values)
    element = numpy_dtype(dtype)
    return np.frombuffer(packed[: element.itemsize], element)[0]


def _refuse(where: str, value: object, dtype: str, wanted: str) -> LaunchTypeError:
    return LaunchTypeError(f"{where}: {wanted} is wanted for a parameter of type {dtype}, not {type(value).__name__}")


def _shown(value: object) -> str:
    """A number for a message: Python refuses to write integers with thousands of digits."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"an integer of {value.bit_length()} bits"
    return str(value)


def _is_one_of(value: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds)


def _holds_truth(value: object) -> bool:
    """Whether an array of no dimensions, of NumPy or another library, holds a truth value."""
    return getattr(value, "shape", None) == () and str(getattr(value, "dtype", "")).rpartition(".")[2] == "bool"


def is_integer(value: object) -> bool:
    """Whether something is an integer of Python or NumPy; truth values and durations are none."""
    return _is_one_of(value, _PLAIN_INTEGER) and not _is_one_of(value, _NO_NUMBER)


def _index(value: object) -> int | None:
    if _is_one_of(value, _NO_NUMBER):
        return None
    if _is_one_of(value, _PLAIN_INTEGER):
        return operator.index(cast("SupportsIndex", value))
    if not isinstance(value, SupportsIndex) or _holds_truth(value):
        return None
    try:
        return operator.index(value)
    except TypeError:
        # arrays have __index__ as well, and refuse unless they hold one integer
        return None


def _bind_bool(where: str, value: object) -> tuple[SlotValue, ...]:
    if not _is_one_of(value, _BOOL) and not _holds_truth(value):
        raise _refuse(where, value, "bool", "True or False")
    return (int(bool(value)),)


def _bind_integer(where: str, dtype: str, low: int, high: int, value: object) -> tuple[SlotValue, ...]:
    number = _index(value)
    if number is None:
        raise _refuse(where, value, dtype, "an integer")
    if not low <= number <= high:
        raise LaunchError(f"{where}: {_shown(number)} is out of range for {dtype}, which holds {low} to {high}")
    return (number,)


def _real(where: str, dtype: str, value: object) -> float:
    # strings and arrays with more than one element know how to be floats as well, or pretend to
    if isinstance(value, float):
        return value
    if _is_one_of(value, _NOT_REAL):
        raise _refuse(where, value, dtype, "a real number")
    if not _is_one_of(value, _PLAIN_REAL) and (not isinstance(value, SupportsFloat) or _holds_truth(value)):
        raise _refuse(where, value, dtype, "a real number")
    return _as_float(where, dtype, cast("SupportsFloat", value))


def _as_float(where: str, dtype: str, value: SupportsFloat) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise _out_of_range(where, dtype, value) from None
    except (TypeError, ValueError):
        raise _refuse(where, value, dtype, "a real number") from None
    if math.isinf(number) and _is_one_of(value, _LONG) and np.isfinite(cast("np.longdouble", value)):
        raise _out_of_range(where, dtype, value)
    return number


def _out_of_range(where: str, dtype: str, value: object) -> LaunchError:
    return LaunchError(f"{where}: {_shown(value)} is beyond the range of {dtype}")


def _fits(dtype: str, number: float) -> bool:
    if dtype == "f64":
        return True
    try:
        struct.pack("<e" if dtype == "f16" else "<f", number)
    except OverflowError:
        return False
    return True


def _bind_float(where: str, dtype: str, value: object) -> tuple[SlotValue, ...]:
    number = _real(where, dtype, value)
    if not _fits(dtype, number):
        raise _out_of_range(where, dtype, value)
    return (number,)


def _rounded(where: str, dtype: str, value: object) -> float:
    number = _real(where, dtype, value)
    rounded = nearest(number, FLOAT_FORMATS[dtype])
    if math.isinf(rounded) and math.isfinite(number):
        raise _out_of_range(where, dtype, value)
    return rounded


def _bind_bf16(where: str, value: object) -> tuple[SlotValue, ...]:
    return (struct.pack("<f", _rounded(where, "bf16", value))[2:],)


def _bind_tf32(where: str, value: object) -> tuple[SlotValue, ...]:
    return (_rounded(where, "tf32", value),)


def _bind_byte(where: str, dtype: str, value: object) -> tuple[SlotValue, ...]:
    """Floats of one byte; not all of them have zero, negative numbers or infinity."""
    number = _real(where, dtype, value)
    found = numpy_dtype(dtype).type(number)
    rounded = float(found)
    if rounded != number and not math.isnan(number) and (number == 0 or not math.isfinite(rounded)):
        raise _out_of_range(where, dtype, value)
    return (found.tobytes(),)


def _bind_complex(where: str, dtype: str, part: str, value: object) -> tuple[SlotValue, ...]:
    wanted = isinstance(value, complex | SupportsComplex | SupportsFloat)
    if _is_one_of(value, _NO_NUMBER) or not wanted or _holds_truth(value):
        raise _refuse(where, value, dtype, "a number")
    try:
        number = complex(value)
    except OverflowError:
        raise _out_of_range(where, dtype, value) from None
    except (TypeError, ValueError):
        raise _refuse(where, value, dtype, "a number") from None
    if not (_fits(part, number.real) and _fits(part, number.imag)):
        raise _out_of_range(where, dtype, value)
    return (number.real, number.imag)
