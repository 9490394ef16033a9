"""Where the elements of an array lie."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, TypeAlias

import ml_dtypes
import numpy as np
from msgspec import Struct

from tilewright.operators.errors import OperatorTypeError

Extents = tuple[int, ...]

NAMES: Final = {
    np.dtype(np.float16): "f16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(ml_dtypes.float8_e4m3fn): "f8E4M3FN",
    np.dtype(ml_dtypes.float8_e5m2): "f8E5M2",
    np.dtype(np.int8): "i8",
    np.dtype(np.int32): "i32",
}

ALIGNED: Final = 16
"""Bytes of which a copy by the device itself wants rows to begin at multiples."""

DTYPES: Final = tuple(NAMES.values())


class Layout(Struct, frozen=True):
    """An array: element type, extents, strides in elements, the device that holds it, whether it begins at a multiple
    of 16 bytes."""

    dtype: str
    shape: Extents
    strides: Extents
    device: str
    aligned: bool = True


Sight: TypeAlias = tuple[Hashable, ...]
"""All that a library tells of an array but its elements and its place, as it tells it: the same for arrays alike."""


def no_such_type(name: str, dtype: object) -> OperatorTypeError:
    """An error about an argument's element type."""
    return OperatorTypeError(f"{name}: its element type is {dtype}; products are there of {', '.join(DTYPES)}")
