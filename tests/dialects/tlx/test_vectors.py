"""Vectors as tensors and back, and sums of products of neighbours."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dialects.tlx.tensors import computed, exact, garbage, in_format, numbers, random_type, value
from tilewright.dialects.tlx.memory import ToVector, TypeInfo
from tilewright.dialects.tlx.types import ELEMENTS
from tilewright.dialects.tlx.vectors import ReduceMac, ReduceMacAcc
from tilewright.ir.evaluation import evaluated
from tilewright.ir.types import ScalarType, TileType, promotable

PAIRS = [(x, y) for x, y in itertools.product(ELEMENTS, repeat=2) if x.is_float is y.is_float and promotable(x, y)]


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_typeinfo_and_tovector_change_no_bit(rng: np.random.Generator, element: ScalarType) -> None:
    type_ = random_type(rng, element, [2, 3, 4])
    flat = garbage(rng, element, type_.size)
    op = TypeInfo(value(type_.flat), result_types=[type_])
    stored = evaluated(op, flat)
    assert stored.shape == type_.extents
    assert evaluated(ToVector(op.out), stored).tobytes() == flat.tobytes()


@pytest.mark.parametrize(("element", "out"), PAIRS, ids=str)
@pytest.mark.parametrize("group", [1, 2, 4])
def test_neighbours(rng: np.random.Generator, element: ScalarType, out: ScalarType, group: int) -> None:
    a, b = numbers(rng, element, [6 * group]), numbers(rng, element, [6 * group])
    acc = numbers(rng, out, [6])
    sums = (exact(a) * exact(b)).reshape(6, group).sum(axis=1)
    first, second = (value(TileType((6 * group,), element)) for _ in range(2))
    op = ReduceMac(first, second, group, result_types=[TileType((6,), out)])
    assert np.array_equal(computed(rng, op, a, b), in_format(sums, out))
    with_sum = ReduceMacAcc(value(TileType((6,), out)), first, second, group)
    assert np.array_equal(computed(rng, with_sum, acc, a, b), in_format(exact(acc) + sums, out))
