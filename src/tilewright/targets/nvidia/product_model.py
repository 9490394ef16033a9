"""What products of known extents take on an NVIDIA GPU with each tile: the model behind tiles of open programs.

Time is that of the multiprocessor that has most tiles: a start, and for each tile something in front of its first step
along k and behind its last one, and its steps. Two blocks of 128 threads share a multiprocessor where there are tiles
for both. No product is faster than its bytes are moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.types import ALL_SCALARS, SCALARS, TF32, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import MULTIPROCESSORS, USUAL_THREADS, ProductTile, is_by_groups, product_tiles

_START: Final = 3.5e-6
"""Seconds of a launch that computes nothing, between two events."""

_BYTES: Final = 4.2e12
"""A second, of an H200's memory."""

_OF_SPLIT_SECTORS: Final = 0.0024
"""Microseconds that a row of a box takes which begins and ends in the middle of a sector of 32 bytes."""
_DELAYED: Final = 1.08
"""How much longer a step takes at least, whose boxes come so."""

_DEPTH_BYTES: Final = 128
_LEAST_DEPTH: Final = 16


_RATES: Final = {1: 1.2e15, 2: 5e14, 4: 5e13, 8: 6e13}
"""Operations a second of an H200 by units that each warp has for itself, by bytes of a factor's element."""

_ALONE: Final = 0.65
"""Of that, what the warps of one block of 128 threads reach: one a scheduler."""


Turned: TypeAlias = tuple[bool, bool]
"""Whether neighbours of the factor with the columns of the result, and of the one with its rows, are along these."""


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

    def slower(self, by: float) -> Cost:
        """With steps that take longer."""
        return Cost(self.fixed, self.step * by)

    def of_split_sectors(self, rows: int) -> Cost:
        """With so many rows of boxes a step that begin in the middle of a sector."""
        return Cost(self.fixed, max(self.step * _DELAYED, rows * _OF_SPLIT_SECTORS))


