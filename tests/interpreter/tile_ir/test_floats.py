"""Floating point operations of Tile IR against exact rational arithmetic and double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from generators.fused import fused, hard_sums
from interpreter.tile_ir.kernels import Array, apply
from tilewright.dialects.cuda_tile import floats
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Ordering, Predicate, Rounding
from tilewright.dialects.cuda_tile.numbers import float_value
from tilewright.interpreter.tile_ir.values import from_bits, to_bits, to_double
from tilewright.numerics.arrays import elements

FLOATS = (t.F16, t.BF16, t.F32, t.F64)
EDGES = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan)
MODES = (Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF)


def samples(seed: int, element: t.ElementType, count: int) -> Array:
    """Random patterns, numbers of similar size, subnormal ones, the edges of the type."""
    rng = np.random.default_rng(seed)
    wild = rng.integers(0, 1 << 63, count // 2).astype(np.uint64) << np.uint64(1) ^ rng.integers(
        0, 2, count // 2
    ).astype(np.uint64)
    tame = to_bits(rng.standard_normal(count - count // 2).astype(np.float64), t.F64)
    near = from_bits(tame, t.F64).astype(from_bits(wild[:1], element).dtype)
    bits = wild & np.uint64((1 << element.bits) - 1)
    low = rng.integers(0, 1 << element.floating.mantissa, count // 8).astype(np.uint64)
    bits[: count // 8] = low
    found = np.concatenate([from_bits(bits, element), near])
    with np.errstate(all="ignore"):
        found[: len(EDGES)] = np.array(EDGES).astype(found.dtype)
    return rng.permutation(found)


def exact(value: float) -> Fraction:
    return Fraction(float(value))


def neighbours(value: Fraction, element: t.ElementType) -> tuple[float, float]:
    """The largest element below or at a number, and the smallest above or at it, by search over patterns."""

    def number(pattern: int) -> float:
        return float_value(pattern, element)

    top = ((1 << element.floating.exponent) - 1) << element.floating.mantissa
    low, high = 0, top
    magnitude = abs(value)
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(number(middle)) <= magnitude:
            low = middle
        else:
            high = middle
    below = number(low)
    above = below if Fraction(below) == magnitude else number(high)
    return (below, above) if value >= 0 else (-above, -below)


def rounds_to(value: Fraction, element: t.ElementType, mode: Rounding) -> float:
    low, high = neighbours(value, element)
    if mode is Rounding.ZERO:
        return low if value > 0 else high
    if mode is Rounding.NEGATIVE_INF:
        return low
    if mode is Rounding.POSITIVE_INF:
        return high
    ulp = Fraction(2) ** (1 - element.floating.bias - element.floating.mantissa + (1 << element.floating.exponent) - 3)
    below, above = (Fraction(float(x)) if math.isfinite(x) else None for x in (low, high))
    below = Fraction(high) - ulp if below is None else below
    above = Fraction(low) + ulp if above is None else above
    if value - below != above - value:
        return low if value - below < above - value else high
    bits = int(to_bits(np.asarray(low).astype(from_bits(np.asarray(0), element).dtype), element))
    return high if bits & 1 else low


PLAIN: dict[type[Any], np.ufunc] = {
    floats.AddF: np.add,
    floats.SubF: np.subtract,
    floats.MulF: np.multiply,
    floats.DivF: np.divide,
}
BINARY: list[tuple[type[Any], Callable[[Fraction, Fraction], Fraction]]] = [
    (floats.AddF, lambda a, b: a + b),
    (floats.SubF, lambda a, b: a - b),
    (floats.MulF, lambda a, b: a * b),
    (floats.DivF, lambda a, b: a / b),
]


@pytest.mark.covering(2)
@pytest.mark.parametrize("element", FLOATS, ids=str)
@pytest.mark.parametrize("mode", MODES, ids=lambda m: m.value)
@pytest.mark.parametrize(("kind", "compute"), BINARY, ids=lambda k: getattr(k, "__name__", ""))
def test_rounded_arithmetic(
    element: t.ElementType,
    mode: Rounding,
    kind: type[Any],
    compute: Callable[[Fraction, Fraction], Fraction],
    seed: int,
) -> None:
    x, y = samples(seed, element, 256), samples(seed + 1, element, 256)
    found = apply(lambda b, v: b(kind(*v, rounding_mode=mode)).out, [(x, element), (y, element)], element)
    for a, b, r in zip(to_double(x, element), to_double(y, element), to_double(found, element), strict=True):
        if not (math.isfinite(a) and math.isfinite(b)) or (kind is floats.DivF and b == 0):
            with np.errstate(all="ignore"):
                plain = PLAIN[kind]
                np.testing.assert_equal(r, plain(a, b))
            continue
        value = compute(exact(a), exact(b))
        if value:
            assert r == rounds_to(value, element, mode), (a, b)
        elif kind in (floats.AddF, floats.SubF):
            other = b if kind is floats.AddF else -b
            same = math.copysign(1, a) == math.copysign(1, other) and a == 0
            sign = math.copysign(1, a) if same else -1.0 if mode is Rounding.NEGATIVE_INF else 1.0
            assert r == 0
            assert math.copysign(1, r) == sign, (a, b)
        else:
            assert r == 0
            assert math.copysign(1, r) == math.copysign(1, a) * math.copysign(1, b)


@pytest.mark.parametrize("element", FLOATS, ids=str)
@pytest.mark.parametrize("mode", MODES, ids=lambda m: m.value)
def test_fma_and_sqrt(element: t.ElementType, mode: Rounding, seed: int) -> None:
    x, y, z = (samples(seed + k, element, 256) for k in range(3))
    with np.errstate(all="ignore"):
        z[:64] = -(x[:64] * y[:64])
    inputs = [(x, element), (y, element), (z, element)]
    found = apply(lambda b, v: b(floats.Fma(*v, rounding_mode=mode)).out, inputs, element)
    operands = [to_double(v, element) for v in (x, y, z, found)]
    for a, b, c, r in zip(*operands, strict=True):
        if not all(map(math.isfinite, (a, b, c))):
            assert not math.isfinite(r)
        elif value := exact(a) * exact(b) + exact(c):
            assert r == rounds_to(value, element, mode), (a, b, c)
        else:
            assert r == 0
    roots = apply(lambda b, v: b(floats.Sqrt(*v, rounding_mode=mode)).out, [(x, element)], element)
    for a, r in zip(operands[0], to_double(roots, element), strict=True):
        if not a >= 0 or math.isinf(a) or a == 0:
            with np.errstate(all="ignore"):
                np.testing.assert_equal(r, np.sqrt(a))
            continue
        low, high = sorted((r, float(to_double(step(element, r, mode), element))))
        assert math.isfinite(r)
        if mode in (Rounding.ZERO, Rounding.NEGATIVE_INF):
            assert exact(r) ** 2 <= exact(a) < exact(high) ** 2
        elif mode is Rounding.POSITIVE_INF:
            assert exact(low) ** 2 < exact(a) <= exact(r) ** 2
        else:
            above = float(to_double(step(element, r, Rounding.ZERO), element))
            assert ((exact(r) + exact(low)) / 2) ** 2 <= exact(a) <= ((exact(r) + exact(above)) / 2) ** 2


@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_fma_of_sums_that_are_hard_to_round(element: t.ElementType, rng: np.random.Generator) -> None:
    rows = hard_sums(element.name, rng)
    inputs = [(elements(element.floating, v), element) for v in rows]
    found = to_double(apply(lambda b, v: b(floats.Fma(*v)).out, inputs, element), element)
    wanted = [fused(element.name, *row) for row in zip(*(v.tolist() for v in rows), strict=True)]
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found) | np.isnan(found), np.signbit(wanted) | np.isnan(wanted))


def step(element: t.ElementType, value: float, mode: Rounding) -> Array:
    """The neighbour above for modes that round down, else the one below."""
    bits = to_bits(np.asarray(value).astype(from_bits(np.asarray(0), element).dtype), element)
    up = mode in (Rounding.ZERO, Rounding.NEGATIVE_INF)
    return from_bits(bits + np.uint64(1) if up else bits - np.uint64(1), element)


def test_flush_to_zero(seed: int) -> None:
    tiny = np.array([1e-40, -1e-40, 2e-38, -2e-38, 1.0, -0.0, 1e-30, 3e-39], np.float32)
    ones = np.ones(8, np.float32)
    scale = np.full(8, 0.5, np.float32)
    found = apply(lambda b, v: b(floats.MulF(*v, flush_to_zero=True)).out, [(tiny, t.F32), (ones, t.F32)], t.F32)
    wanted = np.where(np.abs(tiny) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), tiny), tiny)
    np.testing.assert_array_equal(found.view(np.uint32), wanted.view(np.uint32))
    halved = apply(lambda b, v: b(floats.MulF(*v, flush_to_zero=True)).out, [(tiny, t.F32), (scale, t.F32)], t.F32)
    assert halved[2] == 0
    assert halved[6] == np.float32(5e-31)


@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_extrema(element: t.ElementType, seed: int) -> None:
    x, y = samples(seed, element, 256), samples(seed + 1, element, 256)
    x[:3], y[:3] = np.array([0.0, -0.0, math.nan]).astype(x.dtype), np.array([-0.0, 0.0, math.nan]).astype(x.dtype)
    a, b = to_double(x, element), to_double(y, element)
    for kind, better in ((floats.MaxF, max), (floats.MinF, min)):
        for propagate in (False, True):

            def build(builder: Any, v: Any, kind: Any = kind, propagate: bool = propagate) -> Any:
                return builder(kind(*v, propagate_nan=propagate)).out

            found = to_double(apply(build, [(x, element), (y, element)], element), element)
            for p, q, r in zip(a, b, found, strict=True):
                nans = math.isnan(p) + math.isnan(q)
                if nans == 2 or (nans and propagate):
                    assert math.isnan(r)
                elif nans:
                    assert r == (q if math.isnan(p) else p)
                else:
                    key = better((p, math.copysign(1, p)), (q, math.copysign(1, q)))
                    assert (r, math.copysign(1, r)) == key


@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_comparisons(element: t.ElementType, seed: int) -> None:
    x, y = samples(seed, element, 256), samples(seed + 1, element, 256)
    y[:64] = x[:64]
    a, b = to_double(x, element), to_double(y, element)
    tests = {"equal": a == b, "not_equal": a != b, "less_than": a < b, "less_than_or_equal": a <= b}
    tests |= {"greater_than": a > b, "greater_than_or_equal": a >= b}
    nan = np.isnan(a) | np.isnan(b)
    for predicate in Predicate:
        for ordering in Ordering:

            def build(builder: Any, v: Any, predicate: Any = predicate, ordering: Any = ordering) -> Any:
                return builder(floats.CmpF(predicate, ordering, *v, result_types=[t.Tile((256,), t.I1)])).out

            found = apply(build, [(x, element), (y, element)], t.I1)
            wanted = np.where(nan, ordering is Ordering.UNORDERED, tests[predicate.value])
            np.testing.assert_array_equal(found, wanted)


def inverse_root(x: Any) -> Any:
    return 1 / np.sqrt(x)


FUNCTIONS: list[tuple[type[Any], Callable[..., Any], int]] = [
    (floats.Exp, np.exp, 1),
    (floats.Exp2, np.exp2, 1),
    (floats.Log, np.log, 1),
    (floats.Log2, np.log2, 1),
    (floats.Sin, np.sin, 1),
    (floats.Cos, np.cos, 1),
    (floats.Tan, np.tan, 1),
    (floats.Sinh, np.sinh, 1),
    (floats.Cosh, np.cosh, 1),
    (floats.Tanh, np.tanh, 1),
    (floats.Rsqrt, inverse_root, 1),
    (floats.Ceil, np.ceil, 1),
    (floats.Floor, np.floor, 1),
    (floats.Atan2, np.arctan2, 2),
    (floats.Pow, np.power, 2),
    (floats.RemF, np.fmod, 2),
]


@pytest.mark.parametrize("element", FLOATS, ids=str)
@pytest.mark.parametrize(("kind", "compute", "count"), FUNCTIONS, ids=lambda k: getattr(k, "__name__", ""))
def test_functions(element: t.ElementType, kind: type[Any], compute: Callable[..., Any], count: int, seed: int) -> None:
    inputs = [samples(seed + k, element, 128) for k in range(count)]
    found = to_double(apply(lambda b, v: b(kind(*v)).out, [(x, element) for x in inputs], element), element)
    # The library's double precision functions again, rounded by NumPy instead: wrong by more than an ulp is a fault.
    with np.errstate(all="ignore"):
        wide = compute(*(to_double(x, element) for x in inputs))
        wanted = wide.astype(np.float32).astype(inputs[0].dtype) if element is not t.F64 else wide
    lost = to_double(wanted, element)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(lost))
    regular = np.isfinite(lost) & np.isfinite(found)
    np.testing.assert_array_equal(found[~regular], lost[~regular])
    spacing = np.maximum(
        np.abs(lost) * 2.0**-element.floating.mantissa, 2.0 ** (1 - element.floating.bias - element.floating.mantissa)
    )
    assert (np.abs(found[regular] - lost[regular]) <= spacing[regular]).all()


@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_signs_and_powers(element: t.ElementType, seed: int) -> None:
    x = samples(seed, element, 64)
    sign = np.uint64(1) << np.uint64(element.bits - 1)
    bits = to_bits(x, element)
    negated = apply(lambda b, v: b(floats.NegF(*v)).out, [(x, element)], element)
    np.testing.assert_array_equal(to_bits(negated, element), bits ^ sign)
    positive = apply(lambda b, v: b(floats.AbsF(*v)).out, [(x, element)], element)
    np.testing.assert_array_equal(to_bits(positive, element), bits & ~sign)
    exponents = np.random.default_rng(seed).integers(-3, 4, 64).astype(np.int8)
    base = (np.random.default_rng(seed).random(64) + 0.5).astype(x.dtype)
    found = apply(lambda b, v: b(floats.FPowI(*v)).out, [(base, element), (exponents, t.I8)], element)
    wanted = to_double(base, element) ** exponents.astype(np.float64)
    np.testing.assert_allclose(to_double(found, element), wanted, rtol=2.0**-element.floating.mantissa, atol=2.0**-24)


@pytest.mark.parametrize("element", [t.F32, t.F64], ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_exact_zeros_of_sums_have_the_sign_that_ieee_gives_them(element: t.ElementType, mode: Rounding) -> None:
    """Unlike terms cancel to +0, rounding down to -0; zeros of one sign keep it."""
    cancelled = -0.0 if mode is Rounding.NEGATIVE_INF else 0.0
    terms = [(1.5, -1.5), (0.0, -0.0), (-0.0, 0.0), (0.0, 0.0), (-0.0, -0.0)]
    a, b = (np.array(column, np.float32 if element is t.F32 else np.float64) for column in zip(*terms, strict=True))
    wanted = np.signbit([cancelled, cancelled, cancelled, 0.0, -0.0])
    for cls, second in ((floats.AddF, b), (floats.SubF, -b)):

        def build(builder: Any, v: Any, cls: Any = cls) -> Any:
            return builder(cls(*v, mode, result_types=[v[0].type])).out

        found = apply(build, [(a, element), (second, element)], element)
        assert (found == 0).all()
        np.testing.assert_array_equal(np.signbit(found), wanted)
