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
    waves. A launch takes so many microseconds `once`. Products of more than `most_terms` have others.
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
    most_terms: float = math.inf

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

    def seconds(self, m: int, n: int, k: int, many: int) -> float:
        """Of a launch of so many products, without its start."""
        if k > self.most_terms:
            return math.inf
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
_TILE: Final = 2.2
_HALF_SLABS: Final = 2.3
"""Microseconds of a tile beside its steps, and what seven slabs of 32 columns add."""
_STEP: Final = 0.33
_COLUMN: Final = 0.0026
"""Microseconds of a step of 128 rows with 128 columns, and what each more of these adds."""
_UNHIDDEN: Final = 0.6
_SLOWER: Final = 1.025
_ALONE: Final = 1.2
"""Microseconds beside the steps of tiles that hide each other's stores, and how much longer steps take; beside one that
nothing is left for to hide behind."""


_OF_TWO: Final = 4.4
_OF_THREE: Final = 4.2
_DENSER: Final = 0.963
_SLABBED: Final = 1.03
"""Microseconds of a tile of more rows beside its steps, and how much less these take, which load less for what they
multiply; how much longer, with slabs of 32 columns."""
_MOST_TERMS: Final = 8000
"""Of more, tiles by turns are faster (H100, f16, 8192 and 9216, NT and NN: 1.02 to 1.03 times)."""
_ACROSS: Final = 0.0036
"""Microseconds more of a tile whose slabs are stored by lines of 32 bytes, of each row."""


def _step(along: float) -> float:
    return _STEP + _COLUMN * (along - _ROWS)


def _together(along: int, more: str = "", right_along_n: bool | None = None) -> MeasuredTile:
    """A tile of which two groups of warps multiply 64 rows each."""
    cost = Cost(_TILE + _HALF_SLABS * (more == _SHORT_SLABS), _step(along))
    return MeasuredTile(along, _ROWS, cost, threads=_GROUPS, more=more, right_along_n=right_along_n, once=_FILLED)


def _large(
    along: int, rows: int, more: str = "", *, threads: int = _GROUPS, right_along_n: bool | None = None
) -> MeasuredTile:
    """One of which two groups of warps multiply 128 rows each, or three 64."""
    step = _step(along * rows / _ROWS) * _DENSER * (_SLABBED if more == _SHORT_SLABS else 1.0)
    return MeasuredTile(
        along,
        rows,
        Cost(_OF_TWO if threads == _GROUPS else _OF_THREE, step),
        threads=threads,
        more=more,
        right_along_n=right_along_n,
        once=_FILLED,
        most_terms=_MOST_TERMS,
    )


def _turned(tile: MeasuredTile) -> MeasuredTile:
    """The same the other way round: rows of accumulators are neighbours in memory, of which there are slabs in the
    right factor; any eighth row may be the last, where those of the left one run along k."""
    alone = Cost(tile.alone.fixed + _ACROSS * tile.along, tile.alone.step)
    return replace(tile, along=tile.rows, rows=tile.along, alone=alone, right_along_n=True, left_along_m=False)


def _by_turns(along: int, cost: Cost, right_along_n: bool | None = None, alone: float = _ALONE) -> MeasuredTile:
    """One that a group of warps multiplies while another one stores its own."""
    return MeasuredTile(
        along,
        _ROWS,
        Cost(cost.fixed + alone, cost.step),
        Cost(2 * cost.fixed, 2 * cost.step),
        more=_PINGPONG,
        right_along_n=right_along_n,
        once=_FILLED + _LAST,
    )


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
    MeasuredTile(256, 144, Cost(_TILE, 0.79), threads=_GROUPS, once=_FILLED),
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

STORED_TILES: Final = (
    *(_by_turns(along, Cost(_UNHIDDEN, _step(along) * _SLOWER), right_along_n=False) for along in (144, 160, 168, 176)),
    _by_turns(128, Cost(0.35, 0.347)),
    _by_turns(192, Cost(1.2, 0.493), alone=0.0),
    MeasuredTile(192, 256, Cost(2.3, 0.978), threads=_GROUPS, rate=8.2e14, once=_FILLED),
    *(_large(along, 256, right_along_n=False) for along in (176, 184)),
    *(_large(along, 192, threads=_THREE_GROUPS, right_along_n=False) for along in (208, 224, 240, 248)),
    *(_turned(_together(along)) for along in range(104, 256, 8) if along not in (128, 192)),
    *(_turned(_large(along, 256)) for along in (176, 184)),
    *(_turned(_large(along, 192, threads=_THREE_GROUPS)) for along in (208, 216, 232, 240, 248)),
    _large(160, 256, _SHORT_SLABS, right_along_n=True),
    _large(224, 192, _SHORT_SLABS, threads=_THREE_GROUPS, right_along_n=True),
    MeasuredTile(
        224,
        _ROWS,
        Cost(_TILE, 0.596),
        threads=_GROUPS,
        more=f" roles=yes{_SHORT_SLABS}",
        right_along_n=True,
        cluster=(1, 2),
        once=_FILLED,
    ),
)
"""Tiles of f16 and bf16 where the machine stores the result: those that two work-groups of a block take by turns, those
of more rows, those the other way round, and one whose boxes two blocks load for each other.

H200, cold, f16, share of the better of cuBLAS and cuBLASLt, with the best of the other tiles in the same run: 3840 NN
1.03 for 1.00, TT .98 for .95, 4864 1.03 to 1.05 for 1.00, 8192 1.045 for 1.035, 4096 x 4096 x 256 1.13 for 1.03; 2048
.95 for .99, 4096 .97 for .99. H100, cold, f16, likewise: the other way round, NN, 2560 1.11 for .95, 2816 1.02 for .86,
5120 .99 for .91, 1792 1.09 for 1.07, 2304 1.06 for 1.00, 7680 1.06 for 1.03, 1280 .99 for .95; more rows, NT, 7680 1.09
for 1.04, 5888 1.06 for 1.04, 6400 1.02 for .98, 7424 1.09 for 1.08, TN, 2304 1.03 for .98, 7680 1.03 for 1.01; in
clusters, TN, 2560 1.01 for .93, 3328 1.09 for 1.01, 5120 .98 for .91.
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
