"""Who touched which element since the last synchronisation: how checked runs find races."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.interpreter.memory import Buffer
from tilewright.ir.types import AddressSpace

Array = NDArray[Any]

_NOBODY: Final = np.iinfo(np.int64).min
_SEVERAL: Final = _NOBODY + 1


class Touch(IntEnum):
    """What is done to an element."""

    READ = 0
    WRITE = 1
    ATOMIC_READ = 2
    ATOMIC_WRITE = 3

    @staticmethod
    def of(write: bool, atomic: bool) -> Touch:
        """The touch of an access."""
        return Touch(write + 2 * atomic)

    @property
    def verb(self) -> str:
        """What the one who does it does."""
        return "writes" if self in (Touch.WRITE, Touch.ATOMIC_WRITE) else "reads"


_CLASHES: Final = {
    Touch.READ: (Touch.WRITE, Touch.ATOMIC_WRITE),
    Touch.WRITE: tuple(Touch),
    Touch.ATOMIC_READ: (Touch.WRITE,),
    Touch.ATOMIC_WRITE: (Touch.WRITE, Touch.READ),
}
"""What of somebody else each touch must not meet: one of the two writes, and not both are atomic."""

_DONE: Final = {"reads": "read", "writes": "wrote"}
_Memory = tuple[int, int, int]


class Shadow(Struct):
    """Who touched each element, in each way. `actors` says who that is, in messages, and what `orders` them.

    Actors are any numbers above the two least ones of 64 bits.
    """

    actors: str
    orders: str
    touched: dict[_Memory, tuple[Buffer, Array]] = field(default_factory=dict[_Memory, tuple[Buffer, Array]])

    def synchronise(self, spaces: Collection[AddressSpace]) -> None:
        """What was done to memory in these spaces comes before what follows."""
        self.touched = {key: kept for key, kept in self.touched.items() if kept[0].space not in spaces}

    def note(self, buffer: Buffer, at: Array, who: Array, touch: Touch, where: Location) -> None:
        """Record that elements are touched, each by the actor at the same place of `who`; a race is an error."""
        touched = self._of(buffer)
        for earlier in _CLASHES[touch]:
            other = touched[earlier, at]
            clash = (other != _NOBODY) & (other != who)
            if clash.any():
                self._race(buffer, at[clash][0], touch.verb, _DONE[earlier.verb], where)
        own = touched[touch]
        before = own[at]
        own[at] = np.where((before == _NOBODY) | (before == who), who, _SEVERAL)
        # Of several that touch one element at once only one was recorded.
        unrecorded = own[at] != who
        own[at[unrecorded]] = _SEVERAL
        if touch is Touch.WRITE and unrecorded.any():
            self._race(buffer, at[unrecorded][0], touch.verb, touch.verb, where)

    def _of(self, buffer: Buffer) -> Array:
        """Who touched the buffer's elements; arguments that are the same memory have the same elements."""
        data = buffer.data
        key = (int(data.ctypes.data), data.size, data.itemsize)
        if key not in self.touched:
            # The buffer is kept, so that its address is nobody else's.
            self.touched[key] = buffer, np.full((len(Touch), data.size), _NOBODY)
        return self.touched[key][1]

    def _race(self, buffer: Buffer, element: object, does: str, did: str, where: Location) -> None:
        message = f"race: {self.actors} {does} element {element} of {buffer.name} that another one {did}{self.orders}"
        fail("R020", where, message)


def among_work_items() -> Shadow:
    """Of the work-items of a work-group; barriers order them."""
    return Shadow("a work-item", " without a barrier between them that fences this memory")


def among_work_groups() -> Shadow:
    """Of the work-groups of a launch; nothing orders them."""
    return Shadow("a work-group", ", and only atomics may meet across work-groups")
