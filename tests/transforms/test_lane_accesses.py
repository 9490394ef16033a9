"""Costs of accesses against banks that serve one word a cycle, and against the figures of reference gpu.md, part a."""

from __future__ import annotations

import numpy as np
import pytest

from effort import Ran, count
from tilewright.transforms.lane_accesses import (
    Address,
    addresses,
    bank_conflicts,
    bank_cycles,
    lines,
)

ACCESSES = count("RANDOM_LANE_ACCESSES", 200, 10_000)


def served(group: list[Address], width: int) -> int:
    """Cycles until every lane of a group has its words: each bank gives one word a cycle, to all that wait for it."""
    waiting = [set(range(a, a + width, 4)) for a in group if a is not None]
    waiting = [{byte // 4 for byte in words} for words in waiting]
    cycles = 0
    while any(waiting):
        given: dict[int, int] = {}
        for words in waiting:
            for word in words:
                given.setdefault(word % 32, word)
        for words in waiting:
            words -= set(given.values())
        cycles += 1
    return cycles


def test_random_accesses_take_as_long_as_the_banks_need(rng: np.random.Generator, ran: Ran) -> None:
    for _ in range(ACCESSES):
        width = int(rng.choice([4, 8, 16]))
        most = int(rng.choice([8, 64, 512]))
        numbers = rng.integers(0, most, 32) * width
        found: list[Address] = [None if rng.random() < 0.1 else int(n) for n in numbers]
        together = 128 // width
        groups = [served(found[k : k + together], width) for k in range(0, 32, together)]
        assert bank_conflicts(found, width) == max(groups)
        assert bank_cycles(found, width) == sum(groups)
        touched = {byte for a in found if a is not None for byte in range(a, a + width)}
        assert lines(found, width) == len({byte // 128 for byte in touched})
    ran(ACCESSES, "accesses of lanes")


def test_narrow_elements_share_words() -> None:
    halves = addresses(lambda lane: [lane], [1], 2)
    assert bank_conflicts(halves, 2) == 1
    assert lines(halves, 2) == 1
    assert bank_conflicts(addresses(lambda lane: [lane], [64], 2), 2) == 32


# rows of 16-byte pieces, read by columns of eight rows as ldmatrix does
@pytest.mark.parametrize(("pitch", "conflicts"), [(64, 8), (64 + 8, 1), (64 + 16, 2), (64 + 4, 2), (128 + 8, 1)])
def test_padding_of_rows_of_halves(pitch: int, conflicts: int) -> None:
    found = addresses(lambda lane: [lane % 8, 8 * (lane // 8)], [pitch, 1], 2)
    assert bank_conflicts(found, 16) == conflicts
    assert bank_cycles(found, 16) == 4 * conflicts


def test_lanes_along_rows_touch_few_lines_and_lanes_along_columns_many() -> None:
    rows = addresses(lambda lane: [0, 8 * lane], [8192, 1], 2)
    columns = addresses(lambda lane: [lane, 0], [8192, 1], 2)
    assert lines(rows, 16) == 4
    assert lines(columns, 16) == 32


def test_nobody_accesses_nothing() -> None:
    nobody: list[Address] = [None] * 32
    assert (bank_conflicts(nobody, 4), bank_cycles(nobody, 4), lines(nobody, 4)) == (0, 0, 0)
