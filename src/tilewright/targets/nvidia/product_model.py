"""What products of known extents take on an NVIDIA GPU with each tile: the model behind tiles of open programs.

Time is that of the multiprocessor that has most tiles: a start, and for each tile something in front of its first step
along k and behind its last one, and its steps. Two blocks of 128 threads share a multiprocessor where there are tiles
for both. No product is faster than its bytes are moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.schedules import Tiles
from tilewright.ir.types import ALL_SCALARS, F8E4M3FN, F8E5M2, F32, F64, I8, SCALARS, TF32, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.group_tiles import (
    CONSTANT_TILES,
    SPLIT_SECTOR_TILES,
    STORED_TILES,
    STREAMED_TILES,
    WARPGROUP_TILES,
)
from tilewright.targets.nvidia.measured_tiles import F32_TILES, F64_TILES, Cost, MeasuredTile, Slower
from tilewright.targets.nvidia.model import MULTIPROCESSORS, USUAL_THREADS, ProductTile, is_by_groups, product_tiles
from tilewright.targets.nvidia.modelled_tiles import ModelledTile, modelled_tiles

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


_AnyTile = TypeVar("_AnyTile", bound="MeasuredTile | ModelledTile")
Turned: TypeAlias = tuple[bool, bool]
"""Whether neighbours of the factor with the columns of the result, and of the one with its rows, are along these."""


class Chosen(Struct, frozen=True):
    """A schedule that asks for a tile, and the seconds that products take with it."""

    schedule: str
    seconds: float


_FLAGGED: Final = 1.5e-4
"""Seconds of the host that a launch takes longer whose blocks share terms: it goes through Python, for the memory of
its flags is that of a stream. H200, host not ahead of the device: 2560 155 us for 58, 5120 508 for 386, where the
device alone takes 57 for 59 and 359 for 392."""
_LASTING: Final = (1e-3, 2.3e-3)
"""Seconds, at least and at most, of launches for which a device is at the limit of its power, if others were in front
of them. H200, bias and gelu, half a millisecond between launches, NT and NN, tiles for such a device over others: 3072
.98 .97, 5120 1.00, 8192 1.04 1.04, 9216 1.03 1.02; 10240 .97 .99, 12288 .99 .99, 16384 .96 .96, so what lasts longer is
left as it is."""
_HALF: Final = 64
"""Elements of 16 bits in 128 bytes."""
_HALF_BYTES: Final = 2
_LEAST_SIZE: Final = 512
_LONG: Final = MeasuredTile(128, 256, Cost(2.2, 0.68), threads=2 * USUAL_THREADS)
_BY_TURNS: Final = MeasuredTile(
    128,
    128,
    Cost(1.4, 0.314),
    Cost(0.6, 0.628),
    more=" roles=yes pingpong=yes",
    depth=32,
    once=2.5,
    slowed=(Slower(1.09, 3000),),
)
"""Of tf32: stores of four bytes that nothing hides take long. H200, gemm, of cuBLAS's speed: 2048 1.05, with 256 x 128
.98, 128 x 256 .97; 4096 .985, with 256 x 128 .992."""
_MOST_SUMS: Final = 128
"""Of a thread, beside a factor in registers."""
_LEAST_READ: Final = 64
_READ: Final = 1.22
"""How much longer a step takes of which threads read a factor for fewer columns than an instruction has."""
_MOST_COLUMNS: Final = 256
_SMALL_FLOATS: Final = (F8E4M3FN, F8E5M2)
_LARGE, _PAIR = (256, 128), (1, 2)
"""Elements of a row and rows of a tile of floats of 8 bits that pairs of blocks have, and the cluster of a pair."""


def tile_of_groups(
    extents: tuple[int, int, int],
    threads: int | None = None,
    tiles: Tiles | None = None,
    *,
    turned: Turned = (False, False),
    whole_sectors: bool = True,
    shares: bool = False,
    result_bytes: int = _HALF_BYTES,
) -> MeasuredTile | ModelledTile | None:
    """The tile for groups of warps with which a product m x n x k of elements of two bytes takes least time.

    None for results that are smaller than what has been measured. Tiles for other `threads` than a block is known to
    have are left out, if any are left. Where a program `shares`, its blocks may share terms, or copies in clusters.
    """
    m, n, _ = extents
    if min(m, n) < _LEAST_SIZE:
        return None
    usual: list[MeasuredTile | ModelledTile] = [
        tile for tile in WARPGROUP_TILES if tile.depth == _HALF and tile.suits(turned)
    ]
    if tiles is Tiles.ANY:
        usual += modelled_tiles(turned[0])
    mine = [tile for tile in usual if threads in (None, tile.threads)] or usual
    if shares and whole_sectors:
        mine += [
            tile for tile in (*STORED_TILES, *CONSTANT_TILES) if threads in (None, tile.threads) and tile.suits(turned)
        ]
    clustered, streamed = (
        [one for one in shared if shares and threads in (None, one.threads)]
        for shared in (SPLIT_SECTOR_TILES, STREAMED_TILES)
    )
    return _best_of_groups(mine, extents, 1, turned, whole_sectors, clustered, streamed, result_bytes)


def _best_of_groups(
    tiles: Sequence[MeasuredTile | ModelledTile],
    extents: tuple[int, int, int],
    many: int,
    turned: Turned,
    whole_sectors: bool,
    clustered: Sequence[MeasuredTile],
    streamed: Sequence[MeasuredTile],
    result_bytes: int,
) -> MeasuredTile | ModelledTile:
    """That with which products take least time, of `tiles`, of those for clusters and those whose terms are shared."""
    m, n, k = extents
    tiles = [tile.storing(result_bytes) if isinstance(tile, MeasuredTile) else tile for tile in tiles]
    if not whole_sectors:
        tiles = [tile.of_split_sectors(_HALF_BYTES) for tile in tiles]
        tiles += [tile for tile in clustered if tile.suits(turned)]
    best = min(_fitting(tiles, m, n), key=lambda tile: tile.seconds(m, n, k, many))
    return _streamed(best, streamed, extents, turned) if whole_sectors and many == 1 else best


def _tiles_of_lines(factor: ScalarType, turned: Turned) -> Iterator[MeasuredTile]:
    """Those of tf32 and of bytes, whose steps of a line of 128 bytes take as long as those of elements of two bytes.

    H200, tf32, 4096: 385e12 a second with 256 x 128 and no factor turned; with a turned one 382 for 256 columns, 308
    for 128.
    """
    least = max(_LEAST_READ, _DEPTH_BYTES // factor.bytes)
    for half in (*WARPGROUP_TILES, _LONG):
        if half.along * half.rows > _MOST_SUMS * half.threads or half.depth != _HALF or half.more:
            continue
        tile = replace(half, depth=_DEPTH_BYTES // factor.bytes, rate=math.inf)
        if not any(turned):
            yield tile
            continue
        sides = (tile.along, tile.rows)
        if any(side < _LEAST_READ or side & (side - 1) for side in sides) or sides[not turned[0]] < least:
            continue
        # the other side's are the columns of an instruction
        yield tile if sides[turned[0]] == _MOST_COLUMNS else tile.slower(_READ)


def _is_of_lines(factor: ScalarType, architecture: Architecture, turned: Turned, fast: bool) -> bool:
    """Whether groups of warps multiply tf32, bytes of which threads read a factor, or floats of 8 bits whose sums may
    be `fast`, as they lie."""
    is_read = factor is TF32 or (factor is I8 and any(turned)) or (fast and factor in _SMALL_FLOATS)
    return is_read and architecture is Architecture.SM_90A and not all(turned)


def tile_of_lines(
    factor: ScalarType,
    extents: tuple[int, int, int],
    turned: Turned,
    architecture: Architecture,
    threads: int | None = None,
    *,
    fast: bool = False,
    shares: bool = False,
) -> MeasuredTile | None:
    """The tile with which a product m x n x k of tf32, of bytes one factor of which lies as units do not take it, or of
    floats of 8 bits with `fast` sums takes least time.

    None for other factors, and where units or copies take both as they lie. Blocks may have as many `threads` as are
    known, and groups of warps take turns where a program `shares` as the model wishes.
    """
    if not _is_of_lines(factor, architecture, turned, fast):
        return None
    m, n, k = extents
    tiles = [*_tiles_of_lines(factor, turned)]
    if shares and factor is TF32 and not any(turned):
        tiles.append(_BY_TURNS)
    mine = [tile for tile in tiles if threads in (None, tile.threads)] or tiles
    return min(_fitting(mine, m, n), key=lambda tile: tile.seconds(m, n, k, 1))


def _tiles(
    factor: ScalarType, accumulators: ScalarType, architecture: Architecture, turned: Turned, exact: bool
) -> Iterator[MeasuredTile]:
    """Those of a product of factors of a type."""
    if _is_of_lines(factor, architecture, turned, not exact):
        yield from _tiles_of_lines(factor, turned)
    elif is_by_groups(factor, factor, accumulators, architecture):
        yield from (tile for tile in WARPGROUP_TILES if tile.suits(turned))
    elif factor is F32 and accumulators is F32 and exact:
        yield from F32_TILES
    elif factor is F64 and architecture is Architecture.SM_90A:
        yield from F64_TILES
    else:
        for tile in product_tiles(factor, factor, accumulators, architecture).tiles:
            yield _rated(tile, factor)


def _rated(tile: ProductTile, factor: ScalarType) -> MeasuredTile:
    """A tile of which is known how fast a device is that is busy with such."""
    depth = max(_DEPTH_BYTES // factor.bytes, _LEAST_DEPTH)
    step = 2e6 * tile.rows * tile.columns * depth * MULTIPROCESSORS / (_RATES[factor.bytes] * tile.speed)
    if tile.threads > USUAL_THREADS:
        return MeasuredTile(tile.rows, tile.columns, Cost(3.0, step), threads=tile.threads, depth=depth)
    return MeasuredTile(tile.rows, tile.columns, Cost(3.0, step / _ALONE), Cost(3.0, 2 * step), depth=depth)


def _fitting(tiles: Sequence[_AnyTile], m: int, n: int) -> list[_AnyTile]:
    """Those of which less than half lies outside along each mode, where there are smaller ones: few blocks that load
    what nobody needs are not as fast as the sum of what they do."""
    rows, along = (min(lengths) for lengths in zip(*((tile.rows, tile.along) for tile in tiles), strict=True))
    fit = [tile for tile in tiles if tile.rows < 2 * max(m, rows) and tile.along < 2 * max(n, along)]
    return fit or [*tiles]


def _streamed(
    best: MeasuredTile | ModelledTile, streamed: Sequence[MeasuredTile], extents: tuple[int, int, int], turned: Turned
) -> MeasuredTile | ModelledTile:
    """A tile whose terms blocks share in place of the best one, if that takes less by more than it takes the host."""
    for tile in streamed:
        is_less = isinstance(best, MeasuredTile) and tile.seconds(*extents, 1) + _FLAGGED < best.seconds(*extents, 1)
        if is_less and tile.suits(turned):
            return tile
    return best


def _beside_a_producer(tile: MeasuredTile | ModelledTile, rows: int) -> MeasuredTile | ModelledTile:
    """A tile of floats of 8 bits, in pairs of blocks of which producer warps copy factors for both where it is large:
    faster on an H200 at 4096 and 8192, which have such tiles (`benchmarks/gpu/products.py`)."""
    is_large = isinstance(tile, MeasuredTile) and (tile.along, tile.rows) == _LARGE
    is_even = -(-rows // tile.rows) % len(_PAIR) == 0
    return replace(tile, more=" roles=yes", cluster=_PAIR) if is_large and is_even else tile


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
    exact: bool = True,
    tiles: Tiles | None = None,
    streams: bool = False,
    by_machine: bool = False,
    operations: int = 0,
) -> Chosen:
    """The tile of so `many` products of matrices, each m x n x k, with which they take least time.

    `whole_sectors` says whether rows of factors begin at multiples of 32 bytes, `exact` whether nothing is rounded on
    the way. With `tiles` any, those are among them of which only a model knows what they take. Only where a product
    `streams` blocks share its terms, and only where the machine stores its result (`by_machine`), and there is one, it
    has tiles of which that is asked. So many `operations` on each element of the result follow. Long products that
    something follows are layers: a device is at the limit of its power before them.
    """
    m, n, k = (max(extent, 1) for extent in extents)
    factor, accumulators = ALL_SCALARS[element], SCALARS[accumulate]
    found: list[MeasuredTile | ModelledTile] = [*_tiles(factor, accumulators, architecture, turned, exact)]
    if tiles is Tiles.ANY and is_by_groups(factor, factor, accumulators, architecture):
        found += modelled_tiles(turned[0])
    if is_by_groups(factor, factor, accumulators, architecture):
        if by_machine and whole_sectors and many == 1:
            found += [tile for tile in STORED_TILES if tile.suits(turned)]
        shared = STREAMED_TILES if streams else ()
        bytes_ = SCALARS[result].bytes
        found = [tile.followed(operations) if isinstance(tile, MeasuredTile) else tile for tile in found]
        clustered = [tile.followed(operations) for tile in SPLIT_SECTOR_TILES]
        best = _best_of_groups(found, (m, n, k), many, turned, whole_sectors, clustered, shared, bytes_)
        if operations and _LASTING[0] < best.seconds(m, n, k, many) < _LASTING[1]:
            found = [tile.heated() if isinstance(tile, MeasuredTile) else tile for tile in found]
            clustered, shared = ([tile.heated() for tile in tiles] for tiles in (clustered, shared))
            best = _best_of_groups(found, (m, n, k), many, turned, whole_sectors, clustered, shared, bytes_)
    else:
        known = [tile if whole_sectors else tile.of_split_sectors(factor.bytes) for tile in found]
        best = min(_fitting(known, m, n), key=lambda tile: tile.seconds(m, n, k, many))
        if not exact and factor in _SMALL_FLOATS and by_machine and whole_sectors and many == 1 and not any(turned):
            best = _beside_a_producer(best, m)
    floor = many * ((m * k + k * n) * factor.bytes + m * n * SCALARS[result].bytes)
    seconds = max(best.seconds(m, n, k, many), floor / _BYTES)
    return Chosen(best.schedule(element), _START + seconds)
