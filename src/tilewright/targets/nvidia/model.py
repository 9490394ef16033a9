"""The cost model: what schedule suits an NVIDIA GPU, by figures that can be read (measured on an H100)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects.builtin import Kernel
from tilewright.dialects.matrix_instructions import instruction_of
from tilewright.ir.types import BF16, F16, F32, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.capabilities import MAX_THREADS
from tilewright.targets.nvidia.slice_speeds import time_of_slices
from tilewright.targets.nvidia.spread import threads_of
from tilewright.transforms.pack_items.policy import PackingPolicy
from tilewright.transforms.policy import Reduced, SpreadPolicy
from tilewright.transforms.schedule.products.plan import Block
from tilewright.transforms.schedule.products.shared_factors import ALIGNMENT

_HELD_BYTES: Final = 32
"""What a thread should hold of a tile: two accesses of 16 bytes in flight hide the distance of memory."""

_ACCESS_BYTES: Final = 16

_LEAST: Final = 32
"""Threads of a block at least. A row that one warp holds needs no shared memory."""

_MOST: Final = 512
"""Threads of a larger block wait too long for each other; only what does not fit takes more."""

PACKING: Final = PackingPolicy()
"""Figures of an H100 and H200, and of what a prototype needed to reach the limit of memory."""


def packing(architecture: Architecture) -> PackingPolicy:
    """How items are packed with the matrix instructions and the shared memory of an architecture."""
    units = [found for found in map(instruction_of, PACKING.joined_units) if found is not None]
    usable = tuple(unit.name for unit in units if unit.since in (architecture, Architecture.SM_80))
    # on an H200 64 x 64 of f16 and 32 x 32 of f64 take 0.96 and 0.98 of the time then
    alone = architecture is Architecture.SM_90A
    return replace(PACKING, joined_units=usable, joined_bytes=architecture.shared_bytes, leaves_alone=alone)


MULTIPROCESSORS: Final = 132
"""Of an H100 and of an H200."""

SPREADING: Final = SpreadPolicy(
    wide_tiles=MULTIPROCESSORS // 2 + 1, sum_tiles=4 * MULTIPROCESSORS, sum_blocks=8 * MULTIPROCESSORS
)
"""Sixteen blocks for each multiprocessor, where memory is what limits them. Large tiles of products where they keep
more than half of the multiprocessors busy: on fewer, a quarter of a tile is done sooner. Accumulators are split, which
takes a second launch, where there are fewer than four blocks of a multiprocessor, each of which loads 8 to 16 KB at a
time: on an H200 sums of rows of f16 went from 0.63 to 0.80 of a copy's speed, products with vectors from 0.45 to
0.75."""

_MOST_HELD: Final = 32
"""Elements of a tile that a thread may hold: with a few tiles at once it has 255 registers at most."""

USUAL_THREADS: Final = 128
"""Of a block of a kernel that leaves the sharing of work to us."""

_MANY_STEPS: Final = 64
"""Along k, of a product of which is not known how many there are."""

_WIDE: Final = 4
_HELD_BESIDE_SUMS: Final = 8
"""Elements."""

_AHEAD_BYTES: Final = 4096
_FLYING_BYTES: Final = 16384
"""Less than a multiprocessor needs on its way to keep memory busy."""
_TWO_WARPS: Final = 2 * _LEAST


class ProductTile(Struct, frozen=True):
    """A tile of the result of a product, the speed of a device busy with such, and how many threads a block has.

    Blocks that have a multiprocessor for themselves spend `between` steps along k between two tiles.
    """

    rows: int
    columns: int
    speed: float
    threads: int = USUAL_THREADS
    between: float = 0.0

    def fits(self, m: int, n: int) -> bool:
        """Into these extents."""
        return self.rows <= m and self.columns <= n

    def time(self, m: int, n: int, steps: int | None, groups: bool) -> float:
        """Of a product with a result of m x n in so many steps along k, many if that is not known.

        Of one work-group, those multiprocessors decide that have most tiles; of many `groups`, the sum.
        """
        tiles = -(-m // self.rows) * -(-n // self.columns)
        each = self.rows * self.columns / self.speed * (1 + self.between / (steps or _MANY_STEPS))
        return (tiles if groups else -(-tiles // MULTIPROCESSORS)) * each


class ProductTiles(Struct, frozen=True):
    """Tiles among which products choose; the first is that of products of which only is known that they are large."""

    tiles: tuple[ProductTile, ...]

    @property
    def usual(self) -> ProductTile:
        """The first."""
        return self.tiles[0]

    def best(
        self, m: int, n: int, steps: int | None = None, groups: bool = False, threads: int | None = None
    ) -> ProductTile:
        """The tile with which a product takes least time; the longest fit into the extents.

        Tiles for other `threads` than a block is known to have are left out, if any are left.
        """
        mine = [tile for tile in self.tiles if threads in (None, tile.threads)] or [*self.tiles]
        least = min(mine, key=lambda tile: tile.rows * tile.columns)
        fit = [tile for tile in mine if tile.fits(max(m, least.rows), max(n, least.columns))]
        return min(fit, key=lambda tile: tile.time(m, n, steps, groups))


PRODUCT_TILES: Final = {
    2: ProductTiles(
        (
            ProductTile(128, 128, 1.0),
            ProductTile(128, 64, 0.53),
            ProductTile(64, 128, 0.53),
            ProductTile(64, 64, 0.54),
        )
    ),
    4: ProductTiles(
        (
            ProductTile(128, 128, 1.0),
            ProductTile(128, 64, 0.69),
            ProductTile(64, 128, 0.69),
            ProductTile(64, 64, 0.7),
        )
    ),
    8: ProductTiles(
        (
            ProductTile(64, 64, 0.95),
            ProductTile(128, 128, 1.0, 2 * USUAL_THREADS),
        )
    ),
}
"""By bytes of a factor's element, at least 2 and at most 8.

