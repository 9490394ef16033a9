"""Conversions. Values beyond the range of the types of 8 and 4 bits saturate; NaN becomes the largest f4E2M1FN."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import conversions as ops
from tilewright.dialects.cuda_tile.attributes import Overflow, Rounding, Signedness
from tilewright.dialects.cuda_tile.types import F8E8M0FNU, F32, F64, I1, ElementType
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.integers import first_position, read_as
from tilewright.interpreter.tile_ir.rounding import Exact, from_double, rounded
from tilewright.interpreter.tile_ir.values import (
    ADDRESS,
    element_of,
    from_bits,
    signed,
    to_bits,
    to_double,
    unsigned,
    wrapped,
)

Array = NDArray[Any]


def _bitcast(w: TileBlock, op: ops.Bitcast) -> None:
    w.bind(op.out, from_bits(to_bits(w.tile(op.source), element_of(op.source)), element_of(op.out)))


def _extend(w: TileBlock, op: ops.ExtI) -> None:
    source, element = w.tile(op.source), element_of(op.source)
    if op.signedness is Signedness.SIGNED:
        w.bind(op.out, wrapped(signed(source).astype(np.int64), element_of(op.out)))
    else:
        w.bind(op.out, from_bits(to_bits(source, element), element_of(op.out)))


def _truncate(w: TileBlock, op: ops.TruncI) -> None:
    source, element = w.tile(op.source), element_of(op.out)
    found = from_bits(to_bits(source, element_of(op.source)), element)
    if w.checked and op.overflow is not Overflow.NONE:
        wrong = np.zeros(np.shape(found), np.bool_)
        if op.overflow is not Overflow.NO_UNSIGNED_WRAP:
            wrong = wrong | (signed(found).astype(np.int64) != signed(source).astype(np.int64))
        if op.overflow is not Overflow.NO_SIGNED_WRAP:
            wrong = wrong | (to_bits(found, element) != to_bits(source, element_of(op.source)))
        if wrong.any():
            w.undefined(op.location, f"{op.name} promises {op.overflow.value}, broken{first_position(wrong)}")
    w.bind(op.out, found)


def saturates(element: ElementType) -> bool:
    """Whether conversions to a type clamp what is too large."""
    return element.bits <= 8


def convert(values: Array, source: ElementType, target: ElementType, mode: Rounding) -> Array:
    """Floating point elements as those of another type."""
    with np.errstate(all="ignore"):
        doubles = to_double(values, source)
        if mode is Rounding.NEAREST_EVEN and target is F64:
            return doubles
        if mode is Rounding.NEAREST_EVEN and target is F32:
            return doubles.astype(np.float32)
        if target is F8E8M0FNU:
            # There is no zero: the least number stands for it, whatever the mode.
            doubles = np.where(doubles == 0, 2.0**-127, doubles)
        return from_double(doubles, target, mode, saturates(target))


def _float(w: TileBlock, op: ops.FToF) -> None:
    w.bind(op.out, convert(w.tile(op.source), element_of(op.source), element_of(op.out), op.rounding_mode))


def _to_integer(w: TileBlock, op: ops.FToI) -> None:
    element = element_of(op.out)
    values = to_double(w.tile(op.source), element_of(op.source))
    if element is I1 and not op.saturating:
        # A truth value, as front ends mean it: of NaN, of infinities and of what truncates to 0, too.
        w.bind(op.out, np.asarray(values != 0))
        return
    bits = element.bits
    is_signed = op.signedness is Signedness.SIGNED
    low, high = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if is_signed else (0.0, 2.0**bits)
    with np.errstate(all="ignore"):
        whole = np.trunc(values)
    wrong = np.asarray(~((whole >= low) & (whole < high)))
    if wrong.any() and not op.saturating:
        number = np.asarray(values)[wrong].ravel()[0]
        w.undefined(op.location, f"converts {number}{first_position(wrong)} to {op.signedness.value} {element}")
    inside = np.where(wrong, 0.0, whole)
    unsigned64 = inside >= 2.0**63
    low_part = np.where(unsigned64, inside - 2.0**63, inside).astype(np.int64)
    found = np.where(unsigned64, low_part + np.int64(-(2**63)), low_part)
    limits = _limits(bits, is_signed)
    clamped = np.where(np.isnan(values), 0, np.where(values < 0, limits[0], limits[1]))
    w.bind(op.out, wrapped(np.where(wrong, clamped, found), element))


def _limits(bits: int, is_signed: bool) -> tuple[np.int64, np.int64]:
    """The least and the largest integer, as patterns."""
    if is_signed:
        return np.int64(-(1 << (bits - 1))), np.int64((1 << (bits - 1)) - 1)
    return np.int64(0), np.int64(-1)


def _from_integer(w: TileBlock, op: ops.IToF) -> None:
    element = element_of(op.out)
    values = read_as(w.tile(op.source), op.signedness)
    with np.errstate(all="ignore"):
        w.bind(op.out, _rounded_integers(values, element))


def _rounded_integers(values: Array, element: ElementType) -> Array:
    nothing = np.zeros(values.shape, np.int64)
    if values.dtype.itemsize < 8:
        doubles = values.astype(np.float64)
        return rounded(Exact(doubles, nothing, nothing), doubles, element, Rounding.NEAREST_EVEN)
    # A double lacks the low bits: what they are is the residue of the upper ones.
    low = (values & values.dtype.type(2047)).astype(np.int64)
    high = (values - low.astype(values.dtype)).astype(np.float64)
    number = Exact(*_two_sum(high, low.astype(np.float64)), nothing)
    return rounded(number, number.value, element, Rounding.NEAREST_EVEN)


def _two_sum(high: Array, low: Array) -> tuple[Array, Array]:
    total = high + low
    return total, np.sign(low - (total - high)).astype(np.int64)


def _to_pointer(w: TileBlock, op: ops.IntToPtr) -> None:
    w.bind(op.out, unsigned(w.tile(op.source)).astype(ADDRESS))


def _from_pointer(w: TileBlock, op: ops.PtrToInt) -> None:
    w.bind(op.out, w.tile(op.source).view(np.int64))


def _retype(w: TileBlock, op: ops.PtrToPtr) -> None:
    w.bind(op.out, w.tile(op.source))


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.Bitcast, _bitcast),
            handler(ops.ExtI, _extend),
            handler(ops.TruncI, _truncate),
            handler(ops.FToF, _float),
            handler(ops.FToI, _to_integer),
            handler(ops.IToF, _from_integer),
            handler(ops.IntToPtr, _to_pointer),
            handler(ops.PtrToInt, _from_pointer),
            handler(ops.PtrToPtr, _retype),
        )
    )
