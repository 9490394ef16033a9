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
    "f64": "float64",
    "c32": "complex64",
    "c64": "complex128",
}


@cache
def numpy_dtype(dtype: str) -> AnyDtype:
    """The NumPy type of an element type; bf16 is that of ml_dtypes."""
    return np.dtype(ml_dtypes.bfloat16) if dtype == "bf16" else np.dtype(_NUMPY_NAMES[dtype])


def describe(dtype: str) -> str:
    """An element type as a user of arrays knows it."""
    if dtype == "bf16":
        return "bf16 (ml_dtypes.bfloat16)"
    if dtype in ("c32", "c64"):
        return f"{dtype} (numpy.{_NUMPY_NAMES[dtype]}: {dtype} counts the bits of one part)"
    return f"{dtype} (numpy.{_NUMPY_NAMES[dtype]})"
