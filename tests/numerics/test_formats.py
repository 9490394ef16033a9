"""Rounding a double to a narrower format is NumPy's conversion."""

from __future__ import annotations

import math
import secrets
from typing import cast

import numpy as np
import pytest

from tilewright.ir.types import BF16
from tilewright.numerics.arrays import dtype_of, from_bits, number_of
from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.rounding import nearest


@pytest.fixture
def seed() -> int:
    """Fresh numbers in each run, printed if a test fails."""
    found = secrets.randbits(32)
    print(f"seed {found}")
    return found


def doubles(seed: int) -> list[float]:
    """Doubles of all magnitudes, ties between neighbours of each format, and both ends of each range."""
    rng = np.random.default_rng(seed)
    anything = rng.integers(0, 1 << 64, 500, np.uint64).view(np.float64)
    tame = np.ldexp(rng.uniform(-2, 2, 500), rng.integers(-160, 140, 500))
    ties = [
        math.ldexp(whole + 0.5, power - format.precision + 1)
        for format in FLOAT_FORMATS.values()
        for power in (format.lowest, 0, format.highest - 1)
        for whole in rng.integers(0, 1 << format.precision, 20).tolist()
    ]
    ends = [x for format in FLOAT_FORMATS.values() for x in (format.largest, math.ldexp(1.0, format.lowest - 1))]
    beyond = [math.nextafter(x, math.inf) for x in ends] + [x * (1 + 2.0**-12) for x in ends]
    specials = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324]
    return [*anything.tolist(), *tame.tolist(), *ties, *ends, *beyond, *specials]


@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_nearest_is_numpy_s_conversion(name: str, seed: int) -> None:
    numbers = doubles(seed)
    with np.errstate(all="ignore"):
        wanted = np.array(numbers).astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[name])
    found = np.array([nearest(x, FLOAT_FORMATS[name]) for x in numbers])
    np.testing.assert_array_equal(found, wanted.astype(np.float64))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


def test_nearest_rounds_to_bf16_once(seed: int) -> None:
    """NumPy's conversion goes through f32, which is exact for numbers of f32 only."""
    with np.errstate(all="ignore"):
        numbers = np.array(doubles(seed)).astype(np.float32)
    wanted = numbers.astype(dtype_of(BF16.format)).astype(np.float64)
    np.testing.assert_array_equal([nearest(x, FLOAT_FORMATS["bf16"]) for x in numbers.tolist()], wanted)
    just_above_a_tie = 1.0 + 2.0**-8 + 2.0**-40
    assert nearest(just_above_a_tie, FLOAT_FORMATS["bf16"]) == 1.0 + 2.0**-7


@pytest.mark.parametrize(("name", "bits"), [("f16", 0x7C01), ("bf16", 0xFF81), ("f32", 0x7F800001)])
def test_signalling_nans_are_read_without_a_warning(name: str, bits: int) -> None:
    """Constants may have any bits; NumPy says that a conversion of these is invalid."""
    layout = FLOAT_FORMATS[name]
    assert math.isnan(cast("float", number_of(layout, from_bits(layout, np.array(bits)))))
