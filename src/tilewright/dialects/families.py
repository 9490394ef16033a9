"""What the operations of a family share: operands of one type, which is the result's."""

from __future__ import annotations

from typing import Any

from tilewright.ir.definition import Operation, Value, operand, result
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import SHAPED_BOOL_OR_INTEGER, SHAPED_FLOAT, SHAPED_INTEGER, SHAPED_NUMBER, SHAPED_REAL
from tilewright.numerics import faults
from tilewright.numerics.formats import IntegerFormat


def zero_divisor(self: Operation, lhs: Any, rhs: Any) -> str | None:
    """`fault` of quotients: of integers a zero divisor is a mistake, though the result is said."""
    layout = self.operands[0].type.format
    return faults.zero_divisor(layout, lhs, rhs) if isinstance(layout, IntegerFormat) else None


class NumberBinary(Elementwise):
    """Of numbers of any kind."""

    lhs: Value = operand(SHAPED_NUMBER, var="T")
    rhs: Value = operand(SHAPED_NUMBER, var="T")
    out: Value = result(var="T")


class RealBinary(Elementwise):
    """Of numbers that have an order."""

    lhs: Value = operand(SHAPED_REAL, var="T")
    rhs: Value = operand(SHAPED_REAL, var="T")
    out: Value = result(var="T")


class IntegerBinary(Elementwise):
    """Of integers."""

    lhs: Value = operand(SHAPED_INTEGER, var="T")
    rhs: Value = operand(SHAPED_INTEGER, var="T")
    out: Value = result(var="T")


class BitwiseBinary(Elementwise):
    """Of integers or bools."""

    lhs: Value = operand(SHAPED_BOOL_OR_INTEGER, var="T")
    rhs: Value = operand(SHAPED_BOOL_OR_INTEGER, var="T")
    out: Value = result(var="T")


class FloatBinary(Elementwise):
    """Of floats."""

    lhs: Value = operand(SHAPED_FLOAT, var="T")
    rhs: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class FloatUnary(Elementwise):
    """Of a float."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")
