"""Which tiles are computed once into a buffer because several places read them.

An expression is computed wherever it is read. That is right for what costs no more than reading a buffer, and for what
is read within one sweep only. Products, reductions and functions that two sweeps read are computed before the first.
"""

from __future__ import annotations

from typing import Final

from tilewright.dialects import arith, tile
from tilewright.dialects.tile_combine import ReduceBy, single_operation
from tilewright.ir import core
from tilewright.ir.definition import ELEMENTARY
from tilewright.targets.cpu.expressions.graph import is_expression
from tilewright.targets.cpu.expressions.nodes import Elementwise, Expression, Gathered, Product, Reduction, sources

_LONGEST: Final = 128
_MOST_KNOWN: Final = 512
_Contents = tuple[frozenset[Expression], bool]
"""All that an expression is made of, itself included, and whether any of it is costly."""


class Sharing:
    """What is known of the expressions of a program, and of the operations that read its tiles.

    Each expression is looked at once, and not again with each that is computed from it; nor is each way from a tile to
    the operations that read it.
    """

    __slots__ = ("_contents", "_sweeps")

    def __init__(self) -> None:
        self._contents: dict[Expression, _Contents] = {}
        self._sweeps: dict[core.Value, frozenset[core.Operation]] = {}

    def is_shared(self, value: core.Value, expression: Expression) -> bool:
        """Whether a tile is costly and read by more than one sweep, or its expression too long for one run of code."""
        parts, costly = self._contents_of(expression)
        if len(parts) > _LONGEST:
            return True
        return costly and not value.has_one_use() and len(self._sweeps_of(value)) > 1

    def _contents_of(self, expression: Expression) -> _Contents:
        found = self._contents.get(expression)
        if found is None:
            inner = [self._contents_of(source) for source in sources(expression)]
            costly = is_costly(expression) or any(costly for _, costly in inner)
            found = frozenset({expression}).union(*(parts for parts, _ in inner)), costly
            if len(self._contents) >= _MOST_KNOWN:
                self._contents.clear()
            self._contents[expression] = found
        return found

    def _sweeps_of(self, value: core.Value) -> frozenset[core.Operation]:
        """Operations that make code read the tile, or need it in a buffer; any two of them if there are more."""
        waiting = [value]
        while waiting:
            part = waiting[-1]
            in_place = {user: user.results[0] for user in part.uses if _reads_in_place(user, part)}
            unknown = [result for result in in_place.values() if result not in self._sweeps]
            waiting += unknown
            if not unknown:
                waiting.pop()
                direct = [user for user in part.uses if user not in in_place]
                found = frozenset(direct).union(*(self._sweeps[result] for result in in_place.values()))
                self._sweeps[part] = frozenset(list(found)[:2])
        return self._sweeps[value]


def is_costly(part: Expression) -> bool:
    """Whether an expression takes longer to compute than to read from a buffer, whatever its operands."""
    match part:
        case Product() | Reduction() | Gathered():
            return True
        case Elementwise():
            return ELEMENTARY in part.op.definition.traits or isinstance(part.op, arith.Div | arith.Rem)
        case _:
            return False


def _reads_in_place(op: core.Operation, part: core.Value) -> bool:
    """Whether an operation computes its tile from an operand in place; factors of products go into buffers."""
    if isinstance(op, tile.Mma) and part in (op.lhs, op.rhs):
        return False
    if isinstance(op, ReduceBy):
        return len(op.tiles) == 1 and single_operation(op.body) is not None
    return is_expression(op)
