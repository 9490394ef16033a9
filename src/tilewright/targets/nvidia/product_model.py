"""What products of known extents take on an NVIDIA GPU with each tile: the model behind tiles of open programs.

Time is that of the multiprocessor that has most tiles: a start, and for each tile something in front of its first step
along k and behind its last one, and its steps. Two blocks of 128 threads share a multiprocessor where there are tiles
for both. No product is faster than its bytes are moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from tilewright.ir.types import SCALARS, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import MULTIPROCESSORS, USUAL_THREADS, ProductTile, is_by_groups, product_tiles

_START: Final = 3.5e-6
"""Seconds of a launch that computes nothing, between two events."""

_BYTES: Final = 4.2e12
"""A second, of an H200's memory."""

_DEPTH_BYTES: Final = 128
_LEAST_DEPTH: Final = 16


_RATES: Final = {1: 1.2e15, 2: 5e14, 4: 5e13, 8: 6e13}
"""Operations a second of an H200 by units that each warp has for itself, by bytes of a factor's element."""

_ALONE: Final = 0.65
"""Of that, what the warps of one block of 128 threads reach: one a scheduler."""


class Chosen(Struct, frozen=True):
    """A schedule that asks for a tile, and the seconds that products take with it."""

    schedule: str
    seconds: float


class Cost(Struct, frozen=True):
    """Microseconds of a tile beside its steps, and of each step of 128 bytes along k."""

    fixed: float
    step: float

    def of(self, steps: int) -> float:
        """Of a tile."""
        return self.fixed + self.step * steps


class MeasuredTile(Struct, frozen=True):
    """A tile of so many elements of a row of the result, and of so many rows; what one costs that has a multiprocessor
    to itself, and two that share it. `more` is what else its schedule says."""

    along: int
    rows: int
    alone: Cost
    shared: Cost | None = None
    threads: int = USUAL_THREADS
    more: str = ""

    def seconds(self, m: int, n: int, steps: int, many: int) -> float:
        """Of a launch, without its start."""
        tiles = many * -(-m // self.rows) * -(-n // self.along)
        most = -(-tiles // MULTIPROCESSORS)
        if self.shared is None:
            return most * self.alone.of(steps) * 1e-6
        return (most // 2 * self.shared.of(steps) + most % 2 * self.alone.of(steps)) * 1e-6


_GROUPS: Final = 2 * USUAL_THREADS
_AS_IT_COMES: Final = " persistent=no"

WARPGROUP_TILES: Final = (
    MeasuredTile(64, 64, Cost(3.4, 0.28), Cost(2.9, 0.37)),
    MeasuredTile(128, 64, Cost(4.1, 0.24), Cost(2.1, 0.6)),
    MeasuredTile(128, 128, Cost(5.9, 0.405), Cost(0.0, 0.784)),
    MeasuredTile(112, 128, Cost(2.6, 0.39), threads=_GROUPS, more=_AS_IT_COMES),
    MeasuredTile(128, 128, Cost(2.9, 0.38), threads=_GROUPS, more=_AS_IT_COMES),
    MeasuredTile(160, 128, Cost(1.8, 0.54), threads=_GROUPS, more=_AS_IT_COMES),
    MeasuredTile(192, 128, Cost(2.8, 0.544), threads=_GROUPS, more=_AS_IT_COMES),
    MeasuredTile(208, 128, Cost(1.7, 0.668), threads=_GROUPS),
    MeasuredTile(224, 128, Cost(3.1, 0.634), threads=_GROUPS),
    MeasuredTile(240, 128, Cost(2.5, 0.687), threads=_GROUPS),
    MeasuredTile(256, 128, Cost(3.0, 0.708), threads=_GROUPS),
    MeasuredTile(256, 192, Cost(2.9, 1.084), threads=_GROUPS),
    MeasuredTile(64, 16, Cost(3.0, 0.25), Cost(2.0, 0.3)),
    MeasuredTile(16, 64, Cost(3.0, 0.25), Cost(2.0, 0.3)),
)
"""Tiles that groups of warps multiply, of f16 and bf16. Fitted to squares of 1024 to 6144 on an H200 (cold, both
factors by rows): of 22 squares up to 12288 the one taken has 0.987 of the speed of the best that was tried."""


def _tiles(factor: ScalarType, sums: ScalarType, architecture: Architecture, depth: int) -> Iterator[MeasuredTile]:
    """Those of a product of factors of a type."""
    if is_by_groups(factor, factor, sums, architecture):
        yield from WARPGROUP_TILES
        return
    for tile in product_tiles(factor, factor, sums, architecture).tiles:
        yield _rated(tile, _RATES[factor.bytes], depth)


def _rated(tile: ProductTile, rate: float, depth: int) -> MeasuredTile:
    """A tile of which is known how fast a device is that is busy with such."""
    step = 2e6 * tile.rows * tile.columns * depth * MULTIPROCESSORS / (rate * tile.speed)
    if tile.threads > USUAL_THREADS:
        return MeasuredTile(tile.rows, tile.columns, Cost(3.0, step), threads=tile.threads)
    return MeasuredTile(tile.rows, tile.columns, Cost(3.0, step / _ALONE), Cost(3.0, 2 * step))


def chosen_tile(
    extents: tuple[int, int, int], many: int, element: str, result: str, accumulate: str, architecture: Architecture
) -> Chosen:
    """The tile of so `many` products of matrices, each m x n x k, with which they take least time."""
    m, n, k = (max(extent, 1) for extent in extents)
    factor, sums = SCALARS[element], SCALARS[accumulate]
    depth = max(_DEPTH_BYTES // factor.bytes, _LEAST_DEPTH)
    floor = many * (m * k + k * n) * factor.bytes + many * m * n * SCALARS[result].bytes
    best = min(_tiles(factor, sums, architecture, depth), key=lambda tile: tile.seconds(m, n, -(-k // depth), many))
    seconds = max(best.seconds(m, n, -(-k // depth), many), floor / _BYTES)
    schedule = f"threads={best.threads} tile={best.along}x{best.rows}x{depth}{best.more}"
    return Chosen(schedule, _START + seconds)
