"""Arguments of generated kernels: element types, extents, arrays with or without gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SMALLER = {  # types that may be promoted to the key, other than itself
    "i16": ["i8"],
    "i32": ["i8", "i16"],
    "i64": ["i8", "i32"],
    "bf16": ["i8"],
    "f16": ["i8"],
    "f32": ["bf16", "f16", "i8"],
    "f64": ["f32", "i32"],
    "c32": ["f32"],
    "c64": ["f64", "c32"],
}
Array = NDArray[np.generic]
Argument = Array | np.generic


@dataclass(frozen=True, slots=True)
class Dim:
    """An extent: its value, and whether types spell it or leave it to the launch."""

    size: int
    static: bool

    def __str__(self) -> str:
        return str(self.size) if self.static else "?"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A memref that instructions may use."""

    name: str
    dtype: str
    dims: tuple[Dim, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """A kernel `k` for one work-group, with its arguments in order."""

    text: str
    arguments: list[Argument]
    exact: bool

    def copy_arguments(self) -> list[Argument]:
        """Fresh copies, strides kept."""
        return [copy(a) for a in self.arguments]


def copy(argument: Argument) -> Argument:
    """A copy with the same strides."""
    if not isinstance(argument, np.ndarray) or argument.ndim == 0:
        return argument.copy()
    base = np.empty(argument.shape[::-1], argument.dtype).transpose()
    if base.strides != argument.strides:
        base = padded(argument.shape, argument.dtype)
    base[...] = argument
    return base


def padded(shape: Sequence[int], dtype: np.dtype[np.generic]) -> Array:
    """A column-major array with gaps between its columns."""
    whole = np.zeros([s + 3 for s in reversed(shape)], dtype).transpose()
    return whole[tuple(slice(0, s) for s in shape)]
