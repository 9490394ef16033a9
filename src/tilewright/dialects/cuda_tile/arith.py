"""Tile IR: integer and bitwise arithmetic. Integers wrap; signedness belongs to operations, not to types."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules
from tilewright.dialects.cuda_tile.attributes import Overflow, Predicate, Rounding, Signedness
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import BOOLEAN, INTEGER, Version
from tilewright.ir.definition import COMMUTATIVE, PURE, Value, attribute, operand, optional_attribute, result
from tilewright.ir.effects import Effect

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


class SubI(_Overflowing, name="cuda_tile.subi", traits=(PURE,), opcode=0x68, assembly=_BINARY_OVERFLOW):
    """Difference."""


class MulI(_Overflowing, name="cuda_tile.muli", traits=(PURE, COMMUTATIVE), opcode=0x4E, assembly=_BINARY_OVERFLOW):
    """Product."""


class ShlI(_Overflowing, name="cuda_tile.shli", traits=(PURE,), opcode=0x60, assembly=_BINARY_OVERFLOW):
    """Shift to the left by an unsigned amount, which is less than the width."""


class ShrI(_Signed, name="cuda_tile.shri", traits=(PURE,), opcode=0x61, assembly=_BINARY_SIGNED):
    """Shift to the right, arithmetic or logical, by an unsigned amount less than the width."""


class AbsI(TileOperation, name="cuda_tile.absi", traits=(PURE,), opcode=0x01, assembly="$source : @T"):
    """Magnitude, to be read as unsigned."""

    source: Value = operand(INTEGER, var="T")
    out: Value = result(var="T")


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


class DivI(_Signed, name="cuda_tile.divi", traits=(), opcode=0x15, assembly="$lhs , $rhs signedness rounding? : @T"):
    """Quotient, rounded as it says. Division by zero and overflow are undefined."""

    rounding: Rounding = optional_attribute(Rounding, default=Rounding.ZERO)

    def verify(self, report: Report) -> None:
        rules.division(self, report, self.signedness, self.rounding)

    def effects(self) -> Sequence[Effect]:
        return ()


class RemI(_Signed, name="cuda_tile.remi", traits=(PURE,), opcode=0x5A, assembly=_BINARY_SIGNED):
    """Remainder of the truncated quotient, with the sign of the first operand. Zero divisors are undefined."""


class MaxI(_Signed, name="cuda_tile.maxi", traits=(PURE, COMMUTATIVE), opcode=0x46, assembly=_BINARY_SIGNED):
    """The larger one."""


class MinI(_Signed, name="cuda_tile.mini", traits=(PURE, COMMUTATIVE), opcode=0x48, assembly=_BINARY_SIGNED):
    """The smaller one."""


class MulHiI(_Binary, name="cuda_tile.mulhii", traits=(PURE, COMMUTATIVE), opcode=0x4D, assembly=_BINARY):
    """High half of the unsigned product."""


class AndI(_Binary, name="cuda_tile.andi", traits=(PURE, COMMUTATIVE), opcode=0x04, assembly=_BINARY):
    """Bitwise and."""


class OrI(_Binary, name="cuda_tile.ori", traits=(PURE, COMMUTATIVE), opcode=0x52, assembly=_BINARY):
    """Bitwise or."""


class XorI(_Binary, name="cuda_tile.xori", traits=(PURE, COMMUTATIVE), opcode=0x6C, assembly=_BINARY):
    """Bitwise exclusive or."""


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
