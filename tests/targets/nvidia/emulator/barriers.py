"""Barriers in shared memory that count copies (`mbarrier`), and copies of boxes that arrive when somebody waits."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from .matrices import rounded_to_tf32
from .memory import Memory
from .numbers import GARBAGE, Array
from .races import Access
from .text import EmulatorError

MAP: Final = struct.Struct("<4sQQQ5Q4QIII")
"""What stands for a map of matrices: a mark, address, bytes of an element, rank, extents, bytes from row to row and
from matrix to matrix, box, and whether elements are rounded to tf32."""
MARK: Final = b"tmap"
MAP_BYTES: Final = 128
LINES: Final = {128: 7, 64: 3, 32: 1}
PLACED: Final = 128
"""Bytes at multiples of which boxes begin that are not swizzled."""
"""Of boxes, by bytes: which bits of the number of eight lines of 128 bytes change those of 16 bytes in them."""


class _Copy(NamedTuple):
    """Bytes on their way to these offsets."""

    offsets: Array
    contents: Array


@dataclass(slots=True)
class Barrier:
    """How many arrivals a phase has, how many and how many bytes this one lacks, how many have ended."""

    arrivals: int
    missing: int
    bytes: int = 0
    ended: int = 0
    copies: list[_Copy] = field(default_factory=list[_Copy])


class Barriers:
    """The barriers of a block, by their offsets in memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._barriers: dict[int, Barrier] = {}

    def open(self, place: int, arrivals: int) -> None:
        """`mbarrier.init`."""
        if place in self._barriers:
            raise EmulatorError("a barrier is opened that is open")
        self._memory.offsets(np.array([place]), 8, 8, Access.WRITE)
        self._barriers[place] = Barrier(arrivals, arrivals)

    def close(self, place: int) -> None:
        """`mbarrier.inval`."""
        found = self._at(place)
        if found.copies or found.missing not in (0, found.arrivals):
            raise EmulatorError("a barrier is closed while somebody or something is on the way to it")
        del self._barriers[place]

    def expect(self, place: int, count: int) -> None:
        """`mbarrier.arrive.expect_tx`."""
        found = self._at(place)
        if not found.missing:
            raise EmulatorError("a thread arrives at a phase that has all its arrivals")
        found.missing -= 1
        found.bytes += count

    def ends(self, place: int, parity: int) -> bool:
        """Whether the phase of a parity has ended, for which copies arrive now."""
        found = self._at(place)
        if found.ended % 2 != parity:
            return True
        if found.missing or found.bytes:
            return False
        for copy in found.copies:
            self._memory.data[copy.offsets] = copy.contents
        found.copies, found.missing, found.ended = [], found.arrivals, found.ended + 1
        return True

    def copy(self, place: int, target: int, pointer: int, start: tuple[int, ...]) -> tuple[Array, Array]:
        """Begin to copy a box to shared memory at `target`; the offsets of bytes read, and of those written."""
        found = self._at(place)
        inside, addresses, line, rounds = box_of(self._memory, pointer, start)
        if target % (8 * line if line in LINES else PLACED):
            raise EmulatorError("a box is not copied to where lines that are swizzled together begin")
        read = addresses[inside]
        contents = np.zeros(inside.size, np.uint8)
        offsets = self._memory.offsets(read, 1, 1, Access.READ) if len(read) else read
        contents[inside] = self._memory.data[offsets]
        if rounds:
            contents = rounded_to_tf32(contents.view(np.float32)).view(np.uint8)
        written = self._memory.offsets(target + swizzled(inside.size, line), 1, 1, Access.WRITE)
        self._memory.data[written] = GARBAGE
        found.copies.append(_Copy(written, contents))
        found.bytes -= len(written)
        return offsets, written

    def _at(self, place: int) -> Barrier:
        found = self._barriers.get(place)
        if found is None:
            raise EmulatorError("there is no barrier at an address")
        return found


def swizzled(count: int, line: int) -> Array:
    """Where bytes of lines of so many bytes lie, which are swizzled if they are short."""
    byte = np.arange(count)
    return byte ^ (byte >> 7 & LINES.get(line, 0)) << 4


def box_of(memory: Memory, pointer: int, start: tuple[int, ...]) -> tuple[Array, Array, int, bool]:
    """Of each byte of a box of the map at an address whether it is in the matrix, and its address; bytes of a line, and
    whether f32 is rounded."""
    source = memory.offsets(np.array([pointer]), 1, 64, Access.READ)[0]
    mark, address, size, rank, *numbers, width, rows, rounds = MAP.unpack_from(
        memory.data[source : source + MAP_BYTES].tobytes()
    )
    extents, pitches = numbers[:rank], numbers[5 : 4 + rank]
    is_row = width * size in LINES or (width * size % PLACED == 0 and width <= 256)
    if mark != MARK or not is_row or rank != len(start):
        raise EmulatorError("no map of a matrix with boxes of 128, 64 or 32 bytes a row, or of whole lines")
    y, x, byte = np.indices((rows, width, size)).reshape(3, -1)
    place_of = [x + start[0], y + start[1], *(np.full_like(x, which) for which in start[2:])]
    inside = np.all([(i >= 0) & (i < extent) for i, extent in zip(place_of, extents, strict=True)], axis=0)
    distances = (i * pitch for i, pitch in zip(place_of, (size, *pitches), strict=True))
    return inside, address + sum(distances) + byte, width * size, bool(rounds)


def encoded(
    address: int,
    size: int,
    extents: Sequence[int],
    pitches: Sequence[int],
    box: tuple[int, int],
    rounds: bool = False,
) -> bytes:
    """What stands for the map of matrices of elements of `size` bytes."""
    rank = len(extents)
    unused = (0,) * (5 - rank)
    numbers = (*extents, *unused, *pitches, *unused)
    return MAP.pack(MARK, address, size, rank, *numbers, *box, rounds).ljust(MAP_BYTES, b"\0")
