"""Elements of random arrays: what sums are exact with in any order, and what only element by element is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import Enum

import numpy as np

from generators.arguments import Array
from generators.element_types import DTYPES


class Data(Enum):
    """Small integers; halves of them; with infinities, NaN, zeros of both signs, the greatest and least integers; any
    numbers, whose sums depend on the order."""

    SMALL = "small integers"
    HALVES = "halves"
    SPECIAL = "special values"
    ANY = "any numbers"

    @property
    def summable(self) -> bool:
        """Whether sums and products of a few are exact, or wrap, in any order."""
        return self is not Data.ANY


_RARE = 0.1


def values(rnd: random.Random, data: Data, dtype: str, shape: Sequence[int]) -> Array:
    """One draw from `rnd`, however many elements there are."""
    rng = np.random.default_rng(rnd.getrandbits(32))
    low = -3 if dtype != "i8" else -2
    small = rng.integers(low, 4, tuple(shape)[::-1]).transpose()
    kind, target = dtype[0], DTYPES[dtype]
    if data is Data.HALVES and kind != "i":
        return (small / 2).astype(target)
    if data is Data.ANY:
        return _any(rng, dtype, small.shape)
    found = small.astype(target)
    if data is Data.SPECIAL:
        chosen = rng.random(small.shape) < _RARE
        found[chosen] = rng.choice(_special(dtype), small.shape).astype(target)[chosen]
    return found


def _special(dtype: str) -> Array:
    if dtype[0] == "i":
        limits = np.iinfo(DTYPES[dtype])
        return np.array([limits.min, limits.max, 0, -1], DTYPES[dtype])
    return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float64)


def _any(rng: np.random.Generator, dtype: str, shape: Sequence[int]) -> Array:
    target = DTYPES[dtype]
    if dtype[0] == "i":
        limits = np.iinfo(target)
        return rng.integers(limits.min, limits.max, shape, target, endpoint=True)
    found = rng.standard_normal(shape) * 2.0 ** rng.integers(-8, 8, shape)
    if dtype[0] == "c":
        return (found + 1j * rng.standard_normal(shape)).astype(target)
    return found.astype(target)
