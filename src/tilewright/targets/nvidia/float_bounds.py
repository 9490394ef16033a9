"""Between which numbers floats lie that are computed of constants and of what is limited: intervals, NaN aside."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from tilewright.dialects import arith
from tilewright.dialects.arith_floats import Maximum, Minimum
from tilewright.ir.core import Value
from tilewright.transforms import emit

Bounds: TypeAlias = tuple[float, float]
"""The least number that a value may be, and the largest."""

_ANY: Final[Bounds] = (-math.inf, math.inf)
_MOST_STEPS: Final = 32
"""Operations that follow each other, of which more are not looked at."""
_ROUNDING: Final = 2.0**-20
"""More than an operation of 32 bits is off, as a share of its result."""


def bounds_of(value: Value) -> Bounds:
    """Those of a float of 32 bits, if it is a number."""
    return _bounds(value, {}, _MOST_STEPS)


def _bounds(value: Value, known: dict[Value, Bounds], steps: int) -> Bounds:
    if value not in known:
        known[value] = _computed(value, known, steps) if steps else _ANY
    return known[value]


def _computed(value: Value, known: dict[Value, Bounds], steps: int) -> Bounds:
    number = emit.constant_of(value)
    if isinstance(number, float):
        return (number, number)
    op = value.defining_op
    if not isinstance(op, arith.Abs | arith.Neg | arith.Fma | Maximum | Minimum):
        return _ANY
    lows, highs = zip(*(_bounds(operand, known, steps - 1) for operand in op.operands), strict=True)
    match op:
        case Maximum():
            return (max(lows), max(highs))
        case Minimum():
            return (min(lows), min(highs))
        case arith.Neg():
            return (-highs[0], -lows[0])
        case arith.Abs():
            return (max(lows[0], -highs[0], 0.0), max(-lows[0], highs[0]))
        case arith.Fma():
            products = [_product(x, y) for x in (lows[0], highs[0]) for y in (lows[1], highs[1])]
            low, high = min(products) + lows[2], max(products) + highs[2]
            return (low - abs(low) * _ROUNDING, high + abs(high) * _ROUNDING)


def _product(x: float, y: float) -> float:
    """Of ends of intervals: nothing times what is beyond all numbers is nothing."""
    return 0.0 if 0.0 in (x, y) else x * y
