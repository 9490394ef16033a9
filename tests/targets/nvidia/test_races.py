"""The race detector of the emulator against the words of its definition, on random accesses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from effort import Ran, count

from .emulator.races import Access, Entry, Epoch, Marks, RaceError

EPOCHS = count("RANDOM_EPOCHS", 200, 20000)
_KINDS = (Access.READ, Access.WRITE, Access.ATOMIC, Access.ATOMIC | Access.WRITE)


def drawn(rng: np.random.Generator) -> tuple[list[Entry], np.ndarray]:
    """Accesses of some of 64 threads to a few words, and the lanes that each thread meets."""
    entries = list[Entry]()
    turns = np.zeros(64, np.int64)
    for _ in range(int(rng.integers(2, 6))):
        threads = np.sort(rng.choice(64, int(rng.integers(1, 5)), replace=False))
        size = int(rng.choice([1, 2, 4, 8]))
        offsets = size * rng.integers(0, 64 // size, len(threads))
        turns = turns + rng.integers(0, 2, 64)
        entries.append(Entry(threads, offsets, size, _KINDS[rng.choice(4, p=(0.5, 0.2, 0.15, 0.15))], turns))
    masks = np.where(rng.integers(0, 2, 64) == 1, 0xFFFFFFFF, rng.integers(0, 1 << 32, 64))
    return entries, masks


def race(entries: list[Entry], masks: np.ndarray) -> bool:
    """Whether two accesses of a byte are of different threads, one a write, one plain, and without order."""
    touched = [
        (byte, int(thread), e.access, int(e.turns[thread]))
        for e in entries
        for thread, offset in zip(e.threads, e.offsets, strict=True)
        for byte in range(int(offset), int(offset) + e.size)
    ]
    for (byte, other, before, earlier), (same, thread, access, later) in combinations(touched, 2):
        meet = thread // 32 == other // 32 and int(masks[thread]) >> other % 32 & 1
        writes, atomic = (before | access) & Access.WRITE, before & access & Access.ATOMIC
        if byte == same and thread != other and writes and not atomic and not (meet and earlier < later):
            return True
    return False


def test_random_epochs(rng: np.random.Generator, ran: Ran) -> None:
    verdicts = set[bool]()
    for _ in range(EPOCHS):
        entries, masks = drawn(rng)
        epoch, expected = Epoch(Marks.of(64), list(entries)), race(entries, masks)
        if expected:
            with pytest.raises(RaceError):
                epoch.close(masks)
        else:
            epoch.close(masks)
        verdicts.add(expected)
    assert verdicts == {True, False}
    ran(EPOCHS, "sets of accesses under the race detector")
