"""Tile IR: reductions and scans with a region that combines two elements.

Block arguments come in pairs, one for each operand: the current element, then the accumulator.
"""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_reductions
from tilewright.dialects.cuda_tile.attributes import Number
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import NUMBER
from tilewright.ir.definition import RECURSIVE_EFFECTS, Region, Value, attribute, operands, region, results


class Reduce(TileOperation, name="cuda_tile.reduce", traits=(RECURSIVE_EFFECTS,), opcode=0x58, assembly="!reduce"):
    """Combines the elements along a dimension, which vanishes; in no promised order."""

    inputs: list[Value] = operands(NUMBER)
    dim: int = attribute(int)
    identities: tuple[Number, ...] = attribute(tuple)
    body: Region = region()
    out: list[Value] = results(NUMBER)

    def verify(self, report: Report) -> None:
        rules_reductions.reduction(self, report, self.inputs, self.dim, self.identities, self.body, True)

    def later_use(self) -> str:
        return rules_reductions.later_region(self.body)


class Scan(TileOperation, name="cuda_tile.scan", traits=(RECURSIVE_EFFECTS,), opcode=0x5E, assembly="!scan"):
    """Inclusive prefix combination along a dimension, from the high index down if `reverse`."""

    inputs: list[Value] = operands(NUMBER)
    dim: int = attribute(int)
    reverse: bool = attribute(bool)
    identities: tuple[Number, ...] = attribute(tuple)
    body: Region = region()
    out: list[Value] = results(NUMBER)

    def verify(self, report: Report) -> None:
        rules_reductions.reduction(self, report, self.inputs, self.dim, self.identities, self.body, False)

    def later_use(self) -> str:
        return rules_reductions.later_region(self.body)
