"""Arithmetic of floats in every format and mode, and conversions, against exact rational arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from numerics.exactly import decoded, largest, rounded
from numerics.test_integers import as_read, numbers, signed
from tilewright.numerics import conversions, floats, functions
from tilewright.numerics.arrays import dtype_of, elements, from_bits, to_bits, to_double
from tilewright.numerics.formats import FLOAT_FORMATS, INTEGER_FORMATS, FloatFormat, IntegerFormat
from tilewright.numerics.rounding import Mode

WIDE = ("f16", "bf16", "tf32", "f32", "f64")
MODES = (Mode.NEAREST_EVEN, Mode.ZERO, Mode.UP, Mode.DOWN)
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": Fraction.__truediv__,
}


def edges(name: str, rng: np.random.Generator) -> list[float]:
    """Finite numbers of a format: zeros, both ends, a tie's neighbourhood, and some of any size."""
    layout, top = FLOAT_FORMATS[name], largest(name)
    one = 1.0 + 2.0**-layout.mantissa
    sizes = [0.0, decoded(name, 1), decoded(name, 1 << layout.mantissa), one, 2.0**-layout.mantissa, 3.0]
    sizes += [decoded(name, top), decoded(name, top - 1), *(decoded(name, int(p)) for p in rng.integers(0, top, 4))]
    return [sign * size for size in sizes for sign in (1.0, -1.0)]


def array(layout: FloatFormat, values: list[float]) -> Any:
    with np.errstate(all="ignore"):
        return elements(layout, np.array(values))


def same(found: float, wanted: float) -> bool:
    if math.isnan(wanted):
        return math.isnan(found)
    return found == wanted and math.copysign(1.0, found) == math.copysign(1.0, wanted)


@pytest.mark.parametrize("mode", MODES, ids=lambda m: m.value)
@pytest.mark.parametrize("name", WIDE)
def test_arithmetic(name: str, mode: Mode, rng: np.random.Generator) -> None:
    layout, every = FLOAT_FORMATS[name], edges(name, rng)
    pairs = [(a, b) for a in every for b in every]
    x, y = (array(layout, list(column)) for column in zip(*pairs, strict=True))
    for kind, compute in BINARY.items():
        with np.errstate(all="ignore"):
            found = to_double(layout, getattr(floats, kind)(layout, x, y, mode)).tolist()
        for (a, b), result in zip(pairs, found, strict=True):
            if kind == "divide" and b == 0:
                assert math.isnan(result) if a == 0 else math.isinf(result)
                continue
            exact = compute(Fraction(a), Fraction(b))
            if exact:
                assert same(result, rounded(name, exact, mode)), (kind, a, b)
            elif kind in ("add", "subtract") and (a or b):
                assert same(result, -0.0 if mode is Mode.DOWN else 0.0), (kind, a, b)
            else:
                assert result == 0


@pytest.mark.parametrize("mode", MODES, ids=lambda m: m.value)
@pytest.mark.parametrize("name", WIDE)
def test_fused_products_and_roots(name: str, mode: Mode, rng: np.random.Generator) -> None:
    layout, every = FLOAT_FORMATS[name], edges(name, rng)
    rows = [tuple(float(v) for v in rng.choice(every, 3)) for _ in range(600)]
    x, y, z = (array(layout, list(column)) for column in zip(*rows, strict=True))
    with np.errstate(all="ignore"):
        found = to_double(layout, floats.multiply_add(layout, x, y, z, mode)).tolist()
    for (a, b, c), result in zip(rows, found, strict=True):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact:
            assert same(result, rounded(name, exact, mode)), (a, b, c)
        elif c:
            assert same(result, -0.0 if mode is Mode.DOWN else 0.0), (a, b, c)
    sizes = sorted({abs(v) for v in every})
    with np.errstate(all="ignore"):
        roots = to_double(layout, floats.square_root(layout, array(layout, sizes), mode)).tolist()
    for size, root in zip(sizes, roots, strict=True):
        scaled = Fraction(size) * 4**1400
        whole = math.isqrt(int(scaled))
        # a bit below all that can matter says that the root goes on
        near = Fraction(2 * whole + (whole * whole != scaled), 2**1401)
        assert root == (rounded(name, near, mode) if size else 0.0), size


