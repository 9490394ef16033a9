"""Rounding to every format in every mode, of numbers at, near and between its numbers, against the definition."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from effort import thorough
from numerics.exactly import BITS, UNSIGNED, decoded, largest, rounded
from tilewright.numerics.formats import FLOAT_FORMATS, FloatFormat
from tilewright.numerics.rounding import Exact, Mode, nearest, round_bits, special_bits

TINY = Fraction(1, 2**3000)
"""Stands for what a residue says there is."""
Row = tuple[float, int, int]


def patterns(name: str, rng: np.random.Generator) -> list[int]:
    """Of finite numbers without sign: all of four bits, else both ends, edges of exponents, some others."""
    top, width = largest(name), FLOAT_FORMATS[name].mantissa
    if BITS[name] <= 4:
        return list(range(top + 1))
    edges = {0, 1, 2, 3, top, top - 1, top - 2, *((k << width) - d for k in (1, 2, 9) for d in (-1, 0, 1))}
    return sorted({*edges, *rng.integers(0, top, 6).tolist()})


def rows(name: str, rng: np.random.Generator) -> list[Row]:
    """Numbers as value, residue and exponent: those of the format, between them, and beyond; a bit more and less."""
    found: list[float] = []
    every = patterns(name, rng)
    for pattern in every:
        number = decoded(name, pattern)
        upper = decoded(name, pattern + 1) if pattern < largest(name) else 2 * number - decoded(name, pattern - 1)
        found.append(number)
        if name != "f64" and math.isfinite(upper):
            found += [(number + upper) / 2, number + (upper - number) / 4, number + (upper - number) * 0.75]
    found += [decoded(name, largest(name)) * factor for factor in (1.0, 1.5, 2.0, 4.0) if name != "f64"]
    signs = (1.0, -1.0)
    near = [(sign * v, r, 0) for v in found for sign in signs for r in (-1, 0, 1) if v or not r]
    # scaled, where halves of subnormal numbers of f64 can be told, too
    layout = FLOAT_FORMATS[name]
    least = layout.lowest - layout.mantissa
    places = [least + e for e in (-70, -2, -1, 0, 1)]
    far = [(1.0 + k / 8, r, place) for k in (0, 3, 4, 7) for r in (-1, 0, 1) for place in places]
    return [*near, *far, *((-v, r, e) for v, r, e in far), (1.0, 0, layout.highest + 1), (1.75, 1, layout.highest + 3)]


def exactly(row: Row) -> Fraction:
    value, residue, exponent = row
    return Fraction(value) * Fraction(2) ** exponent + residue * TINY


def wanted(layout: FloatFormat, row: Row, mode: Mode, saturate: bool) -> float:
    """By the definition; what a format has no pattern for is NaN, or its largest number if it has no NaN."""
    exact = exactly(row)
    found = rounded(layout.name, exact, mode) if exact else math.copysign(0.0, row[0])
    top = decoded(layout.name, largest(layout.name))
    if layout.name in UNSIGNED and exact < 0:
        return math.nan if found else 0.0
    if math.isinf(found) and (saturate or layout.name == "f4E2M1FN"):
        return math.copysign(top, found)
    if math.isinf(found) and layout.name not in ("f16", "bf16", "tf32", "f32", "f64", "f8E5M2"):
        return math.nan
    return found if layout.name not in UNSIGNED else abs(found)


def same(found: float, wanted: float) -> bool:
    if math.isnan(wanted):
        return math.isnan(found)
    return found == wanted and math.copysign(1.0, found) == math.copysign(1.0, wanted)


@pytest.mark.parametrize("mode", Mode, ids=lambda m: m.value)
@pytest.mark.parametrize("name", BITS)
def test_every_mode(name: str, mode: Mode, rng: np.random.Generator) -> None:
    layout, every = FLOAT_FORMATS[name], rows(name, rng)
    mask = (1 << BITS[name]) - 1
    for saturate in (False, True):
        columns: list[Any] = [np.array(c) for c in zip(*every, strict=True)]
        with np.errstate(all="ignore"):
            together = round_bits(Exact(*columns), layout, mode, saturate)
        for row, pattern in zip(every, together.tolist(), strict=True):
            one = round_bits(Exact(*row), layout, mode, saturate)
            assert one & mask == pattern & mask, row
        # the definition takes long
        some = slice(None) if thorough() else slice(int(rng.integers(3)), None, 3)
        for row, pattern in zip(every[some], together[some].tolist(), strict=True):
            found = decoded(name, pattern & mask)
            if layout.mantissa or row[0] > 0:  # powers of two are positive
                assert same(found, wanted(layout, row, mode, saturate)), (row, saturate)


@pytest.mark.parametrize("name", [n for n in BITS if n not in UNSIGNED])
def test_doubles_to_nearest(name: str, rng: np.random.Generator) -> None:
    layout = FLOAT_FORMATS[name]
    doubles = [math.ldexp(v, e) for v, r, e in rows(name, rng) if not r and abs(e) < 900]
    doubles += [0.0, -0.0, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308]
    with np.errstate(all="ignore"):
        together = nearest(np.array(doubles), layout)
    for value, other in zip(doubles, together.tolist(), strict=True):
        expected = wanted(layout, (value, 0, 0), Mode.NEAREST_EVEN, False)
        assert same(nearest(value, layout), expected), value
        assert same(other, expected), value
    for special in (math.inf, -math.inf, math.nan):
        assert same(nearest(special, layout), special)


@pytest.mark.parametrize("name", BITS)
def test_patterns_and_numbers(name: str, rng: np.random.Generator) -> None:
    layout, sign = FLOAT_FORMATS[name], 1 << (BITS[name] - 1)
    for pattern in patterns(name, rng):
        for signed in (pattern,) if name in UNSIGNED else (pattern, pattern | sign):
            number = decoded(name, signed)
            assert same(layout.number(signed), number)
            assert layout.pattern(number) == signed
    assert (layout.bits, layout.top, layout.largest) == (BITS[name], largest(name), decoded(name, largest(name)))
    for special in (math.inf, -math.inf, math.nan):
        found = decoded(name, int(special_bits(special, layout)) & (2 * sign - 1))
        if name == "f4E2M1FN":
            assert abs(found) == 6.0
        elif layout.infinite:
            assert same(found, special)
        else:
            assert math.isnan(found)
