"""Products in the interpreter by the arithmetic of a CPU's unit, where one is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from generators.element_types import DTYPES
from targets.cpu.units.test_bf16_unit import SUMS, values
from targets.cpu.units.test_unit_choice import gemm
from tilewright.machine.processor import machine
from tilewright.machine.units import unavailable
from tilewright.settings.config import ConfigError
from tilewright.settings.product_units import Unit

Array = NDArray[Any]
SHAPES = {Unit.BF16: (40, 33, 71), Unit.AMX_BF16: (40, 33, 71), Unit.AMX_F16: (97, 96, 99)}
"""Of which a CPU leaves none to vectors."""
BF16 = ("bf16", "bf16", "f32")


def product(text: str, target: str, units: str | None, a: Array, b: Array) -> Array:
    c = np.zeros((a.shape[0], b.shape[1]), np.float32, "F")
    next(iter(tw.compile(text, target=target, units=units, cache=False)))(a, b, c)
    return c


@pytest.mark.parametrize("unit", SUMS)
def test_products_have_the_arithmetic_of_the_unit(unit: Unit, rng: np.random.Generator) -> None:
    type_ = "f16" if unit is Unit.AMX_F16 else "bf16"
    m, n, k = SHAPES[unit]
    text = gemm((type_, type_, "f32"), m, n, k)
    a, b = values(rng, (m, k), True, type_), values(rng, (k, n), True, type_)
    found = product(text, "interpreter", unit.value, a, b)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, SUMS[unit](a.astype(np.float32), b.astype(np.float32)))
    assert not np.array_equal(found, product(text, "interpreter", None, a, b), equal_nan=True)
    if unavailable(machine(), unit) is None:
        np.testing.assert_array_equal(found, product(text, "cpu", unit.value, a, b))


def test_the_best_of_several_is_taken(rng: np.random.Generator) -> None:
    a, b = (values(rng, (32, 32), False, "bf16") for _ in "ab")
    wanted = SUMS[Unit.AMX_BF16](a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_array_equal(product(gemm(BF16, 32, 32, 32), "interpreter", "bf16,amx", a, b), wanted)


def test_other_types_and_exact_units_are_as_without(rng: np.random.Generator) -> None:
    a, b = (values(rng, (32, 32), False, "f16") for _ in "ab")
    text = gemm(("f16", "f16", "f32"), 32, 32, 32)
    plain = product(text, "interpreter", None, a, b)
    np.testing.assert_array_equal(product(text, "interpreter", "bf16,amx-bf16,vnni", a, b), plain)
    tiny = np.full((32, 32), 2.0**-130, DTYPES["bf16"], "F")
    ones = np.ones((32, 32), DTYPES["bf16"], "F")
    text = gemm(BF16, 32, 32, 32)
    assert (product(text, "interpreter", "vector", tiny, ones) == 2.0**-125).all()
    assert (product(text, "interpreter", "bf16", tiny, ones) == 0).all()


def test_what_is_no_unit_is_told() -> None:
    with pytest.raises(ConfigError, match="is no list of product units"):
        tw.compile(gemm(BF16, 4, 4, 4), target="interpreter", units="vnii")
