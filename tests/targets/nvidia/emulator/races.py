"""Accesses between two barriers, and which of them race.

Two accesses of a byte race if they are of different threads, one at least writes, not both are atomic, and no barrier
of a warp orders them. Between blocks of a launch a store that releases orders what came before its block's last
barrier with what comes behind the next barrier of a block that loads the same word and acquires; nothing else does, and
atomics of the scope of a block count as plain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from .numbers import Array


class Access:
    """What an access is, a sum of these: plain numbers, for a flag of `enum` takes as long as the rest of a load."""

    READ: Final = 0
    WRITE: Final = 1
    ATOMIC: Final = 2
    DEVICE: Final = 4
    """Atomic for other blocks too."""
    PRODUCT: Final = 8
    """By an instruction that has to be awaited."""
    RELEASE: Final = 16
    ACQUIRE: Final = 32
    """What came before goes along, and what follows finds it."""


class RaceError(Exception):
    """Two threads access one byte without order."""


class Entry(NamedTuple):
    """One access of several threads at byte offsets; `turns`: how many warp barriers each of the block has passed."""

    threads: Array
    offsets: Array
    size: int
    access: int
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


class Marks(NamedTuple):
    """What is noted of words of memory: who was last, whether several were there, and one of them wrote.

    One for all blocks of a device, left as it was between two barriers: arrays as large as memory take the system some
    time to give.
    """

    last: Array
    shared: Array
    contested: Array

    @classmethod
    def of(cls, size: int) -> Marks:
        """Of so many bytes, whatever they are."""
        words = -(-size // WORD_BYTES)
        return cls(np.empty(words, np.int16), np.empty(words, np.bool_), np.empty(words, np.bool_))


@dataclass(slots=True)
class Epoch:
    """What the threads of a block accessed since the last barrier."""

    marks: Marks
    entries: list[Entry] = field(default_factory=list[Entry])

    def add(self, threads: Array, offsets: Array, size: int, access: int, turns: Array) -> None:
        """Remember an access."""
        if len(offsets) != len(threads):
            offsets = offsets.repeat(len(threads))
        self.entries.append(Entry(threads, offsets, size, access, turns))

    def touches(self, offsets: Array, known: Array | None = None) -> bool:
        """Whether somebody has accessed one of these bytes since the last barrier, products not counted, nor reads that
        are `known` to be over: of each thread those before a turn."""
        low, high = int(offsets.min()), int(offsets.max()) + 1
        wanted = np.zeros(high - low, np.bool_)
        wanted[offsets - low] = True
        for entry in self.entries:
            if entry.access & Access.PRODUCT:
                continue
            here = (entry.offsets > low - entry.size) & (entry.offsets < high)
            if known is not None and entry.access == Access.READ:
                here &= known[entry.threads] <= entry.turns[entry.threads]
            near = entry.offsets[here] - low
            places = (near[:, None] + np.arange(entry.size)).reshape(-1)
            if wanted[places[(places >= 0) & (places < high - low)]].any():
                return True
        return False

    def close(self, masks: Array) -> list[Entry]:
        """Look for races; what was accessed, and from here on nothing. `masks`: the lanes that each thread meets."""
        found = self._contested()
        _check(found, _suspects(found), masks)
        entries, self.entries = self.entries, []
        return entries

    def _contested(self) -> Bytes:
        """The accesses of words that several threads touch, and of which somebody writes."""
        written = [e.offsets for e in self.entries if e.access & Access.WRITE]
        if not written:
            return NOTHING
        words = np.concatenate([e.offsets for e in self.entries]) >> _WORD
        threads = np.concatenate([e.threads for e in self.entries])
        last, shared, contested = self.marks
        last[words], shared[words], contested[words] = threads, False, False
        shared[words[last[words] != threads]] = True
        written = np.concatenate(written) >> _WORD
        contested[written] = shared[written]
        return _by_byte(_rows(self.entries, np.flatnonzero(contested[words])))


_WORD: Final = 3
"""Words of 8 bytes: no access reaches into two."""
WORD_BYTES: Final = 1 << _WORD


@dataclass(slots=True)
class _Rows:
    """Accesses, one a thread, in the order of execution."""

    offsets: Array
    sizes: Array
    actors: Array
    flags: Array
    turns: Array

    def bytes(self, step: int = 1) -> tuple[Array, Array]:
        """Each byte's offset, and which row accesses it; of each `step` bytes only the first."""
        counts = self.sizes // step
        row = np.repeat(np.arange(len(counts)), counts)
        start = np.cumsum(counts) - counts
        return self.offsets[row] + step * (np.arange(len(row)) - start[row]), row


