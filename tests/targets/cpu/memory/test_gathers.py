"""Strided elements: read one by one or by a gather, as suits the machine; the same numbers either way."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from targets.cpu.entry import Entry
from tilewright.targets.cpu.machine import machine_of

DTYPES: Final = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i16": np.dtype(np.int16),
    "c32": np.dtype(np.complex64),
}
TEXT: Final = """builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
  (%x: memref<{0}x?,strided<?>>, %y: memref<{0}x?,strided<?>>) {{
  %zero = arith.constant {{value = 0}} -> index
  %whole = tile.load %x, %zero -> tile<19x{0}>
  %size = memref.size %x {{mode = 0}} -> index
  %later = arith.constant {{value = 19}} -> index
  %rest = tile.load %x, %later {{check = [true]}} -> tile<19x{0}>
  %sum = arith.add %whole, %rest -> tile<19x{0}>
  tile.store %sum, %y, %zero
}} }}"""


def _entry(dtype: str, gathers: bool) -> Entry:
    return Entry(TEXT.format(dtype), replace(machine_of(), fast_gathers=gathers))


def _values(rng: np.random.Generator, dtype: str, count: int) -> NDArray[Any]:
    found = rng.integers(-99, 99, count).astype(DTYPES[dtype])
    return found + 1j * rng.integers(-99, 99, count).astype(np.float32) if dtype == "c32" else found


@pytest.mark.parametrize("gathers", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [1, 2, 3, -2])
def test_strided_elements(dtype: str, gathers: bool, step: int, rng: np.random.Generator) -> None:
    length = int(rng.integers(20, 38))
    x = _values(rng, dtype, 40 * abs(step)).astype(DTYPES[dtype])[::step][:length]
    y = np.full(3 * 19, -1000, DTYPES[dtype])
    expected = y.copy()
    expected[::3] = x[:19]
    expected[::3][: length - 19] += x[19:]
    _entry(dtype, gathers)({"x": x, "y": y[::3]})
    assert np.array_equal(y, expected)


@pytest.mark.parametrize(("dtype", "expected"), [("f32", True), ("f64", False), ("c32", True), ("i16", False)])
def test_long_vectors_of_wide_elements_are_gathered(dtype: str, expected: bool) -> None:
    def unchecked(entry: Entry) -> int:
        return sum("masked.gather" in line and "splat (i1 true)" in line for line in entry.text.splitlines())

    if not machine_of().masks:
        pytest.skip("vectors are too short")
    assert (unchecked(_entry(dtype, True)) > 0) == expected
    assert unchecked(_entry(dtype, False)) == 0
