"""Moves of elements as expressions: a box of the source, reversed, its dimensions in another order, stretched."""

from __future__ import annotations

from tilewright.ir.index_map import Move
from tilewright.ir.types import TileType
from tilewright.targets.cpu.expressions.nodes import Broadcast, Expression, Extract, Permute, Reverse


def rearranged(source: Expression, move: Move) -> Expression | None:
    """The elements of a move as an expression over their source, None if they are none."""
    if not move.is_rearrangement:
        return None
    element, coordinates = source.type.element, move.coordinates
    box = tuple(1 if c.dim is None else move.shape[c.dim] for c in coordinates)
    back = tuple(d for d, c in enumerate(coordinates) if c.dim is not None and c.factors[c.dim] < 0)
    offsets = tuple(c.offset - (box[d] - 1 if d in back else 0) for d, c in enumerate(coordinates))
    if any(offsets) or box != source.type.shape:
        source = Extract(TileType(box, element), source, offsets)
    if back:
        source = Reverse(source.type, source, back)
    order = _order(move)
    if order != tuple(range(len(order))):
        source = Permute(TileType(tuple(box[d] for d in order), element), source, order)
    return source if source.type.shape == move.shape else Broadcast(TileType(move.shape, element), source)


def _order(move: Move) -> tuple[int, ...]:
    """For each dimension of the result the one of the source that follows it, else one that stays in one place.

    These keep their own number if they can.
    """
    followed = [coordinate.dim for coordinate in move.coordinates]
    idle = [d for d, dim in enumerate(followed) if dim is None]
    stretched = [k for k in range(len(move.shape)) if k not in followed]
    given = {k: k for k in stretched if k in idle}
    rest = iter([d for d in idle if d not in given])
    given.update((k, next(rest)) for k in stretched if k not in given)
    return tuple(given[k] if k in given else followed.index(k) for k in range(len(move.shape)))
