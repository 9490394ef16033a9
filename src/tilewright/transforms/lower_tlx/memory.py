"""Loads, stores, and tensors as bare vectors and back."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import arith, tile
from tilewright.dialects.tlx import memory as tlx
from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.shapes import ReshapeBlock, ReshapePermute, Transpose
from tilewright.dialects.tlx.types import TensorType, dense_distances
from tilewright.ir.core import Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.aliasing import effects_of
from tilewright.transforms.lower_tlx import tiles
from tilewright.transforms.lower_tlx.context import Length, Lowering, address_of, stored_strides, strides_of
from tilewright.transforms.lower_tlx.destinations import apart, disjoint
from tilewright.transforms.separate_arrays import TESTED, hold_up

VIEWS = (Transpose, tlx.TypeInfo, tlx.ToVector, ReshapeBlock, ReshapePermute)
"""Operations whose result may be a view of the operand."""


def load(low: Lowering, op: tlx.Load) -> Value:
    """A tile; if it is large the caller's memory where nothing is written before its last use, else a copy."""
    type_ = tensor_of(op.out)
    view = low.view(op.address, type_.element, type_.shape[::-1], stored_strides(type_, op.mixed_distances))
    if not low.is_large(type_):
        return low.read(view)
    if _stays(op):
        return view
    copy = low.fresh(type_)
    low.copy(view, copy)
    return copy


def store(low: Lowering, op: tlx.Store) -> None:
    """Where the tensor lies in memory that the target may overlap, that is tested when the store runs."""
    type_, source = tensor_of(op.input), low.values[op.input]
    target = low.view(op.address, type_.element, type_.shape[::-1], stored_strides(type_, op.mixed_distances))
    if isinstance(source.type, TileType):
        low.write(source, target)
        return
    done = low.destinations.get(op)
    if done is not None:
        if done.disjoint is not None:
            overlapping = low.b(arith.Not(done.disjoint)).out
            low.inside(emit.open_if(low.b, overlapping)).copy(done.view, target)
    elif apart(low, source, target):
        low.copy(source, target)
    else:
        hold_up(op, TESTED)
        emit.if_else(
            low.b,
            disjoint(low, source, target),
            lambda b: low.inside(b).copy(source, target),
            lambda b: _through_buffer(low.inside(b), type_, source, target),
        )


def _through_buffer(low: Lowering, type_: TensorType, source: Value, target: Value) -> None:
    buffer = low.fresh(type_)
    low.copy(source, buffer)
    low.copy(buffer, target)


def _stays(op: tlx.Load) -> bool:
    """Whether nothing is written between a load and the last operation that reads what it became."""
    readers = list(_readers(op.out))
    tops = {next((o for o in (r, *r.ancestors()) if o.block is op.block), None): r for r in readers}
    if None in tops:
        return False
    left, written, at = set(tops), False, op.next
    while at is not None and left:
        writes = _writes(at)
        if at in left:
            if written or (writes and not isinstance(at, tlx.Store)):
                return False
            left.remove(at)
        written |= writes
        at = at.next
    return not left


def _readers(tensor: Value) -> Iterator[Operation]:
    """Operations that read a tensor or a view of it."""
    for user in tensor.uses:
        if isinstance(user, VIEWS):
            yield from _readers(user.results[0])
        else:
            yield user


def _writes(op: Operation) -> bool:
    """Whether an operation may write to memory or order accesses to it."""
    effects = effects_of(op)
    harmless = (EffectKind.READ, EffectKind.ALLOCATE, EffectKind.HINT)
    return effects is None or any(e.kind not in harmless for e in effects)


def typeinfo(low: Lowering, op: tlx.TypeInfo) -> Value:
    """The data among the stored elements."""
    type_ = tensor_of(op.out)
    if low.is_large(type_):
        strides = stored_strides(type_, dense_distances(type_))
        return low.view(address_of(low.values[op.vector]), type_.element, type_.shape[::-1], strides)
    return _data(low, op.vector, type_)


def _data(low: Lowering, vector: Value, type_: TensorType) -> Value:
    """Stored elements in memory order, then in logical order, then without padding."""
    found = low.b(tile.Reshape(vector, result_types=[TileType(type_.extents[::-1], type_.element)])).out
    found = low.b(tile.Permute(found, _logical_order(type_))).out
    for mode, extent in enumerate(reversed(type_.shape)):
        found = tiles.extracted(low.b, found, mode, 0, extent)
    return found


def _logical_order(type_: TensorType) -> tuple[int, ...]:
    """For each mode of the logical tile, dimensions in reverse, the one of the tile in memory order."""
    last = type_.rank - 1
    return tuple(last - type_.positions[last - mode] for mode in range(type_.rank))


def tovector(low: Lowering, op: tlx.ToVector) -> Value:
    """The stored elements; those of padding are zero, unless the tensor is a vector that was only given a type."""
    given = op.input.defining_op
    if isinstance(given, tlx.TypeInfo):
        return low.values.get(given.vector, given.vector)
    type_ = tensor_of(op.input)
    return _long_vector(low, op.input, type_) if low.is_large(type_) else _vector(low, low.tile(op.input), type_)


def _vector(low: Lowering, value: Value, type_: TensorType) -> Value:
    found = value
    for mode, dim in enumerate(reversed(type_.dims)):
        found = tiles.extended(low.b, found, mode, 0, dim.padding, None)
    order = _logical_order(type_)
    found = low.b(tile.Permute(found, tuple(order.index(k) for k in range(type_.rank)))).out
    return low.b(tile.Reshape(found, result_types=[type_.flat])).out


def _long_vector(low: Lowering, tensor: Value, type_: TensorType) -> Value:
    source = low.memory(tensor, type_)
    strides: list[Length] = stored_strides(type_, dense_distances(type_))
    if type_.is_dense and _same(strides_of(source), strides, type_):
        return low.view(address_of(source), type_.element, (type_.size,), (1,))
    flat = low.reserved(type_.element, (type_.size,), (1,))
    if not type_.is_dense:
        low.fill(low.b.zero(type_.element), flat)
    low.copy(source, low.view(address_of(flat), type_.element, type_.shape[::-1], strides))
    return flat


def _same(found: list[Length], wanted: list[Length], type_: TensorType) -> bool:
    """Whether elements lie in the same places; strides of extents of 1 say nothing."""
    return all(n == 1 or x == y for n, x, y in zip(type_.shape[::-1], found, wanted, strict=True))
