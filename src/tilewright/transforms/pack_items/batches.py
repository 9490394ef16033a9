"""How far the memory of an item lies from that of the next one: items are neighbours along x of the grid."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import arith, memref, team
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import INDEX, MemrefType
from tilewright.transforms import emit


def rate(value: Value) -> int | None:
    """By how much a scalar grows from an item to the next; None if that is not known, or not the same everywhere."""
    op = value.defining_op
    if op is None or isinstance(value, BlockArgument):
        return 0
    match op:
        case team.GroupId():
            return int(op.dim == 0)
        case arith.Add() | arith.Sub() if value.type is INDEX:
            first, second = (rate(operand) for operand in op.operands)
            if first is None or second is None:
                return None
            return first + second if isinstance(op, arith.Add) else first - second
        case arith.Mul() if value.type is INDEX:
            for factor, other in (op.operands, reversed(op.operands)):
                known, grows = emit.integer_of(factor), rate(other)
                if known is not None and grows is not None:
                    return known * grows
        case _:
            pass
    fixed = isinstance(op, memref.Load) or PURE in op.definition.traits
    return 0 if fixed and all(_is_fixed(operand) for operand in op.operands) else None


def _is_fixed(value: Value) -> bool:
    return (step(value) if isinstance(value.type, MemrefType) else rate(value)) == 0


def step(view: Value) -> int | None:
    """Elements from the first one of a view to that of the next item's; None if that is not known.

    Extents and strides of the view are those of all items if this is known.
    """
    op = view.defining_op
    if op is None or isinstance(view, BlockArgument):
        return 0
    if not isinstance(op, ViewLike):
        return 0 if all(_is_fixed(operand) for operand in op.operands) else None
    total = step(op.memref)
    offsets = [offset for offset in op.source_offsets() if isinstance(offset, Value)]
    if total is None or any(rate(value) != 0 for value in op.operands[1:] if value not in offsets):
        return None
    assert isinstance(op.memref.type, MemrefType)
    return _further(total, op.source_offsets(), op.memref.type.strides)


def _further(total: int, offsets: Sequence[int | Value], strides: Sequence[int | None]) -> int | None:
    """The distance `total` with that of offsets by these strides."""
    for offset, stride in zip(offsets, strides, strict=False):
        grows = rate(offset) if isinstance(offset, Value) else 0
        if grows is None or (grows and stride is None):
            return None
        total += grows * (stride or 0)
    return total


def distance(view: Value, indices: Sequence[Value]) -> int | None:
    """Elements from a place of a view to that of the next item's; None if that is not known."""
    assert isinstance(view.type, MemrefType)
    begins = step(view)
    return None if begins is None else _further(begins, indices, view.type.strides)


def by_stride(type_: MemrefType) -> tuple[int, ...]:
    """The modes from that of neighbours on; those of unknown stride last."""
    return tuple(sorted(range(type_.order), key=lambda k: (type_.strides[k] is None, type_.strides[k] or 0, k)))


def dense_strides(shape: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of elements without gaps, the modes of `order` from the fastest on."""
    strides, total = [0] * len(shape), 1
    for mode in order:
        strides[mode], total = total, total * shape[mode]
    return tuple(strides)
