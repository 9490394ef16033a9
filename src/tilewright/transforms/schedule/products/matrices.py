"""Where a launch finds the matrices of which the machine copies boxes by itself, or what it does not know of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.arith import And
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_tensors import no_map
from tilewright.dialects.lane import Aligned
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import I64, AddressSpace, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.facts import alignment

_UNIT: Final = 16


class Origin(Struct, frozen=True):
    """The address that a parameter holds, and how many bytes behind it a matrix begins."""

    parameter: BlockArgument
    distance: int


def origin_of(view: Value) -> Origin | None:
    """Where a memref begins; None where that depends on more than one parameter."""
    op = view.defining_op
    match op:
        case None:
            assert isinstance(view, BlockArgument)
            is_given = isinstance(view.block.parent_op, Kernel) and memref_of(view).space is AddressSpace.GLOBAL
            return Origin(view, 0) if is_given else None
        case FromAddress():
            source = op.address.defining_op
            pointer = source.pointer if isinstance(source, AddressOf) else None
            return Origin(pointer, 0) if isinstance(pointer, BlockArgument) else None
        case ViewLike():
            behind, distance = origin_of(op.memref), 0
            for offset, stride in zip(op.source_offsets(), memref_of(op.memref).strides, strict=False):
                if not isinstance(offset, int) or (offset and stride is None):
                    return None
                distance += offset * (stride or 0)
            if behind is None:
                return None
            return Origin(behind.parameter, behind.distance + distance * memref_of(view).element.bytes)
        case _:
            return None


def obstacle(view: Value, near: int) -> str | None:
    """Why the machine cannot copy boxes of a matrix whose rows run along mode `near` by itself; None if it can."""
    type_ = memref_of(view)
    if type_.order != 2:
        return f"{type_} is no matrix"
    if (reason := no_map(type_, (near, 1 - near))) is not None:
        return reason
    origin = origin_of(view)
    if origin is None:
        return f"a launch does not know where {type_} begins"
    return f"{type_} begins {origin.distance} bytes behind {origin.parameter.name}" if origin.distance % _UNIT else None


def tests_of(build: Builder, views: Sequence[Value]) -> Value | None:
    """Whether matrices begin at multiples of 16 bytes; None if they surely do."""
    origins = (origin_of(view) for view in views if alignment(view) % _UNIT)
    found: Value | None = None
    for parameter in dict.fromkeys(origin.parameter for origin in origins if origin is not None):
        if isinstance(parameter.type, MemrefType):
            is_aligned = build(Aligned(parameter, [build.index(0)] * parameter.type.order, _UNIT)).out
        else:
            rest = build(And(build(AddressOf(parameter)).out, build.constant(_UNIT - 1, I64))).out
            is_aligned = emit.equals_zero(build, rest)
        found = is_aligned if found is None else emit.both(build, found, is_aligned)
    return found
