"""Grids with a block for each tile of a product: blocks go on from one work-group to the next."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.products.cases import TEXTS, ZEROS, launch
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_persistent import check, emulate
from targets.nvidia.products.test_products import emitted
from tilewright.machine.cuda.architecture import Architecture

ASKED = {
    "persistent=yes": "persistent=yes",
    "persistent=yes order=2": "order=2",
    "persistent=yes roles=yes": "roles=yes",
    "persistent=yes roles=yes pingpong=yes": "pingpong=yes",
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("rows", [3, 4])
@pytest.mark.parametrize("depth", [64, 136, 320])
def test_blocks_go_on_over_a_grid(asked: str, rows: int, depth: int, rng: np.random.Generator) -> None:
    """Fewer steps than there are stages and more, several tiles of a block, all as many and not."""
    product = TEXTS.Product((rows * 64, 192, depth), "f16", "f32", rounded="f16")
    text, given = TEXTS.tile_ir_product(product, (64, 64, 32), ZEROS), launch(product, (64, 64), "C", rng)
    for module in some(levels(text, Architecture.SM_90A, asked), rng):
        assert module.kernels[0].gathered
        assert ASKED[asked] in (module.kernels[0].schedule or "")
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    emulate(llvm, kernel, given)
