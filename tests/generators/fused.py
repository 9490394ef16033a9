"""Operands of `a * b + c` on which rounding twice goes wrong, and the right results."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tilewright.numerics.formats import FLOAT_FORMATS, FloatFormat
from tilewright.numerics.rounding import nearest

Doubles = NDArray[np.float64]
NAMED = {
    "f16": [(2270.0, 3.0, 8.243e-5), (65504.0, 1.0, 16.0), (65504.0, 1.0, 15.99), (2.0**-14, 2.0**-11, 2.0**-24)],
    "bf16": [(16128.0, -448.0, -0.00107574), (3.3895e38, 1.0, 6.6e35), (2.0**-126, 2.0**-8, 2.0**-133)],
    "f32": [(16777215.0, 3.0, 1e-30), (1.0000001, 0.99999994, -1.0)],
    "f64": [(1.0 + 2.0**-52, 1.0 - 2.0**-52, -1.0), (2.0**-600, 2.0**-474, 2.0**-1074), (2.0**1023, 1.5, 2.0**970)],
}


def hard_sums(dtype: str, rng: np.random.Generator, count: int = 300) -> tuple[Doubles, Doubles, Doubles]:
    """Numbers of a format: products half way between two results and a third operand that tips the scales; third
    operands tipped by products; sums that cancel; full mantissas of every exponent, subnormal ones too; zeros."""
    layout = FLOAT_FORMATS[dtype]
    makers = (_product_in_the_middle, _product_tips, _cancels, _any, _any)
    rows = [tuple(nearest(v, layout) for v in row) for row in NAMED[dtype]]
    rows += [makers[k % len(makers)](layout, rng) for k in range(count)]
    rows += [(a, b, c) for a in (0.0, -0.0) for b in (1.0, -2.0) for c in (0.0, -0.0)]
    rows += [(math.inf, 0.0, 1.0), (math.inf, 1.0, -math.inf), (1.0, 2.0, math.nan), (-1.0, math.inf, 3.0)]
    x, y, z = np.array([[nearest(v, layout) for v in row] for row in rows]).T
    return x, y, z


def fused(dtype: str, x: float, y: float, z: float) -> float:
    """`x * y + z` rounded once."""
    if not all(map(math.isfinite, (x, y, z))):
        return x * y + z if not (math.isfinite(x) and math.isfinite(y)) else z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if not exact:
        return math.copysign(1, x) * math.copysign(1, y) * 0.0 + z if z == 0 else 0.0
    found = _rounded(abs(exact), FLOAT_FORMATS[dtype])
    return found if exact > 0 else -found


def _rounded(exact: Fraction, layout: FloatFormat) -> float:
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > exact
    unit = Fraction(2) ** (max(exponent, layout.lowest) - layout.precision + 1)
    found = round(exact / unit) * unit
    return float(found) if found <= Fraction(layout.largest) else math.inf


def _sign(rng: np.random.Generator) -> float:
    return float(rng.choice((-1.0, 1.0)))


def _significand(layout: FloatFormat, rng: np.random.Generator) -> float:
    """A full one, in [1, 2)."""
    return 1 + int(rng.integers(1 << layout.precision - 1)) * 2.0 ** (1 - layout.precision)


def _exponent(layout: FloatFormat, rng: np.random.Generator, below: int = 0, above: int = 0) -> int:
    return int(rng.integers(layout.lowest - layout.precision + 1 + below, layout.highest - above))


def _any(layout: FloatFormat, rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = (_sign(rng) * math.ldexp(_significand(layout, rng), _exponent(layout, rng)) for _ in range(3))
    return x, y, z


def _product_in_the_middle(layout: FloatFormat, rng: np.random.Generator) -> tuple[float, float, float]:
    """The product has one bit more than fits, the third operand is small against its last bit."""
    bits = layout.precision
    while True:
        first = int(rng.integers(2, bits))
        x = int(rng.integers(1 << first - 1, 1 << first)) | 1
        y = int(rng.integers(1 << bits - first, 1 << bits - first + 1)) | 1
        if (x * y).bit_length() == bits + 1:
            break
    least = layout.lowest - bits + 1
    shift = int(rng.integers(least // 2, (layout.highest - bits) // 2))
    other = int(rng.integers(least // 2, (layout.highest - bits) // 2))
    tip = max(shift + other - int(rng.integers(1, 5 * bits)), least)
    return _sign(rng) * math.ldexp(x, shift), math.ldexp(y, other), _sign(rng) * math.ldexp(1.0, tip)


def _product_tips(layout: FloatFormat, rng: np.random.Generator) -> tuple[float, float, float]:
    """The product is half the last bit of the third operand, or nearly."""
    bits = layout.precision
    exponent = _exponent(layout, rng, below=2 * bits)
    z = _sign(rng) * math.ldexp(_significand(layout, rng), exponent)
    near = 2.0 ** -int(rng.integers(1, bits))
    half = exponent - bits
    first = min(max(half // 2, layout.lowest), layout.highest - 1)
    return math.ldexp(1 + near, first), _sign(rng) * math.ldexp(1 - near, half - first), z


def _cancels(layout: FloatFormat, rng: np.random.Generator) -> tuple[float, float, float]:
    """The third operand is the rounded product with the other sign."""
    half = (layout.highest - 2) // 2
    x, y = (_sign(rng) * math.ldexp(_significand(layout, rng), int(rng.integers(-half, half))) for _ in range(2))
    return x, y, -fused(next(name for name, known in FLOAT_FORMATS.items() if known is layout), x, y, 0.0)
