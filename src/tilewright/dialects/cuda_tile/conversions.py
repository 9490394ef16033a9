"""Tile IR: conversions between element types. Nothing is converted silently."""

from __future__ import annotations

from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules, rules_conversions
from tilewright.dialects.cuda_tile.attributes import Overflow, Rounding, Signedness
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import (
    ANY_FLOAT,
    I64_TILE,
    INTEGER,
    INTEGER_I4,
    NUMBER,
    POINTER,
    Version,
)
from tilewright.ir.definition import PURE, Value, attribute, operand, optional_attribute, result
from tilewright.ir.evaluation import float_format, integer_format
from tilewright.numerics import addresses, conversions, faults, floats, integers
from tilewright.numerics.formats import FloatFormat, IntegerFormat


def _integers(value: Value) -> IntegerFormat:
    layout = value.type.format
    assert isinstance(layout, IntegerFormat)
    return layout


def _floats(value: Value) -> FloatFormat:
    layout = value.type.format
    assert isinstance(layout, FloatFormat)
    return layout


_PLAIN = "$source : @source -> @out"


class Bitcast(TileOperation, name="cuda_tile.bitcast", traits=(PURE,), opcode=0x09, assembly=_PLAIN):
    """The same bits under another type of the same width."""

    source: Value = operand(NUMBER)
    out: Value = result(NUMBER)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)
        rules_conversions.bitcast(self, report, self.source, self.out)

    def evaluate(self, source: Any) -> Any:
        return conversions.reinterpreted(self.source.type.format, self.out.type.format, source)


class ExtI(
    TileOperation, name="cuda_tile.exti", traits=(PURE,), opcode=0x25, assembly="$source signedness : @source -> @out"
):
    """Widens integers by their sign or by zeros."""

    source: Value = operand(INTEGER_I4)
    signedness: Signedness = attribute(Signedness)
    out: Value = result(INTEGER_I4)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)
        rules_conversions.wider(self, report, self.source, self.out)

    def evaluate(self, source: Any) -> Any:
        return integers.extend(integer_format(self), _integers(self.out), source, self.signedness.is_signed)


class TruncI(
    TileOperation, name="cuda_tile.trunci", traits=(PURE,), opcode=0x6B, assembly="$source overflow? : @source -> @out"
):
    """Keeps the low bits; `overflow` promises something about the others."""

    source: Value = operand(INTEGER_I4)
    overflow: Overflow = optional_attribute(Overflow, default=Overflow.NONE)
    out: Value = result(INTEGER_I4)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)
        rules_conversions.narrower(self, report, self.source, self.out)

    def evaluate(self, source: Any) -> Any:
        return integers.extend(integer_format(self), _integers(self.out), source)

    def fault(self, source: Any) -> str | None:
        place = faults.truncation(integer_format(self), _integers(self.out), self.overflow.promise, source)
        return None if place is None else f"{self.name} promises {self.overflow.value}, broken{place}"


class FToF(
    TileOperation,
    name="cuda_tile.ftof",
    traits=(PURE,),
    opcode=0x2A,
    assembly="$source rounding_mode? : @source -> @out",
):
    """Converts between floating point types."""

    source: Value = operand(ANY_FLOAT)
    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.NEAREST_EVEN)
    out: Value = result(ANY_FLOAT)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)
        rules_conversions.ftof(self, report, self.source, self.out, self.rounding_mode)

    def later_use(self) -> str:
        return rules_conversions.later_rounding(self.source, self.out, self.rounding_mode)

    def evaluate(self, source: Any) -> Any:
        return conversions.between_floats(float_format(self), _floats(self.out), source, self.rounding_mode.mode)


class FToI(
    TileOperation,
    name="cuda_tile.ftoi",
    traits=(PURE,),
    opcode=0x2B,
    newer={"saturating": Version.V13_4},
    assembly="$source signedness rounding_mode? saturating? : @source -> @out",
):
    """Truncates toward zero. What does not fit is undefined, or with `saturating` clamped."""

    source: Value = operand(ANY_FLOAT)
    signedness: Signedness = attribute(Signedness)
    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.NEAREST_INT_TO_ZERO)
    saturating: bool = optional_attribute(bool, default=False)
    out: Value = result(INTEGER)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)
        rules.only(self, report, self.rounding_mode, Rounding.NEAREST_INT_TO_ZERO)

    def evaluate(self, source: Any) -> Any:
        layout, target = float_format(self), _integers(self.out)
        if self._is_truth:
            return floats.nonzero(layout, source)
        return conversions.to_integers(layout, target, source, self.signedness.is_signed)

    def fault(self, source: Any) -> str | None:
        if self._is_truth or self.saturating:
            return None
        is_signed = self.signedness.is_signed
        return conversions.fault_of_integers(float_format(self), _integers(self.out), source, is_signed)

    @property
    def _is_truth(self) -> bool:
        """Whether the result is a truth value, as front ends mean it: of NaN and of what truncates to 0, too."""
        return _integers(self.out).bits == 1 and not self.saturating


class IToF(
    TileOperation,
    name="cuda_tile.itof",
    traits=(PURE,),
    opcode=0x3B,
    assembly="$source signedness rounding_mode? : @source -> @out",
):
    """Integers to floating point numbers, rounded to nearest even."""

    source: Value = operand(INTEGER)
    signedness: Signedness = attribute(Signedness)
    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.NEAREST_EVEN)
    out: Value = result(ANY_FLOAT)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)
        rules.only(self, report, self.rounding_mode, Rounding.NEAREST_EVEN)
        rules_conversions.itof(self, report, self.out)

    def evaluate(self, source: Any) -> Any:
        return conversions.from_integers(integer_format(self), _floats(self.out), source, self.signedness.is_signed)


class IntToPtr(TileOperation, name="cuda_tile.int_to_ptr", traits=(PURE,), opcode=0x33, assembly=_PLAIN):
    """Unsigned addresses to pointers."""

    source: Value = operand(I64_TILE)
    out: Value = result(POINTER)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)

    def evaluate(self, source: Any) -> Any:
        return addresses.of_integers(source)


class PtrToInt(TileOperation, name="cuda_tile.ptr_to_int", traits=(PURE,), opcode=0x56, assembly=_PLAIN):
    """Pointers to unsigned addresses."""

    source: Value = operand(POINTER)
    out: Value = result(I64_TILE)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)

    def evaluate(self, source: Any) -> Any:
        return addresses.as_integers(source)


class PtrToPtr(TileOperation, name="cuda_tile.ptr_to_ptr", traits=(PURE,), opcode=0x57, assembly=_PLAIN):
    """Pointers to elements of another type."""

    source: Value = operand(POINTER)
    out: Value = result(POINTER)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.source, self.out)

    def evaluate(self, source: Any) -> Any:
        return source
