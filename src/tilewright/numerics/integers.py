"""Integers of a width: one definition an operation, for Python's integers and for NumPy arrays.

Numbers come and go as signed ones in their range; arrays of i1 are arrays of bools, those of i4 of bytes. Everything
wraps and nothing traps: quotients by zero are 0, remainders by zero the dividend, amounts of shifts count modulo the
width. What of that a language leaves undefined is said in `faults`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from tilewright.numerics.formats import IntegerFormat
from tilewright.numerics.later import np
from tilewright.numerics.overloads import is_plain, larger, smaller


class Quotient(Enum):
    """Where a quotient that is no integer goes."""

    TRUNCATED = "truncated"
    DOWN = "down"
    UP = "up"


_CONTAINERS: Final = {1: "bool", 4: "int8", 8: "int8", 16: "int16", 32: "int32", 64: "int64"}


def wrap(number: int, bits: int) -> int:
    """Two's complement: the signed number of a width congruent to a number."""
    half = 1 << (bits - 1)
    return (number + half & (1 << bits) - 1) - half


def wrapped(layout: IntegerFormat, values: Any) -> Any:
    """The low bits of integers, as signed numbers."""
    bits = layout.bits
    if is_plain(values):
        return wrap(values, bits)
    if bits == 1:
        return (values & 1).astype(np.bool_)
    found = values.astype(_CONTAINERS[bits], copy=False)
    return (found << 4) >> 4 if bits == 4 else found


def signed(values: Any) -> Any:
    """Integers as signed ones; true is -1."""
    if is_plain(values):
        return -values if type(values) is bool else values
    return -values.astype(np.int8) if values.dtype == np.bool_ else values


def unsigned(layout: IntegerFormat, values: Any) -> Any:
    """Integers as unsigned ones of the same width."""
    if is_plain(values):
        return values & ((1 << layout.bits) - 1)
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    found = values.view(f"u{values.dtype.itemsize}")
    return found & np.uint8(15) if layout.bits == 4 else found


def read(layout: IntegerFormat, values: Any, is_signed: bool) -> Any:
    """Integers by the signedness that an operation has."""
    return signed(values) if is_signed else unsigned(layout, values)


def add(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """Sum."""
    return wrapped(layout, signed(a) + signed(b))


def subtract(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """Difference."""
    return wrapped(layout, signed(a) - signed(b))


def multiply(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """Product."""
    return wrapped(layout, signed(a) * signed(b))


def multiply_high(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """The upper half of the unsigned product, from products of half words."""
    half = (layout.bits + 1) // 2
    low = (1 << half) - 1
    x, y = unsigned(layout, a), unsigned(layout, b)
    upper, lower = (x >> half, y >> half), (x & low, y & low)
    middle = upper[0] * lower[1] + (lower[0] * lower[1] >> half)
    other = lower[0] * upper[1] + (middle & low)
    return wrapped(layout, upper[0] * upper[1] + (middle >> half) + (other >> half))


def _quotient(x: Any, y: Any, rounding: Quotient) -> Any:
    divisor = y + (y == 0)
    down = x // divisor
    rest = x - down * divisor
    match rounding:
        case Quotient.DOWN:
            found = down
        case Quotient.UP:
            found = down + (rest != 0)
        case Quotient.TRUNCATED:
            found = down + ((rest != 0) & ((x < 0) != (divisor < 0)))
    return found * (y != 0)


def divide(
    layout: IntegerFormat, a: Any, b: Any, is_signed: bool = True, rounding: Quotient = Quotient.TRUNCATED
) -> Any:
    """Quotient; 0 for a zero divisor, the least number divided by -1 is itself."""
    return wrapped(layout, _quotient(read(layout, a, is_signed), read(layout, b, is_signed), rounding))


def remainder(layout: IntegerFormat, a: Any, b: Any, is_signed: bool = True) -> Any:
    """What the truncated quotient leaves, with the sign of the dividend; for a zero divisor the dividend."""
    x, y = read(layout, a, is_signed), read(layout, b, is_signed)
    return wrapped(layout, x - _quotient(x, y, Quotient.TRUNCATED) * y)


def shift_left(layout: IntegerFormat, a: Any, amount: Any) -> Any:
    """Shift to the left by an amount modulo the width."""
    return wrapped(layout, signed(a) << (signed(amount) & (layout.bits - 1)))


def shift_right(layout: IntegerFormat, a: Any, amount: Any, is_signed: bool = True) -> Any:
    """Shift to the right by an amount modulo the width; copies of the sign, or zeros, come in."""
    return wrapped(layout, read(layout, a, is_signed) >> (read(layout, amount, is_signed) & (layout.bits - 1)))


def maximum(layout: IntegerFormat, a: Any, b: Any, is_signed: bool = True) -> Any:
    """The larger one."""
    return wrapped(layout, larger(read(layout, a, is_signed), read(layout, b, is_signed)))


def minimum(layout: IntegerFormat, a: Any, b: Any, is_signed: bool = True) -> Any:
    """The smaller one."""
    return wrapped(layout, smaller(read(layout, a, is_signed), read(layout, b, is_signed)))


def bitwise_and(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """And of the bits."""
    return a & b


def bitwise_or(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """Or of the bits."""
    return a | b


def bitwise_xor(layout: IntegerFormat, a: Any, b: Any) -> Any:
    """Exclusive or of the bits."""
    return a ^ b


def complement(layout: IntegerFormat, a: Any) -> Any:
    """All bits flipped."""
    return ~signed(a) if is_plain(a) else ~a


def negate(layout: IntegerFormat, a: Any) -> Any:
    """Zero minus the number; the least number is its own."""
    return wrapped(layout, -signed(a))


def absolute(layout: IntegerFormat, a: Any) -> Any:
    """Magnitude, to be read as unsigned."""
    return wrapped(layout, abs(signed(a)))


def extend(source: IntegerFormat, target: IntegerFormat, a: Any, is_signed: bool = True) -> Any:
    """The number in another width: copies of the sign, or zeros, come in, or upper bits go."""
    return wrapped(target, read(source, a, is_signed))


class Relation(Enum):
    """What a comparison asks; the values are Python's names of the operators."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"

    def holds(self, a: Any, b: Any) -> Any:
        """Whether it does, of numbers or arrays as they are; of NaN only `ne` does."""
        return _OPERATORS[self](a, b)


_OPERATORS: Final[dict[Relation, Callable[[Any, Any], Any]]] = {
    relation: getattr(operator, relation.value) for relation in Relation
}


def compare(layout: IntegerFormat, relation: Relation, a: Any, b: Any, is_signed: bool = True) -> Any:
    """Whether numbers are in a relation."""
    return relation.holds(read(layout, a, is_signed), read(layout, b, is_signed))
