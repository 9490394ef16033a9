"""What the operations beyond the tensor language mean on numbers that are special: zeros, NaN, infinities, ties."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.dialects import arith, arith_floats, arith_integers
from tilewright.dialects.arith import Predicate
from tilewright.dialects.arith_floats import Rounding
from tilewright.ir.core import Block
from tilewright.ir.evaluation import evaluated
from tilewright.ir.types import C32, C64, F8E8M0FNU, F32, F64, I8, I16, I32, I64, ScalarType
from tilewright.numerics.arrays import dtype_of

INF, NAN = float("inf"), float("nan")


def same(found: Any, wanted: float) -> bool:
    """Equal, with the sign of zeros; NaN is NaN."""
    number = float(found)
    return bool(np.isnan(number) and np.isnan(wanted)) or (
        number == wanted and bool(np.signbit(number) == np.signbit(wanted))
    )


def of_two(cls: Any, a: float, b: float, *options: Any) -> Any:
    values = (np.asarray(v, np.float32) for v in (a, b))
    return evaluated(cls(*Block([F32, F32]).arguments, *options), *values)[()]


@pytest.mark.parametrize(
    ("a", "b", "largest", "least"),
    [(1.0, 2.0, 2.0, 1.0), (-INF, 3.0, 3.0, -INF), (0.0, -0.0, 0.0, -0.0), (-0.0, -0.0, -0.0, -0.0)],
)
def test_extrema_order_zeros(a: float, b: float, largest: float, least: float) -> None:
    for cls, wanted in (
        (arith_floats.Maximum, largest),
        (arith_floats.MaximumNumber, largest),
        (arith_floats.Minimum, least),
        (arith_floats.MinimumNumber, least),
    ):
        assert same(of_two(cls, a, b), wanted), cls
        assert same(of_two(cls, b, a), wanted), cls


def test_extrema_take_or_pass_over_nan() -> None:
    for cls in (arith_floats.MaximumNumber, arith_floats.MinimumNumber):
        assert same(of_two(cls, NAN, 1.0), 1.0)
        assert same(of_two(cls, 1.0, NAN), 1.0)
    for cls in (arith_floats.Maximum, arith_floats.Minimum):
        assert np.isnan(of_two(cls, NAN, 1.0))
        assert np.isnan(of_two(cls, 1.0, NAN))


COMPARED: dict[Predicate, Callable[[float, float], bool]] = {
    Predicate.EQ: operator.eq,
    Predicate.NE: operator.ne,
    Predicate.LT: operator.lt,
    Predicate.LE: operator.le,
    Predicate.GT: operator.gt,
    Predicate.GE: operator.ge,
}


@pytest.mark.parametrize("predicate", list(Predicate))
def test_comparisons_with_nan_are_what_their_ordering_says(predicate: Predicate) -> None:
    numbers = [-1.0, 0.0, -0.0, INF, NAN]
    for a in numbers:
        for b in numbers:
            unordered = np.isnan(a) or np.isnan(b)
            plain = COMPARED[predicate](a, b)
            for cls, of_nan in ((arith_floats.OrderedCmp, False), (arith_floats.UnorderedCmp, True)):
                op = cls(predicate, *Block([F32, F32]).arguments)
                found = evaluated(op, np.asarray(a, np.float32), np.asarray(b, np.float32))
                assert bool(found) is (of_nan if unordered else plain), (a, b, cls)


@pytest.mark.parametrize(
    ("value", "wanted"), [(1e-40, 0.0), (-1e-40, -0.0), (2.0**-126, 2.0**-126), (-0.0, -0.0), (-1.0, -1.0), (NAN, NAN)]
)
def test_subnormal_numbers_are_flushed_to_a_zero_of_their_sign(value: float, wanted: float) -> None:
    op = arith_floats.Flush(Block([F32]).arguments[0])
    assert same(evaluated(op, np.asarray(value, np.float32)), wanted)


@pytest.mark.parametrize("up", [False, True])
def test_scales_are_the_power_of_two_beside_the_magnitude(up: bool, rng: np.random.Generator) -> None:
    exponents = rng.integers(-120, 120, 50)
    values = np.concatenate([2.0**exponents, 1.5 * 2.0**exponents, (1 + 2.0**-20) * 2.0**exponents])
    op = arith_floats.RoundedCast(
        Block([F32]).arguments[0], Rounding.UP if up else Rounding.ZERO, result_types=[F8E8M0FNU]
    )
    found = evaluated(op, values.astype(np.float32)).astype(np.float64)
    power = np.exp2(exponents)
    np.testing.assert_array_equal(found, np.concatenate([power, power * (2 if up else 1), power * (2 if up else 1)]))


@pytest.mark.parametrize("type_", [I8, I16, I32, I64], ids=str)
def test_unsigned_conversions_saturate_at_zero_and_the_largest(type_: ScalarType) -> None:
    top = 2**type_.bits - 1
    numbers = {-5.5: 0, -0.9: 0, 0.0: 0, 3.7: 3, 2.0 ** (type_.bits - 1): 2 ** (type_.bits - 1), 1e300: top, NAN: 0}
    op = arith_integers.UCast(Block([F64]).arguments[0], result_types=[type_])
    found = evaluated(op, np.array(list(numbers), np.float64))
    assert [int(v) & top for v in found] == list(numbers.values())


@pytest.mark.parametrize("type_", [C32, C64], ids=str)
def test_complex_products_are_those_of_python(type_: ScalarType, rng: np.random.Generator) -> None:
    a, b = (rng.integers(-9, 10, 50) + 1j * rng.integers(-9, 10, 50) for _ in range(2))
    found: NDArray[Any] = evaluated(
        arith.Mul(*Block([type_, type_]).arguments), a.astype(dtype_of(type_.format)), b.astype(dtype_of(type_.format))
    )
    assert found.tolist() == [complex(x) * complex(y) for x, y in zip(a, b, strict=True)]
