"""Intervals of floats: no value that is computed lies outside, and ends that are known are found."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

import tilewright as tw
from tilewright.dialects import arith
from tilewright.dialects.arith_floats import Maximum, Minimum
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Block, Value
from tilewright.ir.types import F32
from tilewright.targets.nvidia.float_bounds import bounds_of

Array = npt.NDArray[np.float32]
SAMPLES: Array = np.array([-np.inf, -1e30, -7.5, -1.0, -0.0, 0.3, 1.0, 42.0, 3e38, np.inf], np.float32)


def drawn(rng: np.random.Generator, build: Builder, known: dict[Value, Array]) -> Value:
    """An operation on some of what there is, with what it is for all samples."""
    values = list(known)
    a, b, c = (values[int(k)] for k in rng.integers(len(values), size=3))
    x, y, z = (known[value] for value in (a, b, c))
    with np.errstate(all="ignore"):
        match int(rng.integers(6)):
            case 0:
                out, found = build(arith.Abs(a)).out, np.abs(x)
            case 1:
                out, found = build(arith.Neg(a)).out, -x
            case 2:
                out, found = build(Maximum(a, b)).out, np.maximum(x, y)
            case 3:
                out, found = build(Minimum(a, b)).out, np.minimum(x, y)
            case 4:
                product = x.astype(np.float64) * y + z
                out, found = build(arith.Fma(a, b, c)).out, product.astype(np.float32)
            case _:
                number = float(np.float32(rng.normal() * 10.0 ** int(rng.integers(-3, 4))))
                out, found = build.constant(number, F32), np.full(len(SAMPLES), number, np.float32)
    known[out] = found
    return out


def test_values_lie_between_their_bounds(rng: np.random.Generator) -> None:
    finite = 0
    for _ in range(300):
        block = Block([F32])
        build, known = Builder.at_end(block), dict[Value, Array]()
        known[block.arguments[0]] = SAMPLES
        for _ in range(12):
            value = drawn(rng, build, known)
            low, high = bounds_of(value)
            numbers = known[value][~np.isnan(known[value])].astype(np.float64)
            assert (numbers >= low).all(), (numbers, low)
            assert (numbers <= high).all(), (numbers, high)
            finite += math.isfinite(low) or math.isfinite(high)
    assert finite > 500


def test_bounds_of_a_limited_polynomial() -> None:
    """As exponents of gelu have it: Horner's scheme on what lies between 0 and 2."""
    block = Block([F32])
    build = Builder.at_end(block)
    x = build(Minimum(build(arith.Abs(block.arguments[0])).out, build.constant(2.0, F32))).out
    found = build(arith.Fma(build.constant(-1.0, F32), x, build.constant(0.5, F32))).out
    found = build(arith.Fma(found, x, build.constant(-3.0, F32))).out
    assert bounds_of(found) == pytest.approx((-6.0, -2.0), rel=1e-5)
    assert bounds_of(block.arguments[0]) == (-math.inf, math.inf)


def test_exponents_of_gelu_are_no_subnormal_numbers() -> None:
    """Of f16 the unit computes the powers alone."""
    matrix = np.empty((256, 256), np.float16)
    for epilogue in ("gelu", "gelu_tanh"):
        (step,) = tw.matmul.plan(matrix, matrix, epilogue=epilogue, target="nvidia:sm_90a").steps
        text = tw.compile(step.text, target="nvidia:sm_90a", schedule=step.tiles or None).artifact.payload.decode()
        assert "ex2.approx" in text
        assert "cvt.sat" not in text
