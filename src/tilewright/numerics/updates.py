"""What atomic updates make of the number in memory, in every language."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tilewright.numerics import integers, numbers
from tilewright.numerics.formats import Format, IntegerFormat
from tilewright.numerics.later import np


class Update(Enum):
    """What a number in memory becomes; `umax` and `umin` read integers as unsigned."""

    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    EXCHANGE = "xchg"


def updated(layout: Format, update: Update, old: Any, value: Any) -> Any:
    """What memory holds after an update, of elements."""
    with np.errstate(all="ignore"):
        match update:
            case Update.ADD:
                return numbers.add(layout, old, value)
            case Update.MAX:
                return numbers.maximum(layout, old, value)
            case Update.MIN:
                return numbers.minimum(layout, old, value)
            case Update.EXCHANGE:
                return value
            case _:
                assert isinstance(layout, IntegerFormat)
                return _of_bits(layout, update, old, value)


def _of_bits(layout: IntegerFormat, update: Update, old: Any, value: Any) -> Any:
    match update:
        case Update.AND:
            return integers.bitwise_and(layout, old, value)
        case Update.OR:
            return integers.bitwise_or(layout, old, value)
        case Update.XOR:
            return integers.bitwise_xor(layout, old, value)
        case Update.UMAX:
            return integers.maximum(layout, old, value, is_signed=False)
        case _:
            return integers.minimum(layout, old, value, is_signed=False)
