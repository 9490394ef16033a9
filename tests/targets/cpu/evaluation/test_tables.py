"""Vectors of memory that lies by tables, seen in the code: tests of large products say whether they are right."""

from __future__ import annotations

import numpy as np
import pytest

from targets.cpu.large_products.patches import Convolution
from tilewright.targets.cpu.machine import machine_of


@pytest.mark.skipif(not machine_of().masks, reason="this machine has no AVX-512")
@pytest.mark.parametrize("element", ["i8", "float", "double"])
def test_lanes_of_short_runs_are_loaded_together(rng: np.random.Generator, element: str) -> None:
    """Rows of 12 patches: vectors of 16, 32 or 64 lie in a few of them."""
    convolution = Convolution(rng, element, 64, 14)
    text = convolution.kernel.llvm
    assert "llvm.masked.load" in text
    assert "llvm.masked.gather" not in text
    assert np.array_equal(convolution.run(text), convolution.expected)
