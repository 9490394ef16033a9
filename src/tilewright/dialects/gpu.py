"""The gpu level: tiles with layouts, what changes these, and where they are kept. All else is the tile level's."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.tile_rules import fail, tile_of
from tilewright.ir.definition import PURE, Value, attribute, operand, result
from tilewright.ir.index_map import Move, along
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import TILE


class ConvertLayout(MovesElements, name="gpu.convert_layout", traits=(PURE,)):
    """The same tile, held as the layout of the result says."""

    tile: Value = operand(TILE)
    out: Value = result(TILE)

    def moves(self) -> Sequence[Move]:
        shape = tile_of(self.out).shape
        return [Move.of_all([along(k, len(shape)) for k in range(len(shape))], shape)]

    def verify(self, report: Report) -> None:
        source, target = tile_of(self.tile), tile_of(self.out)
        if source.shape != target.shape or source.element is not target.element:
            fail(self, report, f"{source} is converted to {target}, which is another tile")
        elif source.layout is None or target.layout is None:
            fail(self, report, f"{source} is converted to {target}: both need a layout")


class Spill(MovesElements, name="gpu.spill", traits=(PURE,)):
    """The same tile, of which threads keep registers in shared memory until they need them, each its own.

    They take `bytes` of it at most, all of a block together; what does not fit stays in registers.
    """

    tile: Value = operand(TILE, var="T")
    bytes: int = attribute(int)
    out: Value = result(var="T")

    def moves(self) -> Sequence[Move]:
        shape = tile_of(self.out).shape
        return [Move.of_all([along(k, len(shape)) for k in range(len(shape))], shape)]

    def verify(self, report: Report) -> None:
        if self.bytes < 0:
            fail(self, report, f"there are no {self.bytes} bytes", "bytes")
