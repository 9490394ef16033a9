"""Imports LLVM's own intrinsics that no single operation is: rounding, saturation, rotation, counts of bits, signs.

Optimisers make some of them of plain instructions; they become plain instructions again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers, math
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import I8, I16, I32, I64, ScalarType, element_of, with_element

_INTEGERS: Final[Mapping[int, ScalarType]] = {t.bits: t for t in (I8, I16, I32, I64)}
_Form = Callable[..., Value]


def _bits_of(value: Value) -> int:
    element = element_of(value.type)
    assert element is not None
    return element.bits


# Floats


def copysign(b: Builder, magnitude: Value, sign: Value) -> Value:
    """The bits of one number and the first bit of another."""
    bits = _bits_of(magnitude)
    integers = with_element(magnitude.type, _INTEGERS[bits])
    first = b.constant(-1 << bits - 1, integers)
    rest = b.constant((1 << bits - 1) - 1, integers)
    x, y = (b(arith_integers.Bitcast(v, result_types=[integers])).out for v in (magnitude, sign))
    joined = b(arith.Or(b(arith.And(x, rest)).out, b(arith.And(y, first)).out)).out
    return b(arith_integers.Bitcast(joined, result_types=[magnitude.type])).out


def trunc(b: Builder, x: Value) -> Value:
    """Towards zero."""
    negative = b(arith_floats.OrderedCmp(Predicate.LT, x, b.zero(x.type))).out
    return b(arith.Select(negative, b(math.Ceil(x)).out, b(math.Floor(x)).out)).out


def round_away(b: Builder, x: Value) -> Value:
    """To the nearest integer, the farther one from zero in the middle."""
    whole = trunc(b, x)
    rest = b(arith.Abs(b(arith.Sub(x, whole)).out)).out
    beyond = b(arith_floats.OrderedCmp(Predicate.GE, rest, b.constant(0.5, x.type))).out
    further = b(arith.Add(whole, copysign(b, b.constant(1.0, x.type), x))).out
    return b(arith.Select(beyond, further, whole)).out


def round_even(b: Builder, x: Value) -> Value:
    """To the nearest integer, the even one in the middle."""
    half, one = b.constant(0.5, x.type), b.constant(1.0, x.type)
    low = b(math.Floor(x)).out
    rest = b(arith.Sub(x, low)).out
    up = b(arith_floats.OrderedCmp(Predicate.GT, rest, half)).out
    middle = b(arith_floats.OrderedCmp(Predicate.EQ, rest, half)).out
    halved = b(arith.Mul(low, half)).out
    odd = b(arith_floats.OrderedCmp(Predicate.NE, b(math.Floor(halved)).out, halved)).out
    moved = b(arith.Or(up, b(arith.And(middle, odd)).out)).out
    found = b(arith.Select(moved, b(arith.Add(low, one)).out, low)).out
    return copysign(b, found, x)


def unchanged(b: Builder, x: Value, *others: Value) -> Value:
    """The first operand."""
    return x


# Integers that stop at their ends


def _is_negative(b: Builder, x: Value) -> Value:
    return b(arith.Cmp(Predicate.LT, x, b.zero(x.type))).out


def _clamped(b: Builder, x: Value, total: Value, overflow: Value) -> Value:
    """A sum or difference, or where it has overflown the end on the side of x."""
    lowest = -1 << _bits_of(x) - 1
    end = b(arith.Select(_is_negative(b, x), b.constant(lowest, x.type), b.constant(~lowest, x.type))).out
    return b(arith.Select(_is_negative(b, overflow), end, total)).out


def sadd_sat(b: Builder, x: Value, y: Value) -> Value:
    """A sum with a sign; its overflow has another sign than both operands."""
    total = b(arith.Add(x, y)).out
    overflow = b(arith.And(b(arith.Xor(x, total)).out, b(arith.Xor(y, total)).out)).out
    return _clamped(b, x, total, overflow)


def ssub_sat(b: Builder, x: Value, y: Value) -> Value:
    """A difference with a sign; its overflow has the sign of y, which is not that of x."""
    total = b(arith.Sub(x, y)).out
    overflow = b(arith.And(b(arith.Xor(x, y)).out, b(arith.Xor(x, total)).out)).out
    return _clamped(b, x, total, overflow)


def uadd_sat(b: Builder, x: Value, y: Value) -> Value:
    """A sum without a sign; it has wrapped where it is less than an operand."""
    total = b(arith.Add(x, y)).out
    wrapped = b(arith_integers.UCmp(Predicate.LT, total, x)).out
    return b(arith.Select(wrapped, b.constant(-1, x.type), total)).out


def usub_sat(b: Builder, x: Value, y: Value) -> Value:
    """A difference without a sign, at least 0."""
    below = b(arith_integers.UCmp(Predicate.LT, x, y)).out
    return b(arith.Select(below, b.zero(x.type), b(arith.Sub(x, y)).out)).out


# Bits


def _shifted(b: Builder, x: Value, y: Value, distance: Value, left: bool) -> Value:
    """The part of two numbers in a row that a shift brings forth, in two steps so that none goes too far."""
    bits = _bits_of(x)
    last, one = b.constant(bits - 1, x.type), b.constant(1, x.type)
    by = b(arith.And(distance, last)).out
    other = b(arith.Sub(last, by)).out
    if left:
        low = b(arith_integers.UShr(b(arith_integers.UShr(y, one)).out, other)).out
        return b(arith.Or(b(arith.Shl(x, by)).out, low)).out
    high = b(arith.Shl(b(arith.Shl(x, one)).out, other)).out
    return b(arith.Or(high, b(arith_integers.UShr(y, by)).out)).out


def fshl(b: Builder, x: Value, y: Value, distance: Value) -> Value:
    """The upper half of two numbers in a row, shifted to the left."""
    return _shifted(b, x, y, distance, left=True)


def fshr(b: Builder, x: Value, y: Value, distance: Value) -> Value:
    """The lower half of two numbers in a row, shifted to the right."""
    return _shifted(b, x, y, distance, left=False)


def ctpop(b: Builder, x: Value) -> Value:
    """Sums of neighbours, of pairs, of fours, ..: each step keeps its counts in fields of twice the width."""
    bits, width = _bits_of(x), 1
    while width < bits:
        mask = sum(((1 << width) - 1) << place for place in range(0, bits, 2 * width))
        fields = b.constant(mask - (1 << bits) if mask >> bits - 1 else mask, x.type)
        high = b(arith.And(b(arith_integers.UShr(x, b.constant(width, x.type))).out, fields)).out
        x = b(arith.Add(b(arith.And(x, fields)).out, high)).out
        width *= 2
    return x


def cttz(b: Builder, x: Value, *zero_is_poison: Value) -> Value:
    """What is below the lowest bit: `x - 1` has it, `x` does not."""
    minus = b.constant(-1, x.type)
    return ctpop(b, b(arith.And(b(arith.Add(x, minus)).out, b(arith.Xor(x, minus)).out)).out)


def ctlz(b: Builder, x: Value, *zero_is_poison: Value) -> Value:
    """What is left once every bit below the highest one is set."""
    width = 1
    while width < _bits_of(x):
        x = b(arith.Or(x, b(arith_integers.UShr(x, b.constant(width, x.type))).out)).out
        width *= 2
    return ctpop(b, b(arith.Xor(x, b.constant(-1, x.type))).out)


FORMS: Final[Mapping[str, tuple[_Form, int, str]]] = {
    "copysign": (copysign, 2, "f"),
    "trunc": (trunc, 1, "f"),
    "round": (round_away, 1, "f"),
    **dict.fromkeys(("roundeven", "rint", "nearbyint"), (round_even, 1, "f")),
    "canonicalize": (unchanged, 1, "f"),
    "expect": (unchanged, 2, "ib"),
    "sadd.sat": (sadd_sat, 2, "i"),
    "ssub.sat": (ssub_sat, 2, "i"),
    "uadd.sat": (uadd_sat, 2, "i"),
    "usub.sat": (usub_sat, 2, "i"),
    "fshl": (fshl, 3, "i"),
    "fshr": (fshr, 3, "i"),
    "ctpop": (ctpop, 1, "i"),
    "cttz": (cttz, 1, "i"),
    "ctlz": (ctlz, 1, "i"),
}
"""By name: what it becomes, how many operands of one type it has, and of which elements (floats, integers, `i1`)."""
