"""Integers of every width, as Python's and as arrays, against exact rational arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil, floor, trunc
from typing import Any

import numpy as np
import pytest

from tilewright.numerics import faults, integers
from tilewright.numerics.arrays import dtype_of, from_bits, to_bits
from tilewright.numerics.faults import Promise
from tilewright.numerics.formats import INTEGER_FORMATS, IntegerFormat
from tilewright.numerics.integers import Quotient, Relation

Oracle = Callable[[int, int, int], int]
"""The exact result of two numbers, read as the operation reads them, of a width."""

ROUNDINGS: dict[Quotient, Callable[[Fraction], int]] = {
    Quotient.TRUNCATED: trunc,
    Quotient.DOWN: floor,
    Quotient.UP: ceil,
}


def quotient(rounding: Quotient) -> Oracle:
    return lambda a, b, bits: ROUNDINGS[rounding](Fraction(a, b)) if b else 0


def remainder(a: int, b: int, bits: int) -> int:
    return a - trunc(Fraction(a, b)) * b if b else a


def amount(b: int, bits: int) -> int:
    return b % bits


BOTH: dict[str, Oracle] = {
    "divide": quotient(Quotient.TRUNCATED),
    "remainder": remainder,
    "maximum": lambda a, b, bits: max(a, b),
    "minimum": lambda a, b, bits: min(a, b),
    "shift_right": lambda a, b, bits: floor(Fraction(a, 2 ** amount(b, bits))),
}
"""Operations that are told the signedness of their operands."""
EITHER: dict[str, Oracle] = {
    "add": lambda a, b, bits: a + b,
    "subtract": lambda a, b, bits: a - b,
    "multiply": lambda a, b, bits: a * b,
    "shift_left": lambda a, b, bits: a * 2 ** amount(b, bits),
    "bitwise_and": lambda a, b, bits: a & b,
    "bitwise_or": lambda a, b, bits: a | b,
    "bitwise_xor": lambda a, b, bits: a ^ b,
}
SINGLE: dict[str, Callable[[int], int]] = {
    "negate": lambda a: -a,
    "absolute": abs,
    "complement": lambda a: -1 - a,
}


def numbers(layout: IntegerFormat, rng: np.random.Generator) -> list[int]:
    """All of them up to four bits; else edges and some of every magnitude."""
    least, most = -(2 ** (layout.bits - 1)), 2 ** (layout.bits - 1) - 1
    if layout.bits <= 4:
        return list(range(least, most + 1))
    edges = [0, 1, -1, 2, -2, 3, 7, -8, layout.bits - 1, layout.bits, least, least + 1, most, most - 1]
    limits = [1 << int(rng.integers(0, layout.bits - 1)) for _ in range(12)]
    return [*edges, *(int(rng.integers(-limit, limit)) for limit in limits)]


def as_read(number: int, bits: int, is_signed: bool) -> int:
    return number if is_signed else number % 2**bits


def signed(number: int, bits: int) -> int:
    number %= 2**bits
    return number - 2**bits if number >= 2 ** (bits - 1) else number


def array(layout: IntegerFormat, values: list[int]) -> Any:
    return from_bits(layout, np.array([v % 2**64 for v in values], np.uint64))


def of_array(layout: IntegerFormat, found: Any) -> list[int]:
    assert found.dtype == dtype_of(layout)
    return [signed(int(bits), layout.bits) for bits in to_bits(layout, found)]


def check(layout: IntegerFormat, function: Callable[..., Any], rows: list[tuple[int, ...]], wanted: list[int]) -> None:
    """Both forms of an operation give the low bits of what is wanted."""
    exact = [signed(w, layout.bits) for w in wanted]
    with np.errstate(all="ignore"):
        assert [int(function(layout, *row)) for row in rows] == exact
        columns = [array(layout, list(column)) for column in zip(*rows, strict=True)]
        assert of_array(layout, function(layout, *columns)) == exact
        scalars = [column[:1].reshape(()) for column in columns]
        assert of_array(layout, np.asarray(function(layout, *scalars)).reshape(1)) == exact[:1]


@pytest.mark.parametrize("layout", INTEGER_FORMATS, ids=lambda f: f.name)
class TestEveryWidth:
    def test_operations(self, layout: IntegerFormat, rng: np.random.Generator) -> None:
        every = numbers(layout, rng)
        rows = [(a, b) for a in every for b in every]
        for name, oracle in EITHER.items():
            check(layout, getattr(integers, name), rows, [oracle(a, b, layout.bits) for a, b in rows])
        for name, single in SINGLE.items():
            check(layout, getattr(integers, name), [(a,) for a in every], [single(a) for a in every])
        unsigned = [(as_read(a, layout.bits, False), as_read(b, layout.bits, False)) for a, b in rows]
        check(layout, integers.multiply_high, rows, [a * b // 2**layout.bits for a, b in unsigned])

    @pytest.mark.parametrize("is_signed", [True, False], ids=["signed", "unsigned"])
    def test_operations_that_read(self, layout: IntegerFormat, is_signed: bool, rng: np.random.Generator) -> None:
        every = numbers(layout, rng)
        rows = [(a, b) for a in every for b in every]
        read = [tuple(as_read(v, layout.bits, is_signed) for v in row) for row in rows]
        for name, oracle in BOTH.items():
            wanted = [oracle(a, b, layout.bits) for a, b in read]
            check(layout, partial(getattr(integers, name), is_signed=is_signed), rows, wanted)
        for rounding in Quotient:
            wanted = [quotient(rounding)(a, b, layout.bits) for a, b in read]
            check(layout, partial(integers.divide, is_signed=is_signed, rounding=rounding), rows, wanted)

    @pytest.mark.parametrize("is_signed", [True, False], ids=["signed", "unsigned"])
    def test_order_and_width(self, layout: IntegerFormat, is_signed: bool, rng: np.random.Generator) -> None:
        every = numbers(layout, rng)
        rows = [(a, b) for a in every for b in every]
        read = [tuple(as_read(v, layout.bits, is_signed) for v in row) for row in rows]
        x, y = (array(layout, [row[k] for row in rows]) for k in range(2))
        for relation in Relation:
            wanted = [getattr(operator, relation.name.lower())(a, b) for a, b in read]
            assert [integers.compare(layout, relation, a, b, is_signed) for a, b in rows] == wanted
            assert integers.compare(layout, relation, x, y, is_signed).tolist() == wanted
        for target in INTEGER_FORMATS:
            wanted = [signed(as_read(a, layout.bits, is_signed), target.bits) for a in every]
            assert [integers.extend(layout, target, a, is_signed) for a in every] == wanted
            assert of_array(target, integers.extend(layout, target, array(layout, every), is_signed)) == wanted

    def test_faults(self, layout: IntegerFormat, rng: np.random.Generator) -> None:
        every = numbers(layout, rng)
        bits, least = layout.bits, -(2 ** (layout.bits - 1))
        for a in every:
            for b in every:
                x, y = array(layout, [a]), array(layout, [b])
                overflows = a == least and b == -1
                for is_signed in (True, False):
                    said = [faults.quotient(layout, *pair, is_signed) for pair in ((a, b), (x, y))]
                    assert [s is not None for s in said] == [b == 0 or (is_signed and overflows)] * 2
                said = [faults.shift(layout, b), faults.shift(layout, y)]
                assert [s is not None for s in said] == [b % 2**bits >= bits] * 2
                for promise in (Promise.FITS_SIGNED, Promise.FITS_UNSIGNED):
                    is_signed = promise is Promise.FITS_SIGNED
                    low, high = (least, -least - 1) if is_signed else (0, 2**bits - 1)
                    exact = as_read(a, bits, is_signed) + as_read(b, bits, is_signed)
                    for pair in ((a, b), (x, y)):
                        broken = faults.broken(layout, promise, operator.add, *pair)
                        assert (broken is not None) == (not low <= exact <= high)


def test_words_of_faults() -> None:
    layout = INTEGER_FORMATS[2]
    zeros, ones = np.array([1, 0, 0], np.int8), np.ones(3, np.int8)
    assert faults.zero_divisor(layout, ones, zeros) == "divides by zero at [1]"
    assert faults.zero_divisor(layout, 1, 0) == "divides by zero"
    assert faults.quotient(layout, np.int8(-128) * ones, -ones, True) == "divides the least i8 by -1 at [0]"
    assert faults.shift(layout, np.array([[1, 8]], np.int8)) == "shifts i8 by 8 at [0, 1]"
    assert faults.broken(layout, Promise.FITS_SIGNED, operator.add, 127, 1) == (128, "")
    assert (
        faults.truncation(INTEGER_FORMATS[3], layout, Promise.FITS_UNSIGNED, np.array([255, 256], np.int16))
        == " at [1]"
    )
