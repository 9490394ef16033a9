"""Tiles and the operations between them as a graph: what is computed from what, told before any code is made.

An operation is an expression if the tile that it computes becomes code only where something else reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.targets.llvm.elementwise import is_elementwise

_EXPRESSIONS = (tile.Broadcast, tile.Permute, tile.Extract, tile.Mma, tile.Reduce, tile.Splat)
_Node = TypeVar("_Node", bound=Hashable)


def is_expression(op: core.Operation) -> bool:
    """Whether an operation is an expression, whatever its operands and types; `tile.reduce_by` is one at times."""
    return isinstance(op, _EXPRESSIONS) or is_elementwise(op)


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
