"""Scalar operations mean what language reference 1.7 says, at the edges too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from generators.fused import fused, hard_sums
from tilewright.dialects import arith, math
from tilewright.ir.core import Block
from tilewright.ir.evaluation import evaluated
from tilewright.ir.types import BF16, C32, C64, F16, F32, F64, I8, I16, I32, I64, ScalarType
from tilewright.numerics.arrays import dtype_of

MIN8, MAX8 = -128, 127


def binary(cls: type, type_: ScalarType, a: object, b: object) -> object:
    """One operation on scalars."""
    block = Block([type_, type_])
    op = cls(*block.arguments)
    return evaluated(op, *(np.asarray(v).astype(dtype_of(type_.format)) for v in (a, b)))[()]


def converted(value: float, type_: ScalarType) -> Any:
    """A double as a number of another type."""
    return evaluated(arith.Cast(Block([F64]).arguments[0], result_types=[type_]), np.asarray(value))[()]


@pytest.mark.parametrize(
    ("cls", "a", "b", "wanted"),
    [
        (arith.Add, 127, 1, -128),
        (arith.Mul, 16, 16, 0),
        (arith.Div, -7, 2, -3),
        (arith.Div, 7, -2, -3),
        (arith.Div, 5, 0, 0),
        (arith.Div, MIN8, -1, MIN8),
        (arith.Rem, -7, 2, -1),
        (arith.Rem, 5, 0, 5),
        (arith.Rem, MIN8, -1, 0),
        (arith.Shl, 1, 9, 2),
        (arith.Shr, -2, 1, -1),
        (arith.Shr, 4, 8, 4),
        (arith.Max, -3, 2, 2),
        (arith.Xor, 5, 3, 6),
    ],
)
def test_integers(cls: type, a: int, b: int, wanted: int) -> None:
    assert binary(cls, I8, a, b) == wanted


def test_division_for_all_i8() -> None:
    a, b = np.meshgrid(np.arange(-128, 128), np.arange(-128, 128))
    block = Block([I8, I8])
    x, y = a.astype(np.int8), b.astype(np.int8)
    safe = np.where(b == 0, 1, b)
    quotient = np.where(b == 0, 0, np.trunc(a / safe)).astype(np.int64).astype(np.int8)
    np.testing.assert_array_equal(evaluated(arith.Div(*block.arguments), x, y), quotient)
    rest = (a - quotient.astype(np.int64) * b).astype(np.int8)
    np.testing.assert_array_equal(evaluated(arith.Rem(*block.arguments), x, y), rest)


def test_the_number_wins_over_nan() -> None:
    for type_ in (F16, BF16, F32, F64):
        assert binary(arith.Max, type_, np.nan, 1.0) == 1.0
        assert binary(arith.Min, type_, 1.0, np.nan) == 1.0
        assert np.isnan(float(str(binary(arith.Max, type_, np.nan, np.nan))))


@pytest.mark.parametrize(
    ("value", "type_", "wanted"),
    [
        (1e10, I32, 2**31 - 1),
        (-1e10, I32, -(2**31)),
        (np.nan, I64, 0),
        (2.0**63, I64, 2**63 - 1),
        (-(2.0**63), I64, -(2**63)),
        (2.0**62, I64, 2**62),
        (-1.9, I8, -1),
        (1e300, I16, 2**15 - 1),
    ],
)
def test_float_to_integer_saturates(value: float, type_: ScalarType, wanted: int) -> None:
    assert int(converted(value, type_)) == wanted


def test_conversion_to_16_bits_rounds_once() -> None:
    # Halfway between two bf16 after rounding to f32, but not before.
    value = 1.0 + 2.0**-8 + 2.0**-40
    assert float(converted(value, BF16)) == 1.0 + 2.0**-7
    assert float(converted(1.0 + 2.0**-11 + 2.0**-40, F16)) == 1.0 + 2.0**-10


@pytest.mark.parametrize("type_", [BF16, F16, F32, F64], ids=str)
def test_fma_rounds_once(type_: ScalarType, rng: np.random.Generator) -> None:
    op = arith.Fma(*Block([type_] * 3).arguments)
    rows = hard_sums(type_.name, rng, 2000)
    with np.errstate(over="ignore"):
        found = evaluated(op, *(v.astype(dtype_of(type_.format)) for v in rows)).astype(np.float64)
    wanted = [fused(type_.name, *row) for row in zip(*(v.tolist() for v in rows), strict=True)]
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found) | np.isnan(found), np.signbit(wanted) | np.isnan(wanted))


@pytest.mark.parametrize("type_", [C32, C64])
def test_complex_numbers_at_the_limits_are_what_targets_compute(type_: ScalarType) -> None:
    inf, nan = np.inf, np.nan
    small, large = (1e-30, 1e30) if type_ is C32 else (1e-300, 1e300)
    x = np.array([complex(inf, 1), complex(inf, 0), complex(-inf, 2), complex(nan, 0)], dtype_of(type_.format))
    powers = evaluated(math.Exp2(Block([type_]).arguments[0]), x)
    np.testing.assert_array_equal([np.real(powers), np.imag(powers)], [[inf, inf, 0, nan], [inf, 0, 0, 0]])
    dividends = np.array([complex(small, large), 3 - 4j, 1 + 1j, complex(large, large)], dtype_of(type_.format))
    divisors = np.array([0j, complex(inf, 1), complex(-inf, inf), complex(large, large)], dtype_of(type_.format))
    quotients = evaluated(arith.Div(*Block([type_, type_]).arguments), dividends, divisors)
    np.testing.assert_array_equal([np.real(quotients), np.imag(quotients)], [[inf, 0, 0, 1], [inf, 0, 0, 0]])
