"""Tile IR: integer and bitwise arithmetic. Integers wrap; signedness belongs to operations, not to types."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules
from tilewright.dialects.cuda_tile.attributes import Overflow, Predicate, Rounding, Signedness
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import BOOLEAN, INTEGER, Version
from tilewright.ir.core import Attribute
from tilewright.ir.definition import COMMUTATIVE, PURE, Value, attribute, operand, optional_attribute, result
from tilewright.ir.effects import Effect
from tilewright.ir.evaluation import integer_format, on_numbers
from tilewright.numerics import faults, integers


def promised(exactly: Callable[..., Any]) -> Callable[..., str | None]:
    """`fault` of an operation that promises something about its exact result, which a function of integers gives."""

    def fault(self: AddI | SubI | MulI | ShlI | NegI, *operands: Any) -> str | None:
        found = faults.broken(integer_format(self), self.overflow.promise, exactly, *operands)
        if found is None:
            return None
        result, place = found
        return f"{self.name} promises {self.overflow.value}, and its result{place} is {result}"

    return fault


def _shifted_exactly(values: Any, amount: Any) -> Any:
    return values << amount


_shifted = promised(_shifted_exactly)

_BINARY = "$lhs , $rhs : @T"
_BINARY_OVERFLOW = "$lhs , $rhs overflow? : @T"
_BINARY_SIGNED = "$lhs , $rhs signedness : @T"


class _Binary(TileOperation):
    lhs: Value = operand(INTEGER, var="T")
    rhs: Value = operand(INTEGER, var="T")
    out: Value = result(var="T")


class _Overflowing(_Binary):
    overflow: Overflow = optional_attribute(Overflow, default=Overflow.NONE)


class _Signed(_Binary):
    signedness: Signedness = attribute(Signedness)


class AddI(_Overflowing, name="cuda_tile.addi", traits=(PURE, COMMUTATIVE), opcode=0x03, assembly=_BINARY_OVERFLOW):
    """Sum."""

    evaluate = on_numbers(integers.add)
    fault = promised(operator.add)


class SubI(_Overflowing, name="cuda_tile.subi", traits=(PURE,), opcode=0x68, assembly=_BINARY_OVERFLOW):
    """Difference."""

    evaluate = on_numbers(integers.subtract)
    fault = promised(operator.sub)


class MulI(_Overflowing, name="cuda_tile.muli", traits=(PURE, COMMUTATIVE), opcode=0x4E, assembly=_BINARY_OVERFLOW):
    """Product."""

    evaluate = on_numbers(integers.multiply)
    fault = promised(operator.mul)


class ShlI(_Overflowing, name="cuda_tile.shli", traits=(PURE,), opcode=0x60, assembly=_BINARY_OVERFLOW):
    """Shift to the left by an unsigned amount, which is less than the width."""

    evaluate = on_numbers(integers.shift_left)

    def fault(self, lhs: Any, rhs: Any) -> str | None:
        return faults.shift(integer_format(self), rhs) or _shifted(self, lhs, rhs)


class ShrI(_Signed, name="cuda_tile.shri", traits=(PURE,), opcode=0x61, assembly=_BINARY_SIGNED):
    """Shift to the right, arithmetic or logical, by an unsigned amount less than the width."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.shift_right(integer_format(self), lhs, rhs, self.signedness.is_signed)

    def fault(self, lhs: Any, rhs: Any) -> str | None:
        return faults.shift(integer_format(self), rhs)


