"""Rounding in a direction against a search among all numbers of a format."""

from __future__ import annotations

import bisect
import math
from fractions import Fraction

import numpy as np
import pytest

from tilewright.dialects import rounding
from tilewright.dialects.arith_floats import Rounding
from tilewright.ir.float_formats import FLOAT_FORMATS

HALF = FLOAT_FORMATS["f16"]
_ALL: list[float] = np.arange(1 << 16, dtype=np.uint16).view(np.float16).tolist()
NUMBERS = sorted({number for number in _ALL if math.isfinite(number)})
"""All finite numbers of f16; both zeros are one."""


def searched(value: Fraction, mode: Rounding) -> float:
    """The number of f16 next to an exact one, in a direction."""
    down = mode is Rounding.DOWN or (mode is Rounding.ZERO and value > 0)
    if down:
        place = bisect.bisect_right(NUMBERS, value) - 1
        return NUMBERS[place] if place >= 0 else -math.inf
    place = bisect.bisect_left(NUMBERS, value)
    return NUMBERS[place] if place < len(NUMBERS) else math.inf


def samples(rng: np.random.Generator) -> list[Fraction]:
    """Numbers of every size: exact ones, their neighbours, subnormal ones and those beyond the largest."""
    exact = [Fraction(NUMBERS[k]) for k in rng.integers(0, len(NUMBERS), 60)]
    near = [v * (1 + Fraction(int(rng.integers(-9, 10)), 1 << 14)) for v in exact]
    edges = [Fraction(HALF.largest), Fraction(70000), Fraction(1, 1 << 30), Fraction(3, 1 << 25)]
    return [v for v in [*exact, *near, *edges, *(-e for e in edges)] if v]


@pytest.mark.parametrize("mode", list(Rounding))
def test_numbers_are_rounded_to_their_neighbour(mode: Rounding, rng: np.random.Generator) -> None:
    for value in samples(rng):
        assert rounding.rounded(value, HALF, mode) == searched(value, mode), value


@pytest.mark.parametrize("mode", list(Rounding))
def test_roots_are_rounded_to_their_neighbour(mode: Rounding, rng: np.random.Generator) -> None:
    """A root lies above a number if what it is the root of lies above the number's square."""
    for value in samples(rng):
        if value > 0:
            found = Fraction(rounding.root(value, HALF, mode))
            place = NUMBERS.index(float(found))
            if found * found == value:
                continue
            if mode is Rounding.UP:
                assert Fraction(NUMBERS[place - 1]) ** 2 < value < found**2
            else:
                assert found**2 < value < Fraction(NUMBERS[place + 1]) ** 2
