"""Who touched which element since the last synchronisation: how checked runs find races."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from enum import IntEnum
from math import gcd
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


class _Stretch(Struct, eq=False):
    """Who touched each unit of memory from an address on, in each way; `kept` keeps that memory from being reused."""

    start: int
    unit: int
    touched: Array
    kept: tuple[Buffer, ...]

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.start + self.unit * self.touched.shape[1]

    def holds(self, start: int, end: int, unit: int) -> bool:
        """Whether elements of a buffer are whole units of it."""
        return self.start <= start and end <= self.end and unit % self.unit == (start - self.start) % self.unit == 0


def _start(stretch: _Stretch) -> int:
    return stretch.start


def _stretch(buffer: Buffer, found: Sequence[_Stretch]) -> _Stretch:
    """One in place of others, and for a buffer, that share bytes with each other."""
    data = buffer.data
    address = int(data.ctypes.data)
    start = min([address, *(s.start for s in found)])
    end = max([address + data.nbytes, *(s.end for s in found)])
    unit = gcd(data.itemsize, address - start, *(s.unit for s in found), *(s.start - start for s in found))
    touched = np.full((len(Touch), (end - start) // unit), _NOBODY)
    for each in found:
        units = np.repeat(each.touched, each.unit // unit, axis=1)
        first = (each.start - start) // unit
        touched[:, first : first + units.shape[1]] = units
    return _Stretch(start, unit, touched, (buffer, *(b for s in found for b in s.kept)))


class Shadow(Struct):
    """Who touched each element, in each way. `actors` says who that is, in messages, and what `orders` them.

    Actors are any numbers above the two least ones of 64 bits. Memory is told apart by its addresses, so that arguments
    may lie on each other; `stretches` are in their order.
    """

    actors: str
    orders: str
    stretches: list[_Stretch] = field(default_factory=list[_Stretch])

    def synchronise(self, spaces: Collection[AddressSpace]) -> None:
        """What was done to memory in these spaces comes before what follows."""
        self.stretches = [found for found in self.stretches if found.kept[0].space not in spaces]

    def hand_over(self, buffer: Buffer, at: Array, actor: int) -> None:
        """What an actor has done to elements comes before what follows."""
        stretch = self._of(buffer)
        units = buffer.data.itemsize // stretch.unit
        first = (int(buffer.data.ctypes.data) - stretch.start) // stretch.unit
        for unit in range(units):
            places = at * units + unit + first
            found = stretch.touched[:, places]
            stretch.touched[:, places] = np.where(found == actor, _NOBODY, found)

    def note(self, buffer: Buffer, at: Array, who: Array, touch: Touch, where: Location) -> None:
        """Record that elements are touched, each by the actor at the same place of `who`; a race is an error."""
        stretch = self._of(buffer)
        units = buffer.data.itemsize // stretch.unit
        first = (int(buffer.data.ctypes.data) - stretch.start) // stretch.unit
        if units > 1:
            at = ((at * units)[..., None] + np.arange(units)).ravel()
            who = np.repeat(who, units)
        at, touched = at + first, stretch.touched
        for earlier in _CLASHES[touch]:
            other = touched[earlier, at]
            clash = (other != _NOBODY) & (other != who)
            if clash.any():
                element = (at[clash][0] - first) // units
                self._race(buffer, element, touch.verb, _DONE[earlier.verb], where)
        own = touched[touch]
        before = own[at]
        own[at] = np.where((before == _NOBODY) | (before == who), who, _SEVERAL)
        # Of several that touch one element at once only one was recorded.
        unrecorded = own[at] != who
        own[at[unrecorded]] = _SEVERAL
        if touch is Touch.WRITE and unrecorded.any():
            self._race(buffer, (at[unrecorded][0] - first) // units, touch.verb, touch.verb, where)

    def _of(self, buffer: Buffer) -> _Stretch:
        """Where the touches of a buffer's elements are recorded."""
        start, size = int(buffer.data.ctypes.data), buffer.data.itemsize
        end = start + buffer.data.nbytes
        first = behind = bisect_right(self.stretches, start, key=_start)
        if first and self.stretches[first - 1].end > start:
            first -= 1
        while behind < len(self.stretches) and self.stretches[behind].start < end:
            behind += 1
        common = self.stretches[first:behind]
        if len(common) != 1 or not common[0].holds(start, end, size):
            self.stretches[first:behind] = [_stretch(buffer, common)]
        return self.stretches[first]

    def _race(self, buffer: Buffer, element: object, does: str, did: str, where: Location) -> None:
        message = f"race: {self.actors} {does} element {element} of {buffer.name} that another one {did}{self.orders}"
        fail("R020", where, message)


def among_work_items() -> Shadow:
    """Of the work-items of a work-group; barriers order them."""
    return Shadow("a work-item", " without a barrier between them that fences this memory")


def among_work_groups() -> Shadow:
    """Of the work-groups of a launch; nothing orders them."""
    return Shadow("a work-group", ", and only atomics may meet across work-groups")
