"""A product takes the same way in all languages: groups of warps multiply what the device copies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from loaded import loaded
from targets.nvidia.launching import program_of_text
from targets.nvidia.products.cases import TEXTS
from targets.nvidia.test_ptx import whole

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
TLX: Any = loaded(BENCHMARKS / "tlx_texts.py")
SIZE = 2048


def of_loops(n: int, element: str = "f16", order: str = "ijk") -> str:
    """A product of matrices, an element at a time, in MLIR."""
    factor, sums = f"memref<{n}x{n}x{element}>", f"memref<{n}x{n}xf32>"
    i, j, k = (f"affine.for %{letter} = 0 to {n} {{" for letter in order)
    return f"""func.func @product(%a: {factor}, %b: {factor}, %c: {sums}) {{
  {i} {j} {k}
    %x = affine.load %a[%i, %k] : {factor}
    %y = affine.load %b[%k, %j] : {factor}
    %z = affine.load %c[%i, %j] : {sums}
    %xf = arith.extf %x : {element} to f32
    %yf = arith.extf %y : {element} to f32
    %p = arith.mulf %xf, %yf : f32
    %s = arith.addf %z, %p : f32
    affine.store %s, %c[%i, %j] : {sums}
  }} }} }}
  return
}}"""


def of_linalg(n: int) -> str:
    factor, sums = f"memref<{n}x{n}xf16>", f"memref<{n}x{n}xf32>"
    return f"""func.func @product(%a: {factor}, %b: {factor}, %c: {sums}) {{
  linalg.matmul ins(%a, %b : {factor}, {factor}) outs(%c : {sums})
  return
}}"""


WRITTEN = {
    "tensor language": whole("f16", f"x{SIZE}x{SIZE}"),
    "tile ir": TEXTS.tile_ir_product(TEXTS.Product((SIZE, SIZE, SIZE), "f16", "f32"), (128, 128, 64)),
    "linalg": of_linalg(SIZE),
    "loops": of_loops(SIZE),
    "loops in another order": of_loops(SIZE, "bf16", "jki"),
    "tlx": TLX.contraction("f16", ("mk", "kn", "mn"), dict.fromkeys("mnk", SIZE)),
}


@pytest.mark.parametrize("language", WRITTEN)
def test_the_same_way(language: str) -> None:
    (product,) = tw.compile(WRITTEN[language], target="nvidia:sm_90a")
    assert "wgmma" in product.schedule
    assert "copies=tensor" in product.schedule
    assert "persistent=yes" in product.schedule


@pytest.mark.parametrize("language", ["linalg", "loops"])
def test_why_threads_store(language: str) -> None:
    """Sums are added to what is there."""
    (product,) = tw.compile(WRITTEN[language], target="nvidia:sm_90a")
    assert "stores=threads" in product.schedule
    assert "# stores by threads: what is stored is accessed elsewhere too" in product.schedule


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        ("threads=64", "64 threads are no groups of 128"),
        ("threads=128 tile=32x32x32", "tiles of 32x32 have no multiples of 64 rows"),
        ("threads=512 tile=256x256x64", "256x256 sums are 128 for each of 512 threads with 128 registers"),
    ],
)
def test_why_warps_multiply_alone(schedule: str, why: str) -> None:
    """Where nobody has asked for their instruction."""
    (product,) = tw.compile(WRITTEN["tensor language"], target="nvidia:sm_90a", schedule=schedule)
    assert f"# not by wgmma: {why}" in product.schedule
    line = product.schedule.split(" # ")[0]
    (asked,) = tw.compile(WRITTEN["tensor language"], target="nvidia:sm_90a", schedule=line)
    assert "not by wgmma" not in asked.schedule


def test_loops_compute_the_product(rng: np.random.Generator) -> None:
    """Four warps do, which share tiles with other blocks."""
    n = 128
    program = program_of_text(of_loops(n), schedule="threads=128 tile=64x64x64")
    assert program.product.schedule.startswith("lanes threads=128 tile=64x64x64 product=64x64x64:m16n8k16")
    a, b = (rng.integers(-3, 4, (n, n)).astype(np.float16) for _ in range(2))
    c = rng.integers(-3, 4, (n, n)).astype(np.float32)
    wanted = c + a.astype(np.float32) @ b.astype(np.float32)
    program.product[1](a, b, c)
    assert np.array_equal(c, wanted)


def test_loops_that_are_no_instruction_have_a_warp() -> None:
    text = of_loops(64).replace("arith.addf %z, %p", "arith.subf %p, %z")
    (product,) = tw.compile(text, target="nvidia:sm_90a")
    assert product.info.launch is not None
    assert product.info.launch.threads == (32, 1, 1)
