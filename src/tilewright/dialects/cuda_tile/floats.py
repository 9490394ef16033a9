"""Tile IR: floating point arithmetic and mathematical functions.

`flush_to_zero` is legal for f32 only and flushes subnormal operands and results, keeping their sign.
"""

from __future__ import annotations

from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules
from tilewright.dialects.cuda_tile.attributes import Ordering, Predicate, Rounding
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import BOOLEAN, FLOAT, INTEGER, Version
from tilewright.ir.definition import COMMUTATIVE, PURE, Value, attribute, operand, optional_attribute, result
from tilewright.ir.evaluation import float_format, on_numbers
from tilewright.numerics import floats, functions

_UNARY = "$source : @T"
_BINARY = "$lhs , $rhs : @T"
_ROUNDED = "$lhs , $rhs rounding_mode? flush_to_zero? : @T"


class _Unary(TileOperation):
    source: Value = operand(FLOAT, var="T")
    out: Value = result(var="T")


class _Binary(TileOperation):
    lhs: Value = operand(FLOAT, var="T")
    rhs: Value = operand(FLOAT, var="T")
    out: Value = result(var="T")


class _Flushing(_Unary):
    flush_to_zero: bool = optional_attribute(bool, default=False)

    def verify(self, report: Report) -> None:
        rules.flush(self, report, self.flush_to_zero)


class _Approximate(_Unary):
    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.FULL)

    def verify(self, report: Report) -> None:
        rules.rounding(self, report, self.rounding_mode, False, rules.FULL_APPROX)


class _Rounded(_Binary):
    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.NEAREST_EVEN)
    flush_to_zero: bool = optional_attribute(bool, default=False)

    def verify(self, report: Report) -> None:
        rules.rounding(self, report, self.rounding_mode, self.flush_to_zero, rules.DIRECTED)


class _Extremum(_Binary):
    propagate_nan: bool = optional_attribute(bool, default=False)
    flush_to_zero: bool = optional_attribute(bool, default=False)

    def verify(self, report: Report) -> None:
        rules.flush(self, report, self.flush_to_zero)


class AddF(_Rounded, name="cuda_tile.addf", traits=(PURE, COMMUTATIVE), opcode=0x02, assembly=_ROUNDED):
    """Sum."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.add(float_format(self), lhs, rhs, self.rounding_mode.mode, self.flush_to_zero)


class SubF(_Rounded, name="cuda_tile.subf", traits=(PURE,), opcode=0x67, assembly=_ROUNDED):
    """Difference."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.subtract(float_format(self), lhs, rhs, self.rounding_mode.mode, self.flush_to_zero)


class MulF(_Rounded, name="cuda_tile.mulf", traits=(PURE, COMMUTATIVE), opcode=0x4C, assembly=_ROUNDED):
    """Product."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.multiply(float_format(self), lhs, rhs, self.rounding_mode.mode, self.flush_to_zero)


class Fma(
    TileOperation,
    name="cuda_tile.fma",
    traits=(PURE,),
    opcode=0x28,
    assembly="$lhs , $rhs , $acc rounding_mode? flush_to_zero? : @T",
):
    """Product plus third operand, rounded once."""

    lhs: Value = operand(FLOAT, var="T")
    rhs: Value = operand(FLOAT, var="T")
    acc: Value = operand(FLOAT, var="T")
    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.NEAREST_EVEN)
    flush_to_zero: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules.rounding(self, report, self.rounding_mode, self.flush_to_zero, rules.DIRECTED)

    def evaluate(self, lhs: Any, rhs: Any, acc: Any) -> Any:
        return floats.multiply_add(float_format(self), lhs, rhs, acc, self.rounding_mode.mode, self.flush_to_zero)


class DivF(_Rounded, name="cuda_tile.divf", traits=(PURE,), opcode=0x14, assembly=_ROUNDED):
    """Quotient; `full` and `approx` are fast, with errors of some units in the last place."""

    def verify(self, report: Report) -> None:
        rules.rounding(self, report, self.rounding_mode, self.flush_to_zero, rules.DIRECTED_FULL)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.divide(float_format(self), lhs, rhs, self.rounding_mode.mode, self.flush_to_zero)


class Sqrt(
    _Unary,
    name="cuda_tile.sqrt",
    traits=(PURE,),
    opcode=0x64,
    assembly="$source rounding_mode? flush_to_zero? : @T",
):
    """Square root."""

    rounding_mode: Rounding = optional_attribute(Rounding, default=Rounding.NEAREST_EVEN)
    flush_to_zero: bool = optional_attribute(bool, default=False)

    def verify(self, report: Report) -> None:
        rules.rounding(self, report, self.rounding_mode, self.flush_to_zero, rules.DIRECTED_APPROX)

    def evaluate(self, source: Any) -> Any:
        return floats.square_root(float_format(self), source, self.rounding_mode.mode, self.flush_to_zero)


class Rsqrt(_Flushing, name="cuda_tile.rsqrt", traits=(PURE,), opcode=0x5D, assembly="$source flush_to_zero? : @T"):
    """One over the square root, fast."""

    def evaluate(self, source: Any) -> Any:
        return functions.inverse_root(float_format(self), source, flush=self.flush_to_zero)


class AbsF(_Unary, name="cuda_tile.absf", traits=(PURE,), opcode=0x00, assembly=_UNARY):
    """Clears the sign bit."""

    evaluate = on_numbers(floats.absolute)


class NegF(_Unary, name="cuda_tile.negf", traits=(PURE,), opcode=0x4F, assembly=_UNARY):
    """Flips the sign bit."""

    evaluate = on_numbers(floats.negate)


class Ceil(_Unary, name="cuda_tile.ceil", traits=(PURE,), opcode=0x0D, assembly=_UNARY):
    """Nearest integer above."""

    evaluate = on_numbers(functions.ceil)


class Floor(_Unary, name="cuda_tile.floor", traits=(PURE,), opcode=0x27, assembly=_UNARY):
    """Nearest integer below."""

    evaluate = on_numbers(functions.floor)


class RemF(_Binary, name="cuda_tile.remf", traits=(PURE,), opcode=0x59, assembly=_BINARY):
    """Exact remainder of the truncated quotient (C fmod)."""

    evaluate = on_numbers(floats.remainder)


class MaxF(
    _Extremum,
    name="cuda_tile.maxf",
    traits=(PURE, COMMUTATIVE),
    opcode=0x45,
    assembly="$lhs , $rhs {flush_to_zero? propagate_nan?} : @T",
):
    """The larger one; NaN only if both are, or with `propagate_nan` if either is."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.extremum(float_format(self), lhs, rhs, True, self.propagate_nan, self.flush_to_zero)


