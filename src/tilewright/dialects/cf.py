"""Control flow between the blocks of a region, for languages of blocks and branches.

A branch forwards values to the arguments of the block that it goes on in. `lift-control-flow` turns it into `scf`,
which is all that later passes know.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self, cast

from tilewright.diagnostics import Report
from tilewright.ir.definition import (
    PURE,
    TERMINATOR,
    Block,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    result,
    successor,
    successors,
)
from tilewright.ir.types import BOOLEAN, CARRIED, INTEGER

Edge = tuple[Block, Sequence[Value]]
"""Where a branch may go on, and the values that it forwards to there."""


class BranchOperation(Operation):
    """What all branches can say of themselves."""

    __slots__ = ()

    @abstractmethod
    def edges(self) -> list[Edge]:
        """One for each successor, in order."""

    @abstractmethod
    def redirected(self, edges: Sequence[Edge]) -> Self:
        """The same choice among other edges, as many as there were; the copy stands nowhere yet."""

    def verify(self, report: Report) -> None:
        for index, (block, values) in enumerate(self.edges()):
            wanted, found = [a.type for a in block.arguments], [v.type for v in values]
            if wanted != found:
                message = f"successor {index} takes ({', '.join(map(str, wanted))}), not ({', '.join(map(str, found))})"
                report.error("IR006", self.location, f"{self.name}: {message}")


class Undefined(Operation, name="cf.undefined", traits=(PURE,)):
    """Stands where a value is forwarded that nothing reads on this path; any value will do for it."""

    out: Value = result(CARRIED)


class Branch(BranchOperation, name="cf.br", traits=(TERMINATOR,)):
    """Goes on in `dest`."""

    values: list[Value] = operands()
    dest: Block = successor()

    def edges(self) -> list[Edge]:
        return [(self.dest, self.values)]

    def redirected(self, edges: Sequence[Edge]) -> Self:
        ((dest, values),) = edges
        return type(self)(list(values), dest, location=self.location)


class ConditionalBranch(BranchOperation, name="cf.cond_br", traits=(TERMINATOR,)):
    """Goes on in `then` if the condition holds, else in `orelse`."""

    condition: Value = operand(BOOLEAN)
    then_values: list[Value] = operands()
    else_values: list[Value] = operands()
    then: Block = successor()
    orelse: Block = successor()

    def edges(self) -> list[Edge]:
        return [(self.then, self.then_values), (self.orelse, self.else_values)]

    def redirected(self, edges: Sequence[Edge]) -> Self:
        (then, then_values), (orelse, else_values) = edges
        return type(self)(self.condition, list(then_values), list(else_values), then, orelse, location=self.location)


class Switch(BranchOperation, name="cf.switch", traits=(TERMINATOR,)):
    """Goes on in the successor that stands where the value stands in `cases`, else in the last one, the default.

    `values` are those of all successors one after the other; `counts` says how many each gets.
    """

    value: Value = operand(INTEGER)
    values: list[Value] = operands()
    cases: tuple[int, ...] = attribute(tuple)
    counts: tuple[int, ...] = attribute(tuple)
    dests: list[Block] = successors()

    def edges(self) -> list[Edge]:
        found: list[Edge] = []
        start = 0
        for dest, count in zip(self.dests, self.counts, strict=True):
            found.append((dest, self.values[start : start + count]))
            start += count
        return found

    def redirected(self, edges: Sequence[Edge]) -> Self:
        values = [v for _, forwarded in edges for v in forwarded]
        counts = tuple(len(forwarded) for _, forwarded in edges)
        return type(self)(self.value, values, self.cases, counts, [dest for dest, _ in edges], location=self.location)

    def verify(self, report: Report) -> None:
        found, number = len(self.successors), len(self.cases) + 1
        if found != number or len(self.counts) != number:
            message = f"{len(self.cases)} cases and the default take {number} successors and counts"
            report.error("IR006", self.location, f"{self.name}: {message}, not {found} and {len(self.counts)}")
        elif not all(isinstance(n, int) and n >= 0 for n in cast("Sequence[object]", (*self.counts,))):
            report.error("IR006", self.location, f"{self.name}: counts are not negative")
        elif sum(self.counts) != len(self.values):
            message = f"the counts add up to {sum(self.counts)}, but there are {len(self.values)} values"
            report.error("IR006", self.location, f"{self.name}: {message}")
        elif len(set(self.cases)) != len(self.cases):
            report.error("IR006", self.location, f"{self.name}: a case stands there twice")
        else:
            super().verify(report)
