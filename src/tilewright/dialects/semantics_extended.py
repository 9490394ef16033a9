"""What the operations of `elementwise.EXTENDED` mean on NumPy arrays; see `semantics`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects import arith_floats as floats
from tilewright.dialects import arith_integers as integers
from tilewright.dialects import math, rounding
from tilewright.dialects.arith import Predicate
from tilewright.dialects.arith_floats import Rounding
from tilewright.dialects.small_numbers import convert_unsigned, dtype_of, to_powers, wide
from tilewright.ir.core import Operation
from tilewright.ir.float_formats import FLOAT_FORMATS
from tilewright.ir.types import F8E8M0FNU, ScalarType, element_of

Array = NDArray[Any]
Meaning = Callable[..., Array]

_PREDICATES: Final[dict[Predicate, Callable[..., Any]]] = {
    Predicate.EQ: np.equal,
    Predicate.NE: np.not_equal,
    Predicate.GT: np.greater,
    Predicate.GE: np.greater_equal,
    Predicate.LT: np.less,
    Predicate.LE: np.less_equal,
}


def _unsigned(values: Array) -> Array:
    return values if values.dtype.kind == "b" else values.view(f"u{values.dtype.itemsize}")


def _reading(function: Callable[[Array, Array], Any]) -> Meaning:
    """An operation on unsigned numbers of the operands' width."""

    def apply(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
        x, y = np.broadcast_arrays(a, b)
        return np.asarray(function(_unsigned(x.copy()), _unsigned(y.copy()))).view(a.dtype)

    return apply


def _safe(b: Array) -> Array:
    return np.where(b == 0, np.ones_like(b), b)


def _udiv(a: Array, b: Array) -> Array:
    return np.where(b == 0, np.zeros_like(a), a // _safe(b))


def _urem(a: Array, b: Array) -> Array:
    return np.where(b == 0, a, a % _safe(b))


def _uceil(a: Array, b: Array) -> Array:
    return np.where(b == 0, np.zeros_like(a), a // _safe(b) + (a % _safe(b) != 0).astype(a.dtype))


def _shift(a: Array, b: Array) -> Array:
    return a >> (b & np.asarray(a.dtype.itemsize * 8 - 1, b.dtype))


def _high(a: Array, b: Array) -> Array:
    bits = a.dtype.itemsize * 8
    if bits < 64:
        return ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(bits)).astype(a.dtype)
    product = a.astype(object) * b.astype(object)
    return np.asarray(product >> 64).astype(np.uint64)


def _towards(down: bool) -> Meaning:
    def apply(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
        plain = np.where((b == 0) | (b == -1), np.ones_like(b), b)
        floor = a // plain
        found = floor if down else floor + (a - floor * plain != 0).astype(a.dtype)
        return np.where(b == 0, np.zeros_like(a), np.where(b == -1, -a, found)).astype(a.dtype)

    return apply


def _ucmp(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    assert isinstance(op, integers.UCmp)
    x, y = np.broadcast_arrays(a, b)
    return np.asarray(_PREDICATES[op.predicate](_unsigned(x.copy()), _unsigned(y.copy())))


def _ucast(op: Operation, element: ScalarType | None, a: Array) -> Array:
    target = element_of(op.results[0].type)
    assert target is not None
    return convert_unsigned(a, target)


def _bitcast(op: Operation, element: ScalarType | None, a: Array) -> Array:
    target = element_of(op.results[0].type)
    assert target is not None
    return np.ascontiguousarray(a).view(dtype_of(target)).reshape(a.shape)


# Floats


def _extremum(largest: bool, number: bool) -> Meaning:
    def apply(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
        x, y = np.broadcast_arrays(wide(a), wide(b))
        first = (x > y) if largest else (x < y)
        # Zeros of both signs are equal but ordered.
        zeros = (x == y) & (np.signbit(x) != largest)
        found = np.where(first | (zeros & (x == 0)), x, y)
        if number:
            found = np.where(np.isnan(x), y, np.where(np.isnan(y), x, found))
        else:
            found = np.where(np.isnan(x), x, np.where(np.isnan(y), y, found))
        return found.astype(a.dtype)

    return apply


def _ordered(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    assert isinstance(op, floats.OrderedCmp)
    x, y = wide(a), wide(b)
    return np.asarray(_PREDICATES[op.predicate](x, y) & ~(np.isnan(x) | np.isnan(y)))


def _unordered(op: Operation, element: ScalarType | None, a: Array, b: Array) -> Array:
    assert isinstance(op, floats.UnorderedCmp)
    x, y = wide(a), wide(b)
    return np.asarray(_PREDICATES[op.predicate](x, y) | np.isnan(x) | np.isnan(y))


def _flush(op: Operation, element: ScalarType | None, a: Array) -> Array:
    return np.where(np.abs(a) < np.finfo(a.dtype).tiny, np.copysign(np.zeros_like(a), a), a)


def _rounded(nearest: Callable[..., Any], exact: Callable[..., Fraction | None]) -> Meaning:
    """Where operands and result are finite the exact number is rounded; elsewhere the direction only signs a zero."""

    def apply(op: Operation, element: ScalarType | None, *operands: Array) -> Array:
        assert element is not None
        mode = op.attributes["rounding"]
        assert isinstance(mode, Rounding)
        arrays = np.broadcast_arrays(*(o.astype(np.float64) for o in operands))
        out = np.asarray(nearest(*arrays), np.float64).copy()
        layout = FLOAT_FORMATS[element.name]
        for at in np.ndindex(out.shape):
            numbers = [float(x[at]) for x in arrays]
            if not all(map(np.isfinite, numbers)):
                continue
            value = exact(*map(Fraction, numbers))
            if value is None:
                continue
            if value:
                root = isinstance(op, floats.RoundedSqrt)
                out[at] = (rounding.root if root else rounding.rounded)(value, layout, mode)
            elif mode is Rounding.DOWN and isinstance(op, floats.RoundedAdd | floats.RoundedSub | floats.RoundedFma):
                out[at] = _zero_downwards(op, numbers)
        return out.astype(operands[0].dtype)

    return apply


def _zero_downwards(op: Operation, numbers: list[float]) -> float:
    """An exact sum of zero is negative when rounding down, unless both terms are +0."""
    if isinstance(op, floats.RoundedFma):
        terms = [numbers[0] * numbers[1] if 0 in numbers[:2] else 1.0, numbers[2]]
    else:
        terms = [numbers[0], -numbers[1] if isinstance(op, floats.RoundedSub) else numbers[1]]
    return 0.0 if all(t == 0 and not np.signbit(t) for t in terms) else -0.0


def _quotient(a: Fraction, b: Fraction) -> Fraction | None:
    return a / b if b else None


def _positive(a: Fraction) -> Fraction | None:
    return a if a > 0 else None


def _multiplied(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    return a * b + c


def _fused(a: Array, b: Array, c: Array) -> Array:
    """Right where the rounding loop does not look: for infinities and NaN, and the sign of zeros."""
    tame = np.isfinite(a) & np.isfinite(b)
    sign = np.copysign(1.0, a) * np.copysign(1.0, b)
    product = np.where(tame, sign * ((a != 0) & (b != 0)), a * b)
    return np.where(tame & (product != 0) & np.isfinite(c), 0.0, product + c)


def _rounded_cast(op: Operation, element: ScalarType | None, a: Array) -> Array:
    assert isinstance(op, floats.RoundedCast)
    target = element_of(op.out.type)
    assert target is not None
    if target is F8E8M0FNU:
        return to_powers(a.astype(np.float64), op.rounding is Rounding.UP)
    values = a.astype(np.float64)
    out, layout = values.copy(), FLOAT_FORMATS[target.name]
    for at in np.ndindex(out.shape):
        number = float(values[at])
        if np.isfinite(number) and number:
            out[at] = rounding.rounded(Fraction(number), layout, op.rounding)
    return out.astype(dtype_of(target))


def _function(function: Callable[..., Any]) -> Meaning:
    """In the next wider type, then rounded."""

    def apply(op: Operation, element: ScalarType | None, *operands: Array) -> Array:
        wider = np.longdouble if operands[0].dtype.itemsize == 8 else np.float64
        return np.asarray(function(*(o.astype(wider) for o in operands))).astype(operands[0].dtype)

    return apply


def _sqrt(op: Operation, element: ScalarType | None, a: Array) -> Array:
    # In the type itself: a wider root would be rounded twice.
    return np.sqrt(wide(a)).astype(a.dtype)


def _rsqrt(a: Array) -> Array:
    return 1 / np.sqrt(a)


TABLE: Final[dict[type[Operation], Meaning]] = {
    integers.UDiv: _reading(_udiv),
    integers.URem: _reading(_urem),
    integers.UCeilDiv: _reading(_uceil),
    integers.CeilDiv: _towards(down=False),
    integers.FloorDiv: _towards(down=True),
    integers.UMax: _reading(np.maximum),
    integers.UMin: _reading(np.minimum),
    integers.UShr: _reading(_shift),
    integers.UMulHigh: _reading(_high),
    integers.UCmp: _ucmp,
    integers.UCast: _ucast,
    integers.Bitcast: _bitcast,
    floats.RoundedAdd: _rounded(np.add, operator.add),
    floats.RoundedSub: _rounded(np.subtract, operator.sub),
    floats.RoundedMul: _rounded(np.multiply, operator.mul),
    floats.RoundedDiv: _rounded(np.divide, _quotient),
    floats.RoundedSqrt: _rounded(np.sqrt, _positive),
    floats.RoundedFma: _rounded(_fused, _multiplied),
    floats.RoundedCast: _rounded_cast,
    floats.Maximum: _extremum(True, False),
    floats.Minimum: _extremum(False, False),
    floats.MaximumNumber: _extremum(True, True),
    floats.MinimumNumber: _extremum(False, True),
    floats.OrderedCmp: _ordered,
    floats.UnorderedCmp: _unordered,
    floats.Flush: _flush,
    math.Tan: _function(np.tan),
    math.Sinh: _function(np.sinh),
    math.Cosh: _function(np.cosh),
    math.Tanh: _function(np.tanh),
    math.Sqrt: _sqrt,
    math.Rsqrt: _function(_rsqrt),
    math.Ceil: _function(np.ceil),
    math.Floor: _function(np.floor),
    math.Atan2: _function(np.arctan2),
    math.Pow: _function(np.power),
}
