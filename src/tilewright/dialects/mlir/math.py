"""MLIR's math: elementary functions of floats."""

from __future__ import annotations

from tilewright.dialects.mlir.base import FLOAT_LIKE, INTEGER_LIKE, MlirOperation
from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.ir.definition import PURE, Value, operand, optional_attribute, result

_UNARY = "$operand <fastmath> <attributes> : @operand"
_BINARY = "$lhs , $rhs <fastmath> <attributes> : @lhs"


class FloatUnary(MlirOperation):
    """Of a float."""

    operand: Value = operand(FLOAT_LIKE, var="T")
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(var="T")


class FloatBinary(MlirOperation):
    """Of two floats of one type."""

    lhs: Value = operand(FLOAT_LIKE, var="T")
    rhs: Value = operand(FLOAT_LIKE, var="T")
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(var="T")


class AbsI(MlirOperation, name="math.absi", traits=(PURE,), assembly="$operand <attributes> : @operand"):
    """The magnitude of an integer; that of the smallest one is itself."""

    operand: Value = operand(INTEGER_LIKE, var="T")
    out: Value = result(var="T")


class AbsF(FloatUnary, name="math.absf", traits=(PURE,), assembly=_UNARY):
    """Magnitude."""


class Ceil(FloatUnary, name="math.ceil", traits=(PURE,), assembly=_UNARY):
    """The nearest integer above."""


class Floor(FloatUnary, name="math.floor", traits=(PURE,), assembly=_UNARY):
    """The nearest integer below."""


class Cos(FloatUnary, name="math.cos", traits=(PURE,), assembly=_UNARY):
    """Cosine."""


class Sin(FloatUnary, name="math.sin", traits=(PURE,), assembly=_UNARY):
    """Sine."""


class Tan(FloatUnary, name="math.tan", traits=(PURE,), assembly=_UNARY):
    """Tangent."""


class Sinh(FloatUnary, name="math.sinh", traits=(PURE,), assembly=_UNARY):
    """Hyperbolic sine."""


class Cosh(FloatUnary, name="math.cosh", traits=(PURE,), assembly=_UNARY):
    """Hyperbolic cosine."""


class Tanh(FloatUnary, name="math.tanh", traits=(PURE,), assembly=_UNARY):
    """Hyperbolic tangent."""


class Exp(FloatUnary, name="math.exp", traits=(PURE,), assembly=_UNARY):
    """e to the power."""


class Exp2(FloatUnary, name="math.exp2", traits=(PURE,), assembly=_UNARY):
    """2 to the power."""


class Log(FloatUnary, name="math.log", traits=(PURE,), assembly=_UNARY):
    """Natural logarithm."""


class Log2(FloatUnary, name="math.log2", traits=(PURE,), assembly=_UNARY):
    """Logarithm to base 2."""


class Erf(FloatUnary, name="math.erf", traits=(PURE,), assembly=_UNARY):
    """The error function."""


class Log10(FloatUnary, name="math.log10", traits=(PURE,), assembly=_UNARY):
    """Logarithm to base 10."""


class Log1p(FloatUnary, name="math.log1p", traits=(PURE,), assembly=_UNARY):
    """Natural logarithm of 1 + x."""


class ExpM1(FloatUnary, name="math.expm1", traits=(PURE,), assembly=_UNARY):
    """e to the power, less 1."""


class Trunc(FloatUnary, name="math.trunc", traits=(PURE,), assembly=_UNARY):
    """The nearest integer towards zero."""


class Round(FloatUnary, name="math.round", traits=(PURE,), assembly=_UNARY):
    """The nearest integer, ties away from zero."""


class RoundEven(FloatUnary, name="math.roundeven", traits=(PURE,), assembly=_UNARY):
    """The nearest integer, ties to even."""


class Sqrt(FloatUnary, name="math.sqrt", traits=(PURE,), assembly=_UNARY):
    """Square root."""


class Rsqrt(FloatUnary, name="math.rsqrt", traits=(PURE,), assembly=_UNARY):
    """One over the square root."""


class Atan2(FloatBinary, name="math.atan2", traits=(PURE,), assembly=_BINARY):
    """Angle of the point (rhs, lhs)."""


class PowF(FloatBinary, name="math.powf", traits=(PURE,), assembly=_BINARY):
    """Power."""


class Fma(MlirOperation, name="math.fma", traits=(PURE,), assembly="$a , $b , $c <fastmath> <attributes> : @a"):
    """`a * b + c`, rounded once."""

    a: Value = operand(FLOAT_LIKE, var="T")
    b: Value = operand(FLOAT_LIKE, var="T")
    c: Value = operand(FLOAT_LIKE, var="T")
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(var="T")
