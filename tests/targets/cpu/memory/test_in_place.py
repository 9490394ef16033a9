"""Stores over what they are computed from: tiles of one register block read in place, larger ones from a copy."""

from __future__ import annotations

import numpy as np
import pytest

from targets.cpu.collective import Collective, assert_close, available_levels, random_array
from tilewright.machine.processor import FeatureSet

SIZES = [(16, 8), (5, 3), (16, 16), (9, 9), (24, 24), (40, 20), (3, 50), (64, 30)]


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("row_major", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_a_chain_of_products_over_its_first_factor(
    size: tuple[int, int], row_major: bool, level: FeatureSet, rng: np.random.Generator
) -> None:
    """X := (X Y^T) Y + X, X both factor and target."""
    m, n = size
    strides = f",strided<{n},1>" if row_major else ""
    kernel = Collective(
        f"%X: memref<f32x{m}x{n}{strides}>, %Y: memref<f32x{n}x{n}>",
        f"""%z = arith.constant {{value = 0}} -> index
        %x = tile.load %X, %z, %z -> tile<{m}x{n}xf32>
        %y = tile.load %Y, %z, %z -> tile<{n}x{n}xf32>
        %t = tile.permute %y {{order = [1, 0]}} -> tile<{n}x{n}xf32>
        %none = arith.constant {{value = 0.0}} -> tile<{m}x{n}xf32>
        %p = tile.mma %x, %t, %none -> tile<{m}x{n}xf32>
        %q = tile.mma %p, %y, %x -> tile<{m}x{n}xf32>
        tile.store %q, %X, %z, %z""",
        level,
    )
    x, y = random_array(rng, "f32", (m, n), row_major), random_array(rng, "f32", (n, n))
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    kernel({"X": x, "Y": y})
    assert_close("f32", x, wide_x @ wide_y.T @ wide_y + wide_x)


@pytest.mark.parametrize("extent", [4, 16, 23, 48])
def test_sums_over_a_part_of_their_source(extent: int, rng: np.random.Generator) -> None:
    """The sums of the columns of a matrix replace its first row."""
    kernel = Collective(
        f"%X: memref<f32x{extent}x{extent}>, %Y: memref<f32x{extent},strided<{extent}>>",
        f"""%z = arith.constant {{value = 0}} -> index
        %t = tile.load %X, %z, %z -> tile<{extent}x{extent}xf32>
        %r = tile.reduce %t {{kind = "add", dim = 0}} -> tile<{extent}xf32>
        tile.store %r, %Y, %z""",
    )
    x = random_array(rng, "f32", (extent, extent))
    before = x.copy()
    kernel({"X": x, "Y": x[0]})
    assert_close("f32", x[0], before.astype(np.float64).sum(axis=0))
    np.testing.assert_array_equal(x[1:], before[1:])
