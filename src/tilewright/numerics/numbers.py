"""Arithmetic on numbers of any kind: what integers, floats and complex numbers have in common, by their format.

Every function takes the format of its operands first, then Python's integers or NumPy arrays.
"""

from __future__ import annotations

from typing import Any, cast

from tilewright.numerics import complex_numbers, floats, integers
from tilewright.numerics.formats import ComplexFormat, FloatFormat, Format, IntegerFormat
from tilewright.numerics.integers import Relation
from tilewright.numerics.later import np


def add(layout: Format, a: Any, b: Any) -> Any:
    """Sum."""
    match layout:
        case IntegerFormat():
            return integers.add(layout, a, b)
        case FloatFormat():
            return floats.add(layout, a, b)
        case _:
            return a + b


def subtract(layout: Format, a: Any, b: Any) -> Any:
    """Difference."""
    match layout:
        case IntegerFormat():
            return integers.subtract(layout, a, b)
        case FloatFormat():
            return floats.subtract(layout, a, b)
        case _:
            return a - b


def multiply(layout: Format, a: Any, b: Any) -> Any:
    """Product; of complex numbers by the textbook formula."""
    match layout:
        case IntegerFormat():
            return integers.multiply(layout, a, b)
        case FloatFormat():
            return floats.multiply(layout, a, b)
        case _:
            return complex_numbers.multiply(a, b)


def divide(layout: Format, a: Any, b: Any) -> Any:
    """Quotient; truncated of integers."""
    match layout:
        case IntegerFormat():
            return integers.divide(layout, a, b)
        case FloatFormat():
            return floats.divide(layout, a, b)
        case _:
            return complex_numbers.divide(a, b)


def remainder(layout: Format, a: Any, b: Any) -> Any:
    """What the truncated quotient leaves."""
    if isinstance(layout, IntegerFormat):
        return integers.remainder(layout, a, b)
    return floats.remainder(_real(layout), a, b)


def maximum(layout: Format, a: Any, b: Any) -> Any:
    """The larger one; a number wins over NaN."""
    if isinstance(layout, IntegerFormat):
        return integers.maximum(layout, a, b)
    return floats.larger_number(_real(layout), a, b)


def minimum(layout: Format, a: Any, b: Any) -> Any:
    """The smaller one; a number wins over NaN."""
    if isinstance(layout, IntegerFormat):
        return integers.minimum(layout, a, b)
    return floats.smaller_number(_real(layout), a, b)


def absolute(layout: Format, a: Any) -> Any:
    """Magnitude; of complex numbers a real one, without undue overflow."""
    match layout:
        case IntegerFormat():
            return integers.absolute(layout, a)
        case FloatFormat():
            return floats.absolute(layout, a)
        case _:
            return np.abs(a)


def negate(layout: Format, a: Any) -> Any:
    """Zero minus the number, of floats with the sign flipped."""
    match layout:
        case IntegerFormat():
            return integers.negate(layout, a)
        case FloatFormat():
            return floats.negate(layout, a)
        case _:
            return -a


def multiply_add(layout: Format, a: Any, b: Any, c: Any) -> Any:
    """`a b + c`; rounded once, of floats."""
    if isinstance(layout, ComplexFormat):
        return complex_numbers.multiply_add(a, b, c)
    return floats.multiply_add(_real(layout), a, b, c)


def compare(layout: Format, relation: Relation, a: Any, b: Any) -> Any:
    """Whether numbers are in a relation; integers are signed, bools true or false."""
    match layout:
        case IntegerFormat():
            return integers.compare(layout, relation, a, b, layout.bits > 1)
        case FloatFormat():
            return floats.compare(layout, relation, a, b)
        case _:
            return relation.holds(a, b)


def conjugate(layout: Format, a: Any) -> Any:
    """Complex conjugate."""
    return np.conj(a)


def real_part(layout: Format, a: Any) -> Any:
    """Real part."""
    return np.real(a)


def imaginary_part(layout: Format, a: Any) -> Any:
    """Imaginary part."""
    return np.imag(a)


def _real(layout: Format) -> FloatFormat:
    return cast("FloatFormat", layout)
