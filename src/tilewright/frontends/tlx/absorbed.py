"""Operations that are told by those that use them: parts of vectors, views of memory, constants of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import arith, tile
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.tlx.base import TensorOperation, tensor_of
from tilewright.dialects.tlx.memory import ToVector
from tilewright.frontends.tlx.spelling import constant_text
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX, TileType


class Absorbed:
    """The operations of a kernel that are printed nowhere by themselves."""

    def __init__(self, kernel: Kernel) -> None:
        self._found = {op for op in kernel.walk() if _is_told(op)}

    def __contains__(self, op: Operation) -> bool:
        return op in self._found


def _is_told(op: Operation) -> bool:
    """Whether all that use an operation say it."""
    match op:
        case FromAddress():
            return True
        case arith.Cast(out=out):
            return out.type is INDEX
        case tile.Extract(out=out) | tile.Splat(out=out):
            return bool(out.uses) and all(_tells(user, op) for user in out.uses)
        case _:
            return False


def _tells(user: Operation, op: Operation) -> bool:
    """Whether a user's text says an operation."""
    match user:
        case tile.Item():
            return isinstance(op, tile.Extract)
        case tile.Cat():
            return constant_text(user) is None and (insertion(user) is not None or selection(user) is not None)
        case _:
            return False


def is_alias(op: Operation) -> bool:
    """Whether an operation makes a vector of a result that is printed as one anyway, and is row-major as such."""
    source = op.input.defining_op if isinstance(op, ToVector) else None
    return isinstance(source, TensorOperation) and not is_relaid(source)


def is_relaid(op: TensorOperation) -> bool:
    """Whether a result might lie otherwise for all that its operands say, and is not row-major."""
    type_ = tensor_of(op.results[0])
    return op.has_open_layout and type_.layout != tuple(range(type_.rank))


def insertion(op: tile.Cat) -> tuple[Value, Value, int] | None:
    """The vector, the scalar and its position, if one element of a vector is replaced."""
    at = 0
    scalar: tuple[Value, int] | None = None
    sources: set[Value] = set()
    for part in op.tiles:
        type_, producer = part.type, part.defining_op
        assert isinstance(type_, TileType)
        if isinstance(producer, tile.Splat) and type_.size == 1 and scalar is None:
            scalar = producer.value, at
        elif isinstance(producer, tile.Extract) and producer.offsets == (at,) and producer.tile.type == op.out.type:
            sources.add(producer.tile)
        else:
            return None
        at += type_.size
    if scalar is None or len(sources) != 1:
        return None
    return sources.pop(), *scalar


def selection(op: tile.Cat | tile.Extract) -> tuple[Sequence[Value], list[int]] | None:
    """Up to two vectors of one type, and the mask that chooses elements of them."""
    sources: list[Value] = []
    mask: list[int] = []
    for part in op.tiles if isinstance(op, tile.Cat) else [op.out]:
        type_, producer = part.type, part.defining_op
        assert isinstance(type_, TileType)
        source, start = (producer.tile, producer.offsets[0]) if isinstance(producer, tile.Extract) else (part, 0)
        if source not in sources:
            sources.append(source)
        size = _size(source)
        base = sources.index(source) * size + start
        mask += range(base, base + type_.size)
    return (sources, mask) if len({v.type for v in sources}) == 1 and len(sources) <= 2 else None


def _size(value: Value) -> int:
    assert isinstance(value.type, TileType)
    return value.type.size