def _rows(entries: list[Entry], chosen: Array) -> _Rows:
    """Some of the accesses of each thread."""
    entry = np.repeat(np.arange(len(entries)), [len(e.threads) for e in entries])[chosen]
    actors = np.concatenate([e.threads for e in entries])[chosen]
    tables = {id(e.turns): e.turns for e in entries}
    numbers = {key: number for number, key in enumerate(tables)}
    turns = np.array([numbers[id(e.turns)] for e in entries])[entry]
    return _Rows(
        np.concatenate([e.offsets for e in entries])[chosen],
        np.array([e.size for e in entries])[entry],
        actors,
        np.array([e.access for e in entries])[entry],
        np.stack([*tables.values()])[turns, actors],
    )


def _by_byte(rows: _Rows) -> Bytes:
    """The accesses sorted by byte, then in the order of execution; one for those bytes that all access together."""
    offsets, row = rows.bytes(int(rows.sizes.min(initial=WORD_BYTES)))
    return _sorted(offsets, rows.actors[row], rows.flags[row], rows.turns[row])


def _sorted(offsets: Array, actors: Array, flags: Array, turns: Array | None = None) -> Bytes:
    order = np.argsort(offsets, kind="stable")
    return Bytes(offsets[order], actors[order], flags[order], (actors if turns is None else turns)[order])


def _suspects(found: Bytes) -> tuple[Array, Array]:
    """Where the ranges of bytes begin and end that several touch, one of them writing, not all atomically."""
    if not len(found.offsets):
        return _NO_RANGES
    starts = np.flatnonzero(np.diff(found.offsets, prepend=found.offsets[0] - 1))
    ends = np.append(starts[1:], len(found.offsets))
    several = np.minimum.reduceat(found.actors, starts) != np.maximum.reduceat(found.actors, starts)
    writes = np.bitwise_or.reduceat(found.flags & Access.WRITE, starts) != 0
    plain = np.bitwise_and.reduceat(found.flags & Access.ATOMIC, starts) == 0
    chosen = several & writes & plain
    return starts[chosen], ends[chosen]


_NO_RANGES: Final = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def _check(found: Bytes, suspects: tuple[Array, Array], masks: Array) -> None:
    """Look at all pairs of accesses of one byte."""
    starts, ends = suspects
    if not len(starts):
        return
    counts = ends - starts
    first = starts.repeat(counts)
    places = first + np.arange(len(first)) - (counts.cumsum() - counts).repeat(counts)
    races = list[tuple[int, int]]()
    for distance in range(1, int(counts.max())):
        behind = places - distance >= first
        first, places = first[behind], places[behind]
        races += _racing(found, places - distance, places, masks)
    if races:
        later, earlier = min(races)
        raise RaceError(
            f"threads {found.actors[earlier]} and {found.actors[later]} race at byte {found.offsets[later]}"
        )


