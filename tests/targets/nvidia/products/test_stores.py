"""Sums that the machine stores by itself, from slabs of shared memory."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.products.cases import TEXTS, ZEROS, launch
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_persistent import check, emulate
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.machine.cuda.architecture import Architecture

ASKED = "stores=tensor"


def product(m: int, n: int, k: int, result: str, element: str = "f16") -> tuple[str, object]:
    return element, TEXTS.Product((m, n, k), element, "f32", rounded="" if result == "f32" else result)


def gemm(m: int, n: int, k: int, result: str) -> str:
    return f"""func @product(%A: memref<f16x{m}x{k}>, %B: memref<f16x{k}x{n}>, %C: memref<{result}x{m}x{n}>) {{
    %alpha = constant 1.0 : f16
    %beta = constant 0.0 : {result}
    gemm.n.n %alpha, %A, %B, %beta, %C
}}
"""


def given_for(m: int, n: int, k: int, result: str, rng: np.random.Generator) -> Launch:
    rounded = "" if result == "f32" else result
    return launch(TEXTS.Product((m, n, k), "f16", "f32", rounded=rounded), (m, n), "F", rng)


@pytest.mark.parametrize(
    ("result", "tile", "threads"),
    [("f16", "96x128x64", 256), ("f16", "80x64x64", 128), ("f32", "64x128x64", 128), ("bf16", "64x64x64", 128)],
)
def test_every_level_means_the_product(result: str, tile: str, threads: int, rng: np.random.Generator) -> None:
    """Slabs that begin in the one before, two rows of slabs a warp, edges, and blocks that go on from tile to tile."""
    m, n, k = 216, 256, 128
    asked = f"tile={tile} threads={threads} copies=tensor persistent=yes {ASKED}"
    text, given = gemm(m, n, k, result), given_for(m, n, k, result, rng)
    if result == "bf16":
        text = text.replace("f16", "bf16")
        given = launch(TEXTS.Product((m, n, k), "bf16", "f32", rounded="bf16"), (m, n), "F", rng)
    for module in levels(text, Architecture.SM_90A, asked):
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    assert "stores=tensor" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given)


@pytest.mark.parametrize("transposed", [(False, False), (True, True)])
def test_tile_ir(transposed: tuple[bool, bool], rng: np.random.Generator) -> None:
    found = TEXTS.Product((136, 88, 96), "f16", "f32", transposed, "f16")
    text, given = TEXTS.tile_ir_product(found, (64, 64, 64), ZEROS), launch(found, (64, 64), "C", rng)
    llvm, kernel = emitted(text, schedule=ASKED)
    assert "stores=tensor" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given)
