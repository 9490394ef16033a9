"""The reference that the benchmark of threads compares with."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_products_agree_with_the_reference(
    dtype: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    benchmark: Any = importlib.import_module("threads")
    case = benchmark.product_case(rng, dtype, 7, 3)
    tw.compile(case.source, cache=False).product[case.batch](*case.arguments)
    assert np.linalg.norm(case.result - case.expected) <= 1e-5 * np.linalg.norm(case.expected)
