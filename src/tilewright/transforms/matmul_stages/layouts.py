"""Where the elements of a matrix lie that may be a view of other memory: how far apart rows are, where it begins."""

from __future__ import annotations

from math import gcd, prod

from tilewright.dialects.mlir import func, memref, regroupings
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.mlir.attributes import StridedLayout


def pitch_of(memory: Value) -> int | None:
    """How many elements the rows of a matrix are apart, if that is known."""
    layout = memref_of(memory).layout
    return layout.strides[-2] if isinstance(layout, StridedLayout) else shape_of(memory)[-1]


def origin_of(memory: Value) -> Value:
    """The memory that a matrix is a view of, or is itself."""
    op = memory.defining_op
    while isinstance(op, memref.Subview | memref.Cast | memref.ReinterpretCast | regroupings.Regrouping):
        memory = op.operands[0]
        op = memory.defining_op
    return memory


def is_memory_itself(value: Value) -> bool:
    """Whether memory is an argument of a function or made in it, so that its name tells it apart from others."""
    if isinstance(value, BlockArgument):
        return isinstance(value.block.parent_op, func.Func)
    return isinstance(value.defining_op, memref.Alloc | memref.Alloca)


def may_share(one: Value, other: Value) -> bool:
    """Whether matrices may have elements in common: not those of different arguments, allocations or globals."""
    origins = (origin_of(one), origin_of(other))
    names = [_global_name(value) or value for value in origins]
    return names[0] == names[1] or not all(_global_name(value) or is_memory_itself(value) for value in origins)


def _global_name(value: Value) -> str:
    op = value.defining_op
    return str(op.name_) if isinstance(op, memref.GetGlobal) else ""


def first_multiple(memory: Value) -> int:
    """What the number of the first element of a view is a multiple of, counted in what it is a view of; 0 for none."""
    op = memory.defining_op
    match op:
        case memref.Subview():
            steps = zip(op.mixed_offsets, _stride_multiples(op.source), strict=True)
            return gcd(first_multiple(op.source), *(_multiple(offset) * stride for offset, stride in steps))
        case memref.Cast():
            return first_multiple(op.source)
        case regroupings.Regrouping():
            return first_multiple(op.src)
        case memref.ReinterpretCast():
            return gcd(*map(_multiple, op.mixed_offsets))
        case _:
            return 0


def _multiple(offset: int | Value) -> int:
    return offset if isinstance(offset, int) else 1


def _stride_multiples(memory: Value) -> list[int]:
    """What the stride of each dimension is a multiple of."""
    layout, shape = memref_of(memory).layout, shape_of(memory)
    if isinstance(layout, StridedLayout):
        return [stride or 1 for stride in layout.strides]
    return [prod(extent or 1 for extent in shape[k + 1 :]) for k in range(len(shape))]
