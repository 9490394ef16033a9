"""How large products are cut into blocks, and how these are shared out: jobs of positions that run in any order."""

from __future__ import annotations

import numpy as np
import pytest

from targets.cpu.large_products.patches import Convolution, Team
from tilewright.targets.cpu.machine import machine_of


def _blocks(schedule: str) -> int:
    """The register blocks of a product, from what is told of it: rows and columns, and height by width of a block."""
    extents, blocks = schedule.split(": ")[1].split(",")[0].split("x"), schedule.split("blocks of ")[1].split(",")[0]
    (rows, columns, _), (height, width) = map(int, extents), map(int, blocks.split("x"))
    return -(-rows // width) * -(-columns // height)


@pytest.mark.parametrize("element", ["i8", "float"])
@pytest.mark.parametrize("size", [8, 14])
def test_few_panels_are_shared_block_by_block(rng: np.random.Generator, element: str, size: int) -> None:
    """Their register blocks are many, although there are fewer panels than some machines have processors."""
    convolution = Convolution(rng, element, 64, size)
    team = Team(lambda total: [int(n) for n in rng.permutation(total)])
    found = convolution.run(convolution.kernel.llvm, team=team)
    assert np.array_equal(found, convolution.expected)
    assert _blocks(convolution.kernel.schedule) in team.totals


@pytest.mark.parametrize("element", ["i8", "float"])
def test_many_panels_are_shared_panel_by_panel(rng: np.random.Generator, element: str) -> None:
    """Each is packed by the thread that needs it, some at a time."""
    convolution = Convolution(rng, element, 64, 56)
    team = Team(lambda total: list(range(total))[::-1])
    found = convolution.run(convolution.kernel.llvm, team=team)
    assert np.array_equal(found, convolution.expected)
    assert _blocks(convolution.kernel.schedule) not in team.totals


@pytest.mark.skipif(not machine_of().masks, reason="this machine has no AVX-512")
@pytest.mark.parametrize("element", ["i8", "float"])
def test_panels_of_scalars_pass_by_vectors_that_stay(rng: np.random.Generator, element: str) -> None:
    """64 positions and a run of terms fill less than half of the second cache, as many terms of 96 maps more."""
    convolution = Convolution(rng, element, 96, 10, l2_bytes=1 << 17)
    team = Team(lambda total: [int(n) for n in rng.permutation(total)])
    found = convolution.run(convolution.kernel.llvm, team=team)
    assert np.array_equal(found, convolution.expected)
    height, width = map(int, convolution.kernel.schedule.split("blocks of ")[1].split(",")[0].split("x"))
    assert set(team.totals[-2:]) == {-(-64 // height), -(-96 // width)}
    assert "pack_vectors" in convolution.kernel.llvm


@pytest.mark.skipif(not machine_of().masks, reason="this machine has no AVX-512")
@pytest.mark.parametrize(("size", "height"), [(14, 48), (13, 32), (8, 48), (10, 32)])
def test_blocks_are_as_high_as_leaves_few_lanes_empty(rng: np.random.Generator, size: int, height: int) -> None:
    """144 positions, 121, 36, 64: in two vectors of 16 or three."""
    convolution = Convolution(rng, "float", 64, size)
    assert f"blocks of {height}x" in convolution.kernel.schedule
    assert np.array_equal(convolution.run(convolution.kernel.llvm), convolution.expected)
