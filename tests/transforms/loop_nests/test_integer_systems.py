"""Integer systems against all points of a box."""

from __future__ import annotations

import itertools
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import Ran, count, falls_short
from tilewright.transforms.loop_nests.integer_systems import Feasibility, IntegerSystem

SYSTEMS = count("RANDOM_INTEGER_SYSTEMS", 150, 20_000)
_REACH = 6


def rows_of(numbers: NDArray[np.int64]) -> list[list[int]]:
    return cast("list[list[int]]", numbers.tolist())


def test_random_systems_are_decided_as_by_trying_all_points(rng: np.random.Generator, ran: Ran) -> None:
    seen = dict.fromkeys(Feasibility, 0)
    for _ in range(SYSTEMS):
        variables = int(rng.integers(1, 5))
        most = int(rng.integers(2, 8))
        system = IntegerSystem()
        equations = rng.integers(-most, most + 1, (int(rng.integers(0, 3)), variables + 1))
        inequalities = rng.integers(-most, most + 1, (int(rng.integers(0, 5)), variables + 1))
        for k in range(variables):
            system.is_not_negative([(k, 1)], _REACH)
            system.is_not_negative([(k, -1)], _REACH)
        for row in rows_of(equations):
            system.is_zero(enumerate(row[:-1]), row[-1])
        for row in rows_of(inequalities):
            system.is_not_negative(enumerate(row[:-1]), row[-1])
        points = np.array(list(itertools.product(range(-_REACH, _REACH + 1), repeat=variables)))
        points = np.concatenate([points, np.ones((len(points), 1), int)], 1)
        fits = (points @ equations.T == 0).all(1) & (points @ inequalities.T >= 0).all(1)
        want = Feasibility.SOME if fits.any() else Feasibility.NONE
        found = system.feasibility()
        assert found in (want, Feasibility.UNKNOWN), (equations.tolist(), inequalities.tolist())
        seen[found] += 1
    assert min(seen[Feasibility.SOME], seen[Feasibility.NONE]) > SYSTEMS // 20
    assert not falls_short(SYSTEMS - seen[Feasibility.UNKNOWN], SYSTEMS, 0.998), seen
    ran(SYSTEMS, "integer systems")


# what differs between real numbers and integers: each has real solutions
@pytest.mark.parametrize(
    ("rows", "found"),
    [
        # 27 <= 11x + 13y <= 45 and -10 <= 7x - 9y <= 4: Pugh's example, which only splinters decide
        ([(11, 13, -27), (-11, -13, 45), (7, -9, 10), (-7, 9, 4)], Feasibility.NONE),
        ([(2, 0, -1), (-2, 0, 1)], Feasibility.NONE),
        ([(3, 0, -1), (-2, 0, 5), (0, 1, 0)], Feasibility.SOME),
        ([(3, -2, 0), (-3, 2, 0), (1, 0, -1), (-1, 0, 1)], Feasibility.NONE),
        ([(3, -2, 0), (-3, 2, 0), (1, 0, -1), (-1, 0, 2)], Feasibility.SOME),
    ],
)
def test_systems_between_real_numbers_and_integers(rows: list[tuple[int, int, int]], found: Feasibility) -> None:
    system = IntegerSystem()
    for x, y, constant in rows:
        system.is_not_negative([("x", x), ("y", y)], constant)
    assert system.feasibility() is found


def test_what_takes_too_much_work_is_unknown(rng: np.random.Generator) -> None:
    system = IntegerSystem()
    for row in rows_of(rng.integers(-99, 100, (60, 12))):
        system.is_not_negative(enumerate(row), 1)
    for k in range(12):
        system.is_not_negative([(k, 2)], -3)
    assert system.feasibility() in (Feasibility.UNKNOWN, Feasibility.NONE)


def test_demands_added_to_a_copy_leave_the_original_alone() -> None:
    system = IntegerSystem()
    system.is_not_negative([("x", 1)])
    narrower = system.copied()
    narrower.is_not_negative([("x", -1)], -1)
    assert narrower.feasibility() is Feasibility.NONE
    assert system.feasibility() is Feasibility.SOME
