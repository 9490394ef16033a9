"""Rules of Tile IR that many operations share, and those of elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tilewright.diagnostics import Diagnostic, Location, Report
from tilewright.dialects.cuda_tile.attributes import Overflow, Rounding, Signedness
from tilewright.dialects.cuda_tile.types import F32, I64, Element, ElementType, Tile, Version
from tilewright.ir.check_reports import spoken
from tilewright.ir.core import Operation, Value

SHAPE: Final = "C11"
FLAG: Final = "C12"

DIRECTED: Final = frozenset({Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF})
DIRECTED_APPROX: Final = DIRECTED | {Rounding.APPROX}
DIRECTED_FULL: Final = DIRECTED | {Rounding.APPROX, Rounding.FULL}
FULL_APPROX: Final = frozenset({Rounding.FULL, Rounding.APPROX})


def shape(value: Value) -> tuple[int, ...]:
    """Shape of a value whose type is known to be a tile."""
    assert isinstance(value.type, Tile)
    return value.type.shape


def element(value: Value) -> Element:
    """Element type of a value whose type is known to be a tile."""
    assert isinstance(value.type, Tile)
    return value.type.element


def number(value: Value) -> ElementType:
    """Element type of a value whose type is known to be a tile of numbers."""
    found = element(value)
    assert isinstance(found, ElementType)
    return found


def where(op: Operation, value: Value) -> Location:
    """Where an operation names a value: its operand, else its result types."""
    for index, found in enumerate(op.operands):
        if found is value:
            return op.place(("operand", index))
    return op.place("type")


def error(op: Operation, report: Report, code: str, place: Location, message: str) -> Diagnostic:
    """An error that begins with the operation's mnemonic."""
    return report.error(code, place, f"{spoken(op)}: {message}")


def version_of(op: Operation) -> Version:
    """The version of the module that holds an operation."""
    top = op
    for ancestor in op.ancestors():
        top = ancestor
    found = top.attributes.get("version")
    return Version(found) if isinstance(found, int) else Version.V13_3


def same_shape(op: Operation, report: Report, a: Value, b: Value) -> bool:
    """Two values have one shape."""
    if shape(a) == shape(b):
        return True
    error(op, report, SHAPE, where(op, b), f"shapes differ: {a.type} and {b.type}").label(a.location, "defined here")
    return False


def rounding(op: Operation, report: Report, mode: Rounding, ftz: bool, legal: Collection[Rounding]) -> None:
    """The mode is one that the operation has; `approx`, `full` (where it is no default) and flushing are for f32."""
    if mode not in legal:
        words = ", ".join(m.value for m in Rounding if m in legal)
        error(op, report, FLAG, op.place("rounding_mode"), f"rounding {mode.value} is not one of {words}")
    else:
        fast = mode is Rounding.APPROX or (mode is Rounding.FULL and Rounding.NEAREST_EVEN in legal)
        if fast and number(op.results[0]) is not F32:
            error(op, report, FLAG, op.place("rounding_mode"), f"rounding {mode.value} is for f32 only")
    flush(op, report, ftz)


def flush(op: Operation, report: Report, ftz: bool) -> None:
    """`flush_to_zero` is for f32."""
    if ftz and number(op.results[0]) is not F32:
        error(op, report, FLAG, op.place("flush_to_zero"), "flush_to_zero is for f32 only")


def only(op: Operation, report: Report, mode: Rounding, legal: Rounding) -> None:
    """The one rounding that an operation has."""
    if mode is not legal:
        error(op, report, FLAG, op.place("rounding_mode"), f"rounding is {legal.value}, not {mode.value}")


def negation(op: Operation, report: Report, overflow: Overflow) -> None:
    """Negation has no unsigned meaning."""
    if overflow is Overflow.NO_UNSIGNED_WRAP:
        error(op, report, FLAG, op.place("overflow"), "no_unsigned_wrap means nothing here")


def division(op: Operation, report: Report, signedness: Signedness, mode: Rounding) -> None:
    """Toward zero, up, or (signed) down."""
    if mode not in (Rounding.ZERO, Rounding.POSITIVE_INF, Rounding.NEGATIVE_INF):
        error(
            op,
            report,
            FLAG,
            op.place("rounding"),
            f"rounding {mode.value} is not one of zero, negative_inf, positive_inf",
        )
    elif mode is Rounding.NEGATIVE_INF and signedness is Signedness.UNSIGNED:
        error(op, report, FLAG, op.place("rounding"), "rounding negative_inf is for signed division only")


def narrow_exponent(op: Operation, report: Report, exponent: Value) -> None:
    """Exponents have up to 32 bits."""
    if element(exponent) is I64:
        error(op, report, "C10", where(op, exponent), "the exponent is a tile of i1, i8, i16 or i32")
