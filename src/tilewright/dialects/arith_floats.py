"""Floating point arithmetic beyond the tensor language's: directed rounding, NaN, zeros of both signs, order.

Part of the dialect `arith`. `arith.flush` in front of and behind an operation is what languages call flush-to-zero.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.arith import Predicate, boolean_type
from tilewright.dialects.families import FloatBinary, FloatUnary
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import COMMUTATIVE, PURE, Value, attribute, operand, result
from tilewright.ir.evaluation import float_format, on_numbers
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import SHAPED_BOOLEAN, SHAPED_FLOAT, element_of
from tilewright.numerics import conversions, floats
from tilewright.numerics.rounding import Mode


class Rounding(Enum):
    """Directions of rounding; nearest even has operations of its own."""

    ZERO = "zero"
    UP = "up"
    DOWN = "down"

    @property
    def mode(self) -> Mode:
        """The mode of the numeric core."""
        return Mode(self.value)


class RoundedAdd(FloatBinary, name="arith.rounded_add", traits=(PURE, COMMUTATIVE)):
    """Sum, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.add(float_format(self), lhs, rhs, self.rounding.mode)


class RoundedSub(FloatBinary, name="arith.rounded_sub", traits=(PURE,)):
    """Difference, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.subtract(float_format(self), lhs, rhs, self.rounding.mode)


class RoundedMul(FloatBinary, name="arith.rounded_mul", traits=(PURE, COMMUTATIVE)):
    """Product, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.multiply(float_format(self), lhs, rhs, self.rounding.mode)


class RoundedDiv(FloatBinary, name="arith.rounded_div", traits=(PURE,)):
    """Quotient, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.divide(float_format(self), lhs, rhs, self.rounding.mode)


class RoundedSqrt(FloatUnary, name="arith.rounded_sqrt", traits=(PURE,)):
    """Square root, rounded in a direction."""

    rounding: Rounding = attribute(Rounding)

    def evaluate(self, value: Any) -> Any:
        return floats.square_root(float_format(self), value, self.rounding.mode)


class RoundedFma(Elementwise, name="arith.rounded_fma", traits=(PURE,)):
    """`a * b + c` with one rounding in a direction."""

    a: Value = operand(SHAPED_FLOAT, var="T")
    b: Value = operand(SHAPED_FLOAT, var="T")
    c: Value = operand(SHAPED_FLOAT, var="T")
    rounding: Rounding = attribute(Rounding)
    out: Value = result(var="T")

    def evaluate(self, a: Any, b: Any, c: Any) -> Any:
        return floats.multiply_add(float_format(self), a, b, c, self.rounding.mode)


class RoundedCast(Elementwise, name="arith.rounded_cast", traits=(PURE,)):
    """A float in another format, rounded in a direction; formats without infinity saturate."""

    value: Value = operand(SHAPED_FLOAT)
    rounding: Rounding = attribute(Rounding)
    out: Value = result(SHAPED_FLOAT)

    def evaluate(self, value: Any) -> Any:
        source, target = float_format(self), self.out.type.format
        return conversions.convert(source, target, value, mode=self.rounding.mode)


class Maximum(FloatBinary, name="arith.maximum", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 maximum: NaN if either is; +0 is above -0."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.extremum(float_format(self), lhs, rhs, larger=True, nan=True)


class Minimum(FloatBinary, name="arith.minimum", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 minimum: NaN if either is; -0 is below +0."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.extremum(float_format(self), lhs, rhs, larger=False, nan=True)


class MaximumNumber(FloatBinary, name="arith.maximum_number", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 maximumNumber: NaN only if both are; +0 is above -0."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.extremum(float_format(self), lhs, rhs, larger=True, nan=False)


class MinimumNumber(FloatBinary, name="arith.minimum_number", traits=(PURE, COMMUTATIVE)):
    """IEEE 754-2019 minimumNumber: NaN only if both are; -0 is below +0."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.extremum(float_format(self), lhs, rhs, larger=False, nan=False)


class OrderedCmp(Elementwise, name="arith.ordered_cmp", traits=(PURE,)):
    """Compares; false where either is NaN, whatever the predicate."""

    predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(SHAPED_FLOAT, var="T")
    rhs: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(SHAPED_BOOLEAN, infer=boolean_type)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.compare(float_format(self), self.predicate.relation, lhs, rhs, unordered=False)


class UnorderedCmp(Elementwise, name="arith.unordered_cmp", traits=(PURE,)):
    """Compares; true where either is NaN, whatever the predicate."""

    predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(SHAPED_FLOAT, var="T")
    rhs: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(SHAPED_BOOLEAN, infer=boolean_type)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.compare(float_format(self), self.predicate.relation, lhs, rhs, unordered=True)


class Flush(FloatUnary, name="arith.flush", traits=(PURE,)):
    """Subnormal numbers of f32 as zeros of their sign."""

    evaluate = on_numbers(floats.flushed)

    def verify(self, report: Report) -> None:
        element = element_of(self.value.type)
        if element is None or element.name != "f32":
            fail(self, report, f"only f32 is flushed, not {element}")
