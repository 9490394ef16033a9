"""What iterations that are run at once have touched: whether their order matters, and how to undo them."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.interpreter.memory import Buffer

Array = NDArray[Any]


class _Written(Struct, frozen=True):
    """What stood in elements of a buffer before they were written."""

    buffer: Buffer
    at: Array
    values: Array
    known: Array | None

    def undo(self) -> None:
        self.buffer.data[self.at] = self.values
        if self.buffer.written is not None:
            self.buffer.written[self.at] = self.known


class _Touched(Struct, frozen=True):
    """Elements of a size in bytes by their addresses, and the lane that touched each."""

    addresses: Array
    size: int
    lanes: Array
    write: bool

    def units(self, unit: int) -> tuple[Array, Array, Array]:
        """The same with an entry for each unit of an element: where, who, and whether to write."""
        count = self.size // unit
        where = (self.addresses[:, None] + np.arange(count) * unit).reshape(-1)
        return where, np.repeat(self.lanes, count), np.full(len(where), self.write)


class Trial(Struct):
    """Lanes that run in the place of iterations; `written` is undone, `touched` says whether it has to be."""

    touched: list[_Touched] = field(default_factory=list[_Touched])
    written: list[_Written] = field(default_factory=list[_Written])

    def note(self, buffer: Buffer, at: Array, lanes: Array, *, write: bool) -> None:
        """Say that lanes are about to touch elements: each that at its place of `at`, or all the only one there."""
        size = buffer.data.itemsize
        addresses = int(buffer.data.ctypes.data) + at.astype(np.int64) * size
        self.touched.append(_Touched(np.broadcast_to(addresses, lanes.shape), size, lanes, write))
        if write:
            known = None if buffer.written is None else buffer.written[at].copy()
            self.written.append(_Written(buffer, at, buffer.data[at].copy(), known))

    def undo(self) -> None:
        """Memory is what it was before."""
        for written in reversed(self.written):
            written.undo()

    @property
    def depends_on_order(self) -> bool:
        """Whether a lane has touched what another one wrote."""
        if not self.written:
            return False
        unit = int(np.gcd.reduce([one.size for one in self.touched]))
        unit = int(np.gcd.reduce([unit, *(np.gcd.reduce(one.addresses) for one in self.touched if len(one.lanes))]))
        where, lanes, writes = map(np.concatenate, zip(*(one.units(unit) for one in self.touched), strict=True))
        order = np.argsort(where)
        where, lanes, writes = where[order], lanes[order], writes[order]
        first = np.flatnonzero(np.concatenate([[True], where[1:] != where[:-1]]))
        several = np.minimum.reduceat(lanes, first) != np.maximum.reduceat(lanes, first)
        return bool((several & np.logical_or.reduceat(writes, first)).any())
