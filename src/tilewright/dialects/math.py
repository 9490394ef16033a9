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