class MeasuredTile(Struct, frozen=True):
    """A tile of so many elements of a row of the result, and of so many rows; what one costs that has a multiprocessor
    to itself, and two that share it. `most` are the operations a second, also for what tiles have beyond the matrix,
    that the power of the device allows. `more` is what else its schedule says."""

    along: int
    rows: int
    alone: Cost
    shared: Cost | None = None
    threads: int = USUAL_THREADS
    more: str = ""
    most: float = math.inf

    def slower(self, by: float) -> MeasuredTile:
        """With steps that take longer."""
        shared = None if self.shared is None else self.shared.slower(by)
        return replace(self, alone=self.alone.slower(by), shared=shared)

    @property
    def of_split_sectors(self) -> MeasuredTile:
        """With factors whose rows begin in the middle of sectors."""
        rows = self.along + self.rows
        shared = None if self.shared is None else self.shared.of_split_sectors(2 * rows)
        return replace(self, alone=self.alone.of_split_sectors(rows), shared=shared)

    def seconds(self, m: int, n: int, steps: int, many: int) -> float:
        """Of a launch, without its start."""
        tiles = many * -(-m // self.rows) * -(-n // self.along)
        found, operations = self._by_tiles(tiles, steps), 2 * tiles * self.rows * self.along * steps * _HALVES
        return max(found, operations / self.most) if found > _LONG_LAUNCH else found

    def _by_tiles(self, tiles: int, steps: int) -> float:
        """Where nothing but their number counts."""
        most = -(-tiles // MULTIPROCESSORS)
        if self.shared is None:
            return most * self.alone.of(steps) * 1e-6
        return (most // 2 * self.shared.of(steps) + most % 2 * self.alone.of(steps)) * 1e-6


_GROUPS: Final = 2 * USUAL_THREADS
_HALVES: Final = 64
"""Numbers of f16 in a step."""
_AS_IT_COMES: Final = " persistent=no"
_LEAST_SIZE: Final = 512
_LONG_LAUNCH: Final = 6e-5
"""Seconds of a launch whose pace the power of the device sets."""

WARPGROUP_TILES: Final = (
    MeasuredTile(64, 64, Cost(3.4, 0.35), Cost(1.85, 0.43)),
    MeasuredTile(128, 64, Cost(3.2, 0.34), Cost(3.5, 0.42), more=_AS_IT_COMES),
    MeasuredTile(128, 64, Cost(4.1, 0.34), Cost(2.8, 0.47)),
    MeasuredTile(256, 128, Cost(3.6, 0.715), threads=_GROUPS, most=6.9e14),
    MeasuredTile(128, 128, Cost(5.9, 0.405), Cost(2.8, 0.735), most=6.3e14),
    MeasuredTile(112, 128, Cost(3.5, 0.425), threads=_GROUPS, most=5.7e14, more=_AS_IT_COMES),
    MeasuredTile(128, 128, Cost(3.5, 0.42), threads=_GROUPS, most=5.7e14, more=_AS_IT_COMES),
    MeasuredTile(160, 128, Cost(1.8, 0.54), threads=_GROUPS, most=5.9e14, more=_AS_IT_COMES),
    MeasuredTile(192, 128, Cost(2.8, 0.544), threads=_GROUPS, most=5.9e14, more=_AS_IT_COMES),
    MeasuredTile(208, 128, Cost(2.0, 0.668), threads=_GROUPS, most=6.5e14),
    MeasuredTile(224, 128, Cost(3.1, 0.634), threads=_GROUPS, most=6.5e14),
    MeasuredTile(240, 128, Cost(2.5, 0.70), threads=_GROUPS, most=6.5e14),
    MeasuredTile(256, 192, Cost(2.9, 1.084), threads=_GROUPS, most=6.9e14),
    MeasuredTile(64, 16, Cost(3.0, 0.25), Cost(2.0, 0.3)),
    MeasuredTile(16, 64, Cost(3.0, 0.25), Cost(2.0, 0.3)),
)
"""Tiles that groups of warps multiply, of f16 and bf16.

Fitted to squares of 1024 to 12288 and batches of 64 to 256 on an H200 (cold, both factors by rows): 22 of 23 squares
are within 2 % of the best of 60 schedules, 1024 is 6 % off, which wants eight stages. Those with few rows or columns
are estimates: memory decides there.
"""


def tile_of_groups(m: int, n: int, steps: int, threads: int | None = None) -> MeasuredTile | None:
    """The tile for groups of warps with which a product of so many steps of 64 takes least time.

    None for results that are smaller than what has been measured. Tiles for other `threads` than a block is known to
    have are left out, if any are left.
    """
    if min(m, n) < _LEAST_SIZE:
        return None
    mine = [tile for tile in WARPGROUP_TILES if threads in (None, tile.threads)] or [*WARPGROUP_TILES]
    return min(mine, key=lambda tile: tile.seconds(n, m, steps, 1))


_LONG: Final = MeasuredTile(128, 256, Cost(3.6, 0.715), threads=_GROUPS)
_MOST_SUMS: Final = 128
"""Of a thread, beside a factor in registers."""
_LEAST_READ: Final = 64
_READ: Final = 1.22
"""How much longer a step takes of which threads read a factor for fewer columns than an instruction has."""
_MOST_COLUMNS: Final = 256


def _tiles_of_words(turned: Turned) -> Iterator[MeasuredTile]:
    """Those of tf32, whose steps take as long as those of twice as many elements of half the size.

    H200, 4096: 385e12 a second with 256 x 128 and no factor turned; with a turned one 382 for 256 columns, 308 for 128.
    """
    for tile in (*WARPGROUP_TILES, _LONG):
        if tile.along * tile.rows > _MOST_SUMS * tile.threads:
            continue
        tile = replace(tile, most=math.inf)
        if not any(turned):
            yield tile
            continue
        sides = (tile.along, tile.rows)
        if any(side < _LEAST_READ or side & (side - 1) for side in sides):
            continue
        # the other side's are the columns of an instruction
        yield tile if sides[turned[0]] == _MOST_COLUMNS else tile.slower(_READ)


def _tiles(
    factor: ScalarType, sums: ScalarType, architecture: Architecture, depth: int, turned: Turned
) -> Iterator[MeasuredTile]:
    """Those of a product of factors of a type."""
    if factor is TF32 and architecture is Architecture.SM_90A and not all(turned):
        yield from _tiles_of_words(turned)
        return
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
    extents: tuple[int, int, int],
    many: int,
    element: str,
    result: str,
    accumulate: str,
    architecture: Architecture,
    *,
    whole_sectors: bool = True,
    turned: Turned = (False, False),
) -> Chosen:
    """The tile of so `many` products of matrices, each m x n x k, with which they take least time.

    `whole_sectors` says whether rows of factors begin at multiples of 32 bytes. What is `turned` matters to tf32 alone.
    """
    m, n, k = (max(extent, 1) for extent in extents)
    factor, sums = ALL_SCALARS[element], SCALARS[accumulate]
    depth = max(_DEPTH_BYTES // factor.bytes, _LEAST_DEPTH)
    steps = -(-k // depth)
    found = _tiles(factor, sums, architecture, depth, turned)
    tiles = [tile if whole_sectors else tile.of_split_sectors for tile in found]
    best = min(tiles, key=lambda tile: tile.seconds(m, n, steps, many))
    floor = many * ((m * k + k * n) * factor.bytes + m * n * SCALARS[result].bytes)
    seconds = max(best.seconds(m, n, steps, many), floor / _BYTES)
    schedule = f"threads={best.threads} tile={best.along}x{best.rows}x{depth}{best.more}"
    return Chosen(schedule, _START + seconds)
