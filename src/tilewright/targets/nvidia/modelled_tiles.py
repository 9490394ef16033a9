"""Tiles of products by groups of warps that nobody has measured, and what a model of a multiprocessor says they take.

A multiprocessor multiplies 4096 floating-point operations of 16 bits a clock, loads its share of what the second cache
gives, and between two steps along k threads meet and issue copies of boxes. Blocks run in waves, one of as many as
there are multiprocessors after the other; a wave that fills a part of them shares the cache among fewer. The figures
fit `WARPGROUP_TILES` of a block alone on a multiprocessor to a seventh.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.targets.nvidia.group_tiles import LIMITED, WARPGROUP_TILES
from tilewright.targets.nvidia.measured_tiles import DELAYED, OF_SPLIT_SECTORS
from tilewright.targets.nvidia.model import MULTIPROCESSORS, USUAL_THREADS
from tilewright.transforms.schedule.products.factors import ANY_SLAB, SLAB

_CLOCKS: Final = 1755.0
"""Clocks a microsecond of an H200 that multiplies."""
_OPERATIONS: Final = 8192
"""A clock, divided by the bytes of an element."""
_LOADED: Final = 82_000.0
"""Bytes a microsecond that the second cache gives each multiprocessor while all of them load."""
_MOST_LOADED: Final = 112_000.0
"""The same while few do: 64 a clock."""
_PAIRED: Final = 1.25
"""How much more two blocks of a multiprocessor get, one of which asks while the other one waits."""
_BETWEEN: Final = 0.09
"""Microseconds between two steps of a block that has a multiprocessor for itself, in which nothing is multiplied."""
_LEAST_STEP: Final = 0.35
_BEFORE: Final = 1.2
"""Microseconds until the first boxes of a tile have arrived, and behind its last step beside its stores."""
_STORED: Final = 4.7e-5
"""Microseconds of an element of the result."""
_ALONG: Final = (64, 96, 128, 160, 192, 224, 256)
_ROWS: Final = {64: USUAL_THREADS, 128: 2 * USUAL_THREADS, 192: 3 * USUAL_THREADS, 256: 2 * USUAL_THREADS}
"""Rows of a tile, and the threads of its block: a group of four warps for each 64, for each 128 of 256."""
_REGISTERS: Final = 65536
_MOST_REGISTERS: Final = 255
_BESIDE: Final = 63
"""Registers of a thread beside accumulators: with less ptxas spills some."""


class ModelledTile(Struct, frozen=True):
    """A tile of so many elements of a row of the result (`along`), so many `rows`, and steps of `depth` terms.

    `loaded` elements lie in shared memory for those along a row. Rows of factors whose copies `split` sectors take
    longer. `more` is what else its schedule says.
    """

    along: int
    rows: int
    threads: int
    loaded: int
    more: str = ""
    depth: int = 64
    element_bytes: int = 2
    split: bool = False

    @property
    def _bytes(self) -> int:
        """Of a step."""
        return (self.loaded + self.rows) * self.depth * self.element_bytes

    def step(self, blocks: int = 1, active: float = 1.0) -> float:
        """Microseconds of a step of each of `blocks` of a multiprocessor, while that part of all are `active`."""
        operations = 2 * blocks * self.along * self.rows * self.depth
        unit = operations * self.element_bytes / (_OPERATIONS * _CLOCKS)
        given = min(_LOADED * (_PAIRED if blocks > 1 else 1.0) / max(active, 1e-9), _MOST_LOADED)
        found = max(unit + (_BETWEEN if blocks == 1 else 0.0), blocks * self._bytes / given, _LEAST_STEP)
        if not self.split:
            return found
        return max(found * DELAYED, blocks * self._bytes // SLAB * OF_SPLIT_SECTORS)

    def of_split_sectors(self, element_bytes: int) -> ModelledTile:
        """With factors whose rows begin in the middle of sectors."""
        return replace(self, split=True, element_bytes=element_bytes)

    def tile(self, steps: int, blocks: int = 1, active: float = 1.0) -> float:
        """Microseconds of so many tiles beside each other, with what is in front of their steps and behind them."""
        return _BEFORE + blocks * self.rows * self.along * _STORED + steps * self.step(blocks, active)

    def seconds(self, m: int, n: int, k: int, many: int) -> float:
        """Of a launch of so many products, without its start: whole waves, then one that is partially filled."""
        tiles, steps = many * -(-m // self.rows) * -(-n // self.along), -(-k // self.depth)
        waves, rest = divmod(tiles, MULTIPROCESSORS)
        active = rest / MULTIPROCESSORS
        if self.threads > USUAL_THREADS:
            found = waves * self.tile(steps) + (self.tile(steps, active=active) if rest else 0.0)
        elif waves % 2 and rest:
            found = (waves // 2 + 1) * self.tile(steps, 2)
        else:
            found = waves // 2 * self.tile(steps, 2) + waves % 2 * self.tile(steps)
            found += self.tile(steps, active=active) if rest else 0.0
        return max(found * 1e-6, 2 * tiles * self.rows * self.along * steps * self.depth / LIMITED)

    def schedule(self, element: str) -> str:
        """The line that asks for it, of factors of any type of 16 bits (`element`)."""
        return f"threads={self.threads} tile={self.along}x{self.rows}x{self.depth}{self.more.format(element)}"


def modelled_tiles(along_n: bool) -> Iterator[ModelledTile]:
    """Those of f16 and bf16 that have not been measured, nor others that load and multiply as much.

    `along_n` says whether rows of the factor with the columns of the result run along these: then they are cut into
    slabs, of which the last one may be half empty.
    """
    known = {(tile.along, tile.rows, tile.threads) for tile in WARPGROUP_TILES}
    for along in _ALONG:
        for rows, threads in _ROWS.items():
            accumulators = along * rows // threads
            is_whole = along * 2 % SLAB == 0
            if accumulators > min(_REGISTERS // threads, _MOST_REGISTERS) - _BESIDE or (
                is_whole and (along, rows, threads) in known
            ):
                continue
            more = "" if is_whole or not along_n else f" swizzle={ANY_SLAB}"
            yield ModelledTile(along, rows, threads, along, more)
