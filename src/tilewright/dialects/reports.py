"""What a kernel tells its host: text that it prints, and assertions that failed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tilewright.diagnostics import Report as Diagnostics
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import Operation, Value, attribute, operands
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import F64, I64, SHAPED_REAL, element_of


class ReportKind(Enum):
    """What the host does with a report."""

    PRINT = "print"
    ASSERT = "assert"


class Report(Operation, name="team.report", traits=()):
    """Hands values to the host, which prints them or raises an error when the launch is over.

    `print`: `text` is a format of C with a conversion for each value. `assert`: `text` is the message, the value says
    which elements hold. Values are f64 or i64; `bits[k]` is the width as which i64 are read without sign (0: they
    cannot be). Their dimensions are shown in reverse, the last one outermost.
    """

    values: list[Value] = operands(SHAPED_REAL)
    kind: ReportKind = attribute(ReportKind)
    text: str = attribute(str)
    bits: tuple[int, ...] = attribute(tuple)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Diagnostics) -> None:
        if len(self.bits) != len(self.values):
            fail(self, report, "one width for each value is needed")
        for value in self.values:
            if element_of(value.type) not in (F64, I64):
                fail(self, report, f"values are f64 or i64, not {value.type}")
