"""Tiles of products and what each costs, as measured on an H200."""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.schedules import Schedule, parse_line
from tilewright.ir.types import F16
from tilewright.targets.nvidia.model import MULTIPROCESSORS, USUAL_THREADS

OF_SPLIT_SECTORS: Final = 0.0024
"""Microseconds that 128 bytes of a row of a box take which begin and end in the middle of a sector of 32 bytes."""
SHARED_TERMS: Final = 1.25
"""How much longer tiles take whose terms blocks share: they load at different places along k."""
DELAYED: Final = 1.08
"""How much longer a step takes at least, whose boxes come so."""


class Cost(Struct, frozen=True):
    """Microseconds of a tile beside its steps along k, and of each step."""

    fixed: float
    step: float

    def of(self, steps: int) -> float:
        """Of a tile."""
        return self.fixed + self.step * steps

    def slower(self, by: float) -> Cost:
        """With steps that take longer."""
        return Cost(self.fixed, self.step * by)

    def of_split_sectors(self, pieces: int) -> Cost:
        """With so many times 128 bytes a step that begin in the middle of a sector."""
        return Cost(self.fixed, max(self.step * DELAYED, pieces * OF_SPLIT_SECTORS))


class MeasuredTile(Struct, frozen=True):
    """A tile of so many elements of a row of the result (`along`), so many `rows`, and steps of `depth` terms.

    `alone` is what it costs with a multiprocessor to itself, `shared` what two cost that share it. A device makes at
    most `rate` operations a second with it before its power is limited. `more` is what else its schedule says, of
    factors of type `{}`. Some are for right factors whose rows run along n alone, or do not (`right_along_n`), and for
    left ones whose rows run along m, or do not (`left_along_m`). So many blocks along m by so many along n of the
    program, which is column-major, are a `cluster`. With `stream` blocks share the terms of what is left behind whole
    waves. A launch takes so many microseconds `once`, a tile so many more whose result is `wider` than the factors.
    """

    along: int
    rows: int
    alone: Cost
    shared: Cost | None = None
    threads: int = USUAL_THREADS
    more: str = ""
    depth: int = 64
    rate: float = math.inf
    right_along_n: bool | None = None
    left_along_m: bool | None = None
    cluster: tuple[int, int] = (1, 1)
    stream: bool = False
    once: float = 0.0
    wider: float = 0.0

    def suits(self, turned: tuple[bool, bool]) -> bool:
        """Whether it is for factors of which the right one's rows run along n, and the left one's along m."""
        return self.right_along_n in (None, turned[0]) and self.left_along_m in (None, turned[1])

    def slower(self, by: float) -> MeasuredTile:
        """With steps that take longer."""
        shared = None if self.shared is None else self.shared.slower(by)
        return replace(self, alone=self.alone.slower(by), shared=shared)

    def of_split_sectors(self, element_bytes: int) -> MeasuredTile:
        """With factors whose rows begin in the middle of sectors."""
        pieces = (self.along + self.rows) * self.depth * element_bytes // 128
        shared = None if self.shared is None else self.shared.of_split_sectors(2 * pieces)
        return replace(self, alone=self.alone.of_split_sectors(pieces), shared=shared)

    def storing(self, element_bytes: int) -> MeasuredTile:
        """With a result of such elements, of factors of two bytes."""
        if element_bytes <= 2 or not self.wider:
            return self
        return replace(self, alone=Cost(self.alone.fixed + self.wider, self.alone.step))

    def seconds(self, m: int, n: int, k: int, many: int) -> float:
        """Of a launch of so many products, without its start."""
        operations = 2 * self._tiles(m, n, many) * self.rows * self.along * -(-k // self.depth) * self.depth
        return max(self.busy(m, n, k, many), operations / self.rate)

    def _tiles(self, m: int, n: int, many: int) -> int:
        across, down = (
            -(-extent // (length * together)) * together
            for extent, length, together in zip((n, m), (self.along, self.rows), self.cluster, strict=True)
        )
        return many * across * down

    def busy(self, m: int, n: int, k: int, many: int) -> float:
        """The same if its power were not limited."""
        tiles, steps = self._tiles(m, n, many), -(-k // self.depth)
        most = -(-tiles // MULTIPROCESSORS)
        waves, rest = divmod(tiles, MULTIPROCESSORS)
        if self.stream and waves and rest:
            shared = SHARED_TERMS * (1 + rest / MULTIPROCESSORS)
            found = (waves - 1 + shared) * self.alone.of(steps)
        elif self.shared is None:
            found = most * self.alone.of(steps)
        else:
            found = most // 2 * self.shared.of(steps) + most % 2 * self.alone.of(steps)
        return (self.once + found) * 1e-6

    @property
    def sharing(self) -> Schedule:
        """What blocks share of it."""
        return Schedule(cluster=None if self.cluster == (1, 1) else self.cluster, stream=self.stream or None)

    @property
    def wishes(self) -> Schedule:
        """How it is run beside its threads and tile, but for products, which are of one type."""
        said = parse_line(self.more.format(F16.name))
        return replace(said, products=(), cluster=self.sharing.cluster, stream=self.sharing.stream)

    def schedule(self, element: str) -> str:
        """The line that asks for it."""
        tile = f"threads={self.threads} tile={self.along}x{self.rows}x{self.depth}{self.more.format(element)}"
        shared = str(self.sharing)
        return f"{tile} {shared}" if shared else tile


_GROUPS: Final = 2 * USUAL_THREADS
_THREE_GROUPS: Final = 3 * USUAL_THREADS
_SIX_STAGES: Final = " product=128x128x64:wgmma.m64n128k16.f32.{}/1x2/6"
_PINGPONG: Final = " roles=yes pingpong=yes"
_SHORT_SLABS: Final = " swizzle=64"
_SHORTEST_SLABS: Final = " swizzle=32 product=16x64x128:wgmma.m64n16k16.f32.{}/1x1/6"
"""Slabs of 32 bytes: of longer ones, which 16 columns do not fill, there is no room for as many stages."""
LIMITED: Final = 7.0e14
_SOONER: Final = 6.75e14
"""Operations a second at which a device is at the limit of its power."""

_ROWS: Final = 128
_FILLED: Final = 1.5
_LAST: Final = 1.0
"""Microseconds of a launch until its first boxes have arrived, and of its last tile, where others hide their stores."""
_STEP: Final = 0.334
_AREA: Final = 0.0021
_LOAD: Final = 0.059
"""Microseconds of a step of 128 rows with 128 columns, what each more of these adds, and what 128 more rows add that
the block loads of both factors."""
_HALF_SLABS: Final = 2.3
_SLABBED: Final = 1.02
"""Microseconds that seven slabs of 32 columns add to a tile of 128 rows; how much longer steps take with such slabs."""
_WIDER: Final = 0.7
"""Microseconds more of a tile of 128 x 256 whose result has elements of four bytes, not of two."""
_ACROSS: Final = 0.0036
"""Microseconds more of a tile whose slabs are stored by lines of 32 bytes, of each row."""


class _Kind(Struct, frozen=True):
    """Tiles that are multiplied alike: microseconds of each beside its steps, how much longer these take than those of
    two groups of warps with 64 rows each, and what a launch takes once."""

    fixed: float
    slower: float = 1.0
    once: float = _FILLED


_TOGETHER: Final = _Kind(1.2)
"""Two groups of warps have 64 rows each."""
_OF_TWO: Final = _Kind(0.8, 1.05)
"""Each of two has 128."""
_OF_THREE: Final = _Kind(2.0, 1.01)
"""Each of three has 64."""
_PAIRED: Final = _Kind(0.6, 1.105, _FILLED + 2.5)
"""Two groups, and a producer warp, in each of two blocks that load the longer side for each other: they have to know
each other first."""
_BY_TURNS: Final = _Kind(0.6, 0.99, _FILLED + _LAST)
_ALONE: Final = 1.2
_TURNED: Final = 1.01
"""A group multiplies while another one stores; what a tile takes more that nothing is left for to hide behind, and how
much longer steps take the other way round."""


def _step(along: int, rows: int, cluster: tuple[int, int] = (1, 1)) -> float:
    """Of a block of a cluster, all of which load for each other what they share."""
    loaded = along / cluster[1] + rows / cluster[0]
    return _STEP + _AREA * (along * rows / _ROWS - _ROWS) + _LOAD * (loaded / _ROWS - 2)


def _tile(
    kind: _Kind,
    along: int,
    rows: int,
    more: str = "",
    *,
    threads: int = _GROUPS,
    right_along_n: bool | None = None,
    cluster: tuple[int, int] = (1, 1),
) -> MeasuredTile:
    """One that nothing hides the stores of."""
    step = _step(along, rows, cluster) * kind.slower * (_SLABBED if _SHORT_SLABS in more else 1.0)
    return MeasuredTile(
        along,
        rows,
        Cost(kind.fixed, step),
        threads=threads,
        more=more,
        right_along_n=right_along_n,
        cluster=cluster,
        once=kind.once,
        wider=_WIDER * along * rows / (2 * _ROWS * _ROWS),
    )


def _together(along: int, more: str = "", right_along_n: bool | None = None) -> MeasuredTile:
    """A tile of which two groups of warps multiply 64 rows each."""
    found = _tile(_TOGETHER, along, _ROWS, more, right_along_n=right_along_n)
    if _SHORT_SLABS not in more:
        return found
    return replace(found, alone=Cost(found.alone.fixed + _HALF_SLABS, found.alone.step))


def _large(
    along: int, rows: int, more: str = "", *, threads: int = _GROUPS, right_along_n: bool | None = None
) -> MeasuredTile:
    """One of which two groups of warps multiply 128 rows each, or three 64."""
    kind = _OF_TWO if threads == _GROUPS else _OF_THREE
    return _tile(kind, along, rows, more, threads=threads, right_along_n=right_along_n)


def _paired(along: int, rows: int, more: str = "", *, right_along_n: bool | None = None) -> MeasuredTile:
    """One of a block that loads with another one."""
    cluster = (1, 2) if along >= rows else (2, 1)
    return _tile(_PAIRED, along, rows, f" roles=yes{more}", right_along_n=right_along_n, cluster=cluster)


def _by_turns(along: int, right_along_n: bool | None = None) -> MeasuredTile:
    """One that a group of warps multiplies while another one stores its own."""
    fixed, step = _BY_TURNS.fixed, _step(along, _ROWS) * _BY_TURNS.slower
    return MeasuredTile(
        along,
        _ROWS,
        Cost(fixed + _ALONE, step),
        Cost(2 * fixed, 2 * step),
        more=_PINGPONG,
        right_along_n=right_along_n,
        once=_BY_TURNS.once,
    )


def _turned(tile: MeasuredTile) -> MeasuredTile:
    """The same the other way round: rows of accumulators are neighbours in memory, of which there are slabs in the
    right factor; any eighth row may be the last, where those of the left one run along k."""
    found = replace(
        tile, along=tile.rows, rows=tile.along, cluster=tile.cluster[::-1], right_along_n=None, left_along_m=False
    )
    if tile.shared is not None:
        return found.slower(_TURNED)
    across = _ACROSS * tile.along
    return replace(found, alone=Cost(tile.alone.fixed + across, tile.alone.step))


WARPGROUP_TILES: Final = (
    MeasuredTile(64, 64, Cost(1.2, 0.37), Cost(1.1, 0.375), rate=4.3e14),
    MeasuredTile(64, 64, Cost(1.3, 0.25), more=" product=64x64x64:wgmma.m64n64k16.f32.{}/1x1/8", rate=3.5e14),
    MeasuredTile(128, 64, Cost(1.5, 0.35), Cost(3.0, 0.34), rate=5.2e14),
    MeasuredTile(128, 64, Cost(1.75, 0.243), more=" product=128x64x64:wgmma.m64n128k16.f32.{}/1x1/8", rate=5e14),
    MeasuredTile(128, 128, Cost(4.9, 0.38), Cost(1.5, 0.745), rate=_SOONER),
    MeasuredTile(128, 128, Cost(1.0, 0.36), threads=_GROUPS, more=_SIX_STAGES, once=_FILLED),
    *(_together(along, right_along_n=False) for along in range(104, 256, 8) if along not in (128, 192)),
    MeasuredTile(160, _ROWS, Cost(1.0, 0.46), threads=_GROUPS, more=_SHORT_SLABS, right_along_n=True, once=_FILLED),
    _together(224, _SHORT_SLABS, right_along_n=True),
    *(_together(along) for along in (192, 256)),
    MeasuredTile(256, 144, Cost(2.2, 0.79), threads=_GROUPS, once=_FILLED),
    MeasuredTile(256, 192, Cost(2.3, 0.981), threads=_GROUPS, rate=8.2e14, once=_FILLED),
    MeasuredTile(64, 16, Cost(3.0, 0.45), Cost(3.0, 0.55), depth=128),
    MeasuredTile(64, 8, Cost(3.0, 0.44), Cost(3.0, 0.54), depth=128),
    MeasuredTile(16, 64, Cost(3.0, 0.50), Cost(3.0, 0.60), depth=128, right_along_n=False),
    MeasuredTile(16, 64, Cost(3.0, 0.47), more=_SHORTEST_SLABS, depth=128, right_along_n=True),
)
"""Tiles that groups of warps multiply, of f16 and bf16.

Fitted to squares of 512 to 16384 in steps of 256 (cold, f16, NN and TT, most of these tiles at most sizes), and 1 and
16 rows or columns of 8192 x 8192. Steps of large tiles take as long as they have elements, whichever they are; with the
device's power they take up to 1.3 times as long in launches of milliseconds, all alike. Where the rows of the right
factor run along n it comes in slabs of 64 or 32 columns, else along n any eighth column may be the last.
"""

_EIGHTHS: Final = (144, 152, 160, 168, 176)
STORED_TILES: Final = (
    *(_by_turns(along, right_along_n=False) for along in _EIGHTHS),
    *(_turned(_by_turns(along)) for along in _EIGHTHS),
    replace(_by_turns(128), shared=Cost(0.7, 0.73), alone=Cost(1.55, 0.365)),
    replace(_by_turns(192), wider=0.5),
    replace(_by_turns(192).slower(1.005), along=_ROWS, rows=192),
    MeasuredTile(192, 256, Cost(2.3, 0.978), threads=_GROUPS, rate=8.2e14, once=_FILLED),
    *(_large(along, 256, right_along_n=False) for along in (*_EIGHTHS, 184)),
    *(_large(along, 192, threads=_THREE_GROUPS, right_along_n=False) for along in (208, 224, 240, 248)),
    *(_turned(_together(along)) for along in range(104, 256, 8) if along not in (128, 192)),
    *(_turned(_large(along, 256)) for along in (*_EIGHTHS, 184)),
    *(_turned(_large(along, 192, threads=_THREE_GROUPS)) for along in (208, 216, 232, 240, 248)),
    _large(160, 256, _SHORT_SLABS, right_along_n=True),
    _large(224, 192, _SHORT_SLABS, threads=_THREE_GROUPS, right_along_n=True),
    *(_paired(along, _ROWS, right_along_n=False) for along in range(208, 256, 8)),
    *(_paired(along, 256, right_along_n=False) for along in range(104, 176, 8) if along != _ROWS),
    *(_turned(_paired(along, _ROWS)) for along in range(208, 256, 8)),
    *(_turned(_paired(along, 256)) for along in range(104, 176, 8) if along != _ROWS),
    _paired(256, _ROWS),
    _paired(_ROWS, 256),
    _paired(224, _ROWS, _SHORT_SLABS, right_along_n=True),
    _paired(160, 256, _SHORT_SLABS, right_along_n=True),
)
"""Tiles of f16 and bf16 where the machine stores the result: those that two work-groups of a block take by turns, those
of more rows, those the other way round, and those whose boxes two blocks load for each other.
"""

CONSTANT_TILES: Final = (MeasuredTile(96, 192, Cost(0.0, 0.5167), more=_SHORT_SLABS, right_along_n=True),)
"""Tiles of f16 and bf16 for products of constant extents alone: with strides that are open threads have too few
registers. H200, cold, 1536 NN .96 of cuBLAS for .93, with open strides .75; 2560 .77 for 1.01."""

STREAMED_TILES: Final = (replace(_together(256, right_along_n=True), stream=True),)
"""Tiles of f16 and bf16 whose terms blocks share.

H200, NN, against whole tiles of 256 x 128: 2560 56.9 us for 59.3, 3328 115.5 for 118.0, 5120 359 for 392, 2304 43.2 for
54.1 (with 256 x 192 41.3); 2816 74.0 for 66.1, 3584 140.5 for 127.7.
"""

_FIVE_STAGES: Final = " product=128x64x64:wgmma.m64n128k16.f32.{}/1x1/5"
"""Of which three are on their way: H200, 1000 9.5 us, with four or eight 9.95, where launches are said to have maps."""

SPLIT_SECTOR_TILES: Final = (
    MeasuredTile(128, 64, Cost(1.5, 0.284), more=_FIVE_STAGES, right_along_n=True, cluster=(1, 2)),
    MeasuredTile(176, 192, Cost(4.0, 0.73), threads=_THREE_GROUPS, right_along_n=True, cluster=(2, 1)),
    MeasuredTile(192, 192, Cost(4.0, 0.78), threads=_THREE_GROUPS, right_along_n=True, cluster=(1, 2)),
    MeasuredTile(256, 192, Cost(4.0, 1.03), threads=_THREE_GROUPS, right_along_n=True, cluster=(1, 2)),
)
"""Tiles of f16 and bf16 for factors whose rows begin in the middle of sectors, as measured with such: each of two
blocks loads half of what both multiply, since loading limits them.

H200, NN, factors in the cache, against the best block alone: 1000 9.5 us for 11.7, 3000 84.1 for 95.6, 4104 209.0 for
239 (212.3 with 256 x 192). Where rows begin at sectors blocks alone are faster.
"""

F32_TILES: Final = (
    MeasuredTile(64, 64, Cost(3.0, 1.3), Cost(3.0, 1.69), depth=32),
    MeasuredTile(128, 128, Cost(3.0, 4.3), Cost(8.0, 5.53), depth=32),
    MeasuredTile(128, 128, Cost(1.5, 2.15), Cost(6.9, 2.85), depth=16),
    MeasuredTile(96, 96, Cost(3.0, 1.04), Cost(3.0, 1.9), depth=16),
    MeasuredTile(128, 64, Cost(3.0, 0.81), Cost(3.1, 1.68), depth=16),
    MeasuredTile(128, 128, Cost(3.0, 4.3), Cost(7.4, 5.58), more=" product=128x128x32:fma.f32/2x2/2", depth=32),
    MeasuredTile(64, 64, Cost(3.0, 1.6), Cost(1.5, 1.75), threads=USUAL_THREADS // 2, depth=32),
)
"""By multiply-adds of f32: fitted to 1025, 3001, 4096 and batches of 64, 128 and 256."""

_SIX_STEPS: Final = " product=64x64x16:m16n8k8.row.col.f64/2x2/6"
"""On their way at a time, which is all of a short product."""

F64_TILES: Final = (
    MeasuredTile(64, 64, Cost(3.0, 0.55), Cost(1.5, 0.86), depth=16),
    MeasuredTile(64, 64, Cost(3.0, 0.57), Cost(1.2, 0.89), more=_SIX_STEPS, depth=16),
    MeasuredTile(64, 80, Cost(3.0, 0.65), Cost(3.0, 0.99), depth=16),
    MeasuredTile(128, 128, Cost(12.0, 1.22), threads=_GROUPS, depth=16),
)
"""By tensor cores of f64: fitted to 1024, 1025, 4096 and batches of 64, 128 and 256."""
