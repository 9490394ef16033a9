"""Integer arithmetic beyond the tensor language's: unsigned readings, other roundings of quotients, bit patterns.

Part of the dialect `arith`. Integers have no sign of their own; an operation whose name starts with `u` reads them as
unsigned. As in the rest of the dialect nothing traps: quotients by zero are 0, remainders by zero the dividend.
"""

from __future__ import annotations

from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.arith import Predicate, boolean_type
from tilewright.dialects.families import IntegerBinary, zero_divisor
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import COMMUTATIVE, PURE, Value, attribute, operand, result
from tilewright.ir.evaluation import integer_format, on_numbers
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import SHAPED, SHAPED_BOOL_OR_INTEGER, SHAPED_BOOLEAN, ScalarType, element_of
from tilewright.numerics import conversions, integers
from tilewright.numerics.integers import Quotient


class UDiv(IntegerBinary, name="arith.udiv", traits=(PURE,)):
    """Unsigned quotient."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.divide(integer_format(self), lhs, rhs, is_signed=False)

    fault = zero_divisor


class URem(IntegerBinary, name="arith.urem", traits=(PURE,)):
    """Unsigned remainder."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.remainder(integer_format(self), lhs, rhs, is_signed=False)

    fault = zero_divisor


class CeilDiv(IntegerBinary, name="arith.ceil_div", traits=(PURE,)):
    """Signed quotient, rounded up; `MIN / -1 = MIN`."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.divide(integer_format(self), lhs, rhs, rounding=Quotient.UP)

    fault = zero_divisor


class FloorDiv(IntegerBinary, name="arith.floor_div", traits=(PURE,)):
    """Signed quotient, rounded down; `MIN / -1 = MIN`."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.divide(integer_format(self), lhs, rhs, rounding=Quotient.DOWN)

    fault = zero_divisor


class UCeilDiv(IntegerBinary, name="arith.uceil_div", traits=(PURE,)):
    """Unsigned quotient, rounded up."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.divide(integer_format(self), lhs, rhs, is_signed=False, rounding=Quotient.UP)

    fault = zero_divisor


class UMax(IntegerBinary, name="arith.umax", traits=(PURE, COMMUTATIVE)):
    """Unsigned maximum."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.maximum(integer_format(self), lhs, rhs, is_signed=False)


class UMin(IntegerBinary, name="arith.umin", traits=(PURE, COMMUTATIVE)):
    """Unsigned minimum."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.minimum(integer_format(self), lhs, rhs, is_signed=False)


class UShr(IntegerBinary, name="arith.ushr", traits=(PURE,)):
    """Logical shift right by `rhs` modulo the width."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.shift_right(integer_format(self), lhs, rhs, is_signed=False)


class UMulHigh(IntegerBinary, name="arith.umul_high", traits=(PURE, COMMUTATIVE)):
    """High half of the unsigned product."""

    evaluate = on_numbers(integers.multiply_high)


class UCmp(Elementwise, name="arith.ucmp", traits=(PURE,)):
    """Compares as unsigned numbers; false is below true."""

    predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(SHAPED_BOOL_OR_INTEGER, var="T")
    rhs: Value = operand(SHAPED_BOOL_OR_INTEGER, var="T")
    out: Value = result(SHAPED_BOOLEAN, infer=boolean_type)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.compare(integer_format(self), self.predicate.relation, lhs, rhs, is_signed=False)


class UCast(Elementwise, name="arith.ucast", traits=(PURE,)):
    """Converts between types, reading and writing integers as unsigned; one of the two is an integer or bool.

    Integers truncate or are extended by zeros (to bool: the lowest bit); a bool counts as 0 or 1; to float rounds to
    nearest even; float to integer truncates, saturates at 0 and the largest unsigned number, NaN gives 0.
    """

    value: Value = operand(SHAPED)
    out: Value = result(SHAPED)

    def verify(self, report: Report) -> None:
        source, target = element_of(self.value.type), element_of(self.out.type)
        assert source is not None
        assert target is not None
        if not (_counts(source) or _counts(target)) or source.is_complex or target.is_complex:
            fail(self, report, f"no unsigned conversion from {source} to {target}")

    def evaluate(self, value: Any) -> Any:
        return conversions.convert(self.value.type.format, self.out.type.format, value, is_signed=False)


class Bitcast(Elementwise, name="arith.bitcast", traits=(PURE,)):
    """The same bits as another type of equal width."""

    value: Value = operand(SHAPED)
    out: Value = result(SHAPED)

    def verify(self, report: Report) -> None:
        source, target = element_of(self.value.type), element_of(self.out.type)
        assert source is not None
        assert target is not None
        if source.bits != target.bits or source.is_complex or target.is_complex:
            fail(self, report, f"{source} and {target} differ in width")

    def evaluate(self, value: Any) -> Any:
        return conversions.reinterpreted(self.value.type.format, self.out.type.format, value)


def _counts(element: ScalarType) -> bool:
    return element.is_integer or not element.is_number
