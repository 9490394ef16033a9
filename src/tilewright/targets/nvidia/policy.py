"""Which teams and tiles suit an NVIDIA GPU: warps, blocks of four, tiles of which shared memory holds several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import team, tl
from tilewright.dialects.builtin import Kernel
from tilewright.ir.schedules import Schedule, Tile, Tiles
from tilewright.ir.types import F32, TF32, MemrefType, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.numerics.precision import Precision
from tilewright.targets.nvidia.capabilities import MAX_THREADS
from tilewright.targets.nvidia.measured_tiles import MeasuredTile
from tilewright.targets.nvidia.model import USUAL_THREADS, ProductTile, ProductTiles, is_by_groups, product_tiles
from tilewright.targets.nvidia.modelled_tiles import ModelledTile
from tilewright.targets.nvidia.product_model import tile_of_groups, tile_of_lines
from tilewright.transforms.policy import Remainders, contiguous_mode, threads_beside
from tilewright.transforms.product_tiles import multiplied_types
from tilewright.transforms.schedule.products.plan import WARP
from tilewright.transforms.schedule.request import ScheduleRequest

_SHARING: Final = (
    tl.Collective,
    tl.Foreach,
    tl.ForeachTile,
)
_SUBGROUPS: Final = 4
_TILE_BYTES: Final = 12 * 1024
_BLOCK: Final = 32
_LINE_BYTES: Final = 128
"""Neighbours in memory that are better not apart."""
_SECTOR_BYTES: Final = 32
_COPIED_BYTES: Final = 16
_DEPTH: Final = 64
_DEPTH_BYTES: Final = 128
"""Of a row of a factor, the line of a cache."""
_LEAST_DEPTH: Final = 16
_LEAST_TILE: Final = 8
_MOST_TILE: Final = 512
_WHOLE: Final = 64
_LARGE: Final = 512
"""Sides from which on products are known to gain by short steps."""
_COLUMNS: Final = 8
"""Of instructions of groups of warps there is any multiple."""
_ELEMENTS: Final = 1024
_RUN: Final = 256
_ACROSS: Final = 4
_SCAN_DEPTH: Final = 8
_LEAST_BYTES: Final = 4
"""Of a register."""
_SUM_BYTES: Final = 16 * 1024
"""Of a tile of accumulators: 32 registers of each of 128 threads, and as much on its way from memory."""


class NvidiaTeamPolicy(Struct, frozen=True):
    """Warps, or aligned segments of them for programs that ask for narrower subgroups."""

    request: ScheduleRequest = ScheduleRequest()
    architecture: Architecture = Architecture.SM_80
    precision: Precision = Precision.EXACT

    @property
    def subgroup_sizes(self) -> Sequence[int]:
        """The warp first."""
        return (32, 16, 8, 4, 2, 1)

    @property
    def max_work_group_size(self) -> int:
        """Threads of a block."""
        return MAX_THREADS

    def work_group_size(self, kernel: Kernel, subgroup_size: int) -> tuple[int, int]:
        """Several subgroups where the program leaves the sharing of work to us, else one.

        As many as are asked for, if a block can have so many; else what the only product of matrices wants.
        """
        if not any(isinstance(op, _SHARING) for op in kernel.walk()):
            return (subgroup_size, 1)
        wanted = self.request.of(kernel).threads
        if wanted is None or wanted % subgroup_size or wanted > MAX_THREADS:
            wanted = self._threads(kernel, subgroup_size)
        return (wanted, 1)

    def _threads(self, kernel: Kernel, subgroup_size: int) -> int:
        sharing = [op for op in kernel.walk() if isinstance(op, _SHARING)]
        tiles = NvidiaTilePolicy(
            self.request.tile,
            self.architecture,
            tiles=self.request.tiles,
            precision=self.precision,
            shares=self.request.leaves_sharing,
        ).of(kernel)
        chosen = tiles.chosen(sharing[0]) if len(sharing) == 1 and isinstance(sharing[0], tl.Gemm) else None
        if chosen is None or chosen.threads == USUAL_THREADS or subgroup_size != WARP:
            return subgroup_size * _SUBGROUPS
        return chosen.threads

    def moves_from(self, kernel: Kernel, subgroup_size: int, shape: tuple[int, int]) -> Iterable[Schedule]:
        """More and fewer subgroups, where the sharing of work is left to us."""
        if any(isinstance(op, _SHARING) for op in kernel.walk()):
            yield from threads_beside(shape[0], subgroup_size, MAX_THREADS)


class NvidiaTilePolicy(Struct, frozen=True):
    """Tiles of at most `_TILE_BYTES`, so that a step's intermediate tiles fit into 48 KiB together.

    Accumulators of products are in registers, so theirs are larger; `product` is what they are asked to be. Products of
    open extents may be small, unless they are known to be `large`. `groups`: there are other work-groups, whose
    products are others, to keep the device busy. `threads` are those of a block where that is known, `tiles` says
    among which they are chosen, `precision` in what products of f32 multiply. If it is left to the model, a product
    `shares` what it says among blocks.
    """

    product: Tile | None = None
    architecture: Architecture = Architecture.SM_80
    large: bool = False
    groups: bool = False
    threads: int | None = None
    tiles: Tiles | None = None
    precision: Precision = Precision.EXACT
    shares: bool = False

    @property
    def remainders(self) -> Remainders:
        """What lies outside is filled with zeros on its way to shared memory, which costs less than code: blocks that
        run the rest behind a whole tile would be the last."""
        return Remainders.CHECKED

    def of(self, kernel: Kernel) -> NvidiaTilePolicy:
        """A step of another kernel is launched where there are many tiles; who has a number is not alone."""
        is_numbered = any(isinstance(op, team.GroupId) for op in kernel.walk())
        size = kernel.work_group_size
        threads = None if size is None else size[0] * size[1]
        return replace(self, large=kernel.step_of is not None, groups=is_numbered, threads=threads)

    def chosen(self, op: tl.Gemm) -> ProductTile | None:
        """The tile that the model chooses for a product of constant extents; None if something else decides."""
        a, b, c = multiplied_types(op)
        m, n = c.shape
        if self.product is not None or m is None or n is None or self._is_small(c) or c.element.is_complex:
            return None
        return self._best(a, b, c, m, n)

    def _best(self, a: MemrefType, b: MemrefType, c: MemrefType, m: int, n: int) -> ProductTile:
        found = self._by_groups(a, b, c)
        if found is not None:
            return ProductTile(found.along, found.rows, 1.0, found.threads)
        terms = a.shape[1]
        steps = None if terms is None else max(-(-terms // self._depth(a)), 1)
        return self._tiles(a, b, c).best(m, n, steps, self.groups, self.threads)

    def _by_groups(self, a: MemrefType, b: MemrefType, c: MemrefType) -> MeasuredTile | ModelledTile | None:
        """What groups of warps take of a product of constant extents that has the device to itself."""
        (m, n), k = c.shape, a.shape[1]
        if m is None or n is None or k is None or self.groups:
            return None
        # rows of the column-major result run along m
        extents, turned = (n, m, k), (a.strides[0] == 1, b.strides[1] == 1)
        factor = self._multiplied(a, b, c)
        if factor is not None:
            is_fast = self.precision is Precision.FAST
            found = tile_of_lines(
                factor, extents, turned, self.architecture, self.threads, fast=is_fast, shares=self.shares
            )
            if found is not None:
                return found
        if not self._is_by_groups(a, b, c):
            return None
        whole = _has_whole_sectors(a) and _has_whole_sectors(b)
        return tile_of_groups(
            extents,
            self.threads,
            self.tiles,
            turned=turned,
            whole_sectors=whole,
            shares=self.shares,
            result_bytes=c.element.bytes,
        )

    def thin_tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> None:
        """None: tiles are small."""

    def gemm_sharing(self, a: MemrefType, b: MemrefType, c: MemrefType) -> Schedule:
        """As measured with the tile that the model chooses."""
        is_chosen = self.product is None and not self._is_small(c)
        found = self._by_groups(a, b, c) if is_chosen else None
        return found.wishes if isinstance(found, MeasuredTile) else Schedule()

    def _multiplied(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ScalarType | None:
        """What both factors are where they are multiplied; None if they are of two types."""
        if self.precision is Precision.TF32 and a.element is b.element is c.element is F32:
            return TF32
        return a.element if a.element is b.element else None

    def _is_by_groups(self, a: MemrefType, b: MemrefType, c: MemrefType) -> bool:
        return is_by_groups(a.element, b.element, c.element, self.architecture)

    def _depth(self, a: MemrefType) -> int:
        return max(_DEPTH_BYTES // a.element.bytes, _LEAST_DEPTH)

    def _tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ProductTiles:
        return product_tiles(a.element, b.element, c.element, self.architecture)

    def _is_small(self, c: MemrefType) -> bool:
        m, n = c.shape
        return m is not None and n is not None and m <= _WHOLE and n <= _WHOLE and _bytes(c, m * n) <= _TILE_BYTES

    def gemm_tile(self, a: MemrefType, b: MemrefType, c: MemrefType) -> tuple[int, int, int]:
        """Small static results whole; else what threads hold of accumulators, as far as static extents fill it."""
        if self.product is not None:
            return self.product
        m, n = c.shape
        if m is not None and n is not None and self._is_small(c):
            return (max(m, 1), max(n, 1), _DEPTH)
        if c.element.is_complex:
            block = _BLOCK if _bytes(c, _BLOCK * _BLOCK) <= _TILE_BYTES else _BLOCK // 2
            return (block, block, _DEPTH)
        depth, tiles, by_groups = self._depth(a), self._tiles(a, b, c), self._is_by_groups(a, b, c)
        if m is not None and n is not None:
            best = self._best(a, b, c, m, n)
            rows, columns = best.rows, best.columns
            is_large, terms = by_groups and min(m, n) >= _LARGE, a.shape[1]
            while is_large and terms is not None and depth > _LEAST_DEPTH and terms < 2 * depth:
                # of one step nothing runs ahead: on an H200 8192 x 8192 x 96 takes 47 us for 74, 64 terms 44 for 46,
                # and 4096 x 4096 x 32 takes 15.1 for 16.2
                depth //= 2
            if by_groups and _is_between(m, rows) and n % columns == 0:
                rows = m
            elif by_groups and _is_between(n, columns) and m % rows == 0:
                columns = n
            return (rows, columns, depth)
        rows, columns = (
            most if (self.large if extent is None else extent >= most) else _WHOLE
            for most, extent in zip((tiles.usual.rows, tiles.usual.columns), (m, n), strict=True)
        )
        return (rows, columns, depth)

    def gemm_moves(self, a: MemrefType, b: MemrefType, c: MemrefType) -> Iterable[Schedule]:
        """Tiles of half and twice the length along one mode."""
        taken = self.gemm_tile(a, b, c)
        for mode in range(3):
            for length in (2 * taken[mode], taken[mode] // 2):
                if _LEAST_TILE <= length <= _MOST_TILE:
                    m, n, k = (length if mode == other else taken[other] for other in range(3))
                    yield Schedule(tile=(m, n, k))

    def elementwise_tile(self, target: MemrefType, shared: bool = False) -> tuple[int, ...]:
        """Small static tensors whole; else runs along the mode of stride 1, a few columns across."""
        total = 1
        for extent in target.shape:
            total *= _ELEMENTS + 1 if extent is None else extent
        if total <= _ELEMENTS // 2:
            return tuple(max(1, extent or 1) for extent in target.shape)
        return _runs(target)

    @property
    def crosswise_remainders(self) -> Remainders:
        """Threads test for themselves."""
        return Remainders.ALONE

    @property
    def adds_tiles(self) -> bool:
        """Threads add up what each of them loads, and meet once at the end."""
        return True

    def reduction_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """What the threads of a block add up in registers: few rows or columns, so that there are many accumulators for
        many blocks, but of whole sectors; more of them where they have few terms."""
        most = _SUM_BYTES // max(source.element.accumulator.bytes, _LEAST_BYTES)
        if source.order == 1:
            return (most,)
        terms, accumulators = source.shape[dim], source.shape[1 - dim]
        kept = _ACROSS if contiguous_mode(source) == dim else max(_BLOCK, _LINE_BYTES // source.element.bytes)
        kept = kept if accumulators is None else min(kept, _power(accumulators))
        depth = most // kept if terms is None else min(most // kept, _power(terms))
        kept = most // depth if accumulators is None else min(most // depth, _power(accumulators))
        return (kept, depth) if dim == 1 else (depth, kept)

    def scan_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """Short along the scanned mode, whose elements each work-item adds up alone."""
        return tuple(_SCAN_DEPTH if k == dim else _BLOCK for k in range(source.order))


def _is_between(extent: int, side: int) -> bool:
    """Whether all of an extent is better than tiles of 64 and, of what they leave, of less.

    On an H200 8192 x 96 x 8192 takes 52 us for 80.
    """
    return side == _WHOLE < extent < 2 * _WHOLE and extent % _COLUMNS == 0


def _has_whole_sectors(factor: MemrefType) -> bool:
    """Whether rows begin at multiples of what memory moves at a time, as far as strides are constant; those that begin
    at no multiple of what a machine copies are read by threads."""
    pitches = (stride * factor.element.bytes for stride in factor.strides if stride not in (None, 1))
    return all(pitch % _SECTOR_BYTES == 0 or pitch % _COPIED_BYTES for pitch in pitches)


def _power(extent: int) -> int:
    """The next power of two."""
    return 1 << max(extent - 1, 0).bit_length()


def _bytes(type_: MemrefType, elements: int) -> int:
    return type_.element.accumulator.bytes * elements


def _runs(type_: MemrefType) -> tuple[int, ...]:
    along = contiguous_mode(type_)
    run = _RUN if type_.element.accumulator.bytes <= 8 else _RUN // 2
    return tuple(run if k == along else _ACROSS if k < 2 else 1 for k in range(type_.order))
