"""Products of open extents that a launch makes thin: boxes of the result for which neither factor is packed.

A box lies along the mode of the result whose elements are neighbours, so that a step multiplies vectors by scalars. Only
at the end of that mode do boxes test where it ends; across it they are single columns behind the last few together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.emit import Length
from tilewright.transforms.policy import ThinTiles
from tilewright.transforms.tiling import Box, Piece, checked_pieces, whole_pieces


def is_thin(build: Builder, lengths: Sequence[Length], tiles: ThinTiles) -> Value:
    """Whether any of the extents that are open is short."""
    shortest, *others = (length for length in lengths if not isinstance(length, int))
    for length in others:
        shortest = emit.minimum(build, shortest, length)
    return emit.less(build, shortest, build.index(tiles.below))


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
