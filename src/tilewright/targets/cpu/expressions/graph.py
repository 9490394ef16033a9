"""Tiles and the operations between them as a graph: what is computed from what, told before any code is made.

An operation is an expression if the tile that it computes becomes code only where something else reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import Elementwise, MovesElements

_Node = TypeVar("_Node", bound=Hashable)


def is_expression(op: core.Operation) -> bool:
    """Whether an operation is an expression, whatever its operands; `tile.reduce_by` is one at times."""
    if isinstance(op, MovesElements):
        return sole_rearrangement(op) is not None
    return isinstance(op, Elementwise | tile.Mma | tile.Reduce | tile.Splat)


def sole_rearrangement(op: MovesElements) -> Move | None:
    """The one move that an operation makes, if that is an expression; a reshaped tile is memory seen in another way."""
    if isinstance(op, tile.Reshape):
        return None
    move, *others = op.moves()
    return move if not others and move.is_rearrangement else None


def by_expressions(value: core.Value) -> Iterator[core.Value]:
    """The tiles that expressions compute of a tile, without another one in between."""
    return (op.results[0] for op in value.uses if is_expression(op))


def reachable(start: _Node, following: Callable[[_Node], Iterable[_Node]]) -> Iterator[_Node]:
    """The start, and each once what follows it, and so on."""
    waiting, seen = [start], set[_Node]()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(following(node))
