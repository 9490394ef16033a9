"""Tiles that groups of warps multiply: a law of what they cost, what leaves it, and those few that are as measured."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.targets.nvidia.measured_tiles import Cost, MeasuredTile, Slower
from tilewright.targets.nvidia.model import USUAL_THREADS

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
_THREE_ROWS: Final = 192
_HALF_LINE: Final = 64
"""Elements of 16 bits in 128 bytes, the rows of a slab."""
_FILLED: Final = 1.5
_LAST: Final = 0.5
"""Microseconds of a launch until its first boxes have arrived, and of its last tile, where others hide their stores."""
_STEP: Final = 0.343
_AREA: Final = 0.0024
_LOAD: Final = 0.019
"""Microseconds of a step of 128 rows with 128 columns, what each more of these adds, and what 128 more rows add that
the block loads of both factors."""
_HALF_SLABS: Final = 2.3
_SLABBED: Final = 1.02
"""Microseconds that seven slabs of 32 columns add to a tile of 128 rows; how much longer steps take with such slabs."""
_WIDER: Final = 0.8
"""Microseconds more of a tile of 128 x 256 whose result has elements of four bytes, not of two."""
_ACROSS: Final = 0.0036
"""Microseconds more of a tile whose slabs are stored by lines of 32 bytes, of each row."""


class _Kind(Struct, frozen=True):
    """Tiles that are multiplied alike: microseconds of each beside its steps, how much longer these take than those of
    two groups of warps with 64 rows each, and what a launch takes once."""

    fixed: float
    slower: float = 1.0
    once: float = _FILLED


_TOGETHER: Final = _Kind(2.2, 0.997)
"""Two groups of warps have 64 rows each."""
_OF_TWO: Final = _Kind(2.3, 1.013, _FILLED + 0.5)
"""Each of two has 128."""
_OF_THREE: Final = _Kind(2.4, 1.01)
"""Each of three has 64."""
_PAIRED: Final = _Kind(2.3, 1.025, _FILLED + 1.5)
_PAIRED_TOGETHER: Final = _Kind(2.3, 1.018, _FILLED + 0.8)
"""Two groups, and a producer warp, in each of two blocks that load the longer side for each other: they have to know
each other first. Each group has 128 rows, or 64."""
_BY_TURNS: Final = _Kind(0.6, 0.99, _FILLED + _LAST)
_ALONE: Final = 1.1
"""A group multiplies while another one stores; what a tile takes more that nothing is left for to hide behind."""


_CROWDED: Final = (Slower(1.02, 4000, 5000), Slower(1.02, 5000, 6200, narrow=True))
_FULLY_CROWDED: Final = Slower(1.025, 4000, 6700, narrow=True)
_OTHER_WAY: Final = (Slower(1.025, 4000, 6500), Slower(1.025, 12000))
"""Of tiles by turns, whose loads limit them while clocks are high, where the second cache has no room for the factors;
and of such the other way round, in some products. H100, share of the better of cuBLAS and cuBLASLt, with others in the
same run: 192 x 128 by turns with 192 x 256, bf16, 4352 .89 to 1.03 for 1.05 to 1.13, 5632 .97 to 1.08 for 1.03 to 1.13;
144 x 128 of 5120 .83 for .99; 160 x 128 with f32 results of 4864 .94 for 1.04. H200, f32 results: 176 x 128 takes 1.014
times as long as pairs of 256 x 128 at 4096, .96 times at 6144.
Those of 128 and 152 columns are worse. In between, the other way round is no slower: H200 and H100, NN, 128 x 176 of
6656, 7424, 7680 .98, .97, .97 of the time of other tiles, 128 x 168 of 9216 .97; H100, 128 x 160 of 16384 1.1, 1.2."""
_ADRIFT: Final = Slower(1.08, 5000)
_LESS_ADRIFT: Final = Slower(1.03, 8500)
_LONG_PAIRS: Final = Slower(1.007, 8500)
_LONG_THREES: Final = Slower(1.01, 7000)
"""Of tiles of two groups without a producer warp, which do not keep step with each other: those whose sides are no
multiples of 64, and others. H100, likewise: 216 x 128 of 5376 .83 for .99, 200 x 128 of 15360 .88 for 1.04, 256 x 128
of 14336, f32, .89 for 1.03. Likewise, by less, pairs of them and tiles of three groups: 248 x 192 of 14336 takes 1.02
times as long as 128 x 192 by turns, 240 x 192 of 15360 as 160 x 256 of pairs."""
_LYING: Final = 1.002
"""How much longer 256 x 192 takes than 192 x 256: H200 and H100, .4 % in the median of 33."""
_TURNS: Final = {
    144: (Slower(1.08, most=9000),),
    160: (Slower(1.06, most=4000, narrow=True), Slower(1.06, 4000, 6400)),
    168: (*_CROWDED, Slower(1.08, 11000)),
    176: _CROWDED,
    192: (_FULLY_CROWDED, Slower(1.01, 8500)),
}
"""In long products 128 x 192 is faster than 192 x 128, by 1.6 % in the median of 34, in short ones as much slower."""
_TALL: Final = 0.99
_TALL_WIDER: Final = 0.3
_TALL_LONG: Final = Slower(1.03, 3000)
"""How much longer steps of 112 x 192 by turns take than by the law in short products, microseconds more of a tile of
which the result is wider than the factors, and what is taken for the time of long ones, which nobody has measured.
H200, 2304: with f32 results 1.01 of the time of 168 x 128, which is as large, with others .99 of that of 224 x 192.
"""
_ORDER: Final = " order=12"
_LEAST_ORDERED: Final = 168
"""Of tiles by turns of 128 columns and so many rows at least: 132 of 128 x 176 by bands of 12 are 1536 by 1936
elements, by bands of 8 1024 by 2904, for which a seventh more is loaded. H200, NN, 3328 .996 of the time, 3840 .991,
6656 .991, others of 2304 to 11264 .993 to 1.004; 128 x 160 of 2816 1.005."""
_EIGHTHS: Final = (*range(104, 128, 8), *range(136, 192, 8), *range(200, 256, 8))
_SIDES: Final = (*range(136, 168, 8),)
_LONG_SIDES: Final = (*range(144, 192, 8),)
_LONGER_SIDES: Final = (*range(208, 256, 8),)
_SHARED_SIDES: Final = (208, 224, 240)
"""Of tiles of two groups, of pairs with 256 the other way, of two groups and of three with more rows, and of pairs with
128 the other way, of which blocks load halves."""


def _step(along: int, rows: int, cluster: tuple[int, int] = (1, 1)) -> float:
    """Of a block of a cluster, all of which load for each other what they share."""
    loaded = along / cluster[1] + rows / cluster[0]
    return _STEP + _AREA * (along * rows / _ROWS - _ROWS) + _LOAD * (loaded / _ROWS - 2)


def _along_n(along: int, more: str) -> bool | None:
    """For which right factors a tile is: whole slabs of 64 columns are for all, others where rows run along k; short
    slabs where they run along n."""
    return True if _SHORT_SLABS in more else None if along % _HALF_LINE == 0 else False


def _tile(
    kind: _Kind,
    along: int,
    rows: int,
    more: str = "",
    *,
    threads: int = _GROUPS,
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
        right_along_n=_along_n(along, more),
        cluster=cluster,
        once=kind.once,
        wider=_WIDER * along * rows / (2 * _ROWS * _ROWS),
    )


def _together(along: int, more: str = "") -> MeasuredTile:
    """A tile of which two groups of warps multiply 64 rows each."""
    found = _tile(_TOGETHER, along, _ROWS, more)
    fixed = found.alone.fixed + _HALF_SLABS * (_SHORT_SLABS in more)
    slowed = (_ADRIFT if along % _HALF_LINE else _LESS_ADRIFT,)
    return replace(found, alone=Cost(fixed, found.alone.step), slowed=slowed)


def _large(along: int, rows: int, more: str = "") -> MeasuredTile:
    """One of which two groups of warps multiply 128 rows each."""
    return _tile(_OF_TWO, along, rows, more)


def _of_three(along: int, more: str = "") -> MeasuredTile:
    """One of which three groups of warps multiply 64 rows each."""
    return replace(_tile(_OF_THREE, along, _THREE_ROWS, more, threads=_THREE_GROUPS), slowed=(_LONG_THREES,))


def _paired(along: int, rows: int, more: str = "") -> MeasuredTile:
    """One of a block that loads with another one."""
    kind, slowed = (_PAIRED_TOGETHER, (_LONG_PAIRS,)) if _ROWS in (along, rows) else (_PAIRED, ())
    found = _tile(kind, along, rows, f" roles=yes{more}", cluster=(1, 2) if along >= rows else (2, 1))
    return replace(found, slowed=slowed)


def _by_turns(along: int, rows: int = _ROWS) -> MeasuredTile:
    """One that a group of warps multiplies while another one stores its own."""
    fixed, step = _BY_TURNS.fixed, _step(along, rows) * _BY_TURNS.slower
    return MeasuredTile(
        along,
        rows,
        Cost(fixed + _ALONE, step),
        Cost(2 * fixed, 2 * step),
        more=_PINGPONG,
        right_along_n=_along_n(along, ""),
        once=_BY_TURNS.once,
        slowed=_TURNS.get(along, ()),
    )


def _turned(tile: MeasuredTile) -> MeasuredTile:
    """The same the other way round: rows of accumulators are neighbours in memory, of which there are slabs in the
    right factor; any eighth row may be the last, where those of the left one run along k."""
    found = replace(
        tile, along=tile.rows, rows=tile.along, cluster=tile.cluster[::-1], right_along_n=True, left_along_m=False
    )
    if tile.shared is not None:
        order = _ORDER if tile.along >= _LEAST_ORDERED else ""
        return replace(found, slowed=(*tile.slowed, *_OTHER_WAY), more=f"{tile.more}{order}")
    across = _ACROSS * tile.along
    return replace(found, alone=Cost(tile.alone.fixed + across, tile.alone.step))


WARPGROUP_TILES: Final = (
    MeasuredTile(64, 64, Cost(1.2, 0.37), Cost(1.1, 0.375), rate=4.3e14),
    MeasuredTile(64, 64, Cost(1.3, 0.25), more=" product=64x64x64:wgmma.m64n64k16.f32.{}/1x1/8", rate=3.5e14),
    MeasuredTile(128, 64, Cost(1.5, 0.35), Cost(3.0, 0.34), rate=5.2e14),
    MeasuredTile(128, 64, Cost(1.75, 0.243), more=" product=128x64x64:wgmma.m64n128k16.f32.{}/1x1/8", rate=5e14),
    MeasuredTile(128, 128, Cost(4.9, 0.38), Cost(1.5, 0.755), rate=_SOONER, wider=_WIDER / 2),
    MeasuredTile(
        128,
        128,
        Cost(1.0, 0.36),
        threads=_GROUPS,
        more=_SIX_STAGES,
        once=_FILLED,
        slowed=(Slower(1.08, 2000),),
    ),
    *map(_together, _EIGHTHS),
    MeasuredTile(
        160,
        _ROWS,
        Cost(1.0, 0.46),
        threads=_GROUPS,
        more=_SHORT_SLABS,
        right_along_n=True,
        once=_FILLED,
        wider=_WIDER * 160 / (2 * _ROWS),
    ),
    _together(224, _SHORT_SLABS),
    *(_together(along) for along in (192, 256)),
    MeasuredTile(256, 144, Cost(2.2, 0.83), threads=_GROUPS, once=_FILLED),
    _large(256, 192).slower(_LYING),
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
    *map(_by_turns, _TURNS),
    *(_turned(_by_turns(along)) for along in _TURNS if along % _HALF_LINE),
    replace(_by_turns(112, 192).slower(_TALL), wider=_TALL_WIDER, slowed=(_TALL_LONG,)),
    replace(_by_turns(192), along=_ROWS, rows=192, slowed=(Slower(1.015, most=4000), *_CROWDED)),
    _large(192, 256),
    *(_large(along, 256) for along in _LONG_SIDES),
    *(_of_three(along) for along in _LONGER_SIDES if along not in (216, 232)),
    *(_turned(_together(along)) for along in _EIGHTHS),
    *(_turned(_large(along, 256)) for along in _LONG_SIDES),
    *(_turned(_of_three(along)) for along in _LONGER_SIDES),
    _large(160, 256, _SHORT_SLABS),
    _of_three(224, _SHORT_SLABS),
    *(_paired(along, 256) for along in _SIDES),
    *(_turned(_paired(along, 256)) for along in _SIDES),
    *(_paired(along, _ROWS) for along in _SHARED_SIDES),
    *(_turned(_paired(along, _ROWS)) for along in _SHARED_SIDES),
    _paired(256, _ROWS),
    _paired(_ROWS, 256),
    _paired(224, _ROWS, _SHORT_SLABS),
    _paired(160, 256, _SHORT_SLABS),
)
"""Tiles of f16 and bf16 where the machine stores the result: those that two work-groups of a block take by turns, those
of more rows, those the other way round, and those whose boxes two blocks load for each other.
"""

CONSTANT_TILES: Final = (MeasuredTile(96, 192, Cost(0.0, 0.5167), more=_SHORT_SLABS, right_along_n=True),)
"""Tiles of f16 and bf16 for products of constant extents alone: with strides that are open threads have too few
registers. H200, cold, 1536 NN .96 of cuBLAS for .93, with open strides .75; 2560 .77 for 1.01."""

STREAMED_TILES: Final = (replace(_together(256), right_along_n=True, stream=True, slowed=()),)
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
