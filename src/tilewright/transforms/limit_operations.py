"""limit-operations: a program that is too long is refused before the passes that take time with every operation.

Counted before and while collective instructions become loops over tiles, which is what makes most of them.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation
from tilewright.ir.passes import Pass, PassContext

MAX_OPERATIONS: Final = 20_000
"""Operations of a program at most, in terms of tiles and loops."""


class LimitOperations(Pass, frozen=True):
    """Refuse what has more operations than are compiled."""

    name: ClassVar[str] = "limit-operations"

    def run(self, module: Module, context: PassContext) -> bool:
        within_limit(module, context.report)
        return False


class OperationCount(Struct):
    """How many operations a program has so far."""

    total: int

    def grown(self, by: int, op: Operation, report: Report) -> bool:
        """Count what `op` became; False, with an error there, if the program is too long with it."""
        self.total += by
        return self.total <= MAX_OPERATIONS or _too_many(op, report)


def within_limit(module: Module, report: Report) -> OperationCount | None:
    """The operations of a program; None, with an error at the first one beyond the limit, if there are too many."""
    total = 0
    for op in module.walk():
        total += 1
        if total > MAX_OPERATIONS:
            _too_many(op, report)
            return None
    return OperationCount(total)


def _too_many(op: Operation, report: Report) -> bool:
    message = f"with this, the program has more than {MAX_OPERATIONS:,} operations on tiles and scalars"
    report.error("T002", op.location, message).hint("split the program, or repeat what it does in loops")
    return False
