"""What passes ask a target: which teams it runs and which tiles suit it.

Targets implement the protocols; `generic_policies.py` serves the interpreter, tests and targets without wishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Final, Protocol

from msgspec import Struct

from tilewright.dialects.builtin import Kernel
from tilewright.ir.schedules import Schedule as ScheduleLine
from tilewright.ir.types import MemrefType, ScalarType
from tilewright.transforms.schedule.products.plan import Block


class TeamPolicy(Protocol):
    """Machine facts about subgroups and work-groups."""

    @property
    def subgroup_sizes(self) -> Sequence[int]:
        """Supported subgroup sizes, the preferred one first."""
        ...

    @property
    def max_work_group_size(self) -> int:
        """Most work-items of a work-group."""
        ...

    def work_group_size(self, kernel: Kernel, subgroup_size: int) -> tuple[int, int]:
        """Work-group size (m, n) for a kernel that does not prescribe one; m is a multiple of `subgroup_size`."""
        ...

    def moves_from(self, kernel: Kernel, subgroup_size: int, shape: tuple[int, int]) -> Iterable[ScheduleLine]:
        """What a kernel could have instead of a size that this policy chose."""
        ...


def threads_beside(threads: int, least: int, most: int) -> Iterator[ScheduleLine]:
    """Other numbers of threads of a block as schedules: half and twice as many, then what lies between, in `least`s."""
    for count in (2 * threads, threads // 2, 3 * threads // 2, 3 * threads // 4):
        if least <= count <= most and count % least == 0:
            yield ScheduleLine(threads=count)


class Reduced(Enum):
    """What becomes of the largest tiles of a kernel.

    `NO`: they are not reduced; `ONCE`: they are, or scanned; `IN_LOOP`: a loop reduces one after the other;
    `BEHIND_LOOP`: a loop adds them up, and their sum is reduced; `BESIDE_SUMS`: a loop reduces some and adds up others.
    """

    NO = "no"
    ONCE = "once"
    IN_LOOP = "in a loop"
    BEHIND_LOOP = "behind a loop"
    BESIDE_SUMS = "beside sums"


class Remainders(Enum):
    """What is left of an extent behind whole tiles: code of its own, or the same as for those, which then test.

    `ALONE`: always its own, and whole tiles run unchecked; `ALONE_IF_STATIC`: where the extent is constant; `CHECKED`:
    one code for all, which is worth it where it is long; `SMALLER`: like `ALONE`, but what is left of an extent that is
    not constant is ever smaller tiles, which do not test either.
    """

    ALONE = "alone"
    ALONE_IF_STATIC = "alone if static"
    CHECKED = "checked"
    SMALLER = "smaller"


class ThinTiles(Struct, frozen=True):
    """Boxes of products of open extents that turn out thin: one of m, n and k is less than its number in `below`.

    Along the mode `run` of the result boxes are `length` long, behind the last whole one `rest`; across it `columns`
    wide, and 1 behind these. Each step has one term. Results that are up to `few` long along a mode of `dots` are dot
    products from `terms` terms on, of `columns` columns, with `depth` terms a step.
    """

    below: tuple[int, int, int]
    run: int
    length: int
    rest: int
    columns: int
    dots: tuple[int, ...]
    few: int
    terms: int
    depth: int


class TilePolicy(Protocol):
    """Sizes of the work-group's tiles.

    Types describe the views as they are accessed (transposes already applied). A length at least as large as a static
    extent means one tile along that mode, without a loop.
    """

    @property
    def remainders(self) -> Remainders:
        """Of products."""
        ...

    @property
    def crosswise_remainders(self) -> Remainders:
        """Of tensors that are computed from others whose neighbours lie along another mode."""
        ...

    @property
    def adds_tiles(self) -> bool:
        """Whether sums along a mode add up whole tiles wherever elements lie, and add across a tile once at the end.

        Else they do so along the mode of stride 1 alone, and elsewhere add up each tile as it comes.
        """
        ...

    def gemm_moves(self, a: MemrefType, b: MemrefType, c: MemrefType) -> Iterable[ScheduleLine]:
        """What a product could have instead of its tile."""
        ...

    def gemm_sharing(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ScheduleLine:
        """What blocks had better share of a product with its tile: copies in a `cluster`, terms of tiles (`stream`)."""
        ...

    def of(self, kernel: Kernel) -> TilePolicy:
        """The sizes for a kernel, which are larger for one that is launched for large products only."""
        ...

    def gemm_tile(self, a: MemrefType, b: MemrefType, c: MemrefType) -> tuple[int, int, int]:
        """Tile lengths along m, n and k of `c += a b`."""
        ...

    def thin_tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ThinTiles | None:
        """Tiles of the same product where a launch makes it thin; None if it cannot, or the others are right then."""
        ...

    def elementwise_tile(self, target: MemrefType, shared: bool = False) -> tuple[int, ...]:
        """Tile lengths for an update of all elements of `target`; `shared`: columns beside each other read the same."""
        ...

    def reduction_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """Tile lengths for a sum of `source` along mode `dim`."""
        ...

    def scan_tile(self, source: MemrefType, dim: int) -> tuple[int, ...]:
        """Tile lengths for a prefix sum of `source` (order at most 2) along mode `dim`."""
        ...


class SchedulePolicy(Protocol):
    """How tiles are dealt to the threads of a work-group."""

    @property
    def target(self) -> str:
        """The machines that it speaks for, as messages name them."""
        ...

    @property
    def most_threads(self) -> int:
        """Threads of a block at most."""
        ...

    @property
    def groups(self) -> int:
        """Work-groups of one warp that share a block."""
        ...

    @property
    def band(self) -> int:
        """Work-groups along x that come with one along y, where blocks go on over a grid of products."""
        ...

    @property
    def shared_bytes(self) -> int:
        """Of shared memory that a block can have."""
        ...

    def threads_of(self, kernel: Kernel) -> int:
        """Threads of a kernel that leaves them to the machine, before its schedule is chosen."""
        ...

    @property
    def most_divided(self) -> int:
        """Work-groups from which on a grid keeps the device busy, so that no tiles of theirs are divided."""
        ...

    def product_time(
        self, types: tuple[ScalarType, ScalarType, ScalarType], tile: tuple[int, int], blocks: int
    ) -> float | None:
        """What products of such factors into such accumulators take in so many blocks with a tile each of the result;
        None if that is not known. In any unit, the same for all tiles of these types and all numbers of blocks."""
        ...

    @property
    def has_dependent_launches(self) -> bool:
        """Whether a launch may begin while the one before it ends."""
        ...

    @property
    def resident_threads(self) -> Sequence[int]:
        """Numbers of threads of a multiprocessor for which a kernel may be compiled, which has fewer registers then."""
        ...

    def threads(self, elements: int, bytes_: int, reduced: Reduced) -> int:
        """Threads for kernels whose largest tile has so many elements, of so many bytes in memory.

        A power of two, and whole warps.
        """
        ...

    def products(self, threads: int) -> Block | None:
        """What multiplies tiles in a work-group of so many threads; None where nothing does."""
        ...

    def bytes_ahead(self, groups: int | None) -> int:
        """What a block of so many work-groups, if that is known, may load in an iteration to load it one ahead."""
        ...

    def threads_of_row(self, elements: int, bytes_: int, reduced: Reduced) -> int:
        """The same where tiles are rows, of which so many elements lie in memory; any number of whole warps."""
        ...


class StreamPrefetch(Struct, frozen=True):
    """How far in front of streams is prefetched, in bytes of their elements; 0 where caches fetch by themselves.

    `stores`: streams of stores without loads of the same place; `strided`: streams of elements that are no neighbours.
    """

    stores: int = 0
    strided: int = 0


NO_PREFETCH: Final = StreamPrefetch()


class Schedule(Struct, frozen=True):
    """What a target decides about collectives."""

    tiles: TilePolicy
    prefetch: StreamPrefetch


class SpreadPolicy(Struct, frozen=True):
    """When the tiles of a work-group are spread over blocks, and over how many.

    Fewer than `fewest` tiles stay together. A grid has about `blocks` blocks at most, or `product_blocks` where tiles
    are multiplied; of these, `band` tiles along one mode of the result come with all of the other mode before the next,
    so that blocks that run at a time share factors. Several launches are worth their time from `step_tiles` tiles
    on, and on grids of at most `groups` work-groups: more keep the device busy, and each would need memory of its own.
    Products of open extents take large tiles where there are `wide_tiles` of them. Sums that are less than `sum_tiles`
    tiles of results are split into so many parts that there is work for `sum_blocks`, each of `tiles_of_part` tiles of
    terms at least. Work-groups whose tiles are divided into slices have about `divided_blocks` blocks at most, if
    nobody knows how many there are: blocks of more compute several slices. Blocks run in clusters only where the
    machine has them.
    """

    fewest: int = 4
    step_tiles: int = 16
    wide_tiles: int = 16
    groups: int = 528
    blocks: int = 2112
    product_blocks: int = 1 << 16
    band: int = 8
    sum_tiles: int = 132
    sum_blocks: int = 528
    tiles_of_part: int = 4
    stream_blocks: int = 264
    divided_blocks: int = 264
    has_clusters: bool = False


def contiguous_mode(type_: MemrefType) -> int:
    """The mode with stride 1, else 0."""
    return type_.strides.index(1) if 1 in type_.strides else 0
