"""What repeats its elements is computed once for each of them: operations are moved to where elements are not repeated.

`broadcast(x) / 8` is `broadcast(x / 8)`. Front ends stretch the sum of a row before they divide it, so that a row's
divisions and square roots were as many as its elements.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tilewright.ir.types import TileType
from tilewright.targets.cpu.expressions.graph import reachable
from tilewright.targets.cpu.expressions.nodes import (
    Broadcast,
    Elementwise,
    Expression,
    Memory,
    Splat,
    Substitution,
    sources,
)
from tilewright.targets.cpu.lowered import Operand


def narrowed(tile: Elementwise) -> Expression:
    """The operation on the elements that are different in some operand, with its results repeated."""
    shapes = [_different(part) for part in tile.operands]
    shape = tuple(map(max, *shapes)) if len(shapes) > 1 else shapes[0]
    if shape == tile.type.shape:
        return tile
    small = tuple(_of_shape(part, shape) for part in tile.operands)
    inner = replace(tile, type=TileType(shape, tile.type.element), operands=small)
    return Broadcast(tile.type, inner)


def with_scalars(tile: Expression, element: Callable[[Expression], Operand]) -> Expression:
    """The tile with each part that repeats one computed element as that `element`, computed here and now."""

    def outside(part: Expression) -> tuple[Expression, ...]:
        return () if _repeats_one(part) else sources(part)

    known: dict[Expression, Expression] = {
        part: Splat(part.type, element(part.source))
        for part in reachable(tile, outside)
        if isinstance(part, Broadcast) and _repeats_one(part)
    }
    return Substitution(lambda same: same, known).tile(tile) if known else tile


def _repeats_one(tile: Expression) -> bool:
    return isinstance(tile, Broadcast) and tile.source.type.size == 1 and not isinstance(tile.source, Memory)


def _different(part: Expression) -> tuple[int, ...]:
    """The extents of what is not repeated."""
    match part:
        case Splat():
            return (1,) * part.type.rank
        case Broadcast():
            return part.source.type.shape
        case _:
            return part.type.shape


def _of_shape(part: Expression, shape: tuple[int, ...]) -> Expression:
    """A part that repeats its elements, of as many of them."""
    type_ = TileType(shape, part.type.element)
    if isinstance(part, Splat):
        return Splat(type_, part.operand)
    assert isinstance(part, Broadcast)
    return part.source if part.source.type.shape == shape else Broadcast(type_, part.source)
