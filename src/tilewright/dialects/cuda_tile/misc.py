"""Tile IR: assumptions and printing."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_misc
from tilewright.dialects.cuda_tile.attributes import Assumption
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import ASSUMABLE, TILE, TOKENS, Version
from tilewright.ir.definition import Value, attribute, operand, operands, optional_operand, result, results


class Assume(TileOperation, name="cuda_tile.assume", opcode=0x06, assembly="predicate , $value : @T"):
    """Passes a value on; behaviour is undefined if the predicate is false."""

    predicate: Assumption = attribute(Assumption)
    value: Value = operand(ASSUMABLE, var="T")
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules_misc.assume(self, report, self.predicate, self.value)


class Print(
    TileOperation,
    name="cuda_tile.print_tko",
    opcode=0x55,
    newer={"token": Version.V13_2, "result_token": Version.V13_2},
    assembly="!print",
    generic={"format": "str"},
    aliases=("print",),
):
    """Prints as C printf does, one conversion for each operand; tiles as nested lists. 13.1 has no tokens here."""

    format: str = attribute(str)
    arguments: list[Value] = operands(TILE)
    token: Value | None = optional_operand(TOKENS, default=None)
    result_token: list[Value] = results(TOKENS)

    def verify(self, report: Report) -> None:
        rules_misc.print_(self, report, self.format, self.arguments)
