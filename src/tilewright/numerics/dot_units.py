"""Sums of products as the instructions of product units form them: the exact model of their arithmetic.

Factors are arrays [.., M, K] and [.., K, N] of f32 that hold numbers of bf16, or of f16; the sums are f32, from zero.
Each product is added fused, rounded to nearest even, and subnormal numbers count as zeros: those of the factors, and
every sum (Intel's Intrinsics Guide, `vdpbf16ps`, `tdpbf16ps`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilewright.numerics import floats
from tilewright.numerics.formats import F32
from tilewright.numerics.later import Array, np

PAIR: Final = 2
ROW_TERMS: Final = 32
"""Of a row of a tile, sixteen pairs."""
_UPPER: Final = 0xFFFF0000
_PRODUCTS: Final = ((0, 0), (2, 1), (2, 2), (1, 2))
"""Parts of numbers of f16, those of the left factor first: which are multiplied in turn."""


def dot_pairs(a: Array, b: Array) -> Array:
    """Pair after pair, of each the second term first (`vdpbf16ps`)."""
    a, b = _filled(a, b, PAIR)
    total = _zeros(a, b)
    for first in range(0, a.shape[-1], PAIR):
        total = _plus(a, b, (first + 1, first), total)
    return total


def dot_rows(a: Array, b: Array) -> Array:
    """Row after row of a tile (`tdpbf16ps`)."""
    return _rows([_filled(a, b, ROW_TERMS)])


def dot_split_rows(a: Array, b: Array) -> Array:
    """Numbers of f16, each the sum of two of bf16: four products a row of a tile."""
    x, y = map(_parts, _filled(a, b, ROW_TERMS))
    return _rows([(x[p], y[q]) for p, q in _PRODUCTS])


def _rows(factors: list[tuple[Array, Array]]) -> Array:
    """Of each row, and of all factors in turn, the first terms of all pairs and the second ones; then both sums; then
    what was there."""
    total = _zeros(*factors[0])
    for start in range(0, factors[0][0].shape[-1], ROW_TERMS):
        for a, b in factors:
            first, second = (
                _plus(a, b, range(start + which, start + ROW_TERMS, PAIR), np.zeros_like(total))
                for which in range(PAIR)
            )
            both = floats.add(F32, first, second, flush=True)
            total = floats.add(F32, both, total, flush=True)
    return total


def _plus(a: Array, b: Array, terms: Iterable[int], total: Array) -> Array:
    """`total` and some terms' products, one by one."""
    for term in terms:
        left, right = np.broadcast_arrays(a[..., :, term, None], b[..., None, term, :])
        total = floats.multiply_add(F32, left, right, total, flush=True)
    return total


def _parts(x: Array) -> tuple[Array, Array, Array]:
    """The first number of bf16 of each, the same without what is not finite, the second one."""
    first = (x.view(np.uint32) & np.uint32(_UPPER)).view(np.float32)
    finite = np.isfinite(x)
    leading = np.where(finite, first, np.float32(0))
    return first, leading, np.where(finite, x, np.float32(0)) - leading


def _filled(a: Array, b: Array, grain: int) -> tuple[Array, Array]:
    """Both factors with zeros behind their last term, up to a multiple."""
    more = -a.shape[-1] % grain
    along = [(0, 0)] * (a.ndim - 2)
    return np.pad(a, [*along, (0, 0), (0, more)]), np.pad(b, [*along, (0, more), (0, 0)])


def _zeros(a: Array, b: Array) -> Array:
    return np.zeros((*a.shape[:-1], b.shape[-1]), np.float32)
