"""What pure scalar operations mean, on NumPy arrays of the element's type and any shape.

The one definition that the interpreter runs and constant folding computes with (language reference 1.7 and 1.9).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects import arith, complex_numbers, error_free, math, semantics_extended
from tilewright.dialects.small_numbers import dtype_of, is_integral, odd_f32, to_small, to_tf32, wide
from tilewright.ir.core import Operation
from tilewright.ir.types import SMALL_FLOATS, TF32, ScalarType, element_of

Array = NDArray[Any]


def has_meaning(op: Operation) -> bool:
    """Whether `evaluate` knows the operation."""
    return type(op) in _TABLE


def evaluate(op: Operation, *operands: Array) -> Array:
    """The result of a pure elementwise operation with these operands."""
    element = element_of(op.operands[0].type) if op.operands else None
    with np.errstate(all="ignore"):
        out = _TABLE[type(op)](op, element, *operands)
    result = element_of(op.results[0].type)
    assert result is not None
    return np.asarray(out).astype(dtype_of(result), copy=False)


def _div(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    if a.dtype.kind == "c":
        return complex_numbers.divide(a, b)
    if a.dtype.kind not in "iu":
        return (wide(a) / wide(b)).astype(a.dtype)
    plain = np.where((b == 0) | (b == -1), np.ones_like(b), b)
    quotient = a // plain
    rest = a - quotient * plain
    quotient = quotient + ((rest != 0) & ((a < 0) != (plain < 0))).astype(a.dtype)
    return np.where(b == 0, np.zeros_like(a), np.where(b == -1, -a, quotient)).astype(a.dtype)


def _rem(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    if a.dtype.kind not in "iu":
        return np.fmod(wide(a), wide(b)).astype(a.dtype)
    return (a - _div(op, element, a, b) * b).astype(a.dtype)


def _mul(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    if a.dtype.kind != "c":
        return (wide(a) * wide(b)).astype(a.dtype)
    return complex_numbers.multiply(a, b)


def _shift_count(a: Array, b: Array) -> Array:
    return b & np.asarray(a.dtype.itemsize * 8 - 1, b.dtype)


def _shl(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    return a << _shift_count(a, b)


def _shr(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    return a >> _shift_count(a, b)


def _simple(function: Callable[..., Any]) -> Callable[..., Array]:
    """An operation that NumPy computes in the (widened) type of its operands."""

    def apply(op: Operation, element: ScalarType | None, *operands: Array) -> Array:
        return np.asarray(function(*(wide(o) for o in operands)))

    return apply


_PREDICATES: Final[dict[arith.Predicate, Callable[..., Any]]] = {
    arith.Predicate.EQ: np.equal,
    arith.Predicate.NE: np.not_equal,
    arith.Predicate.GT: np.greater,
    arith.Predicate.GE: np.greater_equal,
    arith.Predicate.LT: np.less,
    arith.Predicate.LE: np.less_equal,
}


def _compare(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    assert isinstance(op, arith.Cmp)
    return _PREDICATES[op.predicate](wide(a), wide(b))


def _cast(op: Operation, element: ScalarType | None, a: Array) -> Array:
    target = element_of(op.results[0].type)
    assert target is not None
    return convert(a, target)


def convert(values: Array, target: ScalarType) -> Array:
    """`arith.cast`: rounds once, saturates from float to integer, NaN gives 0."""
    wanted = dtype_of(target)
    with np.errstate(all="ignore"):
        if target.is_integer and not is_integral(values):
            return _to_integer(values, wanted)
        if target.name in ("bf16", "f16") and values.dtype.itemsize > 2:
            return odd_f32(values).astype(wanted)
        if target in SMALL_FLOATS:
            return to_small(values, target)
        if target is TF32:
            return to_tf32(values)
        if target.is_complex and values.dtype.itemsize <= 2:
            return wide(values).astype(wanted)
        return values.astype(wanted)


def _to_integer(values: Array, wanted: np.dtype[Any]) -> Array:
    limits = np.iinfo(wanted)
    exact = np.trunc(values.astype(np.float64))
    inside = np.clip(np.nan_to_num(exact, nan=0.0), limits.min, float(limits.max) if limits.bits < 64 else 2.0**62)
    out = inside.astype(wanted)
    if limits.bits == 64:
        big = (exact >= 2.0**62) & (exact < 2.0**63)
        out = np.where(big, np.where(big, exact, 0.0).astype(np.int64), out)
        out = np.where(exact >= 2.0**63, np.int64(limits.max), out)
    return out.astype(wanted)


def _math(function: Callable[..., Any]) -> Callable[..., Array]:
    """Elementary functions in the next wider type, then rounded."""

    def apply(op: Operation, element: ScalarType | None, a: Array) -> Array:
        return np.asarray(function(a.astype(np.longdouble if a.dtype.itemsize == 8 else np.float64))).astype(a.dtype)

    return apply


def _exponential(base: Callable[..., Any], logarithm: Array | float) -> Callable[..., Array]:
    """A function that complex numbers have too."""
    real = _math(base)

    def apply(op: Operation, element: ScalarType | None, a: Array) -> Array:
        return complex_numbers.exponential(base, logarithm, a) if a.dtype.kind == "c" else real(op, element, a)

    return apply


def _fma(op: Operation, element: ScalarType | None, a: Array, b: Array, c: Array) -> Array:
    if element is not None and element.is_float:
        return error_free.multiply_add(a, b, c)
    wider = np.clongdouble if a.dtype.kind == "c" else a.dtype
    return (a.astype(wider) * b.astype(wider) + c.astype(wider)).astype(a.dtype)


_TABLE: Final[dict[type[Operation], Callable[..., Array]]] = {
    arith.Add: _simple(np.add),
    arith.Sub: _simple(np.subtract),
    arith.Mul: _mul,
    arith.Div: _div,
    arith.Rem: _rem,
    arith.Max: _simple(np.fmax),
    arith.Min: _simple(np.fmin),
    arith.Shl: _shl,
    arith.Shr: _shr,
    arith.And: _simple(np.bitwise_and),
    arith.Or: _simple(np.bitwise_or),
    arith.Xor: _simple(np.bitwise_xor),
    arith.Abs: _simple(np.abs),
    arith.Neg: _simple(np.negative),
    arith.Not: _simple(np.invert),
    arith.Conj: _simple(np.conj),
    arith.Re: _simple(np.real),
    arith.Im: _simple(np.imag),
    arith.Cmp: _compare,
    arith.Cast: _cast,
    arith.Fma: _fma,
    math.Cos: _math(np.cos),
    math.Sin: _math(np.sin),
    math.Exp: _exponential(np.exp, 1.0),
    math.Exp2: _exponential(np.exp2, np.log(np.longdouble(2))),
    math.Log: _math(np.log),
    math.Log2: _math(np.log2),
    **semantics_extended.TABLE,
}
