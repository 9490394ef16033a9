"""Operands for which integer operations are undefined or promised not to be used, in words, for diagnostics.

Here and nowhere else. Interpreters report them where a language leaves the operation undefined, folding leaves the
operation alone. Each function gives None if there is nothing to say, and works on Python's integers as on arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, auto
from typing import Any

from tilewright.numerics.formats import IntegerFormat
from tilewright.numerics.integers import read, signed, unsigned, wrapped
from tilewright.numerics.later import np
from tilewright.numerics.overloads import any_of, is_plain


class Promise(Flag):
    """What a program promises about an exact result."""

    NOTHING = 0
    FITS_SIGNED = auto()
    FITS_UNSIGNED = auto()


def first_place(wrong: Any) -> str:
    """Where the first true element is, as words to append."""
    if is_plain(wrong) or not wrong.ndim:
        return ""
    return " at [" + ", ".join(map(str, np.argwhere(wrong)[0].tolist())) + "]"


def first(wrong: Any, values: Any) -> Any:
    """The first of the values that are wrong."""
    return values if is_plain(wrong) else np.asarray(values)[wrong].ravel()[0]


def zero_divisor(layout: IntegerFormat, a: Any, b: Any) -> str | None:
    """A divisor that is zero."""
    zero = b == 0
    return f"divides by zero{first_place(zero)}" if any_of(zero) else None


def quotient(layout: IntegerFormat, a: Any, b: Any, is_signed: bool) -> str | None:
    """A divisor that is zero, or a quotient that is one too large."""
    found = zero_divisor(layout, a, b)
    if found is not None or not is_signed:
        return found
    least = (signed(a) == layout.limits(True)[0]) & (signed(b) == -1)
    return f"divides the least {layout.name} by -1{first_place(least)}" if any_of(least) else None


def shift(layout: IntegerFormat, amount: Any) -> str | None:
    """An amount, read as unsigned, that is the width or more."""
    amounts = unsigned(layout, amount)
    large = amounts >= layout.bits
    if not any_of(large):
        return None
    return f"shifts {layout.name} by {first(large, amounts)}{first_place(large)}"


def broken(
    layout: IntegerFormat, promise: Promise, exactly: Callable[..., Any], *operands: Any
) -> tuple[Any, str] | None:
    """An exact result that is not as promised, and where; `exactly` computes it from Python's integers."""
    for each in promise:
        is_signed = each is Promise.FITS_SIGNED
        low, high = layout.limits(is_signed)
        found = exactly(*(_exact(read(layout, values, is_signed)) for values in operands))
        wrong = _truths((found < low) | (found > high))
        if any_of(wrong):
            return first(wrong, found), first_place(wrong)
    return None


def truncation(source: IntegerFormat, target: IntegerFormat, promise: Promise, a: Any) -> str | None:
    """Where bits that go were promised not to matter, and do."""
    for each in promise:
        is_signed = each is Promise.FITS_SIGNED
        kept = wrapped(target, read(source, a, is_signed))
        wrong = _exact(read(target, kept, is_signed)) != _exact(read(source, a, is_signed))
        wrong = _truths(wrong)
        if any_of(wrong):
            return first_place(wrong)
    return None


def _exact(values: Any) -> Any:
    """As Python's integers."""
    return values if is_plain(values) else np.asarray(values.astype(object))


def _truths(values: Any) -> Any:
    return values if is_plain(values) else np.asarray(values, np.bool_)
