"""Grids whose work-groups run by bands: all of them once, and few factors at a time."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, ZEROS, launch
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.compiler import CompileOptions, offers_of
from tilewright.diagnostics import Report, Source
from tilewright.ir.schedules import parse_line
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

BANDS = (1, 4, 8, 16, 32)
RESIDENT = 264


@pytest.mark.covering(0)
@pytest.mark.parametrize("order", [2, 4, 7])
def test_every_work_group_runs_once(order: int, rng: np.random.Generator) -> None:
    """Of grids that are no whole bands, wider and narrower than one."""
    product = TEXTS.Product((72, 40, 64), "f16", "f32")
    text, given = TEXTS.tile_ir_product(product, (16, 16, 32), ZEROS), launch(product, (16, 16), "C", rng)
    schedule = f"order={order}"
    first = next(levels(text, Architecture.SM_90A, schedule))
    found = faults(given, {2: interpreted(first, given)[2]})
    assert not found, found
    llvm, kernel = emitted(text, schedule=schedule)
    assert schedule in kernel.facts[SCHEDULE]
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def distinct(band: int, grid: tuple[int, int], panels: tuple[int, int]) -> int:
    """What the work-groups that run at a time load, all waves together: panels of both factors, in bytes."""
    places = [
        (first + k, y)
        for first in range(0, grid[0], band)
        for y in range(grid[1])
        for k in range(min(band, grid[0] - first))
    ]
    waves = [places[k : k + RESIDENT] for k in range(0, len(places), RESIDENT)]
    return sum(len({x for x, _ in wave}) * panels[0] + len({y for _, y in wave}) * panels[1] for wave in waves)


@pytest.mark.parametrize("grid", [(64, 64), (96, 96), (128, 64)])
def test_bands_with_the_fewest_bytes_at_a_time(grid: tuple[int, int]) -> None:
    """What the model says of a large grid is so in grids that are simulated, wave by wave."""
    text = TEXTS.tile_ir_product(TEXTS.Product((256, 256, 256), "f16", "f32"), (128, 128, 64))
    asked = "persistent=no"
    best = parse_line(emitted(text, schedule=asked)[1].facts[SCHEDULE]).order
    target = NvidiaTarget(Architecture.SM_90A).scheduled(asked)
    offered = offers_of(Source("k", text), target, CompileOptions(), Report())
    assert [move.order for move in offered.of["product"] if move.order is not None] == [1]
    loaded = {band: distinct(band, grid, (128 * 128, 128 * 128)) for band in (*BANDS, grid[0])}
    assert best == min(loaded, key=lambda band: loaded[band])
    # as they are numbered, nearly twice as much
    assert 1.9 * min(loaded.values()) <= loaded[grid[0]]


@pytest.mark.parametrize("order", [1, 3])
def test_tiles_of_one_product_run_by_bands(order: int, rng: np.random.Generator) -> None:
    """Those that blocks share have an order of their own, of which one asks for the width of bands."""
    product, tiled = TEXTS.Product((80, 72, 64), "f16", "f32"), f"tile=16x16x32 order={order}"
    text, given = (
        TEXTS.whole_product(product.extents, "f16", "f32", (False, False)),
        launch(product, (80, 72), "F", rng),
    )
    llvm, kernel = emitted(text, schedule=tiled)
    assert f"order={order}" in kernel.facts[SCHEDULE]
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def test_kernels_without_products_have_no_bands() -> None:
    """Nor do work-groups of which each has all of a product that is no tile of a larger one."""
    text = TEXTS.whole_gemm(256, "f16", "f32")
    assert "order" not in (tw.compile(text, target="nvidia:sm_90a").product.schedule or "")
    one_tile = TEXTS.whole_gemm(16, "f16", "f32")
    no_product = "func @k(%x: memref<f32x?>) {\n %a = constant 2.0 : f32\n axpby %a, %x, %a, %x\n }"
    for small in (one_tile, no_product):
        with pytest.raises(tw.CompileError, match=r"order=4 does not fit.*no product has one factor of a column"):
            tw.compile(small, target="nvidia:sm_90a", schedule="order=4")
