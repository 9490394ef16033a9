"""Rules of assumptions and printing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.attributes import Assumption, Bounded, DivBy, SameElements
from tilewright.dialects.cuda_tile.rules import error
from tilewright.dialects.cuda_tile.types import ElementType, Pointer, TensorView, Tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import Type

ASSUME = "C18"
PRINT = "C19"
_CONVERSION: Final = re.compile(r"%[^%diuoxXeEfFgGaAcsSpn]*([%diuoxXeEfFgGaAcsSpn]?)")


def assume(op: Operation, report: Report, predicate: Assumption, value: Value) -> None:
    """The predicate can be said of the value's type."""
    match predicate:
        case DivBy():
            found = _divisible(predicate, value.type)
        case SameElements():
            found = _uniform(predicate, value.type)
        case Bounded():
            found = _bounded(predicate, value.type)
        case _:
            found = "this predicate is not known"
    if found is not None:
        error(op, report, ASSUME, op.place("predicate"), found)


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, Tile) and isinstance(type_.element, ElementType) and not type_.element.is_float


def _is_pointer(type_: Type) -> bool:
    return isinstance(type_, Tile) and isinstance(type_.element, Pointer)


def _divisible(p: DivBy, type_: Type) -> str | None:
    if not 1 <= p.divisor <= 1 << 62 or p.divisor & (p.divisor - 1):
        return f"the divisor is a power of two up to 2^62, not {p.divisor}"
    if not (_is_integer(type_) or _is_pointer(type_) or isinstance(type_, TensorView)):
        return f"div_by is said of integers, pointers and tensor_views, not of {type_}"
    if (p.every is None) != (p.along is None):
        return "every and along come together"
    if p.every is None or p.along is None:
        return None
    if not isinstance(type_, Tile) or not type_.shape:
        return f"every and along need a tile with dimensions, not {type_}"
    if not 0 <= p.along < len(type_.shape):
        return f"dimension {p.along} does not lie in 0..{len(type_.shape) - 1}"
    if not 0 <= p.every <= type_.shape[p.along]:
        return f"every {p.every} does not lie in 0..{type_.shape[p.along]}"
    return None


def _uniform(p: SameElements, type_: Type) -> str | None:
    if not (_is_integer(type_) or _is_pointer(type_)):
        return f"same_elements is said of integers and pointers, not of {type_}"
    assert isinstance(type_, Tile)
    if len(p.extents) != len(type_.shape):
        return f"{len(p.extents)} extents for {len(type_.shape)} dimensions"
    if any(not 0 <= e <= s for e, s in zip(p.extents, type_.shape, strict=True)):
        return f"extents lie between 0 and those of {type_}"
    return None


def _bounded(p: Bounded, type_: Type) -> str | None:
    if not _is_integer(type_):
        return f"bounded is said of integers, not of {type_}"
    assert isinstance(type_, Tile)
    assert isinstance(type_.element, ElementType)
    bits = type_.element.bits
    for bound in (p.low, p.high):
        if bound is not None and not -(1 << (bits - 1)) <= bound < 1 << (bits - 1):
            return f"the bound {bound} does not fit {type_.element}"
    if p.low is not None and p.high is not None and p.low > p.high:
        return f"the lower bound {p.low} is above the upper one, {p.high}"
    return None


def print_(op: Operation, report: Report, text: str, arguments: Sequence[Value]) -> None:
    """One conversion for each operand."""
    conversions = 0
    for match in _CONVERSION.finditer(text):
        if match[0] == "%%":
            continue
        if not match[1] or match[1] == "%":
            error(op, report, PRINT, op.place("format"), f"the conversion {match[0]!r} has no end")
            return
        conversions += 1
    if conversions != len(arguments):
        error(op, report, PRINT, op.place("format"), f"{conversions} conversions for {len(arguments)} operands")
    if len(op.results) > 1:
        error(op, report, PRINT, op.location, "at most one result, a token")
