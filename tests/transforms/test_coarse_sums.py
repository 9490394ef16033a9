"""Products of floats of 8 bits whose sums may have fewer bits than f32: which they are, and what devices do then."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright.operators.asked import Options
from tilewright.transforms.coarse_sums import CoarseSums
from transforms.support import kernel, run

TYPES = ("f8E4M3FN", "f8E5M2")
OF_TILES = """%z = arith.constant {value = 0} -> index
    %e = tile.load %E, %z, %z -> tile<8x8xf8E4M3FN>
    %f = tile.load %F, %z, %z -> tile<8x8xf8E5M2>
    %h = tile.load %H, %z, %z -> tile<8x8xf16>
    %c = tile.load %C, %z, %z -> tile<8x8xf32>
    %s = tile.mma %e, %e, %c -> tile<8x8xf32>
    %t = tile.mma %f, %f, %s -> tile<8x8xf32>
    %u = tile.mma %h, %h, %t -> tile<8x8xf32>
    %v = tile.mma %e, %f, %u -> tile<8x8xf32>
    tile.store %v, %C, %z, %z"""


def test_products_of_one_type_of_8_bits_alone_are_fast() -> None:
    arrays = {"E": "f8E4M3FN", "F": "f8E5M2", "H": "f16", "C": "f32"}
    module = kernel(", ".join(f"%{name}: memref<{type_}x8x8>" for name, type_ in arrays.items()), OF_TILES)
    text = run(module, CoarseSums())
    products = re.findall(r"tile\.mma (%\w+), (%\w+), %\w+(.*)->", text)
    assert [(x, y) for x, y, how in products if "fast" in how] == [("%e", "%e"), ("%f", "%f")]
    assert len(products) == 4
    assert run(module, CoarseSums()) == text


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("turned", [False, True])
def test_units_take_them(type_: str, turned: bool) -> None:
    """By groups of warps where that is allowed, else as f16 by warps alone."""
    dtype = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}[type_]
    a = np.zeros((4096, 4096), dtype)
    for precision, unit in (("exact", "m16n8k32"), ("fast", f"wgmma.m64n256k32.f32.{type_}")):
        plan = tw.matmul.plan(a, a if turned else a.T, precision=precision, out_dtype="bf16", target="nvidia:sm_90a")
        assert unit in plan.schedule
        assert ("copies=tensor" in plan.schedule) == (precision == "fast")
        said = "# not by wgmma: its sums of floats of 8 bits are not exact (fast)"
        assert (said in plan.schedule) == (precision == "exact")
    assert "m16n8k32" not in tw.matmul.plan(a, a.T, precision="fast", target="nvidia:sm_80").schedule


@pytest.mark.parametrize(
    ("rows", "columns", "pairs"),
    [(4096, 4096, True), (33 * 128, 4096, False), (2048, 2048, False), (4096, 4100, False)],
)
def test_large_tiles_are_copied_in_pairs(rows: int, columns: int, pairs: bool) -> None:
    """Where the device copies, and no block is left alone; with what follows sums too."""
    a, b = (np.zeros((extent, 4096), ml_dtypes.float8_e4m3fn) for extent in (rows, columns))
    scale, bias = np.zeros((rows, 1), np.float32), np.zeros(columns, np.float32)
    alone: Options = {"precision": "fast", "out_dtype": "bf16", "target": "nvidia:sm_90a"}
    followed: Options = {**alone, "scale": scale, "bias": bias, "epilogue": "scale+bias+gelu"}
    for options in (alone, followed):
        schedule = tw.matmul.plan(a, b.T, **options).schedule
        assert ("roles=yes cluster=1x2" in schedule) == pairs