@pytest.mark.parametrize("name", WIDE)
def test_order_and_signs(name: str, rng: np.random.Generator) -> None:
    layout = FLOAT_FORMATS[name]
    every = [*edges(name, rng), math.inf, -math.inf, math.nan]
    pairs = [(a, b) for a in every for b in every]
    x, y = (array(layout, list(column)) for column in zip(*pairs, strict=True))
    for larger, best in ((True, max), (False, min)):
        for nan in (True, False):
            found = to_double(layout, floats.extremum(layout, x, y, larger, nan)).tolist()
            for (a, b), result in zip(pairs, found, strict=True):
                numbers_ = [v for v in (a, b) if not math.isnan(v)]
                if len(numbers_) < (2 if nan else 1):
                    assert math.isnan(result)
                else:
                    assert same(result, best(numbers_, key=lambda v: (v, math.copysign(1.0, v))))
    values = array(layout, every)
    bits, sign = to_bits(layout, values), np.uint64(1 << (layout.bits - 1))
    np.testing.assert_array_equal(to_bits(layout, floats.negate(layout, values)), bits ^ sign)
    np.testing.assert_array_equal(to_bits(layout, floats.absolute(layout, values)), bits & ~sign)
    small = decoded(name, 1 << layout.mantissa)
    flushed = to_double(layout, floats.flushed(layout, values)).tolist()
    for value, result in zip(every, flushed, strict=True):
        assert same(result, math.copysign(0.0, value) if abs(value) < small else value)


@pytest.mark.parametrize("source", INTEGER_FORMATS, ids=lambda f: f.name)
@pytest.mark.parametrize("is_signed", [True, False], ids=["signed", "unsigned"])
def test_integers_and_floats(source: IntegerFormat, is_signed: bool, rng: np.random.Generator) -> None:
    every = numbers(source, rng)
    read = [as_read(v, source.bits, is_signed) for v in every]
    given = from_bits(source, np.array([v % 2**64 for v in every], np.uint64))
    for name in (*WIDE, "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E5M3FNU"):
        target = FLOAT_FORMATS[name]
        with np.errstate(all="ignore"):
            found = to_double(target, conversions.from_integers(source, target, given, is_signed)).tolist()
        for number, result in zip(read, found, strict=True):
            wanted = rounded(name, Fraction(number), Mode.NEAREST_EVEN) if number else 0.0
            if name == "f4E2M1FN" and math.isinf(wanted):
                wanted = math.copysign(6.0, wanted)
            elif (math.isinf(wanted) and not target.infinite) or (number < 0 and not target.signed):
                wanted = math.nan
            assert same(result, wanted), (name, number)
    low, high = source.limits(is_signed)
    for name in WIDE:
        layout = FLOAT_FORMATS[name]
        near = [*edges(name, rng), -0.75, 0.75, 1.75, *(v + d for v in (low, high + 1) for d in (-1.0, 0.0, 0.5, 1.0))]
        values = array(layout, [*near, math.inf, -math.inf, math.nan])
        with np.errstate(all="ignore"):
            found = conversions.to_integers(layout, source, values, is_signed)
            beyond = conversions.beyond(source, to_double(layout, values), is_signed)
        assert found.dtype == dtype_of(source)
        for number, bits, out in zip(
            to_double(layout, values).tolist(), to_bits(source, found).tolist(), beyond.tolist(), strict=True
        ):
            whole = 0 if math.isnan(number) else math.trunc(number) if math.isfinite(number) else None
            inside = whole is not None and low <= whole <= high
            clamped = whole if whole is not None and inside else low if number < 0 else high
            assert signed(bits, source.bits) == signed(clamped, source.bits), (name, number)
            assert out == (not inside or math.isnan(number)), (name, number)


@pytest.mark.parametrize("source", FLOAT_FORMATS)
@pytest.mark.parametrize("target", FLOAT_FORMATS)
def test_floats_of_another_format(source: str, target: str, rng: np.random.Generator) -> None:
    one, other = FLOAT_FORMATS[source], FLOAT_FORMATS[target]
    patterns = [int(p) for p in rng.integers(0, largest(source) + 1, 40)] + [0, 1, largest(source)]
    values = from_bits(one, np.array(patterns, np.uint64))
    for mode in MODES:
        with np.errstate(all="ignore"):
            found = to_double(other, conversions.between_floats(one, other, values, mode)).tolist()
        for pattern, result in zip(patterns, found, strict=True):
            number = Fraction(decoded(source, pattern))
            wanted = rounded(target, number, mode) if number else decoded(target, 0)
            if math.isinf(wanted) and other.bits <= 8:
                wanted = decoded(target, largest(target))
            assert same(result, wanted), (mode, decoded(source, pattern))


def test_powers_of_signed_integers() -> None:
    layout = FLOAT_FORMATS["f32"]
    base = array(layout, [4.0, -2.0])
    assert functions.integer_power(layout, base, np.array([-1, 3], np.int8)).tolist() == [0.25, -8.0]
    # true is -1
    assert functions.integer_power(layout, base, np.array([True, False])).tolist() == [0.25, 1.0]
