"""Products of both languages with arguments and what they must give, for the emulated device and a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import ml_dtypes
import numpy as np
import numpy.typing as npt

from loaded import loaded
from targets.nvidia.case import Launch

TEXTS: Final = loaded(Path(__file__).parents[4] / "benchmarks" / "product_texts.py")
DTYPES: Final[dict[str, np.dtype[Any]]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "tf32": np.dtype(np.float32),
    "i32": np.dtype(np.int32),
}
TOTALS: Final = {"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64", "i8": "i32"}
DEPTHS: Final = {"i8": 128}
"""Of tiles whose rows are as long as groups of warps want them, where that is not 64."""
ZEROS: Final = "padding_value = zero, "

Array = npt.NDArray[Any]


def launch(product: Any, tiles: tuple[int, int], order: str, rng: np.random.Generator, beta: float = 0.0) -> Launch:
    """Small integers, whose sums are exact in any type, row-major (`order` C) or column-major (F)."""
    (m, n, k), (ta, tb) = product.extents, product.transposed
    a = _small(rng, (k, m) if ta else (m, k), product.element, order)
    b = _small(rng, (n, k) if tb else (k, n), product.element, order)
    c = _small(rng, (m, n), product.result, order)
    expected = _wide(a.T if ta else a) @ _wide(b.T if tb else b) + beta * _wide(c)
    grid = (-(-m // tiles[0]), -(-n // tiles[1]), 1)
    return Launch([a, b, c], {2: expected.astype(c.dtype)}, grid)


def open_launch(
    product: Any,
    tiles: tuple[int, int],
    strides: tuple[int, int],
    rng: np.random.Generator,
    number: str = "i32",
    first: int = 0,
) -> Launch:
    """Arguments of `open_product`: rows of the factors lie `strides` elements apart, and the factors begin so many
    elements behind a multiple of 16 bytes."""
    (m, n, k), (ta, tb) = product.extents, product.transposed
    a = _small(rng, (k if ta else m, strides[0]), product.element, "C")
    b = _small(rng, (n if tb else k, strides[1]), product.element, "C")
    left, right = a[:, : m if ta else k], b[:, : k if tb else n]
    c = _small(rng, (m, n), product.result, "C")
    expected = _wide(left.T if ta else left) @ _wide(right.T if tb else right)
    numbers = [np.dtype(number.replace("i", "int")).type(each) for each in (m, n, k, *strides, n)]
    grid = (-(-m // tiles[0]), -(-n // tiles[1]), 1)
    return Launch([moved(a, first), moved(b, first), c, *numbers], {2: expected.astype(c.dtype)}, grid)


def moved(array: Array, first: int) -> Array:
    """A matrix so many elements behind a multiple of 16 bytes."""
    room = np.zeros(array.size + 16, array.dtype)
    start = -room.ctypes.data // array.itemsize % 8 + first
    found = room[start : start + array.size].reshape(array.shape)
    found[...] = array
    return found


def _small(rng: np.random.Generator, shape: tuple[int, int], element: str, order: Any) -> Array:
    return np.array(rng.integers(-4, 5, shape), DTYPES[element], order=order)


def _wide(array: Array) -> Array:
    return array.astype(np.float64)
