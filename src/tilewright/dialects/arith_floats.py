"""Floating point arithmetic beyond the tensor language's: directed rounding, NaN, zeros of both signs, order.

Part of the dialect `arith`. `arith.flush` in front of and behind an operation is what languages call flush-to-zero.
"""

from __future__ import annotations

from enum import Enum

from tilewright.diagnostics import Report
from tilewright.dialects.arith import Predicate, boolean_type
from tilewright.dialects.families import FloatBinary, FloatUnary
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import COMMUTATIVE, PURE, Value, attribute, operand, result
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import SHAPED_BOOLEAN, SHAPED_FLOAT, element_of


class Rounding(Enum):
    """Directions of rounding; nearest even has operations of its own."""

    ZERO = "zero"
    UP = "up"
    DOWN = "down"


class RoundedAdd(FloatBinary, name="arith.rounded_add", traits=(PURE, COMMUTATIVE)):
    """Sum, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)


class RoundedSub(FloatBinary, name="arith.rounded_sub", traits=(PURE,)):
    """Difference, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)


class RoundedMul(FloatBinary, name="arith.rounded_mul", traits=(PURE, COMMUTATIVE)):
    """Product, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)


class RoundedDiv(FloatBinary, name="arith.rounded_div", traits=(PURE,)):
    """Quotient, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)


class RoundedSqrt(FloatUnary, name="arith.rounded_sqrt", traits=(PURE,)):
    """Square root, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)


class RoundedFma(Elementwise, name="arith.rounded_fma", traits=(PURE,)):
    """`a * b + c` with one rounding in a direction."""

    a: Value = operand(SHAPED_FLOAT, var="T")
    b: Value = operand(SHAPED_FLOAT, var="T")
    c: Value = operand(SHAPED_FLOAT, var="T")
    rounding: Rounding = attribute(Rounding)
    out: Value = result(var="T")


class RoundedCast(Elementwise, name="arith.rounded_cast", traits=(PURE,)):
    """A float in another format, rounded in a direction; formats without infinity saturate."""

    value: Value = operand(SHAPED_FLOAT)
    rounding: Rounding = attribute(Rounding)
    out: Value = result(SHAPED_FLOAT)


class Maximum(FloatBinary, name="arith.maximum", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 maximum: NaN if either is; +0 is above -0."""


class Minimum(FloatBinary, name="arith.minimum", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 minimum: NaN if either is; -0 is below +0."""


class MaximumNumber(FloatBinary, name="arith.maximum_number", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 maximumNumber: NaN only if both are; +0 is above -0."""


class MinimumNumber(FloatBinary, name="arith.minimum_number", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 minimumNumber: NaN only if both are; -0 is below +0."""


class OrderedCmp(Elementwise, name="arith.ordered_cmp", traits=(PURE,)):
    """Compares; false where either is NaN, whatever the predicate."""

    predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(SHAPED_FLOAT, var="T")
    rhs: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(SHAPED_BOOLEAN, infer=boolean_type)


class UnorderedCmp(Elementwise, name="arith.unordered_cmp", traits=(PURE,)):
    """Compares; true where either is NaN, whatever the predicate."""

    predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(SHAPED_FLOAT, var="T")
    rhs: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(SHAPED_BOOLEAN, infer=boolean_type)


class Flush(FloatUnary, name="arith.flush", traits=(PURE,)):
    """Subnormal numbers of f32 as zeros of their sign."""

    def verify(self, report: Report) -> None:
        element = element_of(self.value.type)
        if element is None or element.name != "f32":
            fail(self, report, f"only f32 is flushed, not {element}")
