"""The element types of the tensor language as NumPy has them, written down apart from the compiler's own table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import ml_dtypes
import numpy as np

DTYPES: Final[Mapping[str, np.dtype[Any]]] = {
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c32": np.dtype(np.complex64),
    "c64": np.dtype(np.complex128),
}
"""What memory may hold."""

SCALARS: Final[Mapping[str, np.dtype[Any]]] = {"bool": np.dtype(np.bool_), **DTYPES, "index": np.dtype(np.int64)}
