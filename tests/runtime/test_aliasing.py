"""Which arguments overlap where a parameter was declared noalias, against the bytes that arrays lie in."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilewright.artifacts.parameters import MemrefParameter
from tilewright.runtime.aliasing import AliasCheck
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.errors import LaunchError

NAMES = "ABC"


def parameter(name: str, noalias: bool, written: bool) -> MemrefParameter:
    return MemrefParameter(name, "f32", (None,), (None,), noalias=noalias, written=written)


def spanned(array: AnyArray) -> set[int]:
    """The bytes from an array's first to its last element."""
    return set(
        range(
            array.ctypes.data,
            array.ctypes.data + 4 + sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)),
        )
    )


def refused(parameters: list[MemrefParameter], arrays: list[AnyArray]) -> bool:
    check = AliasCheck.of("k", parameters)
    if check is None:
        return False
    try:
        check.check(arrays)
    except LaunchError:
        return True
    return False


def test_arrays_that_share_bytes_are_refused_if_one_is_noalias_and_one_written(rng: np.random.Generator) -> None:
    memory = np.zeros(40, np.float32)
    found = {True: 0, False: 0}
    for _ in range(400):
        parameters = [parameter(name, *(bool(flag) for flag in rng.integers(2, size=2))) for name in NAMES]
        starts, counts, steps = rng.integers(0, 28, 3), rng.integers(1, 5, 3), rng.integers(1, 4, 3)
        arrays: list[AnyArray] = [
            memory[first : first + count * step : step]
            for first, count, step in zip(starts, counts, steps, strict=True)
        ]
        pairs = itertools.combinations(zip(parameters, arrays, strict=True), 2)
        wanted = any(
            (p.noalias or q.noalias) and (p.written or q.written) and bool(spanned(a) & spanned(b))
            for (p, a), (q, b) in pairs
        )
        assert refused(parameters, arrays) is wanted
        found[wanted] += 1
    assert min(found.values()) > 20


@pytest.mark.parametrize(("first", "second", "wanted"), [(0, 4, False), (0, 3, True), (4, 0, False), (3, 0, True)])
def test_arrays_that_touch_do_not_overlap(first: int, second: int, wanted: bool) -> None:
    memory = np.zeros(12, np.float32)
    parameters = [parameter("A", noalias=True, written=True), parameter("B", noalias=False, written=False)]
    assert refused(parameters, [memory[first : first + 4], memory[second : second + 4]]) is wanted


def test_empty_arrays_overlap_nothing() -> None:
    memory = np.zeros(12, np.float32)
    parameters = [parameter("A", noalias=True, written=True), parameter("B", noalias=False, written=False)]
    assert not refused(parameters, [memory, memory[4:4]])


def test_all_arguments_are_compared_with_a_long_one() -> None:
    memory = np.zeros(12, np.float32)
    parameters = [
        parameter("A", noalias=True, written=False),
        parameter("B", False, False),
        parameter("C", False, True),
    ]
    assert refused(parameters, [memory, memory[2:4], memory[6:8]])
    assert not refused(parameters, [memory[:6], memory[2:4], memory[6:8]])
