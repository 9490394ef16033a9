"""Rules of conversions."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.attributes import Rounding
from tilewright.dialects.cuda_tile.rules import FLAG, error, number, version_of, where
from tilewright.dialects.cuda_tile.types import BF16, F8E8M0FNU, F16, F32, F64, TF32, ElementType, Version
from tilewright.ir.core import Operation, Value

TYPES = "C10"


def bitcast(op: Operation, report: Report, source: Value, out: Value) -> None:
    """Equal widths."""
    a, b = number(source), number(out)
    if a.bits != b.bits:
        error(op, report, TYPES, where(op, source), f"{a} has {a.bits} bits, {b} has {b.bits}")


def wider(op: Operation, report: Report, source: Value, out: Value) -> None:
    """The result has more bits."""
    if number(out).bits <= number(source).bits:
        error(op, report, TYPES, op.place("type"), f"{number(out)} is not wider than {number(source)}")


def narrower(op: Operation, report: Report, source: Value, out: Value) -> None:
    """The result has fewer bits."""
    if number(out).bits >= number(source).bits:
        error(op, report, TYPES, op.place("type"), f"{number(out)} is not narrower than {number(source)}")


def itof(op: Operation, report: Report, out: Value) -> None:
    """Scales are not made from integers."""
    if number(out) is F8E8M0FNU:
        error(op, report, TYPES, op.place("type"), "integers do not become f8E8M0FNU; convert to f32 first")


_EVEN = frozenset({Rounding.NEAREST_EVEN})
_SCALE = frozenset({Rounding.ZERO, Rounding.POSITIVE_INF})
_DIRECTED = frozenset({Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF})


def _widens(a: ElementType, b: ElementType) -> bool:
    """Whether `b` has every value of `a`."""
    x, y = a.floating, b.floating
    return y.exponent >= x.exponent and y.mantissa >= x.mantissa and (y.signed or not x.signed)


def _legal(a: ElementType, b: ElementType, version: Version) -> frozenset[Rounding]:
    if b is F8E8M0FNU:
        return _SCALE
    if version < Version.V13_4:
        return _EVEN
    if _widens(a, b):
        return frozenset(Rounding)
    if b in (F16, BF16):
        return _EVEN | {Rounding.ZERO}
    if b is TF32:
        return _EVEN | {Rounding.ZERO} | ({Rounding.NEAREST_AWAY} if a is F32 else frozenset[Rounding]())
    return _DIRECTED if b is F32 and a is F64 else _EVEN


def later_rounding(source: Value, out: Value, mode: Rounding) -> str:
    """What only 13.4 and later allow."""
    legal = mode in _legal(number(source), number(out), Version.V13_3)
    return "" if legal else f"from {number(source)} to {number(out)} rounding {mode.value}"


def ftof(op: Operation, report: Report, source: Value, out: Value, mode: Rounding) -> None:
    """Different types, and a rounding that exists between them."""
    a, b = number(source), number(out)
    if a is b:
        error(op, report, TYPES, op.place("type"), f"both types are {a}")
        return
    legal = _EVEN if mode is Rounding.NEAREST_EVEN and b is not F8E8M0FNU else _legal(a, b, version_of(op))
    if mode not in legal:
        words = ", ".join(m.value for m in Rounding if m in legal)
        message = f"from {a} to {b} rounding is {words}, not {mode.value}"
        error(op, report, FLAG, op.place("rounding_mode"), message)
