"""Memory of a device: one array of bytes, in which each space has its place; nothing else may be touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .numbers import GARBAGE, Array
from .races import Access, Marks
from .text import EmulatorError

WINDOW: Final = 1 << 26
"""Where shared memory lies: behind everything else."""
SIZE: Final = WINDOW + (1 << 18)
BASE: Final = 1 << 16
"""Address of the first byte; what lies below is never valid, as null."""
SHARED: Final = BASE + WINDOW
"""The generic address of the first byte of shared memory."""
GAP: Final = 64
ALIGNMENT: Final = 256
READABLE: Final = 1
WRITABLE: Final = 2


class MemoryFault(EmulatorError):
    """An access outside of memory, unaligned, or a write to a constant."""


class Buffer:
    """A piece of memory."""

    def __init__(self, memory: Memory, offset: int, size: int) -> None:
        self._memory = memory
        self.offset, self.size = offset, size

    @property
    def address(self) -> int:
        """The generic address of the first byte."""
        return BASE + self.offset

    def write(self, data: bytes | bytearray, offset: int = 0) -> None:
        """Copy bytes in."""
        start = self.offset + offset
        self._memory.data[start : start + len(data)] = np.frombuffer(data, np.uint8)

    def read(self, size: int | None = None, offset: int = 0) -> bytes:
        """Copy bytes out."""
        start = self.offset + offset
        return self._memory.data[start : start + (self.size - offset if size is None else size)].tobytes()


@dataclass(slots=True, eq=False)
class Window:
    """Shared memory of a block while it is not in its place, and what may be done with its bytes."""

    data: Array
    rights: Array


class Memory:
    """Allocations in a row with gaps between them, filled with garbage."""

    def __init__(self) -> None:
        self.data: Array = np.zeros(SIZE, np.uint8)
        self._rights: Array = np.zeros(SIZE + 1, np.uint8)
        """What may be done with each byte; nothing with those in front of the first and behind the last."""
        self._views: dict[np.dtype[Any], Array] = {}
        self.marks = Marks.of(SIZE)
        """For the blocks that look for races, one after the other."""
        self._top = GAP
        self._mapped = Window(self.data[:0], self._rights[:0])

    def allocate(self, size: int, rights: int = READABLE | WRITABLE) -> Buffer:
        """Fresh memory."""
        start = -(-self._top // ALIGNMENT) * ALIGNMENT
        self._top = start + size + GAP
        if self._top > WINDOW:
            raise EmulatorError(f"{size} bytes do not fit in the emulator's {WINDOW}")
        self._rights[start : start + size] = rights
        self.data[start : start + size] = GARBAGE
        return Buffer(self, start, size)

    def share(self, size: int) -> Window:
        """Fresh shared memory of a block, in place of the last one's."""
        self._rights[WINDOW:] = 0
        self._rights[WINDOW : WINDOW + size] = READABLE | WRITABLE
        self.data[WINDOW : WINDOW + size] = GARBAGE
        self._mapped = Window(self.data[:0], self._rights[:0])
        return self._mapped

    def aside(self, size: int) -> Window:
        """Shared memory of one more block, which is not in its place."""
        data, rights = np.zeros(SIZE - WINDOW, np.uint8), np.zeros(SIZE + 1 - WINDOW, np.uint8)
        data[:size], rights[:size] = GARBAGE, READABLE | WRITABLE
        return Window(data, rights)

    def map(self, window: Window) -> Window:
        """Let a block's shared memory be in its place; the one that was there before."""
        before = self._mapped
        if window is not before:
            before.data, before.rights = self.data[WINDOW:].copy(), self._rights[WINDOW:].copy()
            self.data[WINDOW:], self._rights[WINDOW:] = window.data, window.rights
            self._mapped = window
        return before

    def offsets(self, addresses: Array, size: int, align: int, access: int) -> Array:
        """Where generic addresses lie. Raises MemoryFault unless all of `size` bytes may be accessed so."""
        align = max(align, size)
        offsets = addresses - BASE
        if np.bitwise_or.reduce(offsets) & (align - 1):
            raise MemoryFault(f"an address is not aligned to {align} bytes")
        # Allocations are aligned too: where the last byte lies in one, the first does.
        # Small elements are swapped with the word around them; memory of a device ends with whole words.
        there = offsets if access & Access.ATOMIC else offsets + (size - 1)
        right = WRITABLE if access & Access.WRITE else READABLE
        if not np.bitwise_and.reduce(self._rights.take(there, mode="clip")) & right:
            what = ("reading", "writing")[access & Access.WRITE] + " atomically" * bool(access & Access.ATOMIC)
            raise MemoryFault(f"{what} {size} bytes outside of memory that allows it")
        return offsets

    def view(self, dtype: np.dtype[Any]) -> Array:
        """All memory as numbers of a type."""
        if dtype not in self._views:
            self._views[dtype] = self.data.view(dtype)
        return self._views[dtype]
