"""Views of arrays with other extents and strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.numerics.later import Array, np


def strided(array: Array, shape: Sequence[int], strides: Sequence[int], *, writeable: bool = True) -> Array:
    """`as_strided` of NumPy, which takes the dtype of f8E5M2 for a float of one byte of its own and has none."""
    bits: Any = array.view(np.uint8) if array.dtype.itemsize == 1 else array
    return np.lib.stride_tricks.as_strided(bits, shape, strides, writeable=writeable).view(array.dtype)
