"""Products and loads of matrices by whole warps, as the PTX ISA says: lane 4 g + t, element i of its registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import ml_dtypes
import numpy as np

from .numbers import Array
from .text import EmulatorError

WARP: Final = 32
Position: TypeAlias = tuple[Array, Array]

_LANE: Final = np.arange(WARP)
_G: Final = _LANE >> 2
_T: Final = _LANE & 3
_BF16: Final[np.dtype[Any]] = np.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True, slots=True)
class Product:
    """An instruction: its shape, the types in registers, and where element i of each operand lies."""

    shape: tuple[int, int, int]
    factor: np.dtype[Any]
    total: np.dtype[Any]
    a: Callable[[int], Position]
    b: Callable[[int], Position]
    c: Callable[[int], Position]

    def counts(self) -> tuple[int, int, int]:
        """Elements of each operand in one lane."""
        m, n, k = self.shape
        return m * k // WARP, k * n // WARP, m * n // WARP


def _pair_a(i: int) -> Position:
    return _G + (8 if i & 2 else 0), 2 * _T + (i & 1) + (8 if i >= 4 else 0)


def _pair_b(i: int) -> Position:
    return 2 * _T + (i & 1) + (8 if i >= 2 else 0), _G


def _pair_c(i: int) -> Position:
    return _G + (8 if i >= 2 else 0), 2 * _T + (i & 1)


def _byte_a(i: int) -> Position:
    return _G + (0 if i < 4 or 8 <= i < 12 else 8), 4 * _T + (i & 3) + (16 if i >= 8 else 0)


def _byte_b(i: int) -> Position:
    return 4 * _T + (i & 3) + (16 if i >= 4 else 0), _G


def _word_a(i: int) -> Position:
    return _G + 8 * (i % 2), _T + 4 * (i // 2)


def _word_b(i: int) -> Position:
    return _T + 4 * i, _G


_F32: Final[np.dtype[Any]] = np.dtype(np.float32)
_F64: Final[np.dtype[Any]] = np.dtype(np.float64)
_I8: Final[np.dtype[Any]] = np.dtype(np.int8)
_I32: Final[np.dtype[Any]] = np.dtype(np.int32)
PRODUCTS: Final = {
    "m16n8k16.row.col.f32.f32": Product((16, 8, 16), np.dtype(np.float16), _F32, _pair_a, _pair_b, _pair_c),
    "m16n8k16.row.col.f16.f16": Product(
        (16, 8, 16), np.dtype(np.float16), np.dtype(np.float16), _pair_a, _pair_b, _pair_c
    ),
    "m16n8k16.row.col.bf16": Product((16, 8, 16), _BF16, _F32, _pair_a, _pair_b, _pair_c),
    "m16n8k8.row.col.tf32": Product((16, 8, 8), _F32, _F32, _word_a, _word_b, _pair_c),
    **{
        f"m16n8k{depth}.row.col.{signs}": Product((16, 8, depth), _I8, _I32, _byte_a, _byte_b, _pair_c)
        for depth in (16, 32)
        for signs in ("s8", "u8", "s8.u8", "u8.s8")
    },
    "m8n8k4.row.col.f64": Product((8, 8, 4), _F64, _F64, lambda _: (_G, _T), lambda _: (_T, _G), _pair_c),
    "m16n8k8.row.col.f64": Product((16, 8, 8), _F64, _F64, _word_a, _word_b, _pair_c),
    "m16n8k16.row.col.f64": Product((16, 8, 16), _F64, _F64, _word_a, _word_b, _pair_c),
}


_SIGNS: Final = {"s8": np.dtype(np.int8), "u8": np.dtype(np.uint8)}


def multiply(name: str, registers: Sequence[Array]) -> list[Array]:
    """The sums of `llvm.nvvm.mma.<name>`; registers are [warp, lane]. Exact, and rounded once."""
    if name not in PRODUCTS:
        raise EmulatorError(f"unknown product of matrices: {name}")
    product = PRODUCTS[name]
    m, n, k = product.shape
    sizes = product.counts()
    a_words, b_words = (
        size * product.factor.itemsize // registers[r].itemsize for r, size in ((0, sizes[0]), (0, sizes[1]))
    )
    a = _matrix(registers[:a_words], product.factor, (m, k), product.a)
    b = _matrix(registers[a_words : a_words + b_words], product.factor, (k, n), product.b)
    c = _matrix(registers[a_words + b_words :], product.total, (m, n), product.c)
    wide = np.dtype(np.int64) if product.total.kind == "i" else _F64
    if product.factor == _I8:
        a, b = signed(a, b, name.split(".", 3)[3])
    if name.endswith("tf32"):
        a, b = (cut_to_tf32(x) for x in (a, b))
    found = (c.astype(wide) + a.astype(wide) @ b.astype(wide)).astype(product.total)
    each = 4 // min(product.total.itemsize, 4)
    parts = [found[:, *product.c(i)] for i in range(sizes[2])]
    if each == 1:
        return parts
    words = (np.stack(parts[first : first + each], axis=-1) for first in range(0, len(parts), each))
    return [np.ascontiguousarray(word).view(np.int32)[..., 0] for word in words]


def signed(a: Array, b: Array, types: str) -> tuple[Array, Array]:
    """Bytes as the types of an instruction say: `u8.s8`, or `u8` for both."""
    left, _, right = types.partition(".")
    return a.view(_SIGNS[left]), b.view(_SIGNS[right or left])


def cut_to_tf32(x: Array) -> Array:
    """The unit reads no more than 10 bits of the fraction."""
    return (x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def rounded_to_tf32(x: Array) -> Array:
    """To 10 bits of the fraction, ties to even; the bits behind them are zero."""
    bits = x.view(np.uint32)
    rounded = bits + np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))
    return cut_to_tf32(np.where(np.isfinite(x), rounded, bits).astype(np.uint32).view(np.float32))


def _matrix(
    words: Sequence[Array], dtype: np.dtype[Any], shape: tuple[int, int], place: Callable[[int], Position]
) -> Array:
    found = np.zeros((len(words[0]), *shape), dtype)
    parts = np.stack([np.ascontiguousarray(w) for w in words], axis=-1).view(dtype)
    for i in range(parts.shape[-1]):
        found[:, *place(i)] = parts[..., i]
    return found


def spread_rows(rows: Array, transposed: bool) -> Array:
    """A matrix of 8 x 8 halves [warp, row, column] as `ldmatrix` deals it out: a word of two halves a lane."""
    matrix = rows.swapaxes(1, 2) if transposed else rows
    pairs = np.stack([matrix[:, _G, 2 * _T], matrix[:, _G, 2 * _T + 1]], axis=-1)
    return np.ascontiguousarray(pairs).view(np.int32)[..., 0]
