"""Products of open extents that a launch makes thin: boxes of the result for which neither factor is packed.

A box lies along the mode of the result whose elements are neighbours, so that a step multiplies vectors by scalars.
Only at the end of that mode do boxes test where it ends; across it those behind the last few columns are single ones.
Few results of many terms are dot products, whose vectors lie along the terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.emit import Length
from tilewright.transforms.policy import ThinTiles
from tilewright.transforms.tiling import Box, Piece, checked_pieces, whole_pieces


def is_thin(build: Builder, lengths: Sequence[Length], tiles: ThinTiles) -> Value | None:
    """Whether any of m, n and k that are open is short; None if that never is."""
    found: Value | None = None
    for length, below in zip(lengths, tiles.below, strict=True):
        if below and not isinstance(length, int):
            short = emit.less(build, length, build.index(below))
            found = short if found is None else emit.either(build, found, short)
    return found


def are_dots(build: Builder, lengths: Sequence[Length], tiles: ThinTiles, mode: int) -> Value:
    """Whether the result has few lines along a mode, and many terms."""
    *totals, inner = (emit.as_value(build, length) for length in lengths)
    is_few = emit.less(build, totals[mode], build.index(tiles.few + 1))
    return emit.both(build, is_few, emit.not_less(build, inner, build.index(tiles.terms)))


def cover_dots(
    build: Builder, totals: Sequence[Length], tiles: ThinTiles, mode: int, body: Callable[[Builder, Box], None]
) -> None:
    """Call `body(builder, box)` for independent boxes that cover the result and are one position long along a mode.

    All lines of the mode meet the same ones of the other factor, which stay in the first cache, before the next.
    """
    lines, across = (emit.as_value(build, totals[k]) for k in (mode, 1 - mode))

    def each(at: Builder, column: Piece) -> None:
        def line(deep: Builder, piece: Piece) -> None:
            body(deep, Box((piece, column) if mode == 0 else (column, piece)))

        whole_pieces(at, at.index(0), lines, 1, line)

    single = whole_pieces(build, build.index(0), across, tiles.columns, each)
    whole_pieces(build, single, across, 1, each)


def cover_thin(
    build: Builder, totals: Sequence[Length], tiles: ThinTiles, body: Callable[[Builder, Box], None]
) -> None:
    """Call `body(builder, box)` for independent boxes that cover the result.

    Whole boxes along the run are finished one by one, so that what they read of a factor stays in the first cache; at
    its end columns come first, since there may be many of them and nothing else.
    """
    along, across = (emit.as_value(build, totals[mode]) for mode in (tiles.run, 1 - tiles.run))

    def box(at: Builder, run: Piece, column: Piece) -> None:
        body(at, Box((run, column) if tiles.run == 0 else (column, run)))

    def columns(at: Builder, each: Callable[[Builder, Piece], None]) -> None:
        single = whole_pieces(at, at.index(0), across, tiles.columns, each)
        whole_pieces(at, single, across, 1, each)

    def strip(at: Builder, run: Piece) -> None:
        columns(at, lambda deep, column: box(deep, run, column))

    rest = whole_pieces(build, build.index(0), along, tiles.length, strip)

    def end(at: Builder, column: Piece) -> None:
        checked_pieces(at, rest, along, tiles.rest, lambda deep, run: box(deep, run, column))

    columns(build, end)
