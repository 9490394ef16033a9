"""What a kernel tells its host: text that it prints, assertions that failed, checks that ended a work-group."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import prod

from tilewright.diagnostics import Report as Diagnostics
from tilewright.dialects.tile_rules import fail
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import Operation, Value, attribute, operand, operands, result
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import BOOLEAN, F64, I64, INTEGER, SHAPED_REAL, element_of
from tilewright.ir.types import Type as IrType

_BLANK = "{}"


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


def _address(op: CoreOperation) -> IrType:
    return I64


class Claim(Operation, name="team.claim", traits=()):
    """The address where a report's values are to be stored, one behind the other in 8 bytes each; 0 where no room is.

    `kind`, `text` and `bits` are those of `team.report`; `shapes[k]` are the dimensions of value k from the outermost
    on, the last one fastest in memory, and `floats[k]` says whether it is f64.
    """

    kind: ReportKind = attribute(ReportKind)
    text: str = attribute(str)
    bits: tuple[int, ...] = attribute(tuple)
    shapes: tuple[tuple[int, ...], ...] = attribute(tuple)
    floats: tuple[bool, ...] = attribute(tuple)
    out: Value = result(infer=_address)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Diagnostics) -> None:
        if not len(self.bits) == len(self.shapes) == len(self.floats):
            fail(self, report, "one width, one shape and one type for each value are needed")

    @property
    def words(self) -> int:
        """How many words of 8 bytes the values take."""
        return sum(map(prod, self.shapes))


class Check(Operation, name="team.check", traits=()):
    """Ends the work-group with a report to the host unless `condition` holds; the launch raises it when it is over.

    In SPMD regions it has to hold for every active work-item. `code` is that of the diagnostic, `text` its message, in
    which each `{}` stands for one of `values`: those of the first work-item for which it does not hold.
    """

    condition: Value = operand(BOOLEAN)
    values: list[Value] = operands(INTEGER)
    code: str = attribute(str)
    text: str = attribute(str)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.GUARD)]

    def verify(self, report: Diagnostics) -> None:
        if self.text.count(_BLANK) != len(self.values):
            fail(self, report, f"one value for each {_BLANK} of the text is needed")


def filled(text: str, values: Sequence[int]) -> str:
    """The message of a check; blanks without a value stay."""
    first, *rest = text.split(_BLANK)
    numbers = [str(value) for value in values[: len(rest)]] + [_BLANK] * (len(rest) - len(values))
    return first + "".join(number + part for number, part in zip(numbers, rest, strict=True))


def of_work_group(place: Sequence[int]) -> str:
    """What the message of a check ends with."""
    return f" (work-group {', '.join(map(str, place))})"
