"""Reductions and scans of tiles by a region, for any associative combination and several tiles at once.

Part of the dialect `tile`. The region takes (element 0, accumulated 0, element 1, accumulated 1, ..), all scalars, and
yields the next accumulated values; the accumulated values stand for elements of lower index (higher, if reversed). It
consists of constants and elementwise operations and is associative. Elements keep their order unless the region is one
commutative operation on the two values; how they are grouped is free.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects import scf
from tilewright.dialects.tile_rules import fail, reduced, tile_of
from tilewright.ir.core import Operation as AnyOperation
from tilewright.ir.core import Value as AnyValue
from tilewright.ir.definition import (
    COMMUTATIVE,
    RECURSIVE_EFFECTS,
    Operation,
    Region,
    Value,
    attribute,
    operands,
    optional_operands,
    region,
    results,
)
from tilewright.ir.types import SCALAR, TILE, ScalarType, TileType


class ReduceBy(Operation, name="tile.reduce_by", traits=(RECURSIVE_EFFECTS,)):
    """Combines all elements along dimension `dim`, which vanishes."""

    tiles: list[Value] = operands(TILE)
    dim: int = attribute(int)
    body: Region = region()
    outs: list[Value] = results(TILE)

    def verify(self, report: Report) -> None:
        if not _combined(self, report, self.tiles, self.dim, self.body):
            return
        _results(self, report, [reduced(tile_of(t), self.dim) for t in self.tiles], self.outs)


class ScanBy(Operation, name="tile.scan_by", traits=(RECURSIVE_EFFECTS,)):
    """Combines each element with all before it (behind it, if `reverse`) along dimension `dim`.

    With `starts`, one for each tile, the first element is combined with these; without, it stays as it is.
    """

    tiles: list[Value] = operands(TILE)
    dim: int = attribute(int)
    reverse: bool = attribute(bool)
    body: Region = region()
    starts: list[Value] = optional_operands(SCALAR, default=())
    outs: list[Value] = results(TILE)

    def verify(self, report: Report) -> None:
        if _combined(self, report, self.tiles, self.dim, self.body):
            if self.starts and [v.type for v in self.starts] != [tile_of(t).element for t in self.tiles]:
                fail(self, report, "a start of its element type is wanted for each tile")
            _results(self, report, [tile_of(t) for t in self.tiles], self.outs)


def single_operation(body: Region) -> AnyOperation | None:
    """The one commutative operation on (element, accumulated) that a region consists of, if it does."""
    entry = body.entry
    first = entry.first
    if first is None or first.next is not entry.last or len(entry.arguments) != 2:
        return None
    if COMMUTATIVE not in first.definition.traits or scf.yielded(body) != list(first.results):
        return None
    both = list(first.operands)
    return first if len(both) == 2 and set(both) == set(entry.arguments) else None


def _combined(op: Operation, report: Report, tiles: Sequence[AnyValue], dim: int, body: Region) -> bool:
    before = len(report.diagnostics)
    if not tiles:
        fail(op, report, "needs a tile")
        return False
    types = [tile_of(t) for t in tiles]
    if any(t.shape != types[0].shape for t in types):
        fail(op, report, "tiles differ in shape")
    if not 0 <= dim < types[0].rank:
        fail(op, report, f"no dimension {dim} in {types[0]}", "dim")
    elif types[0].shape[dim] == 0:
        fail(op, report, "nothing has no result", "dim")
    elements: list[ScalarType] = [t.element for t in types]
    if [a.type for a in body.entry.arguments] != [e for e in elements for _ in range(2)]:
        fail(op, report, f"the region must take two of each of ({', '.join(map(str, elements))})")
    if [v.type for v in scf.yielded(body)] != elements:
        fail(op, report, f"the region must yield ({', '.join(map(str, elements))})")
    for inner in body.entry:
        if inner is not body.entry.last and inner.definition.dialect not in ("arith", "math"):
            fail(op, report, f"the region may not contain {inner.name}")
    return len(report.diagnostics) == before


def _results(op: Operation, report: Report, wanted: Sequence[TileType], found: Sequence[AnyValue]) -> None:
    if [v.type for v in found] != list(wanted):
        fail(op, report, f"the results are ({', '.join(map(str, wanted))})")
