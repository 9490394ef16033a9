"""Functions of each element, and tensors filled with one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TensorOperation, tensor_of
from tilewright.dialects.tlx.types import ELEMENT, TENSOR, TensorType
from tilewright.ir.definition import ELEMENTARY, PURE, Value, operand, result
from tilewright.numerics import floats, functions, numbers
from tilewright.numerics.formats import FloatFormat, Format
from tilewright.numerics.later import Array, np


def positive_part(layout: Format, values: Array) -> Array:
    """The maximum of a number and 0; signed, and NaN stays NaN."""
    zero = np.zeros_like(values)
    if isinstance(layout, FloatFormat):
        return floats.extremum(layout, values, zero, larger=True, nan=True)
    return numbers.maximum(layout, values, zero)


class TensorUnary(TensorOperation):
    """Each element of the result is a function of that of the operand."""

    __slots__ = ()

    function: ClassVar[Callable[..., Any]]
    """Of the element's format and elements."""
    of_integers: ClassVar[bool] = False

    input: Value = operand(TENSOR, var="T")
    out: Value = result(var="T")

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        if type_.element.is_float or self.of_integers:
            return type_
        message = f"the operation is not defined for {type_.element} elements"
        rules.error(self, report, "TLX311", ("operand", 0), message)
        return None

    def formed(self, *operands: Array) -> Array:
        return type(self).function(self.input.type.format, *operands)


class Relu(TensorUnary, name="tlx.relu", traits=(PURE,), assembly="$input"):
    """The maximum of the element and 0: signed for integers, NaN stays NaN."""

    function = staticmethod(positive_part)
    of_integers = True


class Tanh(TensorUnary, name="tlx.tanh", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Hyperbolic tangent."""

    function = staticmethod(functions.tanh)


class Sigmoid(TensorUnary, name="tlx.sigmoid", traits=(PURE, ELEMENTARY), assembly="$input"):
    """1 / (1 + exp(-x))."""

    function = staticmethod(functions.sigmoid)


class Sin(TensorUnary, name="tlx.sin", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Sine."""

    function = staticmethod(functions.sin)


class Cos(TensorUnary, name="tlx.cos", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Cosine."""

    function = staticmethod(functions.cos)


class Exp(TensorUnary, name="tlx.exp", traits=(PURE, ELEMENTARY), assembly="$input"):
    """e to the power."""

    function = staticmethod(functions.exp)


class Exp2(TensorUnary, name="tlx.exp2", traits=(PURE, ELEMENTARY), assembly="$input"):
    """2 to the power."""

    function = staticmethod(functions.exp2)


class Log(TensorUnary, name="tlx.log", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Natural logarithm."""

    function = staticmethod(functions.log)


class Log2(TensorUnary, name="tlx.log2", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Logarithm to base 2."""

    function = staticmethod(functions.log2)


class Log10(TensorUnary, name="tlx.log10", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Logarithm to base 10."""

    function = staticmethod(functions.log10)


class Sqrt(TensorUnary, name="tlx.sqrt", traits=(PURE, ELEMENTARY), assembly="$input"):
    """Square root, rounded to nearest even."""

    function = staticmethod(floats.square_root)


class Fabs(TensorUnary, name="tlx.fabs", traits=(PURE,), assembly="$input"):
    """The element without its sign."""

    function = staticmethod(floats.absolute)


class Floor(TensorUnary, name="tlx.floor", traits=(PURE,), assembly="$input"):
    """The nearest integer below, as a float."""

    function = staticmethod(functions.floor)


class Ceil(TensorUnary, name="tlx.ceil", traits=(PURE,), assembly="$input"):
    """The nearest integer above, as a float."""

    function = staticmethod(functions.ceil)


class Broadcast(TensorOperation, name="tlx.broadcast", traits=(PURE,), assembly="$input $value"):
    """A tensor of the type of `input`, whose elements are not read, filled with a number."""

    input: Value = operand(TENSOR, var="T")
    value: Value = operand(ELEMENT)
    out: Value = result(var="T")

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        return type_ if rules.scalar(self, report, "TLX310", self.value, type_.element) else None

    def formed(self, *operands: Array) -> Array:
        return np.broadcast_to(operands[1], operands[0].shape)
