"""Products with few elements and many terms, which are computed in parts so that a whole GPU has something to do."""

from __future__ import annotations

from math import prod
from typing import Final

from msgspec.structs import replace

from tilewright.operators.contractions import COLUMNS, PARTIAL, PARTS, ROWS, TERMS, Arranged, Arrangement
from tilewright.operators.layouts import Extents

_MULTIPROCESSORS: Final = 132
"""Of an H100 and of an H200."""

_TILE: Final = 64
"""Rows and columns that a block computes where there are few."""

_LEAST: Final = 256
"""Terms of a part: fewer take no longer than to store the sums and add them."""

_FEWEST: Final = 16
"""Blocks that two launches are worth; fewer tiles stay in one block (`SpreadPolicy.step_tiles`)."""


def parts_of(arrangement: Arrangement) -> int:
    """How many parts a product is computed in, each with as many terms, in whole steps of tiles."""
    extents = arrangement.extents
    tiles = prod(extents[mode] for mode in arrangement.loops)
    tiles *= -(-extents[ROWS] // _TILE) * -(-extents[COLUMNS] // _TILE)
    terms = extents[TERMS]
    most = min(_MULTIPROCESSORS // max(tiles, 1), terms // _LEAST)
    fewest = max(-(-_FEWEST // max(tiles, 1)), 2)
    return next((parts for parts in range(most, fewest - 1, -1) if terms % (parts * _TILE) == 0), 1)


def in_parts(arrangement: Arrangement, parts: int, accumulate: str) -> Arrangement:
    """The arrangement with parts as a mode of the factors, and an operand for their sums in front of the result."""
    *inputs, out = arrangement.operands
    terms = arrangement.extents[TERMS] // parts
    factors = [_divided(factor, parts, terms) for factor in inputs[:2]]
    modes = (PARTS, *arrangement.loops, ROWS, COLUMNS)
    extents = {**arrangement.extents, TERMS: terms, PARTS: parts}
    shape = tuple(extents[mode] for mode in modes)
    sums = Arranged(PARTIAL, accumulate, modes, shape, _packed(shape))
    return replace(arrangement, extents=extents, operands=(*factors, *inputs[2:], sums, out))


def _divided(factor: Arranged, parts: int, terms: int) -> Arranged:
    """A factor with a mode of parts in front of that of the terms."""
    at = factor.modes.index(TERMS)

    def inserted(values: tuple[int, ...], part: int, term: int) -> Extents:
        return (*values[:at], part, term, *values[at + 1 :])

    stride = factor.strides[at]
    return replace(
        factor,
        modes=(*factor.modes[:at], PARTS, *factor.modes[at:]),
        shape=inserted(factor.shape, parts, terms),
        strides=inserted(factor.strides, stride * terms, stride),
    )


def _packed(shape: Extents) -> Extents:
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))
