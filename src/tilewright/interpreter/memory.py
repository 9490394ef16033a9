"""Memory as the interpreter sees it: flat buffers, and views of them by offset, extents and strides.

Offsets, extents and strides are integers, or arrays with one entry a work-item where a view differs between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.interpreter.errors import fail

Array = NDArray[Any]
Number = int | Array


@dataclass(eq=False, slots=True)
class Buffer:
    """Elements in a row. `written` tells which elements of local memory hold something; None: all do."""

    name: str
    data: Array
    written: Array | None = None
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """Element (i, ..) is `buffer.data[offset + sum i_k strides_k]`; a null memref has no buffer."""

    buffer: Buffer | None
    offset: Number
    shape: tuple[Number, ...]
    strides: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    """A memref that comes from different places by work-item: one view for each."""

    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class GroupValue:
    """A group: its elements as views, the offset already added; a null group has a null table of pointers."""

    name: str
    elements: tuple[View, ...]
    null: bool = False


def buffer_of(array: Array, name: str) -> Buffer:
    """The memory of a whole NumPy array, without copying it, from its first element on.

    Raises ValueError for strides that are negative or no whole elements, where anything is stepped along.
    """
    size = array.dtype.itemsize
    steps = [(n, s) for n, s in zip(array.shape, array.strides, strict=True) if n > 1] if array.size else []
    if any(s % size for _, s in steps):
        raise ValueError(f"{name}: strides are no multiples of the element size")
    if any(s < 0 for _, s in steps):
        raise ValueError(f"{name}: negative strides")
    span = 1 + sum((n - 1) * s // size for n, s in steps) if array.size else 0
    flat = np.lib.stride_tricks.as_strided(array, (span,), (size,), writeable=array.flags.writeable)
    return Buffer(name, flat, None, not array.flags.writeable)


def buffer_around(array: Array, name: str) -> tuple[Buffer, int]:
    """The memory of the array that this one is a part of, as elements, and the place of the first element in it."""
    own = buffer_of(array, name)
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    reach = [(n - 1) * s for n, s in zip(whole.shape, whole.strides, strict=True)] if whole.size else []
    low = int(whole.ctypes.data) + sum(r for r in reach if r < 0)
    high = int(whole.ctypes.data) + sum(r for r in reach if r > 0) + whole.dtype.itemsize
    size, first = array.dtype.itemsize, int(array.ctypes.data)
    before, behind = (first - low) // size, (high - first) // size
    start = np.lib.stride_tricks.as_strided(array, (before + 1,), (-size,))[before:]
    flat = np.lib.stride_tricks.as_strided(start, (before + behind,), (size,), writeable=not own.readonly)
    return Buffer(name, flat, None, own.readonly), before


@dataclass(slots=True)
class Shadow:
    """Who touched each element since the last synchronisation, to find races.

    Work-items (or iterations) are numbered from 0; -1 is nobody, -2 several, -3 only atomics.
    """

    writers: dict[int, tuple[Buffer, Array]] = field(default_factory=dict[int, tuple[Buffer, Array]])
    readers: dict[int, tuple[Buffer, Array]] = field(default_factory=dict[int, tuple[Buffer, Array]])

    def clear(self) -> None:
        """Everybody is synchronised."""
        self.writers.clear()
        self.readers.clear()

    @staticmethod
    def _of(table: dict[int, tuple[Buffer, Array]], buffer: Buffer) -> Array:
        found = table.get(id(buffer))
        if found is None:
            found = table[id(buffer)] = (buffer, np.full(buffer.data.shape, -1, np.int64))
        return found[1]

    def read(self, buffer: Buffer, at: Array, who: Array, where: Location, atomic: bool = False) -> None:
        """Record reads; an unsynchronised write by somebody else is an error."""
        writer = self._of(self.writers, buffer)[at]
        clash = (writer != -1) & (writer != who) & ~((writer == -3) & atomic)
        if clash.any():
            self._race(buffer, at[clash][0], "reads", "wrote", where)
        readers = self._of(self.readers, buffer)
        fresh = readers[at]
        readers[at] = np.where((fresh == -1) | (fresh == who), who, -2)
        # two of the same call may touch one element
        again = readers[at]
        readers[at[again != who]] = -2

    def write(self, buffer: Buffer, at: Array, who: Array, where: Location, atomic: bool = False) -> None:
        """Record writes; an unsynchronised access by somebody else is an error."""
        writers, readers = self._of(self.writers, buffer), self._of(self.readers, buffer)
        other = readers[at]
        if ((other != -1) & (other != who)).any():
            self._race(buffer, at[(other != -1) & (other != who)][0], "writes", "read", where)
        writer = writers[at]
        clash = (writer != -1) & (writer != who) & ~((writer == -3) & atomic)
        if clash.any():
            self._race(buffer, at[clash][0], "writes", "wrote", where)
        writers[at] = -3 if atomic else who
        if not atomic and (writers[at] != who).any():
            self._race(buffer, at[writers[at] != who][0], "writes", "writes", where)

    @staticmethod
    def _race(buffer: Buffer, element: object, does: str, did: str, where: Location) -> None:
        fail(
            "R020",
            where,
            f"race: a work-item {does} element {element} of {buffer.name} that another one {did} without a barrier "
            "between them",
        )
