"""Facts about values that passes and targets ask for. Pure analyses, computed on demand from definitions.

What divides integers and addresses comes from constants and arithmetic, from what parameters declare (`alignment`,
`shape_gcd`, `stride_gcd`), and from what a language assumes of them, which is declared on the parameters as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.arith import Add, And, Cast, Constant, Max, Min, Mul, Rem, Select, Shl, Sub
from tilewright.dialects.arith_integers import UCast
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import Alloca, GroupLoad, GroupMemory, Size, Stride
from tilewright.dialects.scf import For
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import INDEX, GroupType, MemrefType, PointerType, ScalarType

_DEPTH = 16
_SHALLOW = 8
_WIDE = 64
"""Bits of an index."""
_MOST_SHIFTED = 62
_MOST_ALIGNED = 1 << 12


_Known = dict[tuple[Value, int], int]
"""By values, and how far their definitions are followed: ways to a value may be twice as many with each operation."""


def divisor(value: Value) -> int:
    """A known divisor of an integer, of addresses in bytes; 0 for the constant 0, 1 if nothing is known.

    Only of an index it may be anything but a power of two, which arithmetic that wraps keeps.
    """
    return _divisor(value, _DEPTH, {})


def _divisor(value: Value, depth: int, known: _Known) -> int:
    op = value.defining_op
    if isinstance(op, Constant):
        return _kept(abs(op.value), value) if isinstance(op.value, int) else 1
    type_ = value.type
    if depth == 0 or not isinstance(type_, ScalarType) or not type_.is_integer:
        return 1
    found = known.get((value, depth))
    if found is None:
        found = known[value, depth] = _kept(_computed(value, depth - 1, known), value)
    return found


def _kept(found: int, value: Value) -> int:
    """What is left of a divisor where numbers wrap."""
    return found if value.type is INDEX else found & -found


def _computed(value: Value, depth: int, known: _Known) -> int:
    op = value.defining_op
    match op:
        case Add() | Sub() | Min() | Max():
            return math.gcd(_divisor(op.operands[0], depth, known), _divisor(op.operands[1], depth, known))
        case Select():
            return math.gcd(_divisor(op.on_true, depth, known), _divisor(op.on_false, depth, known))
        case Mul():
            return _product(_divisor(op.lhs, depth, known), _divisor(op.rhs, depth, known))
        case Shl():
            by = op.rhs.defining_op
            shift = by.value if isinstance(by, Constant) and isinstance(by.value, int) else 0
            return _product(_divisor(op.lhs, depth, known), 1 << shift) if 0 <= shift < _MOST_SHIFTED else 1
        case And():
            found = [_divisor(operand, depth, known) for operand in op.operands]
            return max(d & -d for d in found)
        case Cast() | UCast() if _widens(op):
            return _divisor(op.value, depth, known)
        case Cast():
            source = op.value.defining_op
            return abs(source.value) if isinstance(source, Constant) and isinstance(source.value, int) else 1
        case AddressOf():
            pointer = op.pointer.type
            assert isinstance(pointer, PointerType)
            return _parameter_alignment(op.pointer, pointer.element.bytes)
        case Size() | Stride():
            return _declared(op.source, op.mode, "shape_gcd" if isinstance(op, Size) else "stride_gcd")
        case None:
            return _of_argument(value, depth, known)
        case _:
            return 1


def _widens(op: Cast | UCast) -> bool:
    """Whether all bits of an integer are in the result."""
    source, target = op.value.type, op.out.type
    if not (isinstance(source, ScalarType) and isinstance(target, ScalarType)):
        return False
    return source.is_integer and target.bits >= source.bits


def _product(a: int, b: int) -> int:
    # Divisors beyond a power of two could be broken by wrap-around; products are only trusted while small.
    product = a * b
    return product if product < 1 << 62 else a


def _of_argument(value: Value, depth: int, known: _Known) -> int:
    if isinstance(value, BlockArgument) and isinstance(loop := value.block.parent_op, For) and value.index == 0:
        step = 1 if loop.step is None else _divisor(loop.step, depth, known)
        return math.gcd(_divisor(loop.lower, depth, known), step)
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
        case FromAddress():
            number = op.mixed_layout[attribute == "stride_gcd"][mode]
            return number if isinstance(number, int) else divisor(number)
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


def never_negative(value: Value, depth: int = _SHALLOW) -> bool:
    """Whether an index is certainly 0 or more: extents, counted in loops from such on, sums, whole pieces of them."""
    op = value.defining_op
    if value.type is not INDEX or depth == 0:
        return False
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op
        return isinstance(loop, For) and value.index == 0 and never_negative(loop.lower, depth - 1)
    match op:
        case Size():
            return True
        case Constant():
            return isinstance(op.value, int) and op.value >= 0
        case Add() | Mul() | Min():
            return never_negative(op.lhs, depth - 1) and never_negative(op.rhs, depth - 1)
        case Max():
            return never_negative(op.lhs, depth - 1) or never_negative(op.rhs, depth - 1)
        case Sub():
            return _is_difference(op, depth)
        case UCast():
            # what a narrower integer reads as without sign
            return isinstance(op.value.type, ScalarType) and op.value.type.is_integer and op.value.type.bits < _WIDE
        case _:
            return False


def _is_difference(op: Sub, depth: int) -> bool:
    """Whether no more than all of a number is subtracted from it: what is left over, or less than a maximum."""
    match op.lhs.defining_op, op.rhs.defining_op:
        case _, Rem() as rest if rest.lhs is op.lhs:
            return never_negative(op.lhs, depth - 1)
        case Max() as most, _:
            return op.rhs in (most.lhs, most.rhs)
        case _:
            return False


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
        case GroupMemory():
            return math.gcd(STACK_ALIGNMENT, op.offset)
        case ViewLike():
            found = _base_alignment(op.memref)
            for mode, offset in enumerate(op.source_offsets()):
                distance = offset if isinstance(offset, int) else divisor(offset)
                found = math.gcd(found, distance * stride_divisor(op.memref, mode) * size)
            return found
        case FromAddress():
            return math.gcd(divisor(op.address), _MOST_ALIGNED)
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
