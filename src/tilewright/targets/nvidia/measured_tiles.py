"""Tiles of products and what each costs, as measured; those that each warp multiplies by itself, on an H200."""

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
AWAITED: Final = 1.14e-6
"""Microseconds of an operation on an element of the result that blocks of a cluster wait for each other: a quarter of
what it takes. H200, 256 x 128, pairs in parts of blocks alone where bias and gelu follow: 2048 1.024, 4096 1.006, 8192
1.006; where nothing does, 4096 .996."""


HEATED: Final = 12.0
WARM: Final = 0.915
"""How many times as long steps take on a device at the limit of its power, for each element of the factors that is
brought to shared memory for one of the result, and beside that. H200, 8192 with bias and gelu, device busy before, mean
of one to three runs in parts of what the law says: 192 x 128 by turns 1.072, 128 x 192 1.069, 256 x 128 1.055, 144 x
256 1.056, 168 x 256 1.042, 184 x 256 1.026, 256 x 184 1.017."""


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


class Slower(Struct, frozen=True):
    """How much longer steps take in products of so many terms; with `narrow`, where the result is no wider than the
    factors."""

    by: float
    least: float = 0.0
    most: float = math.inf
    narrow: bool = False


class MeasuredTile(Struct, frozen=True):
    """A tile of so many elements of a row of the result (`along`), so many `rows`, and steps of `depth` terms.

    `alone` is what it costs with a multiprocessor to itself, `shared` what two cost that share it. A device makes at
    most `rate` operations a second with it before its power is limited. `more` is what else its schedule says, of
    factors of type `{}`. Some are for right factors whose rows run along n alone, or do not (`right_along_n`), and for
    left ones whose rows run along m, or do not (`left_along_m`). So many blocks along m by so many along n of the
    program, which is column-major, are a `cluster`. With `stream` blocks share the terms of what is left behind whole
    waves. A launch takes so many microseconds `once`, a tile so many more whose result is `wider` than the factors.
    In some products its steps are `slowed`.
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
    slowed: tuple[Slower, ...] = ()

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
        if element_bytes <= 2:
            return self
        slowed = tuple(slower for slower in self.slowed if not slower.narrow)
        shared = None if self.shared is None else Cost(self.shared.fixed + 2 * self.wider, self.shared.step)
        return replace(self, alone=Cost(self.alone.fixed + self.wider, self.alone.step), shared=shared, slowed=slowed)

    def followed(self, operations: int) -> MeasuredTile:
        """With so many operations on each element of the result behind its last step, which all tiles take alike, but
        in clusters one block is awaited by the others."""
        if self.cluster == (1, 1):
            return self
        more = operations * self.along * self.rows * AWAITED
        return replace(self, alone=Cost(self.alone.fixed + more, self.alone.step))

    def heated(self) -> MeasuredTile:
        """On a device at the limit of its power, of which bringing factors to shared memory takes a part."""
        return self.slower(WARM + HEATED * (self.along + self.rows) / (self.along * self.rows))

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
        found = self
        for slower in self.slowed:
            if slower.least <= k <= slower.most:
                found = found.slower(slower.by)
        return found._busy(m, n, k, many)

    def _busy(self, m: int, n: int, k: int, many: int) -> float:
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


F32_TILES: Final = (
    MeasuredTile(64, 64, Cost(3.0, 1.3), Cost(3.0, 1.69), depth=32),
    MeasuredTile(128, 128, Cost(3.0, 4.3), Cost(8.0, 5.53), depth=32),
    MeasuredTile(128, 128, Cost(1.5, 2.15), Cost(6.9, 2.85), depth=16),
    MeasuredTile(96, 96, Cost(3.0, 1.25), Cost(3.0, 1.9), depth=16),
    MeasuredTile(96, 96, Cost(3.0, 2.15), threads=2 * USUAL_THREADS, more=" product=96x96x32:fma.f32/2x4/3", depth=32),
    MeasuredTile(128, 64, Cost(3.0, 0.81), Cost(3.1, 1.68), depth=16),
    MeasuredTile(128, 128, Cost(3.0, 4.3), Cost(7.4, 5.58), more=" product=128x128x32:fma.f32/2x2/2", depth=32),
    MeasuredTile(64, 64, Cost(3.0, 1.6), Cost(1.5, 1.75), threads=USUAL_THREADS // 2, depth=32),
)
"""By multiply-adds of f32: fitted to 1025, 3001, 4096 and batches of 64, 128 and 256."""

_SIX_STEPS: Final = " product=64x64x16:m16n8k8.row.col.f64/2x2/6"
"""On their way at a time, which is all of a short product."""

F64_TILES: Final = (
    MeasuredTile(64, 64, Cost(3.0, 0.57), Cost(3.1, 0.61), depth=16),
    MeasuredTile(64, 64, Cost(3.0, 0.59), Cost(2.8, 0.64), more=_SIX_STEPS, depth=16),
    MeasuredTile(64, 80, Cost(3.0, 0.65), Cost(3.0, 0.97), depth=16),
    MeasuredTile(96, 96, Cost(4.0, 1.62), threads=2 * USUAL_THREADS, depth=32),
    MeasuredTile(128, 128, Cost(8.0, 1.0), threads=2 * USUAL_THREADS, more=" persistent=yes", depth=16),
)
"""By tensor cores of f64: fitted to 1024, 1025, 4096 and batches of 64, 128 and 256."""
