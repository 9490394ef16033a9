"""Constants, coordinates, assumptions and the operations that only move elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import core as ops
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Bounded, DivBy, SameElements
from tilewright.dialects.cuda_tile.misc import Assume
from tilewright.dialects.cuda_tile.types import Pointer
from tilewright.dialects.cuda_tile.views import MakeTensorView
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.values import (
    ADDRESS,
    TensorValue,
    element_of,
    elements_of,
    from_bits,
    tile_type,
    to_bits,
)
from tilewright.ir.core import Operation, Value
from tilewright.numerics.faults import first_place
from tilewright.numerics.integers import signed, wrapped

Array = NDArray[Any]


def constant(w: TileBlock, op: ops.Constant) -> None:
    """A constant; its elements are decoded once a launch."""
    found = w.launch.constants.get(op)
    if found is None:
        found = w.launch.constants[op] = elements_of(op.value, tile_type(op.out).shape)
    w.bind(op.out, found)


def _get_global(w: TileBlock, op: ops.GetGlobal) -> None:
    w.bind(op.out, np.asarray(w.launch.globals[op.symbol.name], ADDRESS))


def _block_id(w: TileBlock, op: ops.GetTileBlockId) -> None:
    for result, number in zip((op.x, op.y, op.z), w.coordinates, strict=True):
        w.bind(result, np.asarray(number, np.int32))


def _num_blocks(w: TileBlock, op: ops.GetNumTileBlocks) -> None:
    for result, number in zip((op.x, op.y, op.z), w.launch.grid, strict=True):
        w.bind(result, np.asarray(number, np.int32))


def _iota(w: TileBlock, op: ops.Iota) -> None:
    w.bind(op.out, wrapped(element_of(op.out).integral, np.arange(tile_type(op.out).size, dtype=np.int64)))


def _broadcast(w: TileBlock, op: ops.Broadcast) -> None:
    w.bind(op.out, np.broadcast_to(w.tile(op.source), tile_type(op.out).shape))


def _reshape(w: TileBlock, op: ops.Reshape) -> None:
    w.bind(op.out, w.tile(op.source).reshape(tile_type(op.out).shape))


def _permute(w: TileBlock, op: ops.Permute) -> None:
    w.bind(op.out, w.tile(op.source).transpose(op.permutation))


def _cat(w: TileBlock, op: ops.Cat) -> None:
    w.bind(op.out, np.concatenate([w.tile(op.lhs), w.tile(op.rhs)], axis=op.dim))


def _slice(
    w: TileBlock, op: Operation, whole: tuple[int, ...], part: tuple[int, ...], indices: list[Value]
) -> tuple[slice, ...]:
    """The slice with the given numbers; one that is missing is undefined (here: the last)."""
    found: list[slice] = []
    for dim, (extent, size, index) in enumerate(zip(whole, part, indices, strict=True)):
        number, count = w.unsigned(index), extent // size
        if number >= count:
            w.undefined(op.location, f"slice {number} along dimension {dim}, which has {count}")
            number = count - 1
        found.append(slice(number * size, (number + 1) * size))
    return tuple(found)


def _extract(w: TileBlock, op: ops.Extract) -> None:
    whole = w.tile(op.source)
    w.bind(op.out, whole[_slice(w, op, whole.shape, tile_type(op.out).shape, op.indices)])


def _insert(w: TileBlock, op: ops.Insert) -> None:
    found = w.tile(op.destination).copy()
    part = w.tile(op.source)
    found[_slice(w, op, found.shape, part.shape, op.indices)] = part
    w.bind(op.out, found)


def _pack(w: TileBlock, op: ops.Pack) -> None:
    element = element_of(op.source)
    bits = to_bits(w.tile(op.source), element)
    if element.bits == 1:
        found = np.packbits(bits.astype(np.uint8), bitorder="little")
    elif element.bits == 4:
        found = (bits[0::2] | bits[1::2] << np.uint64(4)).astype(np.uint8)
    else:
        found = bits.astype(np.dtype(f"<u{element.memory_bytes}")).view(np.uint8)
        if element is t.TF32:
            found = (bits << np.uint64(13)).astype(np.dtype("<u4")).view(np.uint8)
    w.bind(op.out, found.view(np.int8))


def _unpack(w: TileBlock, op: ops.Unpack) -> None:
    element = element_of(op.out)
    packed = w.tile(op.source).view(np.uint8)
    if element.bits == 1:
        bits = np.unpackbits(packed, bitorder="little")
    elif element.bits == 4:
        bits = np.stack([packed & 15, packed >> 4], axis=1).ravel()
    else:
        bits = np.ascontiguousarray(packed).view(np.dtype(f"<u{element.memory_bytes}"))
        if element is t.TF32:
            bits = bits >> np.uint32(13)
    w.bind(op.out, from_bits(bits, element))


# Assumptions


def _assume(w: TileBlock, op: Assume) -> None:
    found = w.values[op.value]
    w.bind(op.out, found)
    if w.checked and not _idle(op):
        wrong = _broken(w, op)
        if wrong is not None:
            w.undefined(op.location, f"assumes {op.predicate}, which is not so{wrong}")


def _idle(op: Assume) -> bool:
    """Whether the number only is a stride along extents of 1: no address depends on it.

    NVIDIA's front end promises of those what suits its compiler, of a stride of 1 too.
    """
    users = op.out.uses
    return bool(users) and all(isinstance(user, MakeTensorView) and _strides_nothing(user, op.out) for user in users)


def _strides_nothing(view: MakeTensorView, number: Value) -> bool:
    extents, strides = view.mixed_layout
    used = [extent for extent, stride in zip(extents, strides, strict=True) if stride is number]
    return used == [1] * len(used) and number not in view.dynamic_shape


def _broken(w: TileBlock, op: Assume) -> str | None:
    """Where an assumption does not hold."""
    predicate, value, found = op.predicate, op.value, w.values[op.value]
    if isinstance(found, TensorValue):
        assert isinstance(predicate, DivBy)
        return f": the address is {found.address:#x}" if found.address % predicate.divisor else None
    values = _integers(value, w.tile(op.value))
    match predicate:
        case DivBy(divisor, None, _):
            wrong = np.asarray(values % divisor != 0)
        case DivBy():
            wrong = _not_counting(predicate, value, values)
        case SameElements(extents):
            wrong = _not_equal(values, extents)
        case Bounded(low, high):
            wrong = np.zeros(values.shape, np.bool_)
            wrong = wrong if low is None else wrong | np.asarray(values < low)
            wrong = wrong if high is None else wrong | np.asarray(values > high)
        case _:
            raise AssertionError(f"unknown assumption {predicate}")
    if not wrong.any():
        return None
    return f": element{first_place(wrong)} is {np.asarray(values)[wrong].ravel()[0]}"


def _integers(value: Value, found: Array) -> Array:
    """Signed integers, or addresses, as Python numbers."""
    is_pointer = isinstance(tile_type(value).element, Pointer)
    return np.asarray((found if is_pointer else signed(found)).astype(object))


def _not_counting(predicate: DivBy, value: Value, values: Array) -> Array:
    assert predicate.every is not None
    assert predicate.along is not None
    element = tile_type(value).element
    step = element.pointee.memory_bytes if isinstance(element, Pointer) else 1
    extent = values.shape[predicate.along]
    every = predicate.every or extent
    lead: Array = np.arange(extent, dtype=np.int64) // every * every
    first = np.take(values, lead, axis=predicate.along)
    shape = [1] * values.ndim
    shape[predicate.along] = extent
    counted: Array = np.arange(extent, dtype=np.int64) - lead
    expected = first + counted.astype(object).reshape(shape) * step
    return np.asarray((first % predicate.divisor != 0) | (values != expected))


def _not_equal(values: Array, extents: tuple[int, ...]) -> Array:
    first = values
    for dim, extent in enumerate(extents):
        if extent > 1:
            lead: Array = np.arange(values.shape[dim], dtype=np.int64) // extent * extent
            first = np.take(first, lead, axis=dim)
    return np.asarray(values != first)


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.Constant, constant),
            handler(ops.GetGlobal, _get_global),
            handler(ops.GetTileBlockId, _block_id),
            handler(ops.GetNumTileBlocks, _num_blocks),
            handler(ops.Iota, _iota),
            handler(ops.Broadcast, _broadcast),
            handler(ops.Reshape, _reshape),
            handler(ops.Permute, _permute),
            handler(ops.Cat, _cat),
            handler(ops.Extract, _extract),
            handler(ops.Insert, _insert),
            handler(ops.Pack, _pack),
            handler(ops.Unpack, _unpack),
            handler(Assume, _assume),
        )
    )
