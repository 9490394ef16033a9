"""Arithmetic rounded towards zero, up or down: one number at a time, from the exact result."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from .numbers import Array, fma

MODES: Final = ("rz", "rm", "rp")
"""Towards zero, minus infinity, plus infinity."""
_NEAREST: Final[dict[str, Callable[..., Array]]] = {
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "fma": fma,
    "sqrt": np.sqrt,
}


def operation(name: str, mode: str) -> Callable[..., Array]:
    """`llvm.nvvm.<name>.<mode>` on arrays of float32 or float64."""
    nearest = _NEAREST[name]

    def apply(*operands: Array) -> Array:
        rows = np.broadcast_arrays(*operands)
        with np.errstate(all="ignore"):
            found = np.array(np.broadcast_to(nearest(*operands), rows[0].shape))
            for k, rounded in enumerate(found):
                numbers = [row[k] for row in rows]
                if all(np.isfinite(numbers)) and not np.isnan(rounded):
                    found[k] = _directed(name, mode, numbers, rounded)
        return found

    return apply


def _directed(name: str, mode: str, operands: list[Any], rounded: Any) -> Any:
    if name == "div" and operands[1] == 0:
        return rounded
    above = _compared(name, [Fraction(float(x)) for x in operands], float(rounded))
    infinity = type(rounded)(math.inf)
    if above == 0:
        negative_sum = name in ("add", "fma") and rounded == 0 and mode == "rm" and not _all_positive(name, operands)
        return -abs(rounded) if negative_sum else rounded
    if above > 0 and (mode == "rm" or (mode == "rz" and rounded > 0)):
        return np.nextafter(rounded, -infinity)
    if above < 0 and (mode == "rp" or (mode == "rz" and rounded < 0)):
        return np.nextafter(rounded, infinity)
    return rounded


def _all_positive(name: str, operands: list[Any]) -> bool:
    """Whether a sum of zero is one of positive zeros."""
    terms = [operands[0] * operands[1], operands[2]] if name == "fma" else operands
    return all(term == 0 and not np.signbit(term) for term in terms)


def _compared(name: str, x: list[Fraction], rounded: float) -> int:
    """Whether the rounded result is above (1), below (-1) or at the exact one."""
    if math.isinf(rounded):
        return 1 if rounded > 0 else -1
    found = Fraction(rounded)
    match name:
        case "add":
            exact = x[0] + x[1]
        case "mul":
            exact = x[0] * x[1]
        case "div":
            exact = x[0] / x[1]
        case "fma":
            exact = x[0] * x[1] + x[2]
        case _:
            found, exact = found * found, x[0]
    return (found > exact) - (found < exact)
