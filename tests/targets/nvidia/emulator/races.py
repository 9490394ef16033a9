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


NOTHING: Final = Bytes(*[np.zeros(0, np.int64)] * 4)
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
        found = self._contested()
        for first, last in _suspects(found):
            _check(found, range(first, last), masks)
        entries, self.entries = self.entries, []
        return entries

    def _contested(self) -> Bytes:
        """The accesses of words that several threads touch, and of which somebody writes."""
        if not any(e.access & Access.WRITE for e in self.entries):
            return NOTHING
        rows = _rows(self.entries)
        words, threads = rows.offsets >> _WORD, rows.actors
        many = int(words.max()) + 1
        last, shared, written = np.empty(many, np.int64), np.zeros(many, np.bool_), np.zeros(many, np.bool_)
        last[words] = threads
        shared[words[last[words] != threads]] = True
        written[words[rows.flags & Access.WRITE != 0]] = True
        return _by_byte(rows.those((shared & written)[words]))


_WORD: Final = 3
"""Words of 8 bytes: no access reaches into two."""
_FLAGS: Final = 8
"""How many numbers flags can be."""


@dataclass(slots=True)
class _Rows:
    """Accesses, one a thread, in the order of execution."""

    offsets: Array
    sizes: Array
    actors: Array
    flags: Array
    turns: Array

    def those(self, chosen: Array) -> _Rows:
        """Some of them."""
        columns = (self.offsets, self.sizes, self.actors, self.flags, self.turns)
        return _Rows(*(column[chosen] for column in columns))

    def bytes(self) -> tuple[Array, Array]:
        """Each byte's offset, and which row accesses it."""
        row = np.repeat(np.arange(len(self.sizes)), self.sizes)
        start = np.cumsum(self.sizes) - self.sizes
        return (self.offsets - start)[row] + np.arange(len(row)), row


def _rows(entries: list[Entry]) -> _Rows:
    counts = [len(e.threads) for e in entries]
    return _Rows(
        np.concatenate([e.offsets for e in entries]),
        np.repeat([e.size for e in entries], counts),
        np.concatenate([e.threads for e in entries]),
        np.repeat([int(e.access) for e in entries], counts),
        np.concatenate([e.turns for e in entries]),
    )


def _by_byte(rows: _Rows) -> Bytes:
    """The accesses sorted by byte, then in the order of execution."""
    offsets, row = rows.bytes()
    return _sorted(offsets, rows.actors[row], rows.flags[row], rows.turns[row])


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
        rows = _rows(entries)
        rows = rows.those(rows.offsets < self._end)
        offsets, row = rows.bytes()
        narrow = (rows.flags & Access.ATOMIC != 0) & (rows.flags & Access.DEVICE == 0)
        flags = np.where(narrow, rows.flags & ~int(Access.ATOMIC), rows.flags)[row]
        for kind in range(_FLAGS):
            those = offsets[flags == kind]
            touched = np.zeros(those.max(initial=-1) + 1, np.bool_)
            touched[those] = True
            found = np.flatnonzero(touched)
            actors = np.full(len(found), block)
            self._parts.append(Bytes(found, actors, np.full(len(found), kind), actors))

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
