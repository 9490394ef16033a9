"""Bit patterns of floats against NumPy's and ml_dtypes' own conversions."""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest

from tilewright.ir.mlir.float_text import LAYOUTS, pattern_of_double, value_of

FORMATS: Final[dict[str, np.dtype[Any]]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f4E2M1FN": np.dtype(ml_dtypes.float4_e2m1fn),
}


@pytest.mark.parametrize("name", FORMATS)
def test_patterns_of_doubles(name: str, rng: np.random.Generator) -> None:
    """Numbers of all sizes that the format has, and those beside powers of two, which round up to these."""
    layout, dtype = LAYOUTS[name], FORMATS[name]
    highest = (1 << layout.exponent) - 1 - layout.bias
    powers = np.ldexp(1.0, rng.integers(layout.lowest - layout.mantissa, highest, 200))
    beside = powers * (1 - 2.0 ** -rng.integers(min(layout.mantissa + 1, 52), 53, 200))
    numbers = np.concatenate([powers, beside, powers * rng.uniform(1, 2, 200) / 2, [0.0, -0.0]])
    numbers[::3] *= -1
    # A format that is narrower than f32 is reached through f32 by ml_dtypes, which would round twice.
    exact = numbers if name in ("f64", "f32", "f16") else numbers.astype(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
    wanted = rounded.view(f"u{dtype.itemsize}").tolist()
    assert [pattern_of_double(x, layout) for x in exact.tolist()] == wanted
    values = [value_of(bits, layout) for bits in wanted]
    np.testing.assert_array_equal(values, rounded.astype(np.float64))
