"""Elementary functions: at most 4 ulp in f32 and f64, computed in f32 for bf16 and f16; `native` ones favour speed."""

from __future__ import annotations

from tilewright.dialects.families import FloatUnary
from tilewright.ir.definition import ELEMENTARY, PURE, Value, operand, optional_attribute, result
from tilewright.ir.evaluation import on_numbers
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import SHAPED_FLOAT, SHAPED_FLOAT_OR_COMPLEX
from tilewright.numerics import floats, functions


class Cos(FloatUnary, name="math.cos", traits=(PURE, ELEMENTARY), code="V34"):
    """Cosine."""

    native: bool = optional_attribute(bool, default=False)

    evaluate = on_numbers(functions.cos)


class Sin(FloatUnary, name="math.sin", traits=(PURE, ELEMENTARY), code="V34"):
    """Sine."""

    native: bool = optional_attribute(bool, default=False)

    evaluate = on_numbers(functions.sin)


class Exp(Elementwise, name="math.exp", traits=(PURE, ELEMENTARY), code="V34"):
    """e to the power; complex: `e^re (cos im + i sin im)`."""

    value: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    evaluate = on_numbers(functions.exp)


class Exp2(Elementwise, name="math.exp2", traits=(PURE, ELEMENTARY), code="V34"):
    """2 to the power; complex likewise."""

    value: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    native: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    evaluate = on_numbers(functions.exp2)


class Log(FloatUnary, name="math.log", traits=(PURE, ELEMENTARY), code="V34"):
    """Natural logarithm."""

    native: bool = optional_attribute(bool, default=False)

    evaluate = on_numbers(functions.log)


class Log2(FloatUnary, name="math.log2", traits=(PURE, ELEMENTARY), code="V34"):
    """Logarithm to base 2."""

    native: bool = optional_attribute(bool, default=False)

    evaluate = on_numbers(functions.log2)


class Log10(FloatUnary, name="math.log10", traits=(PURE, ELEMENTARY)):
    """Logarithm to base 10."""

    evaluate = on_numbers(functions.log10)


class Log1p(FloatUnary, name="math.log1p", traits=(PURE, ELEMENTARY)):
    """Natural logarithm of 1 + x."""

    evaluate = on_numbers(functions.log1p)


class Expm1(FloatUnary, name="math.expm1", traits=(PURE, ELEMENTARY)):
    """e to the power, less 1."""

    evaluate = on_numbers(functions.expm1)


class Tan(FloatUnary, name="math.tan", traits=(PURE, ELEMENTARY)):
    """Tangent."""

    evaluate = on_numbers(functions.tan)


class Sinh(FloatUnary, name="math.sinh", traits=(PURE, ELEMENTARY)):
    """Hyperbolic sine."""

    evaluate = on_numbers(functions.sinh)


class Cosh(FloatUnary, name="math.cosh", traits=(PURE, ELEMENTARY)):
    """Hyperbolic cosine."""

    evaluate = on_numbers(functions.cosh)


class Tanh(FloatUnary, name="math.tanh", traits=(PURE, ELEMENTARY)):
    """Hyperbolic tangent."""

    evaluate = on_numbers(functions.tanh)


class Sqrt(FloatUnary, name="math.sqrt", traits=(PURE, ELEMENTARY)):
    """Square root, rounded to nearest even."""

    evaluate = on_numbers(floats.square_root)


class Rsqrt(FloatUnary, name="math.rsqrt", traits=(PURE, ELEMENTARY)):
    """One over the square root."""

    evaluate = on_numbers(functions.inverse_root)


class Ceil(FloatUnary, name="math.ceil", traits=(PURE, ELEMENTARY)):
    """The nearest integer above, as a float; exact."""

    evaluate = on_numbers(functions.ceil)


class Floor(FloatUnary, name="math.floor", traits=(PURE, ELEMENTARY)):
    """The nearest integer below, as a float; exact."""

    evaluate = on_numbers(functions.floor)


class Atan2(Elementwise, name="math.atan2", traits=(PURE, ELEMENTARY)):
    """Angle of the point (x, y) to the x axis, in -pi .. pi."""

    y: Value = operand(SHAPED_FLOAT, var="T")
    x: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(functions.arctan2)


class Pow(Elementwise, name="math.pow", traits=(PURE, ELEMENTARY)):
    """Power, with the special cases of C."""

    base: Value = operand(SHAPED_FLOAT, var="T")
    exponent: Value = operand(SHAPED_FLOAT, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(functions.power)
