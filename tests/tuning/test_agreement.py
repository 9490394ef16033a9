"""Answers of two schedules: the same bits, or near by the largest result; anything else is a mistake."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

from tilewright.runtime.dtypes import AnyDtype
from tilewright.tuning.agreement import disagreement
from tilewright.tuning.arguments import Array

TYPES: Sequence[AnyDtype] = [np.dtype(each) for each in ("f4", "f8", "f2", ml_dtypes.bfloat16, "c8", "i4", "?")]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_the_same_bits_agree(dtype: AnyDtype, rng: np.random.Generator) -> None:
    one: Array = rng.integers(0, 2, 50).astype(dtype)
    assert disagreement([one], [one.copy()]) is None
    if dtype.kind in "fc":
        one[3] = np.nan
        assert disagreement([one], [one.copy()]) is None


@pytest.mark.parametrize(("dtype", "near", "far"), [("f4", 1e-5, 1e-3), ("f8", 1e-14, 1e-11), ("f2", 2e-3, 2e-2)])
def test_rounding_agrees_by_the_largest_result(dtype: str, near: float, far: float) -> None:
    """Sums that cancel are as wrong as their terms are large."""
    expected: Array = np.array([1.0, 0.0, -0.5], dtype)
    beside: Array = expected + np.array([0, near, 0], dtype)
    assert disagreement([beside], [expected]) is None
    wrong: Array = expected + np.array([0, far, 0], dtype)
    said = disagreement([wrong], [expected])
    assert said is not None
    assert said.startswith("1 of 3 elements of result 0 are others, the first at 1: ")


def test_numbers_are_not_nothing() -> None:
    one = np.array([1.0, np.inf, np.nan], np.float32)
    assert disagreement([one], [one]) is None
    for k, other in ((0, np.nan), (1, 1.0), (1, -np.inf), (2, 1.0)):
        changed = one.copy()
        changed[k] = other
        assert disagreement([changed], [one]) is not None


def test_integers_agree_exactly() -> None:
    one = np.array([1 << 20, 3], np.int32)
    assert disagreement([one + np.array([1, 0], np.int32)], [one]) is not None
    narrow = np.array([1, 3], ml_dtypes.int4)
    assert disagreement([narrow], [np.array([1, 2], ml_dtypes.int4)]) is not None


def test_later_results_are_looked_at_too() -> None:
    one = np.zeros(2, np.float32)
    said = disagreement([one, one + 1], [one, one])
    assert said is not None
    assert "result 1" in said
