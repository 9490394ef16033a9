"""Floating point operations: correctly rounded arithmetic in every mode, functions computed in double precision.

`full` and `approx` results are the correctly rounded ones as well; they are always within the promised error, but for
the range where `divf approx` gives 0 or NaN. Functions of f16, bf16 and f32 are rounded once from doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import floats as ops
from tilewright.dialects.cuda_tile.attributes import Ordering, Predicate, Rounding
from tilewright.dialects.cuda_tile.types import F32, F64, ElementType
from tilewright.interpreter.tile_ir import exact
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.rounding import Exact, flushed, nearest, rounded
from tilewright.interpreter.tile_ir.values import element_of, from_bits, to_bits, to_double
from tilewright.ir.core import Operation

Array = NDArray[Any]
Function = Callable[..., Any]

_NEAREST: Final = frozenset({Rounding.NEAREST_EVEN, Rounding.FULL, Rounding.APPROX})


def _operands(w: TileBlock, op: Operation, flush: bool) -> tuple[list[Array], ElementType]:
    element = element_of(op.operands[0])
    found = [w.tile(v) for v in op.operands]
    return [flushed(v, element) for v in found] if flush else found, element


def _arithmetic(precise: Callable[..., Exact], plain: Function) -> Callable[[TileBlock, Any], None]:
    """An operation that is rounded correctly: `plain` in doubles where that is enough, else `precise`."""

    def run(w: TileBlock, op: ops.AddF | ops.SubF | ops.MulF | ops.DivF | ops.Sqrt) -> None:
        values, element = _operands(w, op, op.flush_to_zero)
        with np.errstate(all="ignore"):
            found = _rounded(precise, plain, values, element, op.rounding_mode)
            w.bind(op.out, flushed(found, element) if op.flush_to_zero else found)

    return run


def _rounded(
    precise: Callable[..., Exact], plain: Function, values: list[Array], element: ElementType, mode: Rounding
) -> Array:
    if mode in _NEAREST and element in (F32, F64):
        return np.asarray(plain(*values))
    doubles = [to_double(v, element) for v in values]
    close = np.asarray(plain(*doubles))
    if mode in _NEAREST:
        # Doubles have more than twice the bits of the narrow types: rounding twice is rounding once.
        return nearest(close, element)
    number = precise(*doubles)
    finite = np.isfinite(number.value)
    for value in doubles:
        finite = finite & np.isfinite(value)
    zero = -np.asarray(plain(*(-d for d in doubles))) if _is_sum(plain, mode) else close
    value = np.where(finite, np.where(number.value == 0, zero, number.value), np.nan)
    return rounded(Exact(value, number.residue, number.exponent), close, element, mode)


def _is_sum(plain: Function, mode: Rounding) -> bool:
    """Whether exact zeros are negative unless all that is added is positive."""
    return mode is Rounding.NEGATIVE_INF and plain in (np.add, np.subtract)


def _subtract(a: Array, b: Array) -> Exact:
    return exact.add(a, -b)


def _fma(w: TileBlock, op: ops.Fma) -> None:
    (a, b, c), element = _operands(w, op, op.flush_to_zero)
    with np.errstate(all="ignore"):
        x, y, z = (to_double(v, element) for v in (a, b, c))
        close = x * y + z
        finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
        number = exact.multiply_add(x, y, z)
        special = np.where(np.isfinite(x) & np.isfinite(y), z, close)
        zero = -((-x) * y - z) if op.rounding_mode is Rounding.NEGATIVE_INF else close
        value = np.where(finite, np.where(number.value == 0, zero, number.value), np.nan)
        found = rounded(Exact(value, number.residue, number.exponent), special, element, op.rounding_mode)
        w.bind(op.out, flushed(found, element) if op.flush_to_zero else found)


def _function(compute: Function) -> Callable[[TileBlock, Any], None]:
    """A function that is computed in doubles and rounded once."""

    def run(w: TileBlock, op: Operation) -> None:
        flush = bool(op.attributes.get("flush_to_zero", False))
        values, element = _operands(w, op, flush)
        with np.errstate(all="ignore"):
            found = nearest(np.asarray(compute(*(to_double(v, element) for v in values))), element)
            w.bind(op.results[0], flushed(found, element) if flush else found)

    return run


def _inverse_root(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _sign_bit(element: ElementType) -> np.uint64:
    return np.uint64(1 << (element.exponent + element.mantissa))


def _abs(w: TileBlock, op: ops.AbsF) -> None:
    element = element_of(op.source)
    w.bind(op.out, from_bits(to_bits(w.tile(op.source), element) & ~_sign_bit(element), element))


def _neg(w: TileBlock, op: ops.NegF) -> None:
    element = element_of(op.source)
    w.bind(op.out, from_bits(to_bits(w.tile(op.source), element) ^ _sign_bit(element), element))


def _power(w: TileBlock, op: ops.FPowI) -> None:
    element = element_of(op.base)
    exponent = w.tile(op.exponent)
    number = -exponent.astype(np.float64) if exponent.dtype == np.bool_ else exponent.astype(np.float64)
    with np.errstate(all="ignore"):
        w.bind(op.out, nearest(np.power(to_double(w.tile(op.base), element), number), element))


def _extremum(larger: bool) -> Callable[[TileBlock, Any], None]:
    def run(w: TileBlock, op: ops.MaxF | ops.MinF) -> None:
        (lhs, rhs), element = _operands(w, op, op.flush_to_zero)
        a, b = to_double(lhs, element), to_double(rhs, element)
        with np.errstate(all="ignore"):
            first = (a > b) if larger else (a < b)
            # +0 is larger than -0.
            equal = (a == b) & (np.signbit(b) if larger else np.signbit(a))
            found = np.where(first | equal | np.isnan(b), a, b)
            some = np.isnan(a) | np.isnan(b)
            both = np.isnan(a) & np.isnan(b)
            w.bind(op.out, nearest(np.where(some if op.propagate_nan else both, np.nan, found), element))

    return run


COMPARISONS: Final = {
    Predicate.EQUAL: np.equal,
    Predicate.NOT_EQUAL: np.not_equal,
    Predicate.LESS_THAN: np.less,
    Predicate.LESS_THAN_OR_EQUAL: np.less_equal,
    Predicate.GREATER_THAN: np.greater,
    Predicate.GREATER_THAN_OR_EQUAL: np.greater_equal,
}


def _compare(w: TileBlock, op: ops.CmpF) -> None:
    (lhs, rhs), element = _operands(w, op, False)
    a, b = to_double(lhs, element), to_double(rhs, element)
    unordered = np.isnan(a) | np.isnan(b)
    with np.errstate(all="ignore"):
        found = COMPARISONS[op.comparison_predicate](a, b)
    w.bind(op.out, np.where(unordered, op.comparison_ordering is Ordering.UNORDERED, found))


def rounded_sum(values: tuple[Array, Array], element: ElementType) -> Array:
    """Sum to nearest, as atomics compute it."""
    with np.errstate(all="ignore"):
        return _rounded(exact.add, np.add, list(values), element, Rounding.NEAREST_EVEN)


_FUNCTIONS: Final[dict[type[Operation], Function]] = {
    ops.Rsqrt: _inverse_root,
    ops.Ceil: np.ceil,
    ops.Floor: np.floor,
    ops.RemF: np.fmod,
    ops.Exp: np.exp,
    ops.Tanh: np.tanh,
    ops.Exp2: np.exp2,
    ops.Log: np.log,
    ops.Log2: np.log2,
    ops.Sin: np.sin,
    ops.Cos: np.cos,
    ops.Tan: np.tan,
    ops.Sinh: np.sinh,
    ops.Cosh: np.cosh,
    ops.Atan2: np.arctan2,
    ops.Pow: np.power,
}


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.AddF, _arithmetic(exact.add, np.add)),
            handler(ops.SubF, _arithmetic(_subtract, np.subtract)),
            handler(ops.MulF, _arithmetic(exact.multiply, np.multiply)),
            handler(ops.DivF, _arithmetic(exact.divide, np.divide)),
            handler(ops.Sqrt, _arithmetic(exact.square_root, np.sqrt)),
            handler(ops.Fma, _fma),
            handler(ops.AbsF, _abs),
            handler(ops.NegF, _neg),
            handler(ops.FPowI, _power),
            handler(ops.MaxF, _extremum(True)),
            handler(ops.MinF, _extremum(False)),
            handler(ops.CmpF, _compare),
            *(handler(kind, _function(compute)) for kind, compute in _FUNCTIONS.items()),
        )
    )
