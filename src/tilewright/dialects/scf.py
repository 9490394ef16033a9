"""Structured control flow with carried values; a region has the kind (collective, SPMD) of the one around it."""

from __future__ import annotations

from tilewright.ir.core import BlockArgument
from tilewright.ir.definition import (
    RECURSIVE_EFFECTS,
    TERMINATOR,
    Operation,
    OpResult,
    Region,
    Value,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    optional_operands,
    optional_region,
    region,
    results,
)
from tilewright.ir.types import BOOLEAN, CARRIED, INTEGER


class Yield(Operation, name="scf.yield", traits=(TERMINATOR,), code="V22"):
    """Ends the region of a for, if or apply and hands values to it; the only terminator of structured regions."""

    values: list[Value] = operands(CARRIED)


class For(Operation, name="scf.for", traits=(RECURSIVE_EFFECTS,), code="V45"):
    """Counts `lower, lower+step, ..` while below `upper` (signed): `step > 0 and upper > lower ? ceil(..) : 0` trips.

    The trip count is computed without overflow. Block arguments: the index, then the carried values; results: what the
    last iteration yielded, or the initial values. A missing step is 1. `parallel` says that iterations may run in any
    order and at once; `unroll` is a request (true, false, or a count).
    """

    lower: Value = operand(INTEGER, var="T")
    upper: Value = operand(INTEGER, var="T")
    body: Region = region()
    step: Value | None = optional_operand(INTEGER, default=None)
    inits: list[Value] = optional_operands(CARRIED, default=())
    unroll: bool | int | None = optional_attribute(int, default=None)
    parallel: bool = optional_attribute(bool, default=False)
    outs: list[OpResult] = results(CARRIED)

    @property
    def index(self) -> BlockArgument:
        """The loop variable."""
        return self.body.entry.arguments[0]

    @property
    def carried(self) -> list[BlockArgument]:
        """The carried values inside the body."""
        return self.body.entry.arguments[1:]


class If(Operation, name="scf.if", traits=(RECURSIVE_EFFECTS,), code="V22"):
    """Runs one of two regions; with results both exist and yield them."""

    condition: Value = operand(BOOLEAN)
    then: Region = region()
    orelse: Region | None = optional_region(default=None)
    outs: list[OpResult] = results(CARRIED)


class While(Operation, name="scf.while", traits=(RECURSIVE_EFFECTS,), code="V45"):
    """Runs the body once, and again as long as the first value it yields is true; the others are carried.

    Block arguments: the carried values. Results: what the last iteration yielded behind the condition.
    """

    inits: list[Value] = operands(CARRIED)
    body: Region = region()
    outs: list[OpResult] = results(CARRIED)

    @property
    def carried(self) -> list[BlockArgument]:
        """The carried values inside the body."""
        return self.body.entry.arguments


def yielded(region_: Region) -> list[Value]:
    """Operands of the yield that ends a region; empty if it has none."""
    last = region_.entry.last
    return list(last.operands) if isinstance(last, Yield) else []
