"""Programs that users of the stock tool would write, with arguments for them, and what NumPy makes of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frontends.mlir.cases import Array, Case, floats, integers
from frontends.mlir.structured_cases import STRUCTURED

NARROW = {"low": -128, "high": 127}


def _doubles(rng: np.random.Generator, *shape: int) -> Array:
    return floats(rng, *shape, dtype=np.float64)


def _changed(array: Array, where: Any, values: Any) -> Array:
    """A copy with other elements in some places."""
    found = array.copy()
    found[where] = values
    return found


def _triangular(a: Array, x: Array) -> list[Any]:
    return [None, np.linalg.solve(a, x)]


def _cholesky(a: Array) -> list[Any]:
    return [np.tril(np.linalg.cholesky(a)) + np.triu(a, 1)]


def _neighbours(x: Array, y: Array) -> list[Any]:
    summed = (x[1:10, 2:16] + x[3:12, 2:16]) + (x[2:11, :14] + x[2:11, 3:17])
    return [None, _changed(y, np.s_[2:11, 2:16], summed)]


def _every_other_column(x: Array, y: Array, low: int, high: int) -> list[Any]:
    return [None, _changed(y, np.s_[low:high:2, low:high], 2 * x[low:high, low:high:2].T), None, None]


def _sum_and_largest(x: Array, _: Array) -> list[Any]:
    return [None, np.array([x.sum(), x.max()])]


def _permuted(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, c + b @ a]


def _added(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, c + a.astype(c.dtype) @ b.astype(c.dtype)]


def _unsigned(a: Array, b: Array, c: Array) -> list[Any]:
    return _added(a.view(np.uint8), b.view(np.uint8), c)


def _mixed_sign(a: Array, b: Array, c: Array) -> list[Any]:
    return _added(a.view(np.uint8), b, c)


def _outer(x: Array, y: Array, a: Array, z: Array, _: Array) -> list[Any]:
    return [None, None, None, np.outer(x, y) + a, (z - np.outer(x, y)).T]


def _softmax(x: Array, _: Array) -> list[Any]:
    powers = np.exp(x - x.max(1, keepdims=True))
    return [None, powers / powers.sum(1, keepdims=True)]


def _functions(x: Array, y: Array) -> list[Any]:
    return [None, y + (x @ y) * x]


def _windows_sum(x: Array, w: Array, y: Array) -> list[Any]:
    return [None, None, y + sum(x[i : i + 7, j : j + 8] * w[i, j] for i in range(3) for j in range(3))]


def _smoothed(x: Array, y: Array, _: Array) -> list[Any]:
    return [None, y + np.convolve(x, np.array([0.25, 0.5, 0.25], x.dtype), "valid"), np.full(4, 7, np.int32)]


def _attention(q: Array, k: Array, v: Array, _: Array) -> list[Any]:
    powers = np.exp(q @ k.T)
    return [None, None, None, (powers / powers.sum(1, keepdims=True)) @ v]


def _layers(x: Array, w: Array, b: Array, v: Array, _: Array) -> list[Any]:
    return [None, None, None, None, np.maximum(x @ w + b, 0) @ v]


def _tanh(x: Array, w: Array, _: Array) -> list[Any]:
    return [None, None, np.tanh(x @ w)]


def _logic(x: Array, _y: Array, _flag: bool) -> list[Any]:
    return [None, np.where((x > 0) & (x < 5), x + 1, 0), None]


def _index_arithmetic(x: Array, k: int) -> list[Any]:
    third = np.arange(len(x)) * 3 + k
    return [-(-np.maximum(third % 7, third // 3) // 3) * 2 - third // 7, None]


def _places(y: Array) -> list[Any]:
    i, j = np.indices(y.shape)
    return [np.where((i - j >= 1) & (len(y) - i - j >= 1), 1, np.where(i % 2 == 0, 2, 3))]


def _reductions(x: Array, _: Array) -> list[Any]:
    part = x[:, ::2].astype(np.float64)
    return [None, np.array([part.sum(), part.max(), part.prod()])]


def _looked_up(x: Array, y: Array, offset: int) -> list[Any]:
    i, j = np.indices(y.shape)
    return [None, x[-(-((i + offset) % 7) // 2) + j // 3], None]


def _moments(x: Array, _: Array) -> list[Any]:
    return [None, np.array([x.sum(), (x * x).sum(), x[:-1].sum()])]


def _largest_index(y: Array) -> list[Any]:
    return [np.maximum(np.outer(*map(np.arange, y.shape)), y)]


def _columns_of_sums(x: Array, y: Array) -> list[Any]:
    n = len(x)
    return [None, y + np.array([sum(x[i, i - j - 1] for i in range(j + 1, n)) for j in range(n)])]


def _butterfly(x: Array, n: int) -> list[Any]:
    even, odd = x[:n:2], x[1:n:2]
    return [_changed(_changed(x, np.s_[:n:2], even + odd), np.s_[1:n:2], even - odd), None]


def _steps_of_steps(x: Array, y: Array, offset: int, step: int) -> list[Any]:
    return [None, np.tile(x[1::2, offset::2][step, 1::2][:5], (len(y), 1)), None, None]


def _tensor_steps(x: Array, y: Array, _: Array) -> list[Any]:
    return [None, None, _changed(y, np.s_[:9:2, :6:2], x[::2, 1:8:3])]


def _sliding(x: Array, w: Array, y: Array, n: int) -> list[Any]:
    return [None, None, y + np.array([x[1 + 2 * i : 4 + 2 * i] @ w for i in range(n)]), None]


def _jacobi(x: Array, steps: int) -> list[Any]:
    for _ in range(steps):
        x = _changed(x, np.s_[1:-1, 1:-1], 0.25 * ((x[:-2, 1:-1] + x[2:, 1:-1]) + (x[1:-1, :-2] + x[1:-1, 2:])))
    return [x, None]


def _positive_definite(rng: np.random.Generator) -> list[Any]:
    matrix = _doubles(rng, 6, 6)
    return [matrix @ matrix.T + 6 * np.eye(6)]


def _affine_parallel_min(x: Array, n: int) -> list[Any]:
    return [_changed(x, np.s_[:n], 0), None]


def _negative_step_like(x: Array, _y: Array) -> list[Any]:
    return [None, x[::-1]]


def _index_cast_gather(i: Array, x: Array, _y: Array) -> list[Any]:
    return [None, None, x[i]]


def _while_newton(x: Array) -> list[Any]:
    return [np.sqrt(x)]


def _broadcast_const_map(x: Array, y: Array) -> list[Any]:
    return [None, y / x]


def _strided_offset_arg(x: Array, _y: Array) -> list[Any]:
    return [None, x.T]


def _affine_map_layout(x: Array, _y: Array) -> list[Any]:
    return [None, x]


def _subview_chain(x: Array, o: int) -> list[Any]:
    return [_changed(x, np.s_[o + 3, 4:12], 1), None]


def _subview_steps(x: Array, _y: Array) -> list[Any]:
    return [None, x[::2, 3:18:3]]


def _subview_dynamic_step(x: Array, s: int, n: int, _y: Array) -> list[Any]:
    return [None, None, None, x[1::s][:n]]


def _every_other_row(a: Array, b: Array, c: Array) -> list[Any]:
    return [None, None, c + a[::2, 1::2] @ b]


def _reinterpret_transposed(x: Array, _y: Array) -> list[Any]:
    return [None, x.reshape(4, 6).T]


def _reinterpret_dynamic(x: Array, m: int, n: int, _y: Array) -> list[Any]:
    return [None, None, None, x.reshape(m, n)]


def _reinterpret_offset(x: Array, o: int, _y: Array) -> list[Any]:
    return [None, None, x.reshape(-1)[o + np.array([[0, 2, 4], [7, 9, 11]])]]


def _alloc_in_loop(x: Array, _y: Array) -> list[Any]:
    return [None, (x * x).sum(1)]


def _alloc_static_in_loop(x: Array, _y: Array) -> list[Any]:
    return [None, x[:, ::-1]]


def _alloc_in_parallel(x: Array, _y: Array) -> list[Any]:
    return [None, x[:, ::-1]]


def _alloc_in_functions(x: Array, _y: Array, _n: int) -> list[Any]:
    return [None, 4 * x, None]


def _alloc_tiles(x: Array, _y: Array, _t: int) -> list[Any]:
    return [None, x * x, None]


def _alloc_blocks(x: Array, _s: int) -> list[Any]:
    return [None, x.sum(keepdims=True)]


def _empty_extents(_a: Array, _b: Array, c: Array) -> list[Any]:
    return [None, None, c]


WRITTEN: Mapping[str, Case] = {
    **STRUCTURED,
    # Nests of affine loops, with bounds and carried values
    "triangular": Case(lambda r: [np.tril(_doubles(r, 7, 7)) + 5 * np.eye(7), _doubles(r, 7)], _triangular, 1e-12),
    "cholesky": Case(_positive_definite, _cholesky, 1e-12),
    "min_max_tiles": Case(lambda r: [floats(r, 12, 17), floats(r, 12, 17)], _neighbours, 1e-6),
    "if_else_affine": Case(lambda r: [integers(r, 9, 9, dtype=np.int32)], _places),
    "affine_parallel_reduce": Case(lambda r: [floats(r, 8, 9), floats(r, 3)], _reductions, 1e-5),
    "affine_parallel_min": Case(lambda r: [floats(r, 11), 10], _affine_parallel_min),
    "affine_apply_mod": Case(lambda r: [floats(r, 7), floats(r, 9, 6), 4], _looked_up),
    "multi_iter_args": Case(lambda r: [_doubles(r, 17), _doubles(r, 3)], _moments, 1e-12),
    "negative_step_like": Case(lambda r: [floats(r, 13), floats(r, 13)], _negative_step_like),
    "index_cast_gather": Case(
        lambda r: [integers(r, 9, dtype=np.int32, low=0, high=5), floats(r, 6, 4), floats(r, 9, 4)],
        _index_cast_gather,
    ),
    "global_dense": Case(lambda r: [floats(r, 14), floats(r, 12), integers(r, 4, dtype=np.int32)], _smoothed, 1e-6),
    # Loops of scf, numbers and truths
    "scf_parallel_2d": Case(lambda r: [floats(r, 9, 9), floats(r, 9, 9), 1, 8], _every_other_column),
    "scf_parallel_reduce2": Case(lambda r: [floats(r, 33), floats(r, 2)], _sum_and_largest, 1e-5),
    "while_newton": Case(lambda r: [np.abs(_doubles(r, 9)) + 0.5], _while_newton, 1e-12),
    "i1_logic": Case(lambda r: [integers(r, 19, dtype=np.int32), integers(r, 19, dtype=np.int32), True], _logic),
    "index_arith": Case(lambda r: [integers(r, 15), 5], _index_arithmetic),
    "functions_calls": Case(lambda r: [floats(r, 21), floats(r, 21)], _functions, 1e-5),
    # Operations of linalg, on memrefs and tensors
    "permuted_generic": Case(lambda r: [floats(r, 6, 5), floats(r, 7, 6), floats(r, 7, 5)], _permuted, 1e-6),
    "broadcast_row_col": Case(
        lambda r: [floats(r, 5), floats(r, 8), np.array(1.5, np.float32), floats(r, 5, 8), floats(r, 8, 5)],
        _outer,
        1e-6,
    ),
    "broadcast_const_map": Case(lambda r: [floats(r, 6, 1) + 3, floats(r, 6, 9)], _broadcast_const_map, 1e-6),
    "linalg_index_iota": Case(lambda r: [integers(r, 5, 6, low=0)], _largest_index),
    "conv2d_generic": Case(lambda r: [floats(r, 9, 10), floats(r, 3, 3), floats(r, 7, 8)], _windows_sum, 1e-6),
    "batch_broadcast": Case(lambda r: [floats(r, 3, 4, 5), floats(r, 5, 6), floats(r, 3, 4, 6)], _added, 1e-6),
    "batch_dynamic": Case(lambda r: [floats(r, 3, 4, 5), floats(r, 3, 5, 6), floats(r, 3, 4, 6)], _added, 1e-6),
    "generic_form_14": Case(lambda r: [floats(r, 4, 5), floats(r, 5, 6), floats(r, 4, 6)], _added, 1e-6),
    "attention": Case(lambda r: [floats(r, 8, 4) for _ in range(4)], _attention, 1e-5),
    "softmax_tensor": Case(lambda r: [floats(r, 5, 9), floats(r, 5, 9)], _softmax, 1e-5),
    "mlp_tensor": Case(lambda r: [floats(r, *s) for s in ((5, 6), (6, 8), (8,), (8, 3), (5, 3))], _layers, 1e-5),
    # Factors of several types and signs
    "mixed_i8_i16": Case(
        lambda r: [
            integers(r, 6, 5, dtype=np.int8, **NARROW),
            integers(r, 5, 9, dtype=np.int16, low=-32768, high=32767),
            integers(r, 6, 9, dtype=np.int32),
        ],
        _added,
    ),
    "mixed_f16_f32_loops": Case(
        lambda r: [floats(r, 6, 5, dtype=np.float16), floats(r, 5, 9), floats(r, 6, 9)], _added, 1e-6
    ),
    "mixed_matmul_named": Case(
        lambda r: [
            integers(r, 6, 5, dtype=np.int8),
            integers(r, 5, 9, dtype=np.int16),
            integers(r, 6, 9, dtype=np.int32),
        ],
        _added,
    ),
    **{
        name: Case(
            lambda r: [
                integers(r, 6, 5, dtype=np.int8, **NARROW),
                integers(r, 5, 9, dtype=np.int8, **NARROW),
                integers(r, 6, 9, dtype=np.int32),
            ],
            expected,
        )
        for name, expected in (("matmul_unsigned", _unsigned), ("mixed_sign", _mixed_sign))
    },
    # Views: parts, steps, other extents and strides
    "strided_offset_arg": Case(
        lambda r: [floats(r, 5, 10)[:, :7], np.asfortranarray(floats(r, 7, 5))], _strided_offset_arg
    ),
    "affine_map_layout": Case(lambda r: [floats(r, 5, 10)[:, :7], floats(r, 5, 7)], _affine_map_layout),
    "subview_chain": Case(lambda r: [floats(r, 16, 20), 3], _subview_chain),
    "subview_steps": Case(lambda r: [floats(r, 16, 20), floats(r, 8, 5)], _subview_steps),
    "subview_dynamic_step": Case(lambda r: [floats(r, 30), 3, 7, floats(r, 7)], _subview_dynamic_step),
    "every_other_row": Case(
        lambda r: [floats(r, 10, 12), floats(r, 6, 7), floats(r, 5, 7)],
        _every_other_row,
        1e-6,
    ),
    "write_with_steps": Case(lambda r: [floats(r, 15), 14], _butterfly),
    "steps_of_steps": Case(
        lambda r: [integers(r, 20, 30, dtype=np.int32), integers(r, 4, 5, dtype=np.int32), 3, 4], _steps_of_steps
    ),
    "tensor_steps": Case(lambda r: [floats(r, 9, 10) for _ in range(3)], _tensor_steps),
    "reinterpret_transposed": Case(lambda r: [floats(r, 24), floats(r, 6, 4)], _reinterpret_transposed),
    "reinterpret_dynamic": Case(lambda r: [floats(r, 35), 5, 7, floats(r, 5, 7)], _reinterpret_dynamic),
    "reinterpret_windows": Case(lambda r: [floats(r, 14), floats(r, 3), floats(r, 6), 6], _sliding, 1e-6),
    "reinterpret_offset": Case(
        lambda r: [floats(r, 4, 6), 5, floats(r, 2, 3)],
        _reinterpret_offset,
    ),
    # Memory of extents that only a launch knows
    "alloc_dynamic": Case(lambda r: [floats(r, 5, 4), floats(r, 4, 6), floats(r, 5, 6)], _tanh, 1e-5),
    "alloc_in_loop": Case(lambda r: [floats(r, 6, 7), floats(r, 6)], _alloc_in_loop, 1e-5),
    "alloc_static_in_loop": Case(lambda r: [floats(r, 6, 8), floats(r, 6, 8)], _alloc_static_in_loop),
    "alloc_of_a_loop": Case(lambda r: [floats(r, 7, 7), floats(r, 7)], _columns_of_sums, 1e-5),
    "alloc_in_parallel": Case(
        lambda r: [integers(r, 9, 6, dtype=np.int32), integers(r, 9, 6, dtype=np.int32)],
        _alloc_in_parallel,
    ),
    "alloc_in_functions": Case(lambda r: [_doubles(r, 7), _doubles(r, 7), 7], _alloc_in_functions),
    "alloc_tiles": Case(lambda r: [floats(r, 11, 5), floats(r, 11, 5), 4], _alloc_tiles),
    "alloc_blocks": Case(lambda r: [_doubles(r, 9), _doubles(r, 1)], _alloc_blocks, 1e-12),
    "two_layers": Case(lambda r: [floats(r, *s) for s in ((5, 6), (6, 9), (9,), (9, 4), (5, 4))], _layers, 1e-5),
    "empty_extents": Case(lambda r: [_doubles(r, 5, 0), _doubles(r, 0, 6), _doubles(r, 5, 6)], _empty_extents),
    "jacobi": Case(lambda r: [_doubles(r, 8, 9), 3], _jacobi, 1e-12),
}
"""By the name of the program."""
