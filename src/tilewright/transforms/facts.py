"""Facts about values that several passes ask for. Pure analyses, computed on demand from definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilewright.dialects.arith import Add, Cast, Constant, Max, Min, Mul, Select, Sub
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import Alloca, GroupLoad, Size, Stride
from tilewright.dialects.scf import For
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import INDEX, GroupType, MemrefType

_DEPTH = 16


def divisor(value: Value, depth: int = _DEPTH) -> int:
    """A known divisor of an index value; 0 for the constant 0, 1 if nothing is known."""
    op = value.defining_op
    if isinstance(op, Constant):
        return abs(op.value) if isinstance(op.value, int) else 1
    if depth == 0 or value.type is not INDEX:
        return 1
    match op:
        case Add() | Sub() | Min() | Max():
            return math.gcd(divisor(op.operands[0], depth - 1), divisor(op.operands[1], depth - 1))
        case Select():
            return math.gcd(divisor(op.on_true, depth - 1), divisor(op.on_false, depth - 1))
        case Mul():
            return _product(divisor(op.lhs, depth - 1), divisor(op.rhs, depth - 1))
        case Cast():
            known = op.value.defining_op
            return abs(known.value) if isinstance(known, Constant) and isinstance(known.value, int) else 1
        case Size() | Stride():
            return _declared(op.source, op.mode, "shape_gcd" if isinstance(op, Size) else "stride_gcd")
        case None:
            return _of_argument(value, depth)
        case _:
            return 1


def _product(a: int, b: int) -> int:
    # Divisors beyond a power of two could be broken by wrap-around; products are only trusted while small.
    product = a * b
    return product if product < 1 << 62 else a


def _of_argument(value: Value, depth: int) -> int:
    if isinstance(value, BlockArgument) and isinstance(loop := value.block.parent_op, For) and value.index == 0:
        step = 1 if loop.step is None else divisor(loop.step, depth - 1)
        return math.gcd(divisor(loop.lower, depth - 1), step)
    return 1


def _declared(view: Value, mode: int, attribute: str) -> int:
    """The gcd that a parameter declares for a mode, followed through views that keep it."""
    op = view.defining_op
    if op is None:
        return _parameter_gcd(view, mode, attribute)
    match op:
        case GroupLoad():
            return _parameter_gcd(op.group, mode, attribute)
        case ViewLike():
            size, source = op.given_extent(mode), op.source_of(mode)
            if size is not None and attribute != "stride_gcd":
                return size if isinstance(size, int) else divisor(size)
            return 1 if source is None else _declared(op.memref, source, attribute)
        case _:
            return 1


def _parameter_gcd(parameter: Value, mode: int, attribute: str) -> int:
    if isinstance(parameter, BlockArgument) and isinstance(kernel := parameter.block.parent_op, Kernel):
        found = kernel.attributes_of(parameter).get(attribute)
        if isinstance(found, tuple) and mode < len(found) and isinstance(entry := found[mode], int):
            return entry
    return 1


def divides(number: int, value: Value) -> bool:
    """Whether an index value is certainly a multiple of `number`."""
    return divisor(value) % number == 0


STACK_ALIGNMENT = 128
"""Alignment in bytes of local memory that asks for none."""


def alignment(view: Value, indices: Sequence[Value] = ()) -> int:
    """Bytes that certainly divide the address of an element of a view; without indices of its first one."""
    type_ = view.type
    assert isinstance(type_, MemrefType)
    found = _base_alignment(view)
    for mode, index in enumerate(indices):
        found = math.gcd(found, divisor(index) * stride_divisor(view, mode) * type_.element.bytes)
    return found


def stride_divisor(view: Value, mode: int) -> int:
    """A known divisor of a stride in elements."""
    type_ = view.type
    assert isinstance(type_, MemrefType)
    static = type_.strides[mode]
    return static if static is not None else _declared(view, mode, "stride_gcd")


def _base_alignment(view: Value) -> int:
    type_, op = view.type, view.defining_op
    assert isinstance(type_, MemrefType)
    size = type_.element.bytes
    match op:
        case Alloca():
            return math.gcd(op.alignment or STACK_ALIGNMENT, op.offset or 0)
        case ViewLike():
            found = _base_alignment(op.memref)
            for mode, offset in enumerate(op.source_offsets()):
                distance = offset if isinstance(offset, int) else divisor(offset)
                found = math.gcd(found, distance * stride_divisor(op.memref, mode) * size)
            return found
        case GroupLoad():
            assert isinstance(op.group.type, GroupType)
            offset = op.group.type.offset
            return math.gcd(_parameter_alignment(op.group, size), size if offset is None else offset * size)
        case _:
            return _parameter_alignment(view, size)


def _parameter_alignment(parameter: Value, size: int) -> int:
    if isinstance(parameter, BlockArgument) and isinstance(kernel := parameter.block.parent_op, Kernel):
        found = kernel.attributes_of(parameter).get("alignment")
        if isinstance(found, int):
            return found
    return size
