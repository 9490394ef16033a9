"""Factors of tf32 and of bytes that lie along the rows and the columns of the result: units of an NVIDIA GPU take one
of them so.

Of both, one is copied where that pays: units of warps multiply tf32 then, and bytes are turned one by one.
"""

from __future__ import annotations

from math import prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.alignment import BYTES, aligned_strides
from tilewright.operators.contractions import TERMS, Arranged, Arrangement

_FACTORS: Final = 2
_LAUNCH: Final = 5e-6


class _Rates(Struct, frozen=True):
    """On an H200: bytes a second that a copy reads and writes that turns a matrix, operations a second of products of
    which both factors are turned, and of others."""

    copied: float
    both: float
    one: float


_RATES: Final = {"f32": _Rates(2e12, 140e12, 350e12), "i8": _Rates(0.34e12, 450e12, 1250e12)}


def rounds(arrangement: Arrangement, precision: str) -> bool:
    """Whether factors are rounded to tf32."""
    return precision == "tf32" and arrangement.operands[0].dtype == "f32"


def is_turned(factor: Arranged) -> bool:
    """Whether neighbours of a factor are along the rows or the columns of the result."""
    return factor.unit and factor.modes[-1] != TERMS


def turned_anew(arrangement: Arrangement, precision: str) -> tuple[Arranged, Arranged] | None:
    """The smaller one of two turned factors with its modes in the order of a copy, and that copy, if it pays."""
    factors = arrangement.operands[:_FACTORS]
    element = factors[0].dtype
    if not (rounds(arrangement, precision) or element == "i8") or not all(map(is_turned, factors)):
        return None
    rates = _RATES[element]
    smaller = min(factors, key=lambda factor: prod(factor.shape))
    cost = _LAUNCH + 2 * prod(smaller.shape) * BYTES[smaller.dtype] / rates.copied
    operations = 2 * prod(arrangement.extents.values())
    if cost + operations / rates.one >= operations / rates.both:
        return None
    place = smaller.modes.index(TERMS)
    order = [*(k for k in range(len(smaller.modes)) if k != place), place]
    modes, shape, strides = (tuple(each[k] for k in order) for each in (smaller.modes, smaller.shape, smaller.strides))
    now = replace(smaller, modes=modes, shape=shape, strides=strides)
    return now, replace(now, strides=aligned_strides(now), aligned=True)
