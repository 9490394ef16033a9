"""Rules of matrix products."""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.rules import element, error, number, shape, where
from tilewright.dialects.cuda_tile.types import (
    BF16,
    F4E2M1FN,
    F8E4M3FN,
    F8E5M2,
    F8E8M0FNU,
    F16,
    F32,
    F64,
    TF32,
    ElementType,
)
from tilewright.ir.core import Operation, Value

MATRIX = "C17"

_SUMS: Final = {
    F8E4M3FN: (F16, F32),
    F8E5M2: (F16, F32),
    F16: (F16, F32),
    BF16: (F32,),
    TF32: (F32,),
    F32: (F32,),
    F64: (F64,),
}
"""Element types of accumulators for those of the factors."""
_BLOCKS: Final[dict[tuple[ElementType, ElementType], tuple[int, ...]]] = {
    (F8E4M3FN, F8E8M0FNU): (32,),
    (F8E5M2, F8E8M0FNU): (32,),
    (F4E2M1FN, F8E8M0FNU): (16, 32),
    (F4E2M1FN, F8E4M3FN): (16,),
}
"""Elements that share a scale, for the types of factors and scales."""


def product(op: Operation, report: Report, lhs: Value, rhs: Value, acc: Value) -> bool:
    """[batch x] M x K times K x N into M x N."""
    a, b, c = shape(lhs), shape(rhs), shape(acc)
    said = f"{lhs.type}, {rhs.type} and {acc.type}"
    if not (len(a) == len(b) == len(c) and len(a) in (2, 3)):
        error(op, report, MATRIX, op.place("type"), f"all tiles have rank 2, or 3 with a batch: {said}")
        return False
    if a[:-2] != b[:-2] or a[:-2] != c[:-2]:
        error(op, report, MATRIX, op.place("type"), f"batch dimensions differ: {said}")
        return False
    if a[-1] != b[-2] or a[-2] != c[-2] or b[-1] != c[-1]:
        error(op, report, MATRIX, op.place("type"), f"M x K, K x N and M x N do not fit: {said}")
        return False
    return True


def float_elements(op: Operation, report: Report, lhs: Value, rhs: Value, acc: Value) -> None:
    """Factors of one type, and an accumulator for it."""
    factor = number(lhs)
    if factor is not number(rhs):
        error(op, report, MATRIX, where(op, rhs), f"factors have one element type, not {factor} and {number(rhs)}")
    elif factor not in _SUMS:
        error(op, report, MATRIX, where(op, lhs), f"there is no product of {factor}")
    elif number(acc) not in _SUMS[factor]:
        words = " or ".join(map(str, _SUMS[factor]))
        error(op, report, MATRIX, where(op, acc), f"products of {factor} are summed in {words}, not {number(acc)}")


def scales(
    op: Operation, report: Report, lhs: Value, rhs: Value, acc: Value, lhs_scale: Value, rhs_scale: Value
) -> None:
    """Factors of one type, scales of one type, f32 sums, and a legal number of elements for each scale."""
    if number(lhs) is not number(rhs) or number(lhs_scale) is not number(rhs_scale):
        error(op, report, MATRIX, op.place("type"), "factors have one element type, and so have scales")
        return
    if element(acc) is not F32:
        error(op, report, MATRIX, where(op, acc), f"the accumulator has elements of type f32, not {element(acc)}")
    blocks = _BLOCKS.get((number(lhs), number(lhs_scale)))
    if blocks is None:
        message = f"there is no product of {number(lhs)} with scales of type {number(lhs_scale)}"
        error(op, report, MATRIX, op.place("type"), message)
        return
    a, b = shape(lhs), shape(rhs)
    if len(a) < 2 or len(b) != len(a):
        return
    if not any(
        shape(lhs_scale) == (*a[:-1], a[-1] // v) and shape(rhs_scale) == (*b[:-2], b[-2] // v, b[-1])
        for v in blocks
        if a[-1] % v == 0
    ):
        words = " or ".join(map(str, blocks))
        message = f"one scale for {words} elements along K; {lhs_scale.type} and {rhs_scale.type} do not fit"
        error(op, report, MATRIX, op.place("type"), message)
