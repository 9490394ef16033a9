"""Kernels of products that several benchmarks measure, in the tensor language."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

DTYPES: Final[dict[str, np.dtype[np.float32 | np.float64]]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
ERRORS: Final = {"f32": 1e-5, "f64": 1e-13}
"""The largest relative errors of right products."""
PAGE: Final = 4096
_PLACES: Final = (0, 1344, 2752)


def matrices_apart(
    dtype: np.dtype[np.float32 | np.float64], *shapes: tuple[int, ...]
) -> list[NDArray[np.float32 | np.float64]]:
    """Up to three arrays of zeros that start at different offsets within a page.

    Equal ones make loads wait for unrelated stores on x86, whoever's kernel it is, and where an allocator puts arrays
    depends on all that happened before.
    """
    found: list[NDArray[np.float32 | np.float64]] = []
    for shape, place in zip(shapes, _PLACES, strict=False):
        size = math.prod(shape) * dtype.itemsize
        raw = np.zeros(size + 2 * PAGE, np.uint8)
        start = -raw.ctypes.data % PAGE + place
        found.append(raw[start : start + size].view(dtype).reshape(shape))
    return found


def batched_product(dtype: str, shape: tuple[int, int, int], beta: int, form: str = "n") -> str:
    """`@product`: C_i := op(A_i) B_i + beta C_i, one work-group each, op by `form`: "n", or "t" for A transposed."""
    m, n, k = shape
    sizes = {"A": (m, k) if form == "n" else (k, m), "B": (k, n), "C": (m, n)}
    parameters = ", ".join(f"%{name}: memref<{dtype}x{a}x{b}x?>" for name, (a, b) in sizes.items())
    views = "\n".join(
        f"%{name.lower()} = subview %{name}[0:{a},0:{b},%g] : memref<{dtype}x{a}x{b}>" for name, (a, b) in sizes.items()
    )
    return f"""func @product({parameters}) {{
        %one = constant 1.0 : {dtype}
        %beta = constant {float(beta)} : {dtype}
        %g = group_id.x : index
        {views}
        gemm.{form}.n %one, %a, %b, %beta, %c
    }}"""


def square_product(dtype: str, size: int) -> str:
    """`@product`: C := A B, of one work-group."""
    matrix = f"memref<{dtype}x{size}x{size}>"
    return f"""func @product(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        %one = constant 1.0 : {dtype}
        %zero = constant 0.0 : {dtype}
        gemm %one, %A, %B, %zero, %C
    }}"""
