"""Element types of the language as NumPy types, and back.

The language counts the bits of one part of a complex number, NumPy those of both: c32 is complex64, c64 is complex128.
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

import ml_dtypes
import numpy as np

AnyDtype: TypeAlias = "np.dtype[np.generic]"

_NUMPY_NAMES: Final = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "index": "int64",
    "f16": "float16",
    "f32": "float32",
    "tf32": "float32",
    "f64": "float64",
    "c32": "complex64",
    "c64": "complex128",
}

_ML_DTYPES: Final = {
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}


@cache
def numpy_dtype(dtype: str) -> AnyDtype:
    """The NumPy type of an element type; those that NumPy lacks are of ml_dtypes, and tf32 lies in a float32."""
    small = _ML_DTYPES.get(dtype)
    return np.dtype(_NUMPY_NAMES[dtype]) if small is None else np.dtype(small)


def describe(dtype: str) -> str:
    """An element type as a user of arrays knows it."""
    if dtype in _ML_DTYPES:
        return f"{dtype} (ml_dtypes.{_ML_DTYPES[dtype].__name__})"
    if dtype in ("c32", "c64"):
        return f"{dtype} (numpy.{_NUMPY_NAMES[dtype]}: {dtype} counts the bits of one part)"
    return f"{dtype} (numpy.{_NUMPY_NAMES[dtype]})"
