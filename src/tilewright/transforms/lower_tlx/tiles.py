"""Moves of elements of tiles that take several operations of the tile level."""

from __future__ import annotations

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import TileType
from tilewright.transforms import emit


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape of a tile."""
    assert isinstance(value.type, TileType)
    return value.type.shape


def with_extent(value: Value, dim: int, extent: int) -> tuple[int, ...]:
    """The shape of a tile with another extent along one dimension."""
    return tuple(extent if k == dim else n for k, n in enumerate(shape_of(value)))


def reshaped(b: Builder, value: Value, shape: tuple[int, ...]) -> Value:
    """The same elements, column-major, in another shape."""
    if shape == shape_of(value):
        return value
    return b(tile.Reshape(value, result_types=[TileType(shape, emit.scalar_type(value.type))])).out


def extracted(b: Builder, value: Value, dim: int, start: int, length: int) -> Value:
    """Positions `start` .. along a dimension."""
    shape = with_extent(value, dim, length)
    if shape == shape_of(value):
        return value
    offsets = tuple(start if k == dim else 0 for k in range(len(shape)))
    return b(tile.Extract(value, offsets, result_types=[TileType(shape, emit.scalar_type(value.type))])).out


def extended(b: Builder, value: Value, dim: int, before: int, behind: int, number: Value | None) -> Value:
    """A number, zero if none is given, in front and behind along a dimension."""
    element, parts = emit.scalar_type(value.type), [value]
    for count, place in ((before, 0), (behind, len(parts) + (before > 0))):
        if count:
            type_ = TileType(with_extent(value, dim, count), element)
            parts.insert(place, b.zero(type_) if number is None else emit.shaped(b, number, type_))
    if len(parts) == 1:
        return value
    whole = TileType(with_extent(value, dim, before + shape_of(value)[dim] + behind), element)
    return b(tile.Cat(parts, dim, result_types=[whole])).out


def spread(b: Builder, value: Value, dim: int, gap: int, number: Value) -> Value:
    """A number `gap` times between neighbours along a dimension; no value on the way is larger than the result."""
    shape = shape_of(value)
    count = shape[dim] - 1
    if not gap or not count:
        return value
    firsts, last = extracted(b, value, dim, 0, count), extracted(b, value, dim, count, 1)
    apart = extended(b, reshaped(b, firsts, (*shape[:dim], 1, count, *shape[dim + 1 :])), dim, 0, gap, number)
    parts = [reshaped(b, apart, with_extent(value, dim, count * (gap + 1))), last]
    whole = TileType(with_extent(value, dim, count * (gap + 1) + 1), emit.scalar_type(value.type))
    return b(tile.Cat(parts, dim, result_types=[whole])).out


def stepped(b: Builder, value: Value, dim: int, start: int, step: int, count: int) -> Value:
    """Positions `start`, `start + step`, .. along a dimension; no value on the way is larger than the given one."""
    if step == 1 or count == 1:
        return extracted(b, value, dim, start, count)
    if start + step * count <= shape_of(value)[dim]:
        return _firsts(b, extracted(b, value, dim, start, step * count), dim, step)
    whole = extracted(b, value, dim, start, step * (count - 1))
    last = extracted(b, value, dim, start + step * (count - 1), 1)
    type_ = TileType(with_extent(value, dim, count), emit.scalar_type(value.type))
    return b(tile.Cat([_firsts(b, whole, dim, step), last], dim, result_types=[type_])).out


def _firsts(b: Builder, value: Value, dim: int, step: int) -> Value:
    """The first of every `step` positions along a dimension, which they divide."""
    shape = shape_of(value)
    count = shape[dim] // step
    apart = extracted(b, reshaped(b, value, (*shape[:dim], step, count, *shape[dim + 1 :])), dim, 0, 1)
    return reshaped(b, apart, with_extent(value, dim, count))
