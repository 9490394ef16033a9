"""Boxes that are stored from shared memory, as late as they may be: when the thread that asked awaits their group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .barriers import box_of, swizzled
from .groups import Unshown
from .memory import WINDOW, Memory
from .numbers import Array
from .races import Access, Epoch
from .text import EmulatorError


class _Leaving(NamedTuple):
    """Bytes of shared memory, and where they will be; one of the thread's groups."""

    thread: int
    group: int
    source: Array
    target: Array


class Stores:
    """The boxes of a block that have not been stored."""

    def __init__(self, memory: Memory, threads: int) -> None:
        self._memory = memory
        self._committed = np.zeros(threads, np.int64)
        self._leaving: list[_Leaving] = []

    def begin(self, epoch: Epoch, unshown: Unshown, thread: int, place: tuple[int, ...], turns: Array) -> None:
        """Ask for a slab at an address to be stored to a box of the map at another one, from these positions on."""
        slab, pointer, *start = place
        inside, addresses, line, _ = box_of(self._memory, pointer, tuple(start))
        if slab % (8 * line):
            raise EmulatorError("a slab does not begin where lines that are swizzled together do")
        offsets = self._memory.offsets((slab + swizzled(inside.size, line))[inside], 1, 1, Access.READ)
        unshown.check(offsets - WINDOW, 1)
        epoch.add(np.full(len(offsets), thread), offsets, 1, Access.READ, turns)
        target = addresses[inside]
        group = int(self._committed[thread])
        self._leaving.append(_Leaving(thread, group, offsets, target))

    def commit(self, threads: Array) -> None:
        """What each began since the last time is a group."""
        self._committed[threads] += 1

    def wait(self, epoch: Epoch, threads: Array, pending: int, turns: Array) -> None:
        """Store all groups of these threads but the last `pending`."""
        waits, left = set(threads.tolist()), list[_Leaving]()
        for found in self._leaving:
            if found.thread in waits and found.group < self._committed[found.thread] - pending:
                if len(found.target):
                    target = self._memory.offsets(found.target, 1, 1, Access.WRITE)
                    epoch.add(np.full(len(target), found.thread), target, 1, Access.WRITE, turns)
                    self._memory.data[target] = self._memory.data[found.source]
            else:
                left.append(found)
        self._leaving = left
