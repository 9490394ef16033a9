"""Which teams and tiles suit the CPU.

A work-group runs on one thread, so one subgroup, as wide as a vector of f32, is the best work-group; tiles are sized
for registers (elementwise work, reductions) and for the caches (products, which the tile lowering blocks).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects.builtin import Kernel
from tilewright.ir.schedules import Schedule, Tile
from tilewright.ir.types import F32, I32, MemrefType
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.units.amx import AmxUnit
from tilewright.targets.cpu.units.choice import choose
from tilewright.targets.cpu.units.unit import Factor, ProductUnit
from tilewright.targets.cpu.units.vector import VectorUnit
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.policy import Remainders, StreamPrefetch, ThinTiles, contiguous_mode

_LEAST_TILE = 32
_WHOLE_PRODUCT = 64
_WHOLE_ELEMENTS = 4096
_RUN_VECTORS = 8
_ACROSS = 4
_STRIP_BYTES = 1 << 13
_STRIP_ACROSS = 8
_LONGEST = 2048
_LONGEST_ON_TILES = 4096
_DEEPEST = 8192
_DYNAMIC = 512
_THIN = 16
"""Products of open extents are packed from here on along all modes."""
_THIN_ON_UNITS = 8
"""The same where other instructions than multiply-adds of vectors take them (i8 of 12 x 12 x 5000 by VNNI: a third of
the time packed)."""
_SHALLOW = 8
_FEW = 4
_DOT_VECTORS = 4
_ACCUMULATED_BYTES = 4
_DYNAMIC_TERMS = 1024

QUICK_TILES: Final = GenericTilePolicy(whole=4, block=4, depth=4, run=16, remainders=Remainders.ALONE_IF_STATIC)
"""Of code that is to be compiled quickly."""
STREAM_PREFETCH: Final = StreamPrefetch(stores=1024, strided=4096)
"""Caches fetch lines ahead of loads by themselves, hardly ahead of stores. Strided elements keep a core's line buffers
busy, so that the next lines are requested too late."""


class CpuTeamPolicy(Struct, frozen=True):
    """Subgroups of any power of two up to 64, preferably one vector of f32."""

    machine: Machine

    @property
    def subgroup_sizes(self) -> Sequence[int]:
        """The width of a vector first."""
        preferred = self.machine.vector_bytes // 4
        return (preferred, *(s for s in (16, 8, 32, 4, 64, 2, 1) if s != preferred))

    @property
    def max_work_group_size(self) -> int:
        """A bound for the unrolled loops over subgroups, not a property of the hardware."""
        return 4096

    def work_group_size(self, kernel: Kernel, subgroup_size: int) -> tuple[int, int]:
        """One subgroup: more would only run one after another."""
        return (subgroup_size, 1)

    def moves_from(self, kernel: Kernel, subgroup_size: int, shape: tuple[int, int]) -> Iterable[Schedule]:
        """None: see above."""
        return ()


class CpuTilePolicy(Struct, frozen=True):
    """Whole matrices where they are small; else tiles for the caches (products) or runs of a few vectors.

    `product` is what tiles of products are asked to be.
    """

    machine: Machine
    product: Tile | None = None

    @property
    def remainders(self) -> Remainders:
        """Large products check their edges block by block."""
        return Remainders.ALONE_IF_STATIC

    @property
    def crosswise_remainders(self) -> Remainders:
        """Squares that test where they end move element by element: 2 to 8 ns each of 2^18 x 1 to 5 f32 (Zen 4)."""
        return Remainders.SMALLER

    @property
    def adds_tiles(self) -> bool:
        """Vectors of sums along memory need no tile of terms."""
        return False

    def of(self, kernel: Kernel) -> CpuTilePolicy:
        """The same for all kernels."""
        return self

    def gemm_tile(self, a: MemrefType, b: MemrefType, c: MemrefType) -> tuple[int, int, int]:
        """Small static products whole; else tiles whose accumulators do not leave the last cache, all terms at once.

        Products on tiles of the processor keep few accumulators at a time, and the larger they are the less is packed.
        """
        sizes = (c.shape[0], c.shape[1], a.shape[1])
        if self.product is not None:
            return self.product
        if all(s is not None and s <= _WHOLE_PRODUCT for s in sizes):
            return (_WHOLE_PRODUCT, _WHOLE_PRODUCT, _WHOLE_PRODUCT)
        longest = _LONGEST_ON_TILES if self._takes_tiles(a, b, c) else _LONGEST
        rows, columns = (_DYNAMIC if s is None else min(s, longest) for s in sizes[:2])
        return (max(rows, 1), max(columns, 1), _DYNAMIC_TERMS if sizes[2] is None else max(1, min(sizes[2], _DEEPEST)))

    def thin_tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ThinTiles | None:
        """Register blocks that read both factors where they lie; tiles of large products are packed for whole ones.

        Half of the registers are accumulators. If vectors have to be gathered, that pays for few terms only. Dot
        products are those whose many lines have their terms side by side. Constant extents that are short have small
        tiles in any case.
        """
        sizes = (c.shape[0], c.shape[1], a.shape[1])
        if self.product is not None or all(sizes) or any(size is not None and size < _THIN for size in sizes):
            return None
        run, bytes_ = contiguous_mode(c), max(c.element.component.bytes, _ACCUMULATED_BYTES)
        lanes, parts = self.machine.lanes(bytes_), 2 if c.element.is_complex else 1
        vectors = max(1, self.machine.registers // 2 // (parts * _ACROSS))
        below = _THIN if isinstance(self._unit(a, b, c), VectorUnit) else _THIN_ON_UNITS
        is_gathered = (a, b)[run].strides[run] != 1
        by_terms = (b.strides[0] == 1, a.strides[1] == 1)
        return ThinTiles(
            below=(0, 0, _SHALLOW) if is_gathered else (below, below, below),
            run=run,
            length=lanes if is_gathered else vectors * lanes,
            rest=lanes,
            columns=_ACROSS,
            dots=tuple(mode for mode in (0, 1) if by_terms[mode] and sizes[mode] is None),
            few=_FEW,
            terms=_DOT_VECTORS * lanes,
            depth=lanes,
        )

    def gemm_moves(self, a: MemrefType, b: MemrefType, c: MemrefType) -> Iterable[Schedule]:
        """Tiles of half and twice the length along one mode, of products that are no whole tile."""
        taken, sizes = self.gemm_tile(a, b, c), (c.shape[0], c.shape[1], a.shape[1])
        for mode, extent in enumerate(sizes):
            for length in (taken[mode] // 2, 2 * taken[mode]):
                is_larger = extent is not None and length > extent > taken[mode] // 2
                if _LEAST_TILE <= length <= _DEEPEST and not is_larger:
                    m, n, k = (length if mode == other else taken[other] for other in range(3))
                    yield Schedule(tile=(m, n, k))

    def gemm_sharing(self, a: MemrefType, b: MemrefType, c: MemrefType) -> Schedule:
        """Nothing: threads take whole tiles."""
        return Schedule()

    def _takes_tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> bool:
        return isinstance(self._unit(a, b, c), AmxUnit)

    def _unit(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ProductUnit | AmxUnit:
        accumulator = I32 if c.element is I32 else F32
        m, n, k = (_DYNAMIC if s is None else s for s in (c.shape[0], c.shape[1], a.shape[1]))
        return choose(self.machine, Factor(a.element), Factor(b.element), accumulator, (m, n, k)).unit

    def elementwise_tile(self, target: MemrefType, shared: bool = False) -> tuple[int, ...]:
        """Small static tensors whole; else runs of vectors along the mode of stride 1, of shorter columns a few.

        Several long columns at once are as many streams of memory (Zen 5, matrices of 4096 x 2500 f32: axpby took 1.3
        times as long with four).
        """
        total = 1
        for extent in target.shape:
            total *= _WHOLE_ELEMENTS + 1 if extent is None else extent
        if total <= _WHOLE_ELEMENTS:
            return tuple(max(1, extent or 1) for extent in target.shape)
        along = contiguous_mode(target)
        extent, lanes = target.shape[along], self.machine.lanes(target.element.bytes)
        is_long = extent is not None and extent >= _RUN_VECTORS * lanes and target.strides[along] == 1
        return self._runs(target, _RUN_VECTORS, 1 if is_long and not shared else _ACROSS)

    def _runs(self, target: MemrefType, most: int, across: int = _ACROSS) -> tuple[int, ...]:
        """At most that many vectors along the mode of stride 1, a few columns across."""
        along = contiguous_mode(target)
        # Strided elements are moved one by one: unrolled, that would be a lot of code and no faster.
        vectors = most if target.strides[along] == 1 else 1
        run = vectors * self.machine.lanes(target.element.bytes)
        return tuple(run if k == along else across if k < 2 else 1 for k in range(target.order))

    def reduction_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """Runs along the mode of stride 1, so that accumulators are vectors, in half of the registers.

        Accumulators that fill all of them would live in memory: 4096 dot products of 4096 elements took 1.7 times as
        long with 32 vectors of them as with 16 (benchmarks/vector_ops.py, gemv.t).

        Where each element is a sum of its own, these stay in the first cache and memory is read in pieces of several
        pages: a piece of one page costs a tenth of the bandwidth.
        """
        along = contiguous_mode(source)
        if along == dim:
            accumulators = self.machine.registers // 2 // (1 if source.order == 1 else _ACROSS)
            return self._runs(source, max(1, min(_RUN_VECTORS, accumulators)))
        size = source.element.component.bytes
        # Strided elements are loaded one by one: long strips would be a lot of code and no faster.
        length = _STRIP_BYTES // size if source.strides[along] == 1 else self.machine.lanes(size)
        return tuple(length if k == along else _STRIP_ACROSS if k < 2 else 1 for k in range(source.order))

    def scan_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """A vector when scanning along vectors; else long pieces of a column, added to the column before."""
        size = source.element.component.bytes
        if contiguous_mode(source) == dim:
            return tuple(self.machine.lanes(size) if k == dim else 1 for k in range(source.order))
        return tuple(1 if k == dim else _STRIP_BYTES // size for k in range(source.order))
