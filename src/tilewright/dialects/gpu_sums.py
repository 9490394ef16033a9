"""Sums of lines of a tile in two steps: what each thread has of a line, then what all lanes have. Between them, others
may go on."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import tile_rules
from tilewright.dialects.tile_rules import tile_of
from tilewright.ir.definition import PURE, Operation, Value, attribute, operand, result
from tilewright.ir.types import TILE, Type


def _without_dim(op: Operation) -> Type:
    dim = op.attributes["dim"]
    assert isinstance(dim, int)
    return tile_rules.reduced(tile_of(op.operands[0]), dim)


class SumOwn(Operation, name="gpu.sum_own", traits=(PURE,)):
    """Sums along dimension `dim`, which vanishes, of what each thread has of a line: parts of the sum.

    Nobody may use them but `gpu.sum_lanes`. No two threads hold the same elements, and no two warps parts of a line.
    """

    tile: Value = operand(TILE)
    dim: int = attribute(int)
    out: Value = result(TILE, infer=_without_dim)

    def verify(self, report: Report) -> None:
        tile_rules.dimension(self, report, self.dim, self.tile)


class SumLanes(Operation, name="gpu.sum_lanes", traits=(PURE,)):
    """Sums of which lanes have parts (`gpu.sum_own`): those that hold copies of an element add up theirs."""

    tile: Value = operand(TILE, var="T")
    out: Value = result(var="T")
