"""Asynchronous copies from global to shared memory: begun, put into groups, awaited by the thread that began them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .memory import Memory
from .numbers import GARBAGE, Array
from .races import Access, Epoch


class _Begun(NamedTuple):
    """Copies that several threads began with one instruction; `groups` is the number of each one's group."""

    threads: Array
    targets: Array
    contents: Array
    groups: Array


class Copies:
    """The copies of a block that have not ended. What is on its way is garbage where it will arrive."""

    def __init__(self, memory: Memory, threads: int) -> None:
        self._memory = memory
        self._committed = np.zeros(threads, np.int64)
        self._begun: list[_Begun] = []

    def begin(
        self, epoch: Epoch, threads: Array, places: tuple[Array, Array], size: int, given: Array, turns: Array
    ) -> None:
        """Read `given` bytes of the source now; the target, of `size`, is written from now on until somebody waits."""
        target, source = places
        contents = np.zeros((len(threads), size), np.uint8)
        word = min(size, 8)
        row, byte = np.nonzero(np.arange(size) < given[:, None])
        if len(row):
            self._memory.offsets(source[given > 0], 1, size, Access.READ)
            offsets = self._memory.offsets(source[row] + byte, 1, 1, Access.READ)
            contents[row, byte] = self._memory.data[offsets]
            # Bytes that are read as whole words are remembered so.
            whole = given[row] == size
            for which, step in ((whole & (byte % word == 0), word), (~whole, 1)):
                who = threads[row[which]]
                epoch.add(who, offsets[which], step, Access.READ, turns)
        targets = self._memory.offsets(target, 1, size, Access.WRITE)
        for k in range(0, size, word):
            epoch.add(threads, targets + k, word, Access.WRITE, turns)
        self._memory.data[targets[:, None] + np.arange(size)] = GARBAGE
        self._begun.append(_Begun(threads, targets, contents, self._committed[threads]))

    def commit(self, threads: Array) -> None:
        """What each began since the last time is a group."""
        self._committed[threads] += 1

    def wait(self, epoch: Epoch, threads: Array, pending: int, turns: Array) -> list[tuple[Array, Array, int]]:
        """End all groups of these threads but the last `pending`; who has written where how many bytes by that."""
        waits = np.zeros(len(self._committed), np.bool_)
        waits[threads] = True
        left, arrived = list[_Begun](), list[tuple[Array, Array, int]]()
        for begun in self._begun:
            ended = waits[begun.threads] & (begun.groups < self._committed[begun.threads] - pending)
            size = begun.contents.shape[1]
            targets, who = begun.targets[ended], begun.threads[ended]
            if len(who):
                arrived.append((who, targets, size))
                self._memory.data[targets[:, None] + np.arange(size)] = begun.contents[ended]
                for k in range(0, size, min(size, 8)):
                    epoch.add(who, targets + k, min(size, 8), Access.WRITE, turns)
            if not ended.all():
                left.append(_Begun(*(column[~ended] for column in begun)))
        self._begun = left
        return arrived
