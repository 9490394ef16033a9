"""Products of matrices on the GPU: all types, orders of factors, extents that tiles divide or not, both languages."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from targets.nvidia.case import Case, faults
from targets.nvidia.products.cases import TEXTS, TOTALS, ZEROS, launch
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture

from .device import run

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@pytest.mark.parametrize("element", TOTALS)
@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
def test_right_answers(element: str, transposed: tuple[bool, bool], rng: np.random.Generator) -> None:
    context = driver.open_device()
    architecture = Architecture.of_capability(context.description.capability)
    tiles = (64, 64) if element == "f64" else (128, 128)
    for extents in ((129, 77, 65), (200, 136, 1000), (300, 520, 264), tuple(int(n) for n in rng.integers(1, 400, 3))):
        product = TEXTS.Product(extents, element, TOTALS[element], transposed)
        tile_ir = TEXTS.tile_ir_product(product, (*tiles, 32 if element == "f64" else 64), ZEROS)
        for text, order, beta in ((tile_ir, "C", 0.0), (TEXTS.gemm_product(product, tiles, "2.0"), "F", 2.0)):
            given = launch(product, tiles, order, rng, beta)
            artifact = Case("product", text, lambda _, given=given: given, language=True).artifact(architecture)
            found = faults(given, run(context, artifact, given))
            assert not found, f"{extents}, order {order}: {'; '.join(found)}"


@pytest.mark.parametrize("element", ["f16", "i8"])
@pytest.mark.parametrize("shape", [(3584, 3584, 136), (3560, 3576, 256), (3520, 3688, 128), (5632, 2304, 192)])
def test_tiles_beside_each_other(element: str, shape: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Of grids that launches compute two by two, or one by one since their extents are odd; and of loops."""
    context = driver.open_device()
    architecture = Architecture.of_capability(context.description.capability)
    product, tiles = TEXTS.Product(shape, element, TOTALS[element], (False, True)), (128, 128)
    given = launch(product, tiles, "C", rng)
    rows = given.grid[0]
    for band, grid in ((0, given.grid), (rows, (132, 1, 1)), (rows // 2 if rows % 2 == 0 else 1, (7, 1, 1))):
        text, asked = TEXTS.tile_ir_product(product, (*tiles, 64), ZEROS, band=band), replace(given, grid=grid)
        artifact = Case("product", text, lambda _, asked=asked: asked, language=True).artifact(architecture)
        found = faults(asked, run(context, artifact, asked))
        assert not found, f"{shape}, {band} rows a band: {'; '.join(found)}"