class AbsI(TileOperation, name="cuda_tile.absi", traits=(PURE,), opcode=0x01, assembly="$source : @T"):
    """Magnitude, to be read as unsigned."""

    source: Value = operand(INTEGER, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(integers.absolute)


class NegI(
    TileOperation,
    name="cuda_tile.negi",
    traits=(PURE,),
    opcode=0x50,
    assembly="$source overflow? : @T",
    newer={"overflow": Version.V13_2},
):
    """Zero minus the operand."""

    source: Value = operand(INTEGER, var="T")
    overflow: Overflow = optional_attribute(Overflow, default=Overflow.NONE)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules.negation(self, report, self.overflow)

    evaluate = on_numbers(integers.negate)
    fault = promised(operator.neg)


class DivI(_Signed, name="cuda_tile.divi", traits=(), opcode=0x15, assembly="$lhs , $rhs signedness rounding? : @T"):
    """Quotient, rounded as it says. Division by zero and overflow are undefined."""

    rounding: Rounding = optional_attribute(Rounding, default=Rounding.ZERO)

    @classmethod
    def decode(cls, attributes: dict[str, Attribute]) -> None:
        """NVIDIA's Python front end says of unsigned quotients that they round down, which is toward zero."""
        down = attributes.get("rounding") is Rounding.NEGATIVE_INF
        if down and attributes["signedness"] is Signedness.UNSIGNED:
            del attributes["rounding"]

    def verify(self, report: Report) -> None:
        rules.division(self, report, self.signedness, self.rounding)

    def effects(self) -> Sequence[Effect]:
        return ()

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.divide(integer_format(self), lhs, rhs, self.signedness.is_signed, self.rounding.quotient)

    def fault(self, lhs: Any, rhs: Any) -> str | None:
        return faults.quotient(integer_format(self), lhs, rhs, self.signedness.is_signed)


class RemI(_Signed, name="cuda_tile.remi", traits=(PURE,), opcode=0x5A, assembly=_BINARY_SIGNED):
    """Remainder of the truncated quotient, with the sign of the first operand. Zero divisors are undefined."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.remainder(integer_format(self), lhs, rhs, self.signedness.is_signed)

    fault = on_numbers(faults.zero_divisor)


class MaxI(_Signed, name="cuda_tile.maxi", traits=(PURE, COMMUTATIVE), opcode=0x46, assembly=_BINARY_SIGNED):
    """The larger one."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.maximum(integer_format(self), lhs, rhs, self.signedness.is_signed)


class MinI(_Signed, name="cuda_tile.mini", traits=(PURE, COMMUTATIVE), opcode=0x48, assembly=_BINARY_SIGNED):
    """The smaller one."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return integers.minimum(integer_format(self), lhs, rhs, self.signedness.is_signed)


class MulHiI(_Binary, name="cuda_tile.mulhii", traits=(PURE, COMMUTATIVE), opcode=0x4D, assembly=_BINARY):
    """High half of the unsigned product."""

    evaluate = on_numbers(integers.multiply_high)


class AndI(_Binary, name="cuda_tile.andi", traits=(PURE, COMMUTATIVE), opcode=0x04, assembly=_BINARY):
    """Bitwise and."""

    evaluate = on_numbers(integers.bitwise_and)


class OrI(_Binary, name="cuda_tile.ori", traits=(PURE, COMMUTATIVE), opcode=0x52, assembly=_BINARY):
    """Bitwise or."""

    evaluate = on_numbers(integers.bitwise_or)


class XorI(_Binary, name="cuda_tile.xori", traits=(PURE, COMMUTATIVE), opcode=0x6C, assembly=_BINARY):
    """Bitwise exclusive or."""

    evaluate = on_numbers(integers.bitwise_xor)


class CmpI(
    TileOperation,
    name="cuda_tile.cmpi",
    traits=(PURE,),
    opcode=0x0F,
    assembly="comparison_predicate $lhs , $rhs , signedness : @T -> @out",
):
    """Compares element by element."""

    comparison_predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(INTEGER, var="T")
    rhs: Value = operand(INTEGER, var="T")
    signedness: Signedness = attribute(Signedness)
    out: Value = result(BOOLEAN)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.lhs, self.out)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        relation, is_signed = self.comparison_predicate.relation, self.signedness.is_signed
        return integers.compare(integer_format(self), relation, lhs, rhs, is_signed)
