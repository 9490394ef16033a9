"""Memory as the interpreter sees it: flat buffers, and views of them by offset, extents and strides.

Offsets, extents and strides are integers, or arrays with one entry a work-item where a view differs between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.ir.types import AddressSpace
from tilewright.numerics.strided import strided

Array = NDArray[Any]
Number = int | Array


class Buffer(Struct, eq=False):
    """Elements in a row. `written` tells which elements of local memory hold something; None: all do."""

    name: str
    data: Array
    written: Array | None = None
    readonly: bool = False
    space: AddressSpace = AddressSpace.GLOBAL


class View(Struct, frozen=True):
    """Element (i, ..) is `buffer.data[offset + sum i_k strides_k]`; a null memref has no buffer."""

    buffer: Buffer | None
    offset: Number
    shape: tuple[Number, ...]
    strides: tuple[Number, ...]


class Arrival(Struct, frozen=True, eq=False):
    """Elements on their way into local memory, of the work-items that are `active`; each one's are in a `group`."""

    target: View
    indices: list[Array]
    values: Array
    active: Array
    group: Array
    location: Location


class Awaited(Struct, frozen=True, eq=False):
    """A box on its way into local memory, whose arrival a phase of a barrier waits for."""

    target: View
    place: tuple[int, ...]
    values: Array
    location: Location


class Leaving(Struct, frozen=True, eq=False):
    """A slab of local memory that a unit will copy to a box of a matrix; one of the work-item's groups of such."""

    slabs: View
    stage: int
    target: View
    place: tuple[int, ...]
    near: int
    item: int
    group: int
    location: Location


class Phase(Struct, eq=False):
    """A barrier that counts copies: how many arrivals each phase has, how many and how many bytes this one still lacks,
    how many have ended, and the copies that are on their way."""

    arrivals: int
    missing: int
    bytes: int = 0
    ended: int = 0
    copies: list[Awaited] = field(default_factory=list[Awaited])


class Forming(Struct, eq=False):
    """Sums on their way: of sums `before`, which may be so themselves, by adding products."""

    before: Array | Forming
    added: Callable[[Array], Array]

    def formed(self) -> Array:
        """With all products."""
        return self.added(self.before.formed() if isinstance(self.before, Forming) else self.before)

    def settle(self, pending: int) -> None:
        """Form all but the last `pending` products, at least one, now."""
        if not isinstance(self.before, Forming):
            return
        if pending > 1:
            self.before.settle(pending - 1)
        else:
            self.before = self.before.formed()


class Lanes(Struct, frozen=True):
    """A memref that comes from different places by work-item: one view for each."""

    views: tuple[View, ...]


class GroupValue(Struct, frozen=True):
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
    flat = strided(array, (span,), (size,), writeable=array.flags.writeable)
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
    start = strided(array, (before + 1,), (-size,))[before:]
    flat = strided(start, (before + behind,), (size,), writeable=not own.readonly)
    return Buffer(name, flat, None, own.readonly), before