class MinF(
    _Extremum,
    name="cuda_tile.minf",
    traits=(PURE, COMMUTATIVE),
    opcode=0x47,
    assembly="$lhs , $rhs {flush_to_zero? propagate_nan?} : @T",
):
    """The smaller one; NaN only if both are, or with `propagate_nan` if either is."""

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return floats.extremum(float_format(self), lhs, rhs, False, self.propagate_nan, self.flush_to_zero)


class Exp(
    _Approximate,
    name="cuda_tile.exp",
    traits=(PURE,),
    opcode=0x17,
    assembly="$source rounding_mode? : @T",
    newer={"rounding_mode": Version.V13_3},
):
    """Exponential function."""

    evaluate = on_numbers(functions.exp)


class Tanh(
    _Approximate,
    name="cuda_tile.tanh",
    traits=(PURE,),
    opcode=0x6A,
    assembly="$source rounding_mode? : @T",
    newer={"rounding_mode": Version.V13_2},
):
    """Hyperbolic tangent."""

    evaluate = on_numbers(functions.tanh)


class Exp2(_Flushing, name="cuda_tile.exp2", traits=(PURE,), opcode=0x18, assembly="$source flush_to_zero? : @T"):
    """Two to the power of the operand."""

    def evaluate(self, source: Any) -> Any:
        return functions.exp2(float_format(self), source, flush=self.flush_to_zero)


class Log(_Unary, name="cuda_tile.log", traits=(PURE,), opcode=0x3F, assembly=_UNARY):
    """Natural logarithm."""

    evaluate = on_numbers(functions.log)


class Log2(_Unary, name="cuda_tile.log2", traits=(PURE,), opcode=0x40, assembly=_UNARY):
    """Logarithm to base 2."""

    evaluate = on_numbers(functions.log2)


class Sin(_Unary, name="cuda_tile.sin", traits=(PURE,), opcode=0x62, assembly=_UNARY):
    """Sine."""

    evaluate = on_numbers(functions.sin)


class Cos(_Unary, name="cuda_tile.cos", traits=(PURE,), opcode=0x12, assembly=_UNARY):
    """Cosine."""

    evaluate = on_numbers(functions.cos)


class Tan(_Unary, name="cuda_tile.tan", traits=(PURE,), opcode=0x69, assembly=_UNARY):
    """Tangent."""

    evaluate = on_numbers(functions.tan)


class Sinh(_Unary, name="cuda_tile.sinh", traits=(PURE,), opcode=0x63, assembly=_UNARY):
    """Hyperbolic sine."""

    evaluate = on_numbers(functions.sinh)


class Cosh(_Unary, name="cuda_tile.cosh", traits=(PURE,), opcode=0x13, assembly=_UNARY):
    """Hyperbolic cosine."""

    evaluate = on_numbers(functions.cosh)


class Atan2(_Binary, name="cuda_tile.atan2", traits=(PURE,), opcode=0x6E, assembly=_BINARY, since=Version.V13_2):
    """Angle of the pair whose ordinate is the first operand."""

    evaluate = on_numbers(functions.arctan2)


class Pow(_Binary, name="cuda_tile.pow", traits=(PURE,), opcode=0x54, assembly=_BINARY, aliases=("fpowf",)):
    """First operand to the power of the second."""

    evaluate = on_numbers(functions.power)


class FPowI(
    TileOperation,
    name="cuda_tile.fpowi",
    traits=(PURE,),
    opcode=0x79,
    since=Version.V13_4,
    assembly="$base , $exponent : @T , @exponent",
):
    """First operand to the power of a signed integer."""

    base: Value = operand(FLOAT, var="T")
    exponent: Value = operand(INTEGER)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.base, self.exponent)
        rules.narrow_exponent(self, report, self.exponent)

    evaluate = on_numbers(functions.integer_power)


class CmpF(
    TileOperation,
    name="cuda_tile.cmpf",
    traits=(PURE,),
    opcode=0x0E,
    assembly="comparison_predicate comparison_ordering $lhs , $rhs : @T -> @out",
):
    """Compares element by element; with NaN the answer is false if ordered, true if unordered."""

    comparison_predicate: Predicate = attribute(Predicate)
    comparison_ordering: Ordering = attribute(Ordering)
    lhs: Value = operand(FLOAT, var="T")
    rhs: Value = operand(FLOAT, var="T")
    out: Value = result(BOOLEAN)

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.lhs, self.out)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        unordered = self.comparison_ordering is Ordering.UNORDERED
        return floats.compare(float_format(self), self.comparison_predicate.relation, lhs, rhs, unordered)