def _racing(found: Bytes, earlier: Array, later: Array, masks: Array) -> Iterable[tuple[int, int]]:
    """Which of these pairs race, the later access first."""
    other, thread = found.actors[earlier], found.actors[later]
    before, flags = found.flags[earlier], found.flags[later]
    ordered = (thread // _WARP == other // _WARP) & (masks[thread] >> other % _WARP & 1 != 0)
    ordered &= found.turns[earlier] < found.turns[later]
    harmless = ((flags | before) & Access.WRITE == 0) | (flags & before & Access.ATOMIC != 0)
    race = (thread != other) & ~harmless & ~ordered
    return zip(later[race].tolist(), earlier[race].tolist(), strict=True)


class Launched:
    """What the blocks of a launch accessed in memory that they share: that before the offset `end`."""

    def __init__(self, blocks: int, end: int) -> None:
        self._blocks = blocks
        self._touched = np.zeros(end, np.bool_)
        self._parts: list[Bytes] = []
        self._epochs = np.zeros(blocks, np.int64)
        self._released: dict[int, tuple[int, int]] = {}
        self._edges: list[tuple[int, int, int, int]] = []
        """A block's epochs before that of a number come before those behind one of another block."""
        self._before: dict[int, tuple[int, Any]] = {}
        self._asked = defaultdict[int, set[tuple[int, int]]](set)

    def release(self, block: int, offsets: Array, before: Array) -> None:
        """Remember what lay where a block releases something."""
        if self._blocks > 1:
            self._before |= zip(offsets.tolist(), ((block, number) for number in before), strict=True)

    def comes_early(self, block: int, threads: Array, offsets: Array) -> bool:
        """Whether a thread of a block asks for the first time for a word that another block has released.

        Blocks run one after the other here, beside each other on a device: who has to wait for a release must be ready
        to find what was there before, and ask again.
        """
        pairs = zip(np.broadcast_to(offsets, threads.shape).tolist(), threads.tolist(), strict=True)
        asked = {each for each in pairs if self._before.get(each[0], (block,))[0] != block} - self._asked[block]
        self._asked[block] |= asked
        return bool(asked)

    def before(self, offsets: Array, found: Array) -> Array:
        """What lay in words before they were released, of what lies there now."""
        pairs = zip(offsets.tolist(), found, strict=True)
        return np.array([self._before.get(place, (0, number))[1] for place, number in pairs], found.dtype)

    def add(self, block: int, entries: list[Entry]) -> None:
        """Remember what a block did between two barriers."""
        if self._blocks == 1 or not entries:
            return
        epoch = int(self._epochs[block])
        self._epochs[block] += 1
        for e in entries:
            if e.access & Access.RELEASE:
                self._released |= dict.fromkeys(e.offsets.tolist(), (block, epoch))
            elif e.access & Access.ACQUIRE:
                before = {self._released[place] for place in e.offsets.tolist() if place in self._released}
                self._edges += [(*each, block, epoch) for each in before]
        offsets = defaultdict[int, defaultdict[int, list[Array]]](lambda: defaultdict(list))
        for e in entries:
            narrow = e.access & Access.ATOMIC and not e.access & Access.DEVICE
            kind = e.access & ~(Access.RELEASE | Access.ACQUIRE)
            offsets[kind & ~Access.ATOMIC if narrow else kind][e.size].append(e.offsets)
        for kind, by_size in offsets.items():
            touched, end = self._touched, 0
            for size, parts in by_size.items():
                those = np.concatenate(parts)
                those = those[those < len(touched)]
                end = max(end, int(those.max(initial=-size)) + size)
                for k in range(size):
                    touched[those + k] = True
            found = np.flatnonzero(touched[:end])
            touched[found] = False
            actors = np.full(len(found), block)
            self._parts.append(Bytes(found, actors, np.full(len(found), kind), np.full(len(found), epoch)))

    def close(self) -> None:
        """Raise RaceError if two blocks touch a byte that one of them writes."""
        if not self._parts:
            return
        found = _sorted(
            np.concatenate([part.offsets for part in self._parts]),
            np.concatenate([part.actors for part in self._parts]),
            np.concatenate([part.flags for part in self._parts]),
            np.concatenate([part.turns for part in self._parts]),
        )
        for first, last in zip(*(each.tolist() for each in _suspects(found)), strict=True):
            rows = range(first, last)
            for k in rows:
                for j in range(first, k):
                    both = int(found.flags[k]) & int(found.flags[j]) & Access.ATOMIC
                    writes = (int(found.flags[k]) | int(found.flags[j])) & Access.WRITE
                    if found.actors[k] != found.actors[j] and writes and not both and not self._is_ordered(found, j, k):
                        blocks = f"blocks {found.actors[j]} and {found.actors[k]}"
                        raise RaceError(f"{blocks} race at byte {found.offsets[first]}")

    def _is_ordered(self, found: Bytes, one: int, other: int) -> bool:
        """Whether one of two accesses comes before the other one."""
        places = [(found.actors[k], found.turns[k]) for k in (one, other)]
        return any(
            a == first and at < end and b == second and to > begin
            for (a, at), (b, to) in (places, places[::-1])
            for first, end, second, begin in self._edges
        )
