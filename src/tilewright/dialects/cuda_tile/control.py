"""Tile IR: structured control flow. `break`, `continue` and `return` may stand in an `if`, and then leave it too."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_control
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.core import Entry
from tilewright.dialects.cuda_tile.reductions import Reduce, Scan
from tilewright.dialects.cuda_tile.rules_reductions import elements
from tilewright.dialects.cuda_tile.types import BOOLEAN, SCALAR_I1, SCALAR_INTEGER, Version
from tilewright.ir.definition import (
    RECURSIVE_EFFECTS,
    TERMINATOR,
    Region,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    optional_region,
    region,
    results,
)

_VALUES = "( $values : @values* )?"


class If(TileOperation, name="cuda_tile.if", traits=(RECURSIVE_EFFECTS,), opcode=0x32, assembly="!if"):
    """Runs one of two regions; its results are what that one yields."""

    condition: Value = operand(SCALAR_I1)
    then_body: Region = region()
    else_body: Region | None = optional_region(default=None)
    out: list[Value] = results()

    def verify(self, report: Report) -> None:
        rules_control.if_(self, report, self.then_body, self.else_body)


class For(
    TileOperation,
    name="cuda_tile.for",
    traits=(RECURSIVE_EFFECTS,),
    opcode=0x29,
    assembly="!for",
    newer={"unsigned_cmp": Version.V13_2},
    generic={"unsigned_cmp": "unsignedCmp"},
):
    """Counts from `lower` to `upper` (exclusive) by `step` and carries values along."""

    lower: Value = operand(SCALAR_INTEGER, var="T")
    upper: Value = operand(SCALAR_INTEGER, var="T")
    step: Value = operand(SCALAR_INTEGER, var="T")
    inits: list[Value] = operands()
    body: Region = region()
    unsigned_cmp: bool = optional_attribute(bool, default=False)
    out: list[Value] = results()

    def verify(self, report: Report) -> None:
        rules_control.for_(self, report, self.lower, self.inits, self.body)


class Loop(TileOperation, name="cuda_tile.loop", traits=(RECURSIVE_EFFECTS,), opcode=0x41, assembly="!loop"):
    """Repeats until a `break`, whose operands are the results."""

    inits: list[Value] = operands()
    body: Region = region()
    out: list[Value] = results()

    def verify(self, report: Report) -> None:
        rules_control.loop(self, report, self.inits, self.body)


class Break(TileOperation, name="cuda_tile.break", traits=(TERMINATOR,), opcode=0x0A, assembly=_VALUES):
    """Leaves the innermost loop with its results."""

    values: list[Value] = operands()

    def verify(self, report: Report) -> None:
        outer = rules_control.enclosing(self, through=If)
        results = outer.results if isinstance(outer, Loop) else None
        rules_control.break_(self, report, results, in_for=isinstance(outer, For))


class Continue(TileOperation, name="cuda_tile.continue", traits=(TERMINATOR,), opcode=0x11, assembly=_VALUES):
    """Goes on with the next iteration of the innermost `for` or `loop`."""

    values: list[Value] = operands()

    def verify(self, report: Report) -> None:
        match rules_control.enclosing(self, through=If):
            case For() as outer:
                rules_control.continue_(self, report, outer.results)
            case Loop() as outer:
                rules_control.continue_(self, report, outer.inits)
            case _:
                rules_control.continue_(self, report, None)


class Yield(TileOperation, name="cuda_tile.yield", traits=(TERMINATOR,), opcode=0x6D, assembly=_VALUES):
    """Ends a region of `if`, `reduce` or `scan` with its results."""

    values: list[Value] = operands()

    def verify(self, report: Report) -> None:
        match self.parent_op:
            case If() as outer:
                rules_control.yield_(self, report, [r.type for r in outer.results], "the results of the if")
            case Reduce() | Scan() as outer:
                rules_control.yield_(self, report, elements(outer.inputs), "one element of each operand")
            case _:
                rules_control.misplaced_yield(self, report)


class Return(TileOperation, name="cuda_tile.return", traits=(TERMINATOR,), opcode=0x5C, assembly="$values"):
    """Ends the tile block. Takes no operands."""

    values: list[Value] = operands()

    def verify(self, report: Report) -> None:
        rules_control.return_(self, report, isinstance(rules_control.enclosing(self, through=If), Entry))


class Assert(TileOperation, name="cuda_tile.assert", opcode=0x05, assembly="$condition , message : @condition"):
    """Prints the message for every element that is false, and tells the host."""

    condition: Value = operand(BOOLEAN)
    message: str = attribute(str)
