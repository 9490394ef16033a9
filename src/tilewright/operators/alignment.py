"""Factors that an NVIDIA GPU reads slowly as they lie, and whether a copy of them pays.

Tiles come to shared memory by copies of 16 bytes. Of matrices whose rows begin elsewhere, or whose elements are no
neighbours, threads load single elements of 16 bits. A copy with rows at multiples of 16 bytes costs three times the
factor's memory traffic and a launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from tilewright.operators.contractions import COLUMNS, ROWS, TERMS, Arranged, Arrangement
from tilewright.operators.layouts import ALIGNED

BYTES: Final = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i32": 4}

_TILE: Final = 64
"""Rows and columns of the smallest tiles, which are computed whole."""

_LAUNCH: Final = 5e-6
_COPIED: Final = 1.2e12
"""Bytes a second that are read and written by a copy of single elements."""

_SLOW: Final = {1: 50e12, 2: 70e12}
"""Operations a second of products of such factors, by bytes of an element; wider ones are copied by 4 or 8 bytes at a
time either way. Measured on an H200 for f16 (cuBLAS: 600e12)."""


def misaligned(arrangement: Arrangement) -> Iterator[tuple[Arranged, str]]:
    """The factors of which a copy pays, and why."""
    factors = arrangement.operands[:2]
    slow = [(factor, reason) for factor in factors if (reason := _reason(factor)) is not None]
    moved = sum(2 * prod(factor.shape) * BYTES[factor.dtype] for factor, _ in slow)
    cost = len(slow) * _LAUNCH + moved / _COPIED
    if slow and cost < _seconds(arrangement):
        yield from slow


def aligned_strides(factor: Arranged) -> tuple[int, ...]:
    """The strides of a copy: modes in the same order, elements neighbours along the last one."""
    unit = ALIGNED // BYTES[factor.dtype]
    strides: list[int] = []
    step = 1
    for extent in reversed(factor.shape):
        strides.append(step)
        step *= max(extent, 1)
        step = -(-step // unit) * unit
    return tuple(reversed(strides))


def _reason(factor: Arranged) -> str | None:
    """Why a factor is read element by element; None if it is not."""
    size = BYTES[factor.dtype]
    if size not in _SLOW or 0 in factor.shape:
        return None
    if not factor.unit:
        return "its elements are no neighbours"
    if not factor.aligned:
        return f"it begins at no multiple of {ALIGNED} bytes"
    for extent, stride in zip(factor.shape[:-1], factor.strides[:-1], strict=True):
        if extent > 1 and stride * size % ALIGNED:
            return f"its rows are {stride * size} bytes apart, no multiple of {ALIGNED}"
    return None


def _seconds(arrangement: Arrangement) -> float:
    """What a product of misaligned factors takes."""
    extents = arrangement.extents
    rows, columns = (-(-extents[mode] // _TILE) * _TILE for mode in (ROWS, COLUMNS))
    many = prod(extents[mode] for mode in arrangement.loops)
    return 2 * many * rows * columns * extents[TERMS] / _SLOW[BYTES[arrangement.operands[0].dtype]]
