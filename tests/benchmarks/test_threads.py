"""The reference that the benchmark of threads compares with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_products_agree_with_the_reference(dtype: str, rng: np.random.Generator, imported: Any) -> None:
    case = imported("threads").product_case(dtype, 7, rng, 3)
    tw.compile(case.source, cache=False).product[case.batch](*case.arguments)
    assert np.linalg.norm(case.result - case.expected) <= 1e-5 * np.linalg.norm(case.expected)
