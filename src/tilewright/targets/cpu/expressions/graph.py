"""Tiles and the operations between them as a graph: what is computed from what, told before any code is made.

An operation is an expression if the tile that it computes becomes code only where something else reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from math import prod
from typing import TypeVar

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.types import BOOL, TileType

_Node = TypeVar("_Node", bound=Hashable)


def is_expression(op: core.Operation) -> bool:
    """Whether an operation is an expression, whatever its operands; `tile.reduce_by` is one at times."""
    if isinstance(op, tile.Reshape):
        return is_matrix_of_memory(op) or is_stored_matrix(op)
    if isinstance(op, MovesElements):
        return sole_rearrangement(op) is not None
    return isinstance(op, Elementwise | tile.Mma | tile.Reduce | tile.Splat)


def is_matrix_of_memory(op: tile.Reshape) -> bool:
    """Whether an operation reads a loaded box as a matrix for products, or for values that are stored."""
    load = op.tile.defining_op
    if not isinstance(load, tile.Load) or load.check or not _groups_modes(op.tile, op.out):
        return False
    return all(_keeps_matrices(user) for part in reachable(op.out, _computed) for user in part.uses)


def _keeps_matrices(op: core.Operation) -> bool:
    return isinstance(op, tile.Mma | tile.Store | Elementwise) or (
        isinstance(op, tile.Reshape) and is_stored_matrix(op)
    )


def _computed(value: core.Value) -> Iterator[core.Value]:
    """What is computed of a tile element by element."""
    return (op.results[0] for op in value.uses if isinstance(op, Elementwise))


def is_stored_matrix(op: tile.Reshape) -> bool:
    """Whether an operation takes a matrix apart that is stored next, into a box of more dimensions."""
    single = op.out.has_one_use() and isinstance(next(iter(op.out.uses)), tile.Store)
    return single and _groups_modes(op.out, op.tile)


def _groups_modes(many: core.Value, matrix: core.Value) -> bool:
    """Whether each dimension of a matrix stands for neighbouring dimensions of a tile of more."""
    whole, flat = many.type, matrix.type
    assert isinstance(whole, TileType)
    assert isinstance(flat, TileType)
    numbers = not flat.element.is_complex and flat.element is not BOOL
    return (
        numbers
        and flat.rank == 2 < whole.rank
        and any(prod(whole.shape[:k]) == flat.shape[0] for k in range(1, whole.rank))
    )


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
