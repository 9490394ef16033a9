"""Causal attention: a tile of queries a tile block, softmax on the way. Run it: python examples/cutile/attention.py"""

from __future__ import annotations

import math

import cuda.tile as ct
import numpy as np

from tilewright.interop import cutile

QUERIES, KEYS = 64, 64


@ct.kernel
def causal_attention(
    q, k, v, out, scale, queries: ct.Constant[int], keys: ct.Constant[int], channels: ct.Constant[int]
):
    first, head = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    query = ct.load(q, index=(head, first, 0), shape=(1, queries, channels), padding_mode=zero)
    query = query.reshape((queries, channels))
    row = (first * queries + ct.arange(queries, dtype=ct.int32)).reshape((queries, 1))
    largest = ct.full((queries, 1), -math.inf, dtype=ct.float32)
    total = ct.zeros((queries, 1), dtype=ct.float32)
    sums = ct.zeros((queries, channels), dtype=ct.float32)
    # Keys after the last query of this tile are never looked at, and key 0 is seen by all.
    for j in range(ct.cdiv(ct.minimum((first + 1) * queries, k.shape[1]), keys)):
        key = ct.load(k, index=(head, j, 0), shape=(1, keys, channels), padding_mode=zero).reshape((keys, channels))
        scores = ct.mma(query, ct.transpose(key), ct.zeros((queries, keys), dtype=ct.float32)) * scale
        column = (j * keys + ct.arange(keys, dtype=ct.int32)).reshape((1, keys))
        scores = ct.where(column <= row, scores, -math.inf)
        now = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        powers = ct.exp2(scores - now)
        fade = ct.exp2(largest - now)
        total = total * fade + ct.sum(powers, axis=1, keepdims=True)
        value = ct.load(v, index=(head, j, 0), shape=(1, keys, channels), padding_mode=zero).reshape((keys, channels))
        sums = ct.mma(powers.astype(v.dtype), value, sums * fade)
        largest = now
    result = (sums / total).astype(out.dtype)
    ct.store(out, index=(head, first, 0), tile=result.reshape((1, queries, channels)))


def launch(q, k, v, out, target: str = "cpu") -> None:
    """Attention of queries to keys not after them; arrays are (heads, length, channels)."""
    heads, length, channels = q.shape
    width = 1 << (channels - 1).bit_length()
    scale = math.log2(math.e) / math.sqrt(channels)
    grid = (ct.cdiv(length, QUERIES), heads)
    cutile.launch(grid, causal_attention, (q, k, v, out, scale, QUERIES, KEYS, width), target=target)


def main() -> None:
    """Compare with NumPy on a length that no tile divides."""
    heads, length, channels = 8, 333, 64
    q, k, v = np.random.default_rng().standard_normal((3, heads, length, channels), np.float32)
    out = np.empty_like(q)
    launch(q, k, v, out)
    scores = q.astype(np.float64) @ k.swapaxes(1, 2) / math.sqrt(channels)
    powers = np.where(np.tri(length, dtype=bool), np.exp(scores - scores.max(2, keepdims=True)), 0)
    expected = powers / powers.sum(2, keepdims=True) @ v
    print(f"relative error: {np.linalg.norm(out - expected) / np.linalg.norm(expected):.1e}")


if __name__ == "__main__":
    main()
