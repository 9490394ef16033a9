"""Elementary functions: at most 4 ulp in f32 and f64, computed in f32 for bf16 and f16; `native` ones favour speed."""

from __future__ import annotations

from tilewright.ir.definition import PURE, Operation, Value, operand, optional_attribute, result
from tilewright.ir.types import SHAPED_FLOAT, SHAPED_FLOAT_OR_COMPLEX


class Cos(Operation, name="math.cos", traits=(PURE,), code="V34"):
    """Cosine."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")


class Sin(Operation, name="math.sin", traits=(PURE,), code="V34"):
    """Sine."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")


class Exp(Operation, name="math.exp", traits=(PURE,), code="V34"):
    """e to the power; complex: `e^re (cos im + i sin im)`."""

    value: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")


class Exp2(Operation, name="math.exp2", traits=(PURE,), code="V34"):
    """2 to the power; complex likewise."""

    value: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")


class Log(Operation, name="math.log", traits=(PURE,), code="V34"):
    """Natural logarithm."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")


class Log2(Operation, name="math.log2", traits=(PURE,), code="V34"):
    """Logarithm to base 2."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")


class Tan(Operation, name="math.tan", traits=(PURE,)):
    """Tangent."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Sinh(Operation, name="math.sinh", traits=(PURE,)):
    """Hyperbolic sine."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Cosh(Operation, name="math.cosh", traits=(PURE,)):
    """Hyperbolic cosine."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Tanh(Operation, name="math.tanh", traits=(PURE,)):
    """Hyperbolic tangent."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Sqrt(Operation, name="math.sqrt", traits=(PURE,)):
    """Square root, rounded to nearest even."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Rsqrt(Operation, name="math.rsqrt", traits=(PURE,)):
    """One over the square root."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Ceil(Operation, name="math.ceil", traits=(PURE,)):
    """The nearest integer above, as a float; exact."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Floor(Operation, name="math.floor", traits=(PURE,)):
    """The nearest integer below, as a float; exact."""

    value: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Atan2(Operation, name="math.atan2", traits=(PURE,)):
    """Angle of the point (x, y) to the x axis, in -pi .. pi."""

    y: Value = operand(SHAPED_FLOAT, var="T")
    x: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")


class Pow(Operation, name="math.pow", traits=(PURE,)):
    """Power, with the special cases of C."""

    base: Value = operand(SHAPED_FLOAT, var="T")
    exponent: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")
