"""Integer and bitwise operations. They wrap; checked mode reports broken promises and undefined quotients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import arith as ops
from tilewright.dialects.cuda_tile.attributes import Overflow, Rounding, Signedness
from tilewright.dialects.cuda_tile.types import ElementType
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.floats import COMPARISONS
from tilewright.interpreter.tile_ir.values import element_of, signed, unsigned, wrapped
from tilewright.ir.core import Operation

Array = NDArray[Any]
Function = Callable[..., Any]


def first_position(wrong: Array) -> str:
    """Where the first true element is, as words to append."""
    if not wrong.ndim:
        return ""
    return " at [" + ", ".join(map(str, np.argwhere(wrong)[0].tolist())) + "]"


def read_as(values: Array, signedness: Signedness) -> Array:
    """Integers by their signedness."""
    return signed(values) if signedness is Signedness.SIGNED else unsigned(values)


def _operands(w: TileBlock, op: Operation) -> tuple[Array, Array, ElementType]:
    return w.tile(op.operands[0]), w.tile(op.operands[1]), element_of(op.operands[0])


def check_promise(
    w: TileBlock, op: Operation, overflow: Overflow, element: ElementType, compute: Callable[[bool], Array]
) -> None:
    """Compare exact results, as Python integers, with the range that `overflow` promises."""
    if overflow is Overflow.NONE or not w.checked:
        return
    bits = element.bits
    ranges = {
        Overflow.NO_SIGNED_WRAP: (True, -(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Overflow.NO_UNSIGNED_WRAP: (False, 0, (1 << bits) - 1),
    }
    for promise, (is_signed, low, high) in ranges.items():
        if overflow in (promise, Overflow.NO_WRAP):
            found = compute(is_signed)
            wrong = np.asarray((found < low) | (found > high), np.bool_)
            if wrong.any():
                number = np.asarray(found)[wrong].ravel()[0]
                message = f"{op.name} promises {overflow.value}, and its result{first_position(wrong)} is {number}"
                w.undefined(op.location, message)


def _exact(values: Array, is_signed: bool) -> Array:
    return np.asarray((signed(values) if is_signed else unsigned(values)).astype(object))


def _wrapping(compute: Function) -> Callable[[TileBlock, Any], None]:
    def run(w: TileBlock, op: ops.AddI | ops.SubI | ops.MulI) -> None:
        lhs, rhs, element = _operands(w, op)
        check_promise(w, op, op.overflow, element, lambda s: compute(_exact(lhs, s), _exact(rhs, s)))
        with np.errstate(all="ignore"):
            w.bind(op.out, wrapped(compute(unsigned(lhs), unsigned(rhs)), element))

    return run


def _amount(w: TileBlock, op: Operation, amounts: Array, element: ElementType) -> tuple[Array, Array]:
    """Amounts of a shift that are less than the width, and which of them are not."""
    amount = unsigned(amounts)
    large = np.asarray(amount >= element.bits)
    if large.any():
        number = np.asarray(amount)[large].ravel()[0]
        w.undefined(op.location, f"shifts {element} by {number}{first_position(large)}")
    return np.where(large, 0, amount), large


def _shift_left(w: TileBlock, op: ops.ShlI) -> None:
    lhs, rhs, element = _operands(w, op)
    amount, large = _amount(w, op, rhs, element)
    check_promise(w, op, op.overflow, element, lambda s: _exact(lhs, s) << amount.astype(object))
    found = unsigned(lhs) << amount.astype(unsigned(lhs).dtype)
    w.bind(op.out, wrapped(np.where(large, 0, found), element))


def _shift_right(w: TileBlock, op: ops.ShrI) -> None:
    lhs, rhs, element = _operands(w, op)
    amount, large = _amount(w, op, rhs, element)
    values = read_as(lhs, op.signedness)
    found = values >> amount.astype(values.dtype)
    fill = np.where(values < 0, -1, 0).astype(values.dtype)
    w.bind(op.out, wrapped(np.where(large, fill, found), element))


def _abs(w: TileBlock, op: ops.AbsI) -> None:
    values = w.tile(op.source)
    with np.errstate(all="ignore"):
        w.bind(op.out, wrapped(np.abs(signed(values)), element_of(op.source)))


def _neg(w: TileBlock, op: ops.NegI) -> None:
    values, element = w.tile(op.source), element_of(op.source)
    check_promise(w, op, op.overflow, element, lambda s: -_exact(values, s))
    with np.errstate(all="ignore"):
        w.bind(op.out, wrapped(np.negative(signed(values)), element))


def _divisors(
    w: TileBlock, op: ops.DivI | ops.RemI, lhs: Array, rhs: Array, element: ElementType
) -> tuple[Array, Array]:
    """Divisors without zeros, and where the zeros are."""
    zero = np.asarray(rhs == 0)
    if zero.any():
        w.undefined(op.location, f"divides by zero{first_position(zero)}")
    if op.signedness is Signedness.SIGNED and isinstance(op, ops.DivI):
        least = np.asarray((lhs == -(1 << (element.bits - 1))) & (rhs == -1))
        if least.any():
            w.undefined(op.location, f"divides the least {element} by -1{first_position(least)}")
    return np.where(zero, np.ones_like(rhs), rhs), zero


def _divide(w: TileBlock, op: ops.DivI) -> None:
    first, second, element = _operands(w, op)
    lhs, rhs = read_as(first, op.signedness), read_as(second, op.signedness)
    divisor, zero = _divisors(w, op, lhs, rhs, element)
    with np.errstate(all="ignore"):
        down = lhs // divisor
        rest = lhs - down * divisor
        match op.rounding:
            case Rounding.NEGATIVE_INF:
                found = down
            case Rounding.POSITIVE_INF:
                found = down + (rest != 0)
            case _:
                found = down + ((rest != 0) & ((lhs < 0) != (divisor < 0)))
        w.bind(op.out, wrapped(np.where(zero, 0, found).astype(lhs.dtype), element))


def _remainder(w: TileBlock, op: ops.RemI) -> None:
    first, second, element = _operands(w, op)
    lhs, rhs = read_as(first, op.signedness), read_as(second, op.signedness)
    divisor, zero = _divisors(w, op, lhs, rhs, element)
    with np.errstate(all="ignore"):
        found = np.fmod(
            lhs, np.where(divisor == -1, np.ones_like(divisor), divisor) if lhs.dtype.kind == "i" else divisor
        )
    w.bind(op.out, wrapped(np.where(zero, 0, found).astype(lhs.dtype), element))


def _extremum(compute: Function) -> Callable[[TileBlock, Any], None]:
    def run(w: TileBlock, op: ops.MaxI | ops.MinI) -> None:
        lhs, rhs, element = _operands(w, op)
        w.bind(op.out, wrapped(compute(read_as(lhs, op.signedness), read_as(rhs, op.signedness)), element))

    return run


def _multiply_high(w: TileBlock, op: ops.MulHiI) -> None:
    lhs, rhs, element = _operands(w, op)
    a, b = unsigned(lhs).astype(np.uint64), unsigned(rhs).astype(np.uint64)
    if element.bits < 64:
        w.bind(op.out, wrapped((a * b) >> np.uint64(element.bits), element))
        return
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    with np.errstate(all="ignore"):
        a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
        carry = (a0 * b0) >> half
        middle = a1 * b0 + carry
        other = a0 * b1 + (middle & low)
        w.bind(op.out, wrapped(a1 * b1 + (middle >> half) + (other >> half), element))


def _bitwise(compute: Function) -> Callable[[TileBlock, Any], None]:
    def run(w: TileBlock, op: ops.AndI | ops.OrI | ops.XorI) -> None:
        w.bind(op.out, compute(w.tile(op.lhs), w.tile(op.rhs)))

    return run


def _compare(w: TileBlock, op: ops.CmpI) -> None:
    lhs, rhs = read_as(w.tile(op.lhs), op.signedness), read_as(w.tile(op.rhs), op.signedness)
    w.bind(op.out, COMPARISONS[op.comparison_predicate](lhs, rhs))


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.AddI, _wrapping(np.add)),
            handler(ops.SubI, _wrapping(np.subtract)),
            handler(ops.MulI, _wrapping(np.multiply)),
            handler(ops.ShlI, _shift_left),
            handler(ops.ShrI, _shift_right),
            handler(ops.AbsI, _abs),
            handler(ops.NegI, _neg),
            handler(ops.DivI, _divide),
            handler(ops.RemI, _remainder),
            handler(ops.MaxI, _extremum(np.maximum)),
            handler(ops.MinI, _extremum(np.minimum)),
            handler(ops.MulHiI, _multiply_high),
            handler(ops.AndI, _bitwise(np.bitwise_and)),
            handler(ops.OrI, _bitwise(np.bitwise_or)),
            handler(ops.XorI, _bitwise(np.bitwise_xor)),
            handler(ops.CmpI, _compare),
        )
    )
