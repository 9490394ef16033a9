"""Blocks that go on from tile to tile while the factors of the next one are on their way: one ring for all."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, launch
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.machine.cuda.architecture import Architecture

PERSISTENT = "tile=64x64x64 copies=tensor persistent=yes"


@pytest.mark.parametrize("depth", [128, 320])
def test_every_level_means_the_product(depth: int, rng: np.random.Generator) -> None:
    """More and fewer steps than there are stages, tiles that do not divide."""
    m, n = 200, 136
    text = gemm(m, n, depth)
    given = launch(TEXTS.Product((m, n, depth), "f16", "f32"), (m, n), "F", rng)
    for module in levels(text, Architecture.SM_90A, PERSISTENT):
        found = faults(given, {2: interpreted(module, given)[2]})
        assert not found, found
    llvm, kernel = emitted(text, schedule=PERSISTENT)
    assert "persistent=yes" in kernel.facts[SCHEDULE]
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def gemm(m: int, n: int, k: int) -> str:
    return f"""func @product(%A: memref<f16x{m}x{k}>, %B: memref<f16x{k}x{n}>, %C: memref<f32x{m}x{n}>) {{
    %alpha = constant 1.0 : f16
    %beta = constant 0.0 : f32
    gemm.n.n %alpha, %A, %B, %beta, %C
}}
"""
