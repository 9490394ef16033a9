"""Factors that an NVIDIA GPU reads slowly as they lie, and whether a copy of them pays.

Tiles come to shared memory by copies of 16 bytes. Of matrices whose rows begin elsewhere, or whose elements are no
neighbours, threads load single elements. A copy has rows at multiples of the 128 bytes that a cache has in a line, and
costs its memory traffic and a launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from tilewright.machine.cuda.tensor_maps import MOST_EXTENT
from tilewright.operators.contractions import COLUMNS, ROWS, TERMS, Arranged, Arrangement
from tilewright.operators.layouts import ALIGNED

BYTES: Final = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "f8E4M3FN": 1, "f8E5M2": 1, "i8": 1, "i32": 4}

_LINE: Final = 128
"""Bytes of a line of a cache."""

_SECTOR: Final = 32
"""Bytes that memory moves at a time."""

_TILE: Final = 64
"""Rows and columns of the smallest tiles, which are computed whole."""

_MOST_MODES: Final = 5
"""Of a matrix and of those beside it."""

_LAUNCH: Final = 5e-6
_COPIED: Final = {1: 0.6e12, 2: 1.2e12, 4: 3e12, 8: 3e12}
"""Bytes a second that are read and written by a copy of single elements, by bytes of an element."""

_SLOW: Final = {1: 50e12, 2: 70e12}
"""Operations a second of products of such factors, by bytes of an element, measured on an H200."""
_WORD: Final = 4
_LONGER: Final = {4: 1.05, 8: 1.08}
"""How much longer products take for each such factor whose elements threads copy one by one, by bytes of these. H200,
f32: 1025 1.04, 3001 1.07; f64: 1025 1.08."""


def misaligned(arrangement: Arrangement, seconds: float, *, exact: bool) -> Iterator[tuple[Arranged, str]]:
    """The factors of which a copy pays, and why, if the product takes so many seconds without such factors."""
    factors = arrangement.operands[:2]
    slow = [(factor, reason) for factor in factors if (reason := _reason(factor, exact=exact)) is not None]
    cost = sum(_LAUNCH + 2 * prod(one.shape) * BYTES[one.dtype] / _COPIED[BYTES[one.dtype]] for one, _ in slow)
    if slow and cost + seconds < _seconds(arrangement, seconds, len(slow)):
        yield from slow


def aligned_strides(factor: Arranged) -> tuple[int, ...]:
    """The strides of a copy: modes in the same order, elements neighbours along the last one."""
    unit = _LINE // BYTES[factor.dtype]
    strides: list[int] = []
    step = 1
    for extent in reversed(factor.shape):
        strides.append(step)
        step *= max(extent, 1)
        step = -(-step // unit) * unit
    return tuple(reversed(strides))


def has_whole_sectors(factor: Arranged, *, exact: bool) -> bool:
    """Whether rows begin at multiples of what memory moves at a time, or would in a copy that is to be made, or are
    copied as fast wherever they begin."""
    size = BYTES[factor.dtype]
    pairs = zip(factor.shape[:-1], factor.strides[:-1], strict=True)
    is_single = _is_turned(factor, exact=exact)
    return (
        is_single
        or _reason(factor, exact=exact) is not None
        or all(extent == 1 or stride * size % _SECTOR == 0 for extent, stride in pairs)
    )


def has_maps(arrangement: Arrangement) -> bool:
    """Whether the machine copies factors and result of 16 bits by itself, as they lie: it has maps of such matrices."""
    return all(map(_has_map, (*arrangement.operands[:2], arrangement.operands[-1])))


def has_wide_copies(arrangement: Arrangement) -> bool | None:
    """Whether threads copy exact factors of f32 and f64 16 bytes at a time, as they lie, or else all elements one by
    one, but for those that are turned in any case; None where neither is so."""
    factors = [one for one in arrangement.operands[:2] if not _is_turned(one, exact=True)]
    if any(one.dtype not in ("f32", "f64") or not one.unit for one in factors):
        return None
    wide = {_has_map(one) for one in factors}
    return all(wide) if len(wide) < len((False, True)) else None


def _has_map(one: Arranged) -> bool:
    size, rows = BYTES[one.dtype], zip(one.shape[:-1], one.strides[:-1], strict=True)
    if not one.unit or not one.aligned or not all(0 < extent < MOST_EXTENT for extent in one.shape):
        return False
    # neighbours of matrices that lie beside each other are no rows
    if one.modes[-1] not in (ROWS, COLUMNS, TERMS) or len(one.modes) > _MOST_MODES:
        return False
    # a stride along which nobody steps is what a launch makes of it; rows that overlap are copied before
    strides = [stride for extent, stride in rows if extent > 1]
    return all(0 < stride < MOST_EXTENT and stride * size % ALIGNED == 0 for stride in strides)


def _reason(factor: Arranged, *, exact: bool) -> str | None:
    """Why a factor is read element by element; None if it is not, or is wherever it lies."""
    size = BYTES[factor.dtype]
    if 0 in factor.shape:
        return None
    if not factor.unit:
        return "its elements are no neighbours"
    if _is_turned(factor, exact=exact):
        return None
    if not factor.aligned:
        return f"it begins at no multiple of {ALIGNED} bytes"
    for extent, stride in zip(factor.shape[:-1], factor.strides[:-1], strict=True):
        if extent > 1 and stride * size % ALIGNED:
            return f"its rows are {stride * size} bytes apart, no multiple of {ALIGNED}"
    return None


def _is_turned(factor: Arranged, *, exact: bool) -> bool:
    """Whether a factor is turned on its way to shared memory, a word at a time: multiply-adds of f32 take columns of
    factors whose rows run along the terms, as fast as rows of whole lines."""
    return exact and factor.dtype == "f32" and factor.unit and factor.modes[-1] == TERMS


def _seconds(arrangement: Arrangement, seconds: float, slow: int) -> float:
    """What a product takes of whose factors so many are misaligned; without such it takes so many `seconds`."""
    longer = _LONGER.get(BYTES[arrangement.operands[0].dtype])
    if longer is not None:
        return seconds * longer**slow
    extents = arrangement.extents
    rows, columns = (-(-extents[mode] // _TILE) * _TILE for mode in (ROWS, COLUMNS))
    many = prod(extents[mode] for mode in arrangement.loops)
    return 2 * many * rows * columns * extents[TERMS] / _SLOW[BYTES[arrangement.operands[0].dtype]]
