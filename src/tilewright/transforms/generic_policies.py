"""Policies of no machine in particular: for the interpreter, tests and targets without wishes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from tilewright.dialects.builtin import Kernel
from tilewright.ir.schedules import Schedule as ScheduleLine
from tilewright.ir.types import MemrefType, ScalarType
from tilewright.transforms.policy import Reduced, Remainders, ThinTiles, TilePolicy, contiguous_mode
from tilewright.transforms.schedule.products.plan import Block


class GenericTeamPolicy(Struct, frozen=True):
    """Any power of two up to 64 as subgroup; one subgroup a work-group unless the kernel says otherwise."""

    subgroup_sizes: Sequence[int] = (16, 8, 32, 4, 64, 2, 1)
    max_work_group_size: int = 1024

    def work_group_size(self, kernel: Kernel, subgroup_size: int) -> tuple[int, int]:
        """One subgroup."""
        return (subgroup_size, 1)

    def moves_from(self, kernel: Kernel, subgroup_size: int, shape: tuple[int, int]) -> Iterable[ScheduleLine]:
        """None."""
        return ()


class GenericSchedulePolicy(Struct, frozen=True):
    """Always as many threads."""

    target: str = "generic devices"
    count: int = 128
    most_threads: int = 1024
    groups: int = 1
    band: int = 1
    shared_bytes: int = 0
    most_divided: int = 0
    has_dependent_launches: bool = False
    resident_threads: Sequence[int] = ()

    def threads(self, elements: int, bytes_: int, reduced: Reduced) -> int:
        """The same for all kernels."""
        return self.count

    def products(self, threads: int) -> Block | None:
        """Nothing."""
        return None

    def threads_of(self, kernel: Kernel) -> int:
        """The same for all kernels."""
        return self.count

    def product_time(
        self, types: tuple[ScalarType, ScalarType, ScalarType], tile: tuple[int, int], blocks: int
    ) -> float | None:
        """Nobody knows."""
        return None

    def bytes_ahead(self, groups: int | None) -> int:
        """A page."""
        return 4096

    def threads_of_row(self, elements: int, bytes_: int, reduced: Reduced) -> int:
        """The same for all kernels."""
        return self.count


class GenericTilePolicy(Struct, frozen=True):
    """Whole matrices up to `whole` per mode; else square blocks, and long runs along the unit-stride mode."""

    whole: int = 64
    block: int = 32
    depth: int = 8
    run: int = 256
    remainders: Remainders = Remainders.ALONE
    crosswise_remainders: Remainders = Remainders.ALONE
    adds_tiles: bool = False

    def of(self, kernel: Kernel) -> TilePolicy:
        """The same for all kernels."""
        return self

    def gemm_tile(self, a: MemrefType, b: MemrefType, c: MemrefType) -> tuple[int, int, int]:
        """Small static products whole, others in square blocks."""
        sizes = (c.shape[0], c.shape[1], a.shape[1])
        if all(s is not None and s <= self.whole for s in sizes):
            return (self.whole, self.whole, self.whole)
        return (self.block, self.block, self.depth)

    def thin_tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ThinTiles | None:
        """None."""
        return None

    def gemm_moves(self, a: MemrefType, b: MemrefType, c: MemrefType) -> Iterable[ScheduleLine]:
        """None."""
        return ()

    def gemm_sharing(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ScheduleLine:
        """Nothing."""
        return ScheduleLine()

    def elementwise_tile(self, target: MemrefType, shared: bool = False) -> tuple[int, ...]:
        """Small static tensors whole; else runs along the mode of the smallest stride."""
        if all(s is not None and s <= self.whole for s in target.shape):
            return (self.whole,) * target.order
        contiguous = contiguous_mode(target)
        return tuple(self.run if k == contiguous else 4 for k in range(target.order))

    def reduction_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """Runs along the mode of the smallest stride."""
        return self.elementwise_tile(source)

    def scan_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """Short blocks along the scanned mode."""
        return tuple(self.depth if k == dim else self.block for k in range(source.order))