Measured on an H200 as parts of cuBLAS: f16 of 4096 0.82 and 0.44 with 64 x 64; f32 of 1024 0.54 with 64 blocks, and
0.87 with 256 of 64 x 64, of 8192 0.92; f64 of 4096, where warps read ahead of barriers, 0.95 with 64 x 64, 0.97 with
64 x 128 and 1.01 with 128 x 128 of 256 threads, which take half as much from the cache. Tiles of half the
size are taken for slower than those of a quarter until they are measured.
"""

WARPGROUP_TILES: Final = ProductTiles(
    (
        ProductTile(128, 128, 1.0),
        ProductTile(256, 128, 1.03, 2 * USUAL_THREADS, 1.5),
        ProductTile(256, 192, 1.05, 2 * USUAL_THREADS, 1.5),
        ProductTile(224, 128, 0.96, 2 * USUAL_THREADS, 1.5),
        ProductTile(192, 128, 0.97, 2 * USUAL_THREADS, 1.5),
        ProductTile(128, 64, 0.6),
        *PRODUCT_TILES[2].tiles[2:],
    )
)
"""Those of types that groups of warps multiply, to accumulators in f32.

Measured on an H200 with f16, cold, both factors by rows, as parts of the faster one of cuBLAS and cuBLASLt: 1024 0.93
with 128 x 64 and 0.86 with 64 x 64; 3072 0.84 with 128 x 128, 0.73 with 256 x 128 and 0.96 with 192 x 128; 3328 0.94,
0.95, 0.89 and 1.05 with 224 x 128; 4096 0.94, 0.96; 6144 0.93, 0.98 and 1.01 with 256 x 192; 8192 0.94 to 1.00, 0.99.
Rows that are no multiple of 64 are copied as if they were.
"""


def product_tiles(a: ScalarType, b: ScalarType, c: ScalarType, architecture: Architecture) -> ProductTiles:
    """Those of a product of elements of these types."""
    if is_by_groups(a, b, c, architecture):
        return WARPGROUP_TILES
    return PRODUCT_TILES[max(a.bytes, 2) if c.accumulator.bytes <= 4 else 8]


def is_by_groups(a: ScalarType, b: ScalarType, c: ScalarType, architecture: Architecture) -> bool:
    """Whether groups of warps multiply elements of these types to accumulators in f32."""
    return a is b and a in (F16, BF16) and c.accumulator is F32 and architecture is Architecture.SM_90A


def _held_bytes(elements: int, bytes_: int, reduced: Reduced) -> int:
    """Twice as much of narrow elements that are reduced, and of what is reduced behind a loop, by two warps at least.

    Fewer threads wait for each other (softmax on an H200); of one warp nobody waits, and a grid of few blocks would
    have too few threads (layer norm backward there). What a loop reduces is loaded in every round, and all that there
    is room for should be on its way (running sums there 0.46 and 0.30 of a copy). What a loop adds up waits for nobody
    until the end, so that more blocks have room at a time than there are (column sums of f32 there: 10 a multiprocessor
    of 128 threads, 1.06 of torch's speed; 6 of 256 threads, 0.97). What is reduced beside accumulators takes many
    registers an element (layer norm backward of f16 with 8 instead of 16 and 32 elements: 0.97 of the time).
    """
    if reduced is Reduced.BESIDE_SUMS:
        return _HELD_BESIDE_SUMS * bytes_
    if reduced is Reduced.IN_LOOP:
        return min(4 * _HELD_BYTES, _MOST_HELD * bytes_)
    most = 2 * _HELD_BYTES
    suits = reduced is Reduced.BEHIND_LOOP or (reduced is Reduced.ONCE and bytes_ < _WIDE)
    return most if suits and elements * bytes_ >= most * _TWO_WARPS else _HELD_BYTES


class NvidiaSchedulePolicy(Struct, frozen=True):
    """As many threads as the elements of a tile keep busy, on one architecture."""

    architecture: Architecture = Architecture.SM_80

    @property
    def target(self) -> str:
        """All of them."""
        return "NVIDIA devices"

    @property
    def most_threads(self) -> int:
        """Those of a block."""
        return MAX_THREADS

    @property
    def groups(self) -> int:
        """Four: more than 2 blocks a ns are not begun, and a block goes when the last of its rows is done.

        Softmax of rows of 256 on an H200: f32 0.97 of a copy's speed with 8, 1.00 with 4 and 2; f16 0.89 and 0.90.
        """
        return 4

    @property
    def band(self) -> int:
        """As many as of tiles that blocks share.

        H100, Tile IR, f16, tiles of 128x128x64 that sides of a block take by turns, of cuBLAS's speed at 2048, 4096,
        8192 with 4: 1.01 .98 .97, 8: 1.01 .99 1.00, 16: .95 .79 .74, 32: .94 .79 .72. Those of 128x256x64 are as fast
        with any of them.
        """
        return SPREADING.band

    @property
    def shared_bytes(self) -> int:
        """All that the architecture gives one."""
        return self.architecture.shared_bytes

    def threads_of(self, kernel: Kernel) -> int:
        """As its products want, or the usual number."""
        return threads_of(kernel)

    @property
    def most_divided(self) -> int:
        """A block for each multiprocessor."""
        return MULTIPROCESSORS

    def product_time(
        self, types: tuple[ScalarType, ScalarType, ScalarType], tile: tuple[int, int], blocks: int
    ) -> float | None:
        """As measured on the one architecture that it was measured on."""
        if self.architecture is not Architecture.SM_90A:
            return None
        return time_of_slices(types, tile, blocks, MULTIPROCESSORS)

    @property
    def has_dependent_launches(self) -> bool:
        """Those of the architecture."""
        return self.architecture.has_dependent_launches

    @property
    def resident_threads(self) -> Sequence[int]:
        """So many that each has 128, 64, 40 or 32 registers."""
        return (512, 1024, 1536, 2048)

    def threads(self, elements: int, bytes_: int, reduced: Reduced) -> int:
        """A power of two from 32 to 1024."""
        threads = _LEAST
        while threads < _MOST and threads * _held_bytes(elements, bytes_, reduced) < elements * bytes_:
            threads *= 2
        return 1024 if threads * _MOST_HELD < elements else threads

    def products(self, threads: int) -> Block | None:
        """The units of the architecture, with all of its shared memory but what stages lose by their alignment."""
        return Block(threads, self.architecture.shared_bytes - ALIGNMENT, self.architecture, MULTIPROCESSORS)

    def bytes_ahead(self, groups: int | None) -> int:
        """4 KB where many blocks are there at a time, and more of few blocks.

        On an H200 column sums of f16 (4 KB) went from 0.69 to 0.82 of a copy's speed. What loads 8 KB and more has
        enough on its way, and lost 2 to 15 % by the registers that this takes: column sums of f32, products with
        vectors.
        """
        if groups is None:
            return _AHEAD_BYTES
        return max(_AHEAD_BYTES, _FLYING_BYTES // -(-groups // MULTIPROCESSORS))

    def threads_of_row(self, elements: int, bytes_: int, reduced: Reduced) -> int:
        """As many warps as have something of the row, by whole accesses."""
        accesses = -(-elements * bytes_ // _ACCESS_BYTES)
        each = _held_bytes(elements, bytes_, reduced) // _ACCESS_BYTES
        if accesses > each * _MOST:
            # on an H200 softmax of f32 rows of 5000 took 0.95 of the time with 4 accesses, 320 threads, instead of 3
            each = max(2 * each, -(-accesses // _MOST))
        if each * _ACCESS_BYTES > _MOST_HELD * bytes_:
            return self.threads(elements, bytes_, reduced)
        return -(-accesses // (each * _LEAST)) * _LEAST
