"""Which combinations of parameters are taken: enough of them, no more than needed, others each time."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import TypeAlias

import pytest

from covering import covering

Point: TypeAlias = tuple[tuple[int, int], ...]
"""Each parameter's number with its value."""


def points_of(sizes: Sequence[int]) -> list[Point]:
    """All combinations of values."""
    return [tuple(enumerate(values)) for values in product(*map(range, sizes))]


def parts(points: Iterable[Point], strength: int) -> set[Point]:
    """What points have together."""
    return {part for point in points for part in combinations(point, min(strength, len(point)))}


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_what_occurs_together_is_taken_together(strength: int, seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(20):
        sizes = [rnd.randint(1, 5) for _ in range(rnd.randint(1, 4))]
        every = points_of(sizes)
        # Not all products: what no point has needs no point.
        points = rnd.sample(every, rnd.randint(1, len(every)))
        chosen = covering(points, strength, rnd)
        assert parts((points[k] for k in chosen), strength) == parts(points, strength)


def test_no_more_than_needed(seed: int) -> None:
    points = points_of((6, 5, 4))
    rnd = random.Random(seed)
    assert len(covering(points, 1, rnd)) <= 10
    assert len(covering(points, 2, rnd)) <= 45
    assert len(covering(points, 3, rnd)) == len(points)


def test_others_each_time(seed: int) -> None:
    points = points_of((6, 5, 4))
    rnd = random.Random(seed)
    # A point is left out three times of four, perhaps: of all by chance in one run of a hundred million.
    assert set[int]().union(*(covering(points, 2, rnd) for _ in range(100))) == set(range(len(points)))


def test_a_third_of_them(seed: int) -> None:
    points = points_of((5, 2))
    rnd = random.Random(seed)
    drawn = [covering(points, 0, rnd) for _ in range(100)]
    assert {len(chosen) for chosen in drawn} == {4}
    assert set[int]().union(*drawn) == set(range(len(points)))
