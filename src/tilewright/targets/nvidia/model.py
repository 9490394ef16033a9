"""The cost model: what schedule suits an NVIDIA GPU, by figures that can be read (measured on an H100)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.capabilities import MAX_THREADS
from tilewright.transforms.policy import PackingPolicy, SpreadPolicy
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

MULTIPROCESSORS: Final = 132
"""Of an H100 and of an H200."""

SPREADING: Final = SpreadPolicy(wide_tiles=MULTIPROCESSORS // 2 + 1, sum_tiles=MULTIPROCESSORS)
"""Sixteen blocks for each multiprocessor, where memory is what limits them; sums are split, which takes a second
launch, where some would have none. Large tiles of products where they keep
more than half of the multiprocessors busy: on fewer, a quarter of a tile is done sooner."""

_MOST_HELD: Final = 32
"""Elements of a tile that a thread may hold: with a few tiles at once it has 255 registers at most."""

_WIDE: Final = 4
_TWO_WARPS: Final = 2 * _LEAST


class ProductTiles(Struct, frozen=True):
    """Tiles of the result of a product, the largest first: rows, columns, the speed of a device busy with them."""

    speeds: tuple[tuple[int, int, float], ...]

    def best(self, m: int, n: int, groups: bool) -> tuple[int, int]:
        """The tile with which a product takes least time; the longest fit into the extents.

        Of one work-group, those multiprocessors decide that have most tiles; of many `groups`, the sum.
        """
        least = self.speeds[-1]
        fit = [tile for tile in self.speeds if tile[0] <= max(m, least[0]) and tile[1] <= max(n, least[1])]
        rows, columns, _ = min(fit, key=lambda tile: self._time(-(-m // tile[0]) * -(-n // tile[1]), tile, groups))
        return rows, columns

    def _time(self, tiles: int, tile: tuple[int, int, float], groups: bool) -> float:
        rows, columns, speed = tile
        return (tiles if groups else -(-tiles // MULTIPROCESSORS)) * rows * columns / speed


PRODUCT_TILES: Final = {
    2: ProductTiles(((128, 128, 1.0), (128, 64, 0.53), (64, 128, 0.53), (64, 64, 0.54))),
    4: ProductTiles(((128, 128, 1.0), (128, 64, 0.69), (64, 128, 0.69), (64, 64, 0.7))),
    8: ProductTiles(((64, 64, 1.0),)),
}
"""By bytes of a factor's element, at least 2 and at most 8.

Measured on an H200 as parts of cuBLAS: f16 of 4096 0.82 and 0.44 with 64 x 64; f32 of 1024 0.54 with 64 blocks, and
0.87 with 256 of 64 x 64, of 8192 0.92; f64 of 4096 0.83 with 64 x 64 and 0.77 with 64 x 128, whose blocks are too few
to hide their waits. Tiles of half the size are taken for slower than those of a quarter until they are measured.
"""


def _held_bytes(elements: int, bytes_: int, reduced: bool, repeated: bool = False) -> int:
    """Twice as much of narrow elements that are reduced, where two warps are left to do it.

    Fewer threads wait for each other (softmax on an H200); of one warp nobody waits, and a grid of few blocks would
    have too few threads (layer norm backward there). What a loop reduces is loaded in every round, and all that there
    is room for should be on its way (column sums of f32 there 1.06 of a copy, 0.87 with a quarter of it a thread;
    running sums 0.46 and 0.30).
    """
    if repeated:
        return min(4 * _HELD_BYTES, _MOST_HELD * bytes_)
    most = 2 * _HELD_BYTES
    return most if bytes_ < _WIDE and reduced and elements * bytes_ >= most * _TWO_WARPS else _HELD_BYTES


class NvidiaSchedulePolicy(Struct, frozen=True):
    """As many threads as the elements of a tile keep busy, on one architecture."""

    architecture: Architecture = Architecture.SM_80

    @property
    def most_threads(self) -> int:
        """Those of a block."""
        return MAX_THREADS

    @property
    def groups(self) -> int:
        """Eight: a multiprocessor has room for 32 blocks and 64 warps, and more than 2 blocks a ns are not begun."""
        return 8

    def threads(self, elements: int, bytes_: int, reduced: bool, repeated: bool = False) -> int:
        """A power of two from 32 to 1024."""
        threads = _LEAST
        while threads < _MOST and threads * _held_bytes(elements, bytes_, reduced, repeated) < elements * bytes_:
            threads *= 2
        return 1024 if threads * _MOST_HELD < elements else threads

    def products(self, threads: int) -> Block | None:
        """The units of the architecture, with all of its shared memory but what stages lose by their alignment."""
        return Block(threads, self.architecture.shared_bytes - ALIGNMENT, self.architecture)

    def threads_of_row(self, elements: int, bytes_: int, reduced: bool) -> int:
        """As many warps as have something of the row, by whole accesses."""
        accesses = -(-elements * bytes_ // _ACCESS_BYTES)
        each = max(_held_bytes(elements, bytes_, reduced) // _ACCESS_BYTES, -(-accesses // _MOST))
        if each * _ACCESS_BYTES > _MOST_HELD * bytes_:
            return self.threads(elements, bytes_, reduced)
        return -(-accesses // (each * _LEAST)) * _LEAST
