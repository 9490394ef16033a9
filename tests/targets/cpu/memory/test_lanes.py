"""Elements apart in memory: those of a tile are written, and nothing between, before and behind them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from generators.element_types import DTYPES
from targets.cpu.collective import available_levels
from targets.cpu.entry import Entry
from tilewright.machine.processor import FeatureSet
from tilewright.targets.cpu.machine import machine_of

MARGIN: Final = 64
"""Elements around; more than any vector has lanes."""


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", available_levels(), ids=lambda level: level.value)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "columns", "step"), [(19, 1, 3), (19, 4, -2), (5, 3, 2), (33, 2, -1), (3, 7, 5)])
def test_only_the_elements_of_a_tile_are_written(
    dtype: str, rows: int, columns: int, step: int, level: FeatureSet, rng: np.random.Generator
) -> None:
    """Each column lies in memory of its own, with a margin behind it."""
    tile = f"{rows}x{columns}x{dtype}"
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<{dtype}x{rows}x{columns}>, %y: memref<{dtype}x{rows}x{columns},strided<?,?>>) {{
      %z = arith.constant {{value = 0}} -> index
      %t = tile.load %x, %z, %z -> tile<{tile}>
      tile.store %t, %y, %z, %z
    }} }}"""
    memory = _numbers(rng, dtype, columns, rows * abs(step) + 2 * MARGIN)
    x, expected = np.asfortranarray(_numbers(rng, dtype, rows, columns)), memory.copy()
    start = memory.shape[1] - MARGIN - 1 if step < 0 else MARGIN
    where = slice(None), slice(start, start + step * rows, step)
    expected[where] = x.T
    Entry(text, machine_of(level))({"x": x, "y": memory[where].T})
    np.testing.assert_array_equal(memory, expected)


def _numbers(rng: np.random.Generator, dtype: str, *shape: int) -> NDArray[Any]:
    parts = rng.integers(-99, 99, (2, *shape))
    return (parts[0] + 1j * parts[1] if dtype[0] == "c" else parts[0]).astype(DTYPES[dtype])
