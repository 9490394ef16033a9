"""Programs in MLIR with arguments for them, and what NumPy makes of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[Any]
Rng = np.random.Generator


class Case(Struct, frozen=True):
    """`arguments` of a launch of `@f`, and what the arrays hold behind it, None where that is what they held.

    `tolerance` is relative to the largest number.
    """

    arguments: Callable[[Rng], list[Any]]
    expected: Callable[..., Sequence[Any]]
    tolerance: float = 0.0


def floats(rng: Rng, *shape: int, dtype: Any = np.float32) -> Array:
    """Normal numbers."""
    return rng.standard_normal(shape).astype(dtype)


def integers(rng: Rng, *shape: int, dtype: Any = np.int64, low: int = -9, high: int = 9) -> Array:
    """From the lowest to the highest, both included."""
    return rng.integers(low, high, shape, endpoint=True).astype(dtype)


def _added(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, c + a @ b]


def _product(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, a @ b]


def _added_wide(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, c + a.astype(c.dtype) @ b.astype(c.dtype)]


def _added_transposed(a: Array, b: Array, c: Array) -> list[Any]:
    return _added_wide(a.T, b, c)


def _layer(x: Array, w: Array, b: Array, y: Array) -> list[Any]:
    return [None, None, None, np.maximum(x @ w + b, 0)]


def _flat(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, (a.reshape(10, 24) @ b.reshape(24, 14)).reshape(-1)]


def _flat_dynamic(rng: Rng) -> list[Any]:
    m, n, k = (int(extent) for extent in rng.integers(1, 20, 3))
    return [*(integers(rng, size, dtype=np.float64) for size in (m * k, k * n, m * n)), m, n, k]


def _flat_added(a: Array, b: Array, c: Array, m: int, n: int, k: int) -> list[Any]:
    return [None, None, c + (a.reshape(m, k) @ b.reshape(k, n)).reshape(-1), None, None, None]


def _flat_rows(rng: Rng) -> list[Any]:
    """Rows that are longer than what is used of them; of the last one of B nothing is there beyond that."""
    m, n, k = (int(extent) for extent in rng.integers(1, 20, 3))
    lda, ldb, ldc = k + 3, n + int(rng.integers(2)), n + 1
    sizes = (m * lda, (k - 1) * ldb + n, m * ldc)
    return [*(integers(rng, size, dtype=np.int32) for size in sizes), m, n, k, lda, ldb, ldc]


def _flat_rows_added(a: Array, b: Array, c: Array, m: int, n: int, k: int, lda: int, ldb: int, ldc: int) -> list[Any]:
    found, rows = c.copy(), np.zeros(k * ldb, b.dtype)
    rows[: b.size] = b
    found.reshape(m, ldc)[:, :n] += a.reshape(m, lda)[:, :k] @ rows.reshape(k, ldb)[:, :n]
    return [None, None, found, *[None] * 6]


def _dynamic(rng: Rng) -> list[Any]:
    rooms = [np.zeros((9, 40)), np.zeros((30, 30)), np.zeros((9, 20))]
    parts = [rooms[0][:, 2:15], rooms[1][4:17, :18], rooms[2][:, 1:19]]
    for part in parts:
        part[...] = rng.standard_normal(part.shape)
    return parts


def _transposed(a: Array, b: Array, c: Array, e: Array, d: Array) -> list[Any]:
    first = c + a.T @ b
    return [None, None, first, None, d + first @ e.T]


def _vectors(a: Array, x: Array, y: Array, z: Array, s: Array) -> list[Any]:
    y = y + a @ x
    z = z + y @ a
    return [None, None, y, z, s + x @ z]


def _gelu(scale: float, x: Array, y: Array) -> list[Any]:
    wide = x.astype(np.float64)
    inner = 0.797884583 * (wide + 0.0447149985 * wide**3)
    return [None, None, (scale * 0.5 * wide * (1 + np.tanh(inner))).astype(np.float32)]


def _affine_forms(x: Array, y: Array, s: Array) -> list[Any]:
    n = len(x)
    sums = np.zeros(n, np.int64)
    out = np.zeros_like(y)
    for i in range(n):
        for j in range(max(i - 3, 0), min(i + 4, n), 2):
            sums[i] += x[i, j] if i - j >= 0 and n - i - j - 1 >= 0 else -x[i, j]
        if i % 2 == 0:
            sums[i] = 7
        for j in range(n):
            p = (i * 2 + j * 3 - 5) % n
            q = min(p // 2, n - 1)
            w = max(-(-(q - 9) // 4), 0)
            out[i, j] = x[p, n - 1] + x[q, w]
    return [None, out, sums]


def _scf_forms(x: Array, n: int, y: Array, k: Array) -> list[Any]:
    even = x[:n:2]
    return [None, None, np.array([even[even > 0].sum(), x[:n].sum(), x[2], 0.0]), np.array([len(even), 111])]


def _memory(x: Array, n: int, y: Array, z: Array) -> list[Any]:
    part = x[n : n + 4, 4:8].copy()
    part[2] = 2 * part[2] + np.array([5, 6, 7, 8.5], np.float32)
    return [None, None, part, x.reshape(24, 4)[3:9, ::-1]]


def _numbers(x: Array, f: Array, i: Array, g: Array) -> list[Any]:
    unsigned = x.view(np.uint32)
    truncated = np.trunc(x.astype(np.float64) / 7).astype(np.int32)
    integers = [
        truncated,
        x // 7,
        (unsigned % 7).view(np.int32),
        (unsigned >> 31).view(np.int32),
        np.maximum(unsigned, 7).view(np.int32),
        x.astype(np.uint8).astype(np.int32),
        x.astype(np.int8).astype(np.int32),
        (unsigned < 7).astype(np.int32),
        -(f < 0.5).astype(np.int32),
        np.trunc(f).astype(np.int32),
        f.view(np.int32),
        np.left_shift(np.int32(1), np.arange(16, dtype=np.int32)),
    ]
    floats = [
        x.astype(np.float32),
        unsigned.astype(np.float32),
        np.exp(f.astype(np.float64)).astype(np.float32),
        np.sqrt(np.abs(f)),
        f.astype(ml_dtypes.bfloat16).astype(np.float32),
        np.minimum(f, np.float32(0.5)),
        np.where(unsigned < 7, -f, f),
        np.floor(f),
    ]
    return [None, None, np.stack(integers), np.stack(floats)]


def _filter(x: Array, w: Array, y: Array) -> list[Any]:
    return [None, None, y + np.correlate(x, w)]


def _row_sums(x: Array, s: Array, m: Array, p: Array) -> list[Any]:
    rows, columns = np.indices(x.shape)
    return [None, s + x.sum(1), np.maximum(m, x.max(1)), rows * 100 + columns]


CASES: Mapping[str, Case] = {
    "matmul": Case(
        lambda r: [floats(r, 12, 20), floats(r, 20, 16), floats(r, 12, 16)],
        _added,
        1e-6,
    ),
    "matmul_dynamic": Case(_dynamic, _product, 1e-14),
    "matmul_f16": Case(
        lambda r: [floats(r, 16, 32, dtype=np.float16), floats(r, 32, 24, dtype=np.float16), floats(r, 16, 24)],
        _added_wide,
        1e-6,
    ),
    "matmul_i8": Case(
        lambda r: [
            integers(r, 9, 14, dtype=np.int8, low=-128, high=127),
            integers(r, 14, 11, dtype=np.int8, low=-128, high=127),
            integers(r, 9, 11, dtype=np.int32),
        ],
        _added_wide,
    ),
    "transposed": Case(
        lambda r: [floats(r, 6, 10), floats(r, 6, 8), floats(r, 10, 8), floats(r, 7, 8), floats(r, 10, 7)],
        _transposed,
        1e-6,
    ),
    "batch": Case(
        lambda r: [floats(r, 3, 5, 7), floats(r, 3, 7, 6), floats(r, 3, 5, 6)],
        _added,
        1e-6,
    ),
    "vectors": Case(
        lambda r: [
            floats(r, 8, 13, dtype=float),
            *(floats(r, n, dtype=float) for n in (13, 8, 13)),
            np.array(0.5),
        ],
        _vectors,
        1e-14,
    ),
    "dense_layer": Case(
        lambda r: [floats(r, 10, 12), floats(r, 12, 14), floats(r, 14), floats(r, 10, 14)],
        _layer,
        1e-6,
    ),
    "gelu": Case(lambda r: [1.25, floats(r, 7, 19), floats(r, 7, 19)], _gelu, 1e-6),
    "generic_product": Case(
        lambda r: [
            floats(r, 10, 6, dtype=ml_dtypes.bfloat16),
            floats(r, 10, 8, dtype=ml_dtypes.bfloat16),
            floats(r, 6, 8),
        ],
        _added_transposed,
        1e-6,
    ),
    "row_sums": Case(lambda r: [floats(r, 9, 11), floats(r, 9), floats(r, 9), integers(r, 9, 11)], _row_sums, 1e-6),
    "filter": Case(lambda r: [floats(r, n, dtype=float) for n in (20, 5, 16)], _filter, 1e-14),
    "affine_nest": Case(
        lambda r: [floats(r, 16, 16), floats(r, 16, 16), floats(r, 16, 16)],
        _added,
        1e-6,
    ),
    "flat": Case(lambda r: [floats(r, 240), floats(r, 336), floats(r, 140)], _flat, 1e-6),
    "flat_dynamic": Case(_flat_dynamic, _flat_added),
    "flat_arith": Case(_flat_rows, _flat_rows_added),
    "affine_forms": Case(
        lambda r: [integers(r, 11, 11), integers(r, 11, 11), integers(r, 11)],
        _affine_forms,
    ),
    "scf_forms": Case(
        lambda r: [floats(r, 12, dtype=float), 9, np.ones(4), integers(r, 2)],
        _scf_forms,
        1e-14,
    ),
    "scf_nest": Case(
        lambda r: [floats(r, 6, 9), floats(r, 9, 11), floats(r, 6, 11)],
        _product,
        1e-6,
    ),
    "memory": Case(lambda r: [floats(r, 8, 12), 3, floats(r, 4, 4), floats(r, 6, 4)], _memory),
    "numbers": Case(
        lambda r: [
            integers(r, 16, dtype=np.int32, low=-300, high=300),
            floats(r, 16),
            np.zeros((12, 16), np.int32),
            np.zeros((8, 16), np.float32),
        ],
        _numbers,
        1e-6,
    ),
}
"""By the name of the program."""
