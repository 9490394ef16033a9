"""Elementary functions of floats and complex numbers, on NumPy arrays: in the next wider type, then rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tilewright.numerics import complex_numbers
from tilewright.numerics.arrays import elements
from tilewright.numerics.floats import flushed
from tilewright.numerics.formats import F64, ComplexFormat, FloatFormat
from tilewright.numerics.integers import signed
from tilewright.numerics.later import Array, np


class Function(Protocol):
    """A function of floats of one format."""

    def __call__(self, layout: FloatFormat, *values: Array, flush: bool = False) -> Array:
        """The rounded results; subnormal numbers are zeros on `flush`, among operands and results."""
        ...


def _unary(compute: Callable[[Any], Any]) -> Function:
    return _function(compute)


def _binary(compute: Callable[[Any, Any], Any]) -> Function:
    return _function(compute)


def _function(compute: Callable[..., Any]) -> Function:
    def apply(layout: FloatFormat, *values: Array, flush: bool = False) -> Array:
        wider = np.longdouble if layout is F64 else np.float64
        given = (flushed(layout, v) for v in values) if flush else values
        found = elements(layout, np.asarray(compute(*(v.astype(wider) for v in given))))
        return flushed(layout, found) if flush else found

    return apply


cos = _unary(lambda x: np.cos(x))
sin = _unary(lambda x: np.sin(x))
tan = _unary(lambda x: np.tan(x))
sinh = _unary(lambda x: np.sinh(x))
cosh = _unary(lambda x: np.cosh(x))
tanh = _unary(lambda x: np.tanh(x))
log = _unary(lambda x: np.log(x))
log2 = _unary(lambda x: np.log2(x))
inverse_root = _unary(lambda x: 1 / np.sqrt(x))
log10 = _unary(lambda x: np.log10(x))
log1p = _unary(lambda x: np.log1p(x))
expm1 = _unary(lambda x: np.expm1(x))
sigmoid = _unary(lambda x: 1 / (1 + np.exp(-x)))
ceil = _unary(lambda x: np.ceil(x))
floor = _unary(lambda x: np.floor(x))
arctan2 = _binary(lambda y, x: np.arctan2(y, x))
power = _binary(lambda x, y: np.power(x, y))
_exp = _unary(lambda x: np.exp(x))
_exp2 = _unary(lambda x: np.exp2(x))


def exp(layout: FloatFormat | ComplexFormat, a: Array, flush: bool = False) -> Array:
    """e to the power."""
    if isinstance(layout, ComplexFormat):
        return complex_numbers.exponential(np.exp, 1.0, a)
    return _exp(layout, a, flush=flush)


def exp2(layout: FloatFormat | ComplexFormat, a: Array, flush: bool = False) -> Array:
    """2 to the power."""
    if isinstance(layout, ComplexFormat):
        return complex_numbers.exponential(np.exp2, np.log(np.longdouble(2)), a)
    return _exp2(layout, a, flush=flush)


def integer_power(layout: FloatFormat, base: Array, exponent: Array) -> Array:
    """A float to the power of a signed integer."""
    wider = np.longdouble if layout is F64 else np.float64
    return elements(layout, np.asarray(np.power(base.astype(wider), signed(exponent).astype(wider))))
