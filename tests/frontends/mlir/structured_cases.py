"""Programs of linalg's operations that say dimensions, maps or kinds, with arguments, and what NumPy makes of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from frontends.mlir.cases import Array, Case, floats, integers


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _softmax_reduce(x: Array, _: Array) -> list[Any]:
    return [None, _softmax(x)]


def _transposes(x: Array, _y: Array, a: Array, _b: Array, v: Array, w: Array) -> list[Any]:
    return [None, x.transpose(2, 0, 1), None, a.T, None, np.broadcast_to(v[:, None], w.shape)]


def _reductions(
    x: Array, s: Array, largest: Array, v: Array, total: Array, z: Array, best: Array, at: Array, places: Array
) -> list[Any]:
    row = np.where(z.max(0) > best, places[z.argmax(0), np.arange(z.shape[1])], at)
    squares = np.array(total + (v * v).sum())
    sums = s + x.sum((0, 2), dtype=x.dtype)
    return [None, sums, np.maximum(largest, x.max(1)), None, squares, None, np.maximum(best, z.max(0)), row, None]


def _layer_norm(x: Array, gamma: Array, beta: Array, _: Array) -> list[Any]:
    wide = x.astype(np.float64)
    centred = wide - wide.mean(1, keepdims=True)
    normed = centred / np.sqrt((centred * centred).mean(1, keepdims=True) + 1e-5)
    return [None, None, None, normed * gamma + beta]


def _mlp(x: Array, w: Array, b: Array, v: Array, _: Array) -> list[Any]:
    return [None, None, None, None, np.maximum(x @ w.T + b, 0) @ v.T]


def _attention(q: Array, k: Array, v: Array, _: Array) -> list[Any]:
    return [None, None, None, _softmax(q @ k.transpose(0, 1, 3, 2)) @ v]


def _contract_layer(a: Array, b: Array, bias: Array, _: Array) -> list[Any]:
    return [None, None, None, np.tanh(a.astype(np.float32).T @ b.astype(np.float32).T + bias)]


def _reshapes(x: Array, w: Array, o: Array, _n: int, y: Array, _z: Array, s: Array, *_: Array) -> list[Any]:
    bias = np.array([1, 0, 3, 0.5, 0, 0], np.float32)
    heads = (x.reshape(6, 8) @ w + bias).reshape(2, 3, 2, 3).transpose(0, 2, 1, 3)
    rest = [heads, o.reshape(-1), o.reshape(3, 2, 5), s.reshape(1, 1)]
    return [None, None, None, None, None, y.reshape(8, 6), None, *rest]


STRUCTURED: Mapping[str, Case] = {
    "softmax_reduce": Case(lambda r: [floats(r, 5, 9), floats(r, 5, 9)], _softmax_reduce, 1e-5),
    "transposes": Case(
        lambda r: [
            integers(r, 3, 5, 7, dtype=np.int16),
            integers(r, 7, 3, 5, dtype=np.int16),
            floats(r, 6, 11, dtype=np.float64)[:, :9],
            floats(r, 9, 6, dtype=np.float64),
            floats(r, 4, dtype=ml_dtypes.bfloat16),
            floats(r, 2, 4, 3, dtype=ml_dtypes.bfloat16),
        ],
        _transposes,
    ),
    "reductions": Case(
        lambda r: [
            integers(r, 3, 4, 5, dtype=np.int32),
            integers(r, 4, dtype=np.int32),
            integers(r, 3, 5, dtype=np.int32),
            floats(r, 9, dtype=np.float64),
            np.array(0.5),
            floats(r, 6, 8),
            np.zeros(8, np.float32),
            np.full(8, -1, np.int32),
            integers(r, 6, 8, dtype=np.int32),
        ],
        _reductions,
        1e-12,
    ),
    "layer_norm": Case(lambda r: [floats(r, *s) for s in ((5, 16), (16,), (16,), (5, 16))], _layer_norm, 1e-5),
    "mlp_transposed": Case(lambda r: [floats(r, *s) for s in ((5, 6), (8, 6), (8,), (3, 8), (5, 3))], _mlp, 1e-5),
    "attention_contract": Case(
        lambda r: [floats(r, 2, 3, n, 4) for n in (5, 6, 6, 5)],
        _attention,
        1e-5,
    ),
    "reshapes": Case(
        lambda r: [
            floats(r, 2, 3, 8),
            floats(r, 8, 6),
            floats(r, 6, 9)[:, :5],
            4,
            integers(r, 4, 12, dtype=np.int32),
            np.zeros((8, 6), np.int32),
            np.array(2.5, np.float32),
            *(np.full(shape, np.nan, np.float32) for shape in ((2, 2, 3, 3), (30,), (3, 2, 5), (1, 1))),
        ],
        _reshapes,
        1e-5,
    ),
    "contract_layer": Case(
        lambda r: [
            floats(r, 9, 7, dtype=np.float16),
            floats(r, 11, 9, dtype=np.float16),
            floats(r, 11),
            floats(r, 7, 11),
        ],
        _contract_layer,
        1e-5,
    ),
}
"""By the name of the program."""
