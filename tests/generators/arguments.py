"""Arguments of generated kernels: element types, extents, arrays in memory whose other bytes are guarded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from tilewright.runtime.groups import ArrayGroup

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
Array: TypeAlias = NDArray[np.generic]
Argument: TypeAlias = Array | np.generic | bool | list[Array | None] | ArrayGroup | None
"""An array, a number, the arrays of a group, those in front of a group's by an offset, or a null pointer."""
Grid: TypeAlias = tuple[int, int, int]

CANARY: Final = 0xC5
"""Every byte around an array and in its gaps."""
MARGIN: Final = 256
"""As many bytes on either side at least."""
_LINE: Final = 128
"""Copies lie alike with regard to so many bytes."""


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
    """A kernel `k` with its arguments in order.

    `exact`: no rounding depends on the order of operations; `signs`: no zero does. `races`: work-items do.
    """

    text: str
    arguments: list[Argument]
    exact: bool
    signs: bool = True
    grid: Grid = (1, 1, 1)
    races: bool = False

    def copy_arguments(self) -> list[Argument]:
        """Fresh copies with the same strides, each in guarded memory of its own."""
        return [copied(a) for a in self.arguments]


def copied(argument: Argument) -> Argument:
    """A copy of which nobody keeps what a kernel writes."""
    if isinstance(argument, list):
        return [None if a is None else fresh(a) for a in argument]
    if isinstance(argument, ArrayGroup):
        return ArrayGroup([None if a is None else fresh(a) for a in members(argument)], argument.offset)
    return fresh(argument) if isinstance(argument, np.ndarray) else argument


def arrays(arguments: Sequence[Argument]) -> Iterator[tuple[str, Array]]:
    """Every array among arguments, those of groups too, and what it is called."""
    for number, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            yield f"argument {number}", argument
        elif isinstance(argument, list | ArrayGroup):
            found = enumerate(elements(argument))
            yield from ((f"element {k} of argument {number}", a) for k, a in found if a is not None)


def members(group: ArrayGroup) -> list[Array | None]:
    """The arrays that are passed."""
    return cast("list[Array | None]", group.arrays)


def elements(group: list[Array | None] | ArrayGroup) -> list[Array | None]:
    """The arrays of a group as the kernel sees them: behind its offset."""
    if isinstance(group, list):
        return group
    return [None if a is None else displaced(a, group.offset) for a in members(group)]


def displaced(array: Array, offset: int) -> Array:
    """An array of the same layout so many elements further on in the same guarded memory."""
    start = _start(array) + offset * array.dtype.itemsize
    return np.ndarray(array.shape, array.dtype, _memory(array), start, array.strides)


def place(values: Array, strides: Sequence[int], alignment: int) -> Array:
    """The values at a multiple of `alignment` bytes, and of no larger power of two; strides are in elements."""
    size = values.dtype.itemsize
    reach = sum((n - 1) * s for n, s in zip(values.shape, strides, strict=True)) + 1 if values.size else 0
    whole = _guarded(reach * size + 2 * MARGIN + 4 * _LINE)
    start = -(int(whole.ctypes.data) + MARGIN) % (2 * alignment) + alignment + MARGIN
    array = np.ndarray(values.shape, values.dtype, whole, start, [s * size for s in strides])
    array[...] = values
    return array


def fresh(array: Array) -> Array:
    """A copy with the same strides, in guarded memory if the array is."""
    return copy(array) if isinstance(array.base, np.ndarray) else array.copy(order="K")


def guarded(array: Array) -> Array:
    """A packed copy in guarded memory, at the beginning of a cache line."""
    size = array.dtype.itemsize
    return place(array, [s // size for s in np.empty_like(array, order="C").strides], _LINE)


def copy(array: Array) -> Array:
    """The same in other guarded memory, its first element at the same distance from a cache line."""
    whole = _memory(array)
    kept = _guarded(whole.size + _LINE)
    shift = int(whole.ctypes.data - kept.ctypes.data) % _LINE
    kept[shift : shift + whole.size] = whole
    return np.ndarray(array.shape, array.dtype, kept, shift + _start(array), array.strides)


def spilled(array: Array) -> int:
    """How many bytes around an array and in its gaps are not what they were."""
    rest = _memory(array).copy()
    elements = (*array.shape, array.dtype.itemsize)
    np.ndarray(elements, np.uint8, rest, _start(array), (*array.strides, 1))[...] = CANARY
    return int(np.count_nonzero(rest != CANARY))


def _guarded(size: int) -> NDArray[np.uint8]:
    return np.full(size, CANARY, np.uint8)


def _memory(array: Array) -> NDArray[np.uint8]:
    assert isinstance(array.base, np.ndarray), "it lies in guarded memory"
    return array.base


def _start(array: Array) -> int:
    return int(array.ctypes.data - _memory(array).ctypes.data)
