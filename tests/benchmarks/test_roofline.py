"""The roofline of what has been measured: every kept result of a GPU is read, and lies where its numbers say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

GPU = Path(__file__).parents[2] / "benchmarks" / "gpu"


@pytest.fixture(scope="module")
def roofline(imported: Any) -> Any:
    sys.path.append(str(GPU))
    yield imported("roofline")
    sys.path.remove(str(GPU))


@pytest.mark.parametrize(("gpu", "few"), [("H100", 30), ("H200", 100)])
def test_kernels_of_one_gpu(roofline: Any, gpu: str, few: int) -> None:
    found = list(roofline.kernels(gpu))
    assert len({kernel.name for kernel in found}) == len(found) > few
    assert all(kernel.element in roofline.BYTES for kernel in found)
    by_name = {kernel.name: kernel for kernel in found}
    batch = by_name["batch f64 20x9x9"]
    assert batch.operations_a_byte == pytest.approx(2 * 20 * 9 * 9 / (8 * (20 * 9 + 9 * 9 + 20 * 9)))
    if gpu == "H200":
        product = by_name["product tf32nn 4096 gemm"]
        assert product.operations_a_byte == pytest.approx(2 * 4096**3 / (3 * 4 * 4096**2))
        assert 0 < product.gigaflops < roofline.units(gpu)["tf32"] * 1.2


def test_nothing_of_a_gpu_that_none_has(roofline: Any) -> None:
    assert not list(roofline.kernels("A100"))
    assert not roofline.units("A100")
