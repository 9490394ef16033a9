"""Accesses between two barriers, and which of them race.

Two accesses of a byte race if they are of different threads, one at least writes, not both are atomic, and no barrier
of a warp orders them. Between blocks of a launch nothing orders, and atomics of the scope of a block count as plain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag
from typing import Final, NamedTuple

import numpy as np

from .numbers import Array


class Access(IntFlag):
    """What an access is."""

    WRITE = 1
    ATOMIC = 2
    DEVICE = 4
    """Atomic for other blocks too."""


class RaceError(Exception):
    """Two threads access one byte without order."""


class Entry(NamedTuple):
    """One access of several threads at byte offsets; `turn` counts the warp barriers that each has passed."""

    threads: Array
    offsets: Array
    size: int
    access: Access
    turns: Array


@dataclass(slots=True)
class Bytes:
    """Accesses by byte, in the order of execution."""

    offsets: Array
    actors: Array
    flags: Array
    turns: Array


_WARP: Final = 32


@dataclass(slots=True)
class Epoch:
    """What the threads of a block accessed since the last barrier."""

    entries: list[Entry] = field(default_factory=list[Entry])

    def add(self, threads: Array, offsets: Array, size: int, access: Access, turns: Array) -> None:
        """Remember an access."""
        if len(offsets) != len(threads):
            offsets = np.broadcast_to(offsets, threads.shape)
        self.entries.append(Entry(threads, offsets, size, access, turns))

    def close(self, masks: Array) -> list[Entry]:
        """Look for races; what was accessed, and from here on nothing. `masks`: the lanes that each thread meets."""
        found = _by_byte(self._contested())
        for first, last in _suspects(found):
            _check(found, range(first, last), masks)
        entries, self.entries = self.entries, []
        return entries

    def _contested(self) -> list[Entry]:
        """The accesses of words that somebody writes."""
        written = [e.offsets >> _WORD for e in self.entries if e.access & Access.WRITE]
        if not written:
            return []
        words = np.unique(np.concatenate(written))
        found: list[Entry] = []
        for e in self.entries:
            place = np.searchsorted(words, e.offsets >> _WORD).clip(max=len(words) - 1)
            mine = words[place] == e.offsets >> _WORD
            if mine.any():
                found.append(Entry(e.threads[mine], e.offsets[mine], e.size, e.access, e.turns[mine]))
        return found


_WORD: Final = 3
"""Words of 8 bytes: no access reaches into two."""
_FLAGS: Final = 3
"""Bits that say what an access is."""


def _by_byte(entries: list[Entry]) -> Bytes:
    """The accesses sorted by byte, then in the order of execution."""
    if not entries:
        nothing = np.zeros(0, np.int64)
        return Bytes(nothing, nothing, nothing, nothing)
    sizes = [np.full(len(e.threads), e.size) for e in entries]
    size = np.concatenate(sizes)
    first = np.concatenate([e.offsets for e in entries])
    start = np.cumsum(size) - size
    offsets = np.repeat(first - start, size) + np.arange(int(size.sum()))
    flags = np.concatenate([np.full(len(e.threads), int(e.access)) for e in entries])
    columns = [np.concatenate([e.threads for e in entries]), flags, np.concatenate([e.turns for e in entries])]
    return _sorted(offsets, *(np.repeat(column, size) for column in columns))


def _sorted(offsets: Array, actors: Array, flags: Array, turns: Array | None = None) -> Bytes:
    order = np.argsort(offsets, kind="stable")
    return Bytes(offsets[order], actors[order], flags[order], (actors if turns is None else turns)[order])


def _suspects(found: Bytes) -> list[tuple[int, int]]:
    """The ranges of bytes that several touch, one of them writing, not all atomically."""
    if not len(found.offsets):
        return []
    starts = np.flatnonzero(np.diff(found.offsets, prepend=found.offsets[0] - 1))
    ends = np.append(starts[1:], len(found.offsets))
    several = np.minimum.reduceat(found.actors, starts) != np.maximum.reduceat(found.actors, starts)
    writes = np.bitwise_or.reduceat(found.flags & Access.WRITE, starts) != 0
    plain = np.bitwise_and.reduceat(found.flags & Access.ATOMIC, starts) == 0
    return [(int(starts[k]), int(ends[k])) for k in np.flatnonzero(several & writes & plain)]


def _check(found: Bytes, places: range, masks: Array) -> None:
    """Look at all pairs of one byte."""
    rows = [(int(found.actors[k]), int(found.flags[k]), int(found.turns[k])) for k in places]
    for number, (thread, flags, turn) in enumerate(rows):
        for other, other_flags, other_turn in rows[:number]:
            if thread == other or not (flags | other_flags) & Access.WRITE or flags & other_flags & Access.ATOMIC:
                continue
            same_warp = thread // _WARP == other // _WARP
            if same_warp and int(masks[thread]) >> other % _WARP & 1 and other_turn < turn:
                continue
            raise RaceError(f"threads {other} and {thread} race at byte {found.offsets[places[0]]}")


class Launched:
    """What the blocks of a launch accessed in memory that they share: that before the offset `end`."""

    def __init__(self, blocks: int, end: int) -> None:
        self._blocks, self._end = blocks, end
        self._parts: list[Bytes] = []

    def add(self, block: int, entries: list[Entry]) -> None:
        """Remember what a block did."""
        if self._blocks == 1 or not entries:
            return
        found = _by_byte(entries)
        narrow = (found.flags & Access.ATOMIC != 0) & (found.flags & Access.DEVICE == 0)
        flags = np.where(narrow, found.flags & ~int(Access.ATOMIC), found.flags)
        keys = np.unique((found.offsets << _FLAGS | flags)[found.offsets < self._end])
        actors = np.full(len(keys), block)
        self._parts.append(Bytes(keys >> _FLAGS, actors, keys & (1 << _FLAGS) - 1, actors))

    def close(self) -> None:
        """Raise RaceError if two blocks touch a byte that one of them writes."""
        if not self._parts:
            return
        found = _sorted(
            np.concatenate([part.offsets for part in self._parts]),
            np.concatenate([part.actors for part in self._parts]),
            np.concatenate([part.flags for part in self._parts]),
        )
        for first, last in _suspects(found):
            rows = range(first, last)
            for k in rows:
                for j in range(first, k):
                    both = int(found.flags[k]) & int(found.flags[j]) & Access.ATOMIC
                    writes = (int(found.flags[k]) | int(found.flags[j])) & Access.WRITE
                    if found.actors[k] != found.actors[j] and writes and not both:
                        blocks = f"blocks {found.actors[j]} and {found.actors[k]}"
                        raise RaceError(f"{blocks} race at byte {found.offsets[first]}")
