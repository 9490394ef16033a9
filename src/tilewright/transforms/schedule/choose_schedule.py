"""choose-schedule: how each kernel is run, as a line on the kernel (`ir/schedules.py`).

before:  builtin.kernel {work_group_size = [128, 1]} { %t = tile.load .. -> tile<4096xf32> .. }
after:   builtin.kernel {work_group_size = [256, 1], schedule = "lanes threads=256"} { .. }

A kernel whose tile operations are all known to the lane level, and whose tiles fit in registers, takes that way. Any
other has none yet, and the schedule says why: it may be packed, or its tiles are sliced. What the caller asks for is
followed if it can be, and reported (T009) if it cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import ClassVar, Final

from msgspec.structs import replace

from tilewright.dialects import scf, team, tile
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import UNSAID, Copies, Maps, Schedule, Tile, Way
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import Reduced, SchedulePolicy, threads_beside
from tilewright.transforms.schedule.accesses import elements_there
from tilewright.transforms.schedule.known import collective, obstacle, teams_of, tiles_of
from tilewright.transforms.schedule.products.choice import (
    Products,
    block_of,
    choose_products,
    least_slab,
    moves_from,
    products_of,
)
from tilewright.transforms.schedule.products.factors import SLAB
from tilewright.transforms.schedule.products.grids import best_order
from tilewright.transforms.schedule.products.plan import WARP
from tilewright.transforms.schedule.products.shapes import extents_of
from tilewright.transforms.schedule.products.sources import is_factor
from tilewright.transforms.schedule.request import ScheduleRequest, is_of_own
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.schedule.spreading import Teams, registers_of
from tilewright.transforms.spread_collectives.wishes import forget_wishes, with_wishes
from tilewright.transforms.tile_values import tile_type

_USUAL: Final = 4
MOST_REGISTERS: Final = 64
"""Registers of a thread that a tile takes at most."""

_NO_PRODUCTS: Final = Products({}, {}, (), {})

_TRANSFERS: Final = (tile.Load, tile.Store)
_REDUCTIONS: Final = (tile.Reduce, ReduceBy, tile.Scan)


class ChooseSchedule(Pass, frozen=True):
    """Decide by the target's model."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "choose-schedule"

    def run(self, module: Module, context: PassContext) -> None:
        self.request.check_names(module, context.report)
        for kernel in module.kernels:
            wanted = with_wishes(self.request.of(kernel), kernel)
            forget_wishes(kernel)
            self._choose(kernel, wanted, context)

    def again(self, kernel: Kernel, context: PassContext) -> None:
        """Decide anew for a kernel that has got other tiles; its schedule has what was asked for."""
        self._choose(kernel, replace(schedule_of(kernel), reason=""), context)

    def _choose(self, kernel: Kernel, wanted: Schedule, context: PassContext) -> None:
        threads = take_threads(kernel, wanted, self.policy)
        found = obstacle(kernel)
        products, reason = wanted.products, ""
        chosen: Mapping[str, object] = {}
        placed: Products | str = _NO_PRODUCTS
        if found is None:
            placed = self._multiplied(kernel, wanted) if products_of(kernel) else self._over_lanes(kernel, threads)
            if isinstance(placed, str):
                found = placed
            else:
                products, reason = placed.choices, one_line(placed.why)
                chosen = self._chosen(kernel, placed, wanted)
        taken = replace(wanted, way=Way.LANES, reason=reason) if found is None else refused(wanted, found)
        threads = teams_of(kernel).threads
        dependent = wanted.dependent if self.policy.has_dependent_launches else None
        taken = replace(
            taken, threads=threads, groups=None, chunk=None, products=products, dependent=dependent, **chosen
        )
        taken = _with_spread(taken, kernel)
        kernel.schedule = str(taken)
        if context.offers is not None and not isinstance(placed, str) and not is_of_own(kernel):
            context.offers.add(kernel.launched_as, self._moves(kernel, placed))
        if found is None:
            self.request.check(kernel, taken, context.report, self._why(kernel), _products(kernel))

    def _chosen(self, kernel: Kernel, placed: Products, wanted: Schedule) -> Mapping[str, object]:
        """What is said of products; of what only who asks gets, nothing if nobody has asked."""
        asked = {key: getattr(placed, key) for key in ("turns", "reuse", "overlap", "held", "roles", "pingpong")}
        return {
            **UNSAID,
            "copies": placed.copies,
            "stores": placed.stores,
            "persistent": self._persist(kernel, placed, wanted),
            "order": self._order(kernel, placed, wanted),
            "swizzle": least_slab(wanted) if placed.slab < SLAB else None,
            "cluster": kernel.cluster if placed.is_clustered else None,
            "maps": _maps(kernel, placed, wanted.maps),
            "stream": shares_terms(kernel) or (None if wanted.stream is None else False),
            **{key: found or (None if getattr(wanted, key) is None else False) for key, found in asked.items()},
        }

    def _moves(self, kernel: Kernel, taken: Products) -> Iterator[Schedule]:
        """What else a kernel over lanes could have."""
        if kernel.spread:
            yield from threads_beside(teams_of(kernel).threads, kernel.subgroup_size or 1, self.policy.most_threads)
            yield from self._resident_moves(kernel, taken)
        yield from moves_from(kernel, block_of(kernel, self.policy), taken)
        if kernel.gathered:
            yield Schedule(persistent=False, roles=False, pingpong=False)
        if schedule_of(kernel).joined:
            yield Schedule(joined=False)
        if self._best_order(kernel, taken) is not None or (kernel.gathered and schedule_of(kernel).order is not None):
            yield Schedule(order=1)

    def _resident_moves(self, kernel: Kernel, taken: Products) -> Iterator[Schedule]:
        """Other numbers of blocks that a multiprocessor runs at least, of more than a warp and without products."""
        threads = teams_of(kernel).threads
        if threads > (kernel.subgroup_size or 1) and not taken.plans:
            counts = dict.fromkeys(most // threads for most in self.policy.resident_threads)
            yield from (Schedule(resident=count) for count in counts if count)

    def _persist(self, kernel: Kernel, placed: Products, wanted: Schedule) -> bool | None:
        """Whether blocks go on from tile to tile; then no more share a work-group than the device runs at a time."""
        block = block_of(kernel, self.policy)
        if kernel.gathered and block is not None:
            kernel.most_blocks = placed.resident(block)
        if not placed.persistent or block is None:
            return False if wanted.persistent is False else None
        if kernel.parts is not None:
            together = prod(kernel.cluster or (1, 1))
            kernel.parts = {**kernel.parts, "most": placed.resident(block, together)}
        return True

    def _order(self, kernel: Kernel, placed: Products, wanted: Schedule) -> int | None:
        """By bands of how many work-groups along x the grid runs, if these are not all alike."""
        best = self._best_order(kernel, placed)
        return schedule_of(kernel).order if best is None else wanted.order or best

    def _best_order(self, kernel: Kernel, placed: Products) -> int | None:
        block = block_of(kernel, self.policy)
        return None if block is None or not placed.loops else best_order(placed.plans, placed.resident(block))

    def _over_lanes(self, kernel: Kernel, threads: int | None) -> Products | str:
        """Deal the tiles to threads; why there is no room for them, if there is none."""
        largest = max((tile_type(value).size for value in tiles_of(kernel)), default=1)
        threads = threads or self._threads(kernel, largest)
        registers = _most_registers(kernel, threads)
        if registers > MOST_REGISTERS:
            return _too_large(largest, registers, threads)
        if kernel.spread:
            kernel.work_group_size = (threads, 1)
        return _NO_PRODUCTS

    def _multiplied(self, kernel: Kernel, wanted: Schedule) -> Products | str:
        """How a kernel multiplies, whose products have chosen its threads; or what is in the way."""
        _take_whole_warps(kernel)
        teams = teams_of(kernel)
        found = choose_products(kernel, block_of(kernel, self.policy), wanted)
        accumulators = {tile_type(op.out).shape: plan.most_registers for op, plan in found.plans.items()}
        for value in tiles_of(kernel):
            most = teams.threads * accumulators.get(tile_type(value).shape, MOST_REGISTERS)
            if tile_type(value).size > most and not is_factor(value, found.plans):
                return _too_large(tile_type(value).size, -(-tile_type(value).size // teams.threads), teams.threads)
        return found

    def _threads(self, kernel: Kernel, largest: int) -> int:
        """As many as suit the largest tile, where the program does not say how many there are."""
        if not kernel.spread:
            return teams_of(kernel).threads
        bytes_, there = _least_bytes(kernel, largest), _elements_there(kernel, largest)
        reduced = _reduced(kernel, largest)
        if there < largest and _has_rows(kernel):
            return self.policy.threads_of_row(there, bytes_, reduced)
        return self.policy.threads(largest, bytes_, reduced)

    def _why(self, kernel: Kernel) -> str:
        """Which numbers of threads a kernel can have."""
        return (
            f"blocks have whole subgroups of {kernel.subgroup_size}, {self.policy.most_threads} threads at most; a "
            f"kernel whose work-items know who they are has as many as its text says"
        )


def take_threads(kernel: Kernel, wanted: Schedule, policy: SchedulePolicy) -> int | None:
    """Give a kernel that leaves them to us the threads that are asked for, if a block can have so many: those."""
    size = kernel.subgroup_size or 1
    if not wanted.threads or wanted.threads % size or wanted.threads > policy.most_threads:
        return None
    if kernel.spread:
        kernel.work_group_size = (wanted.threads, 1)
    return wanted.threads


def _maps(kernel: Kernel, placed: Products, wanted: Maps | None) -> Maps | None:
    """What becomes of launches without maps. Steps refuse none: the launch of the whole kernel does."""
    if wanted is None:
        return None
    suits = wanted is not Maps.NONE if placed.copies is Copies.TENSOR else wanted is not Maps.APART
    if not (placed.takes_maps and suits) or (wanted is Maps.DEMANDED and kernel.step_of):
        return Maps.TESTED
    return wanted


def _take_whole_warps(kernel: Kernel) -> None:
    """Let subgroups be warps, by which units multiply, where no work-item can tell."""
    assert kernel.work_group_size is not None
    if kernel.work_group_size[0] % WARP == 0 and not any(isinstance(op, team.Spmd) for op in kernel.walk()):
        kernel.subgroup_size = WARP


def _too_large(size: int, registers: int, threads: int) -> str:
    return f"tiles of {size} elements: they take {registers} registers of each of {threads} threads"


def _most_registers(kernel: Kernel, threads: int) -> int:
    """Those that a tile takes of each thread, with what its layout covers beyond it."""
    lanes = teams_of(kernel).lanes
    shapes = {tile_type(value).shape for value in tiles_of(kernel)}
    teams = Teams(lanes, threads // lanes)
    return max((registers_of(shape, teams) for shape in shapes), default=0)


def _transfers(kernel: Kernel, size: int) -> Iterator[tuple[tile.Load | tile.Store, TileType]]:
    """Of tiles of that size."""
    for op in collective(kernel):
        if isinstance(op, _TRANSFERS):
            type_ = tile_type(op.out if isinstance(op, tile.Load) else op.value)
            if type_.size == size:
                yield op, type_


def _least_bytes(kernel: Kernel, size: int) -> int:
    """Of the elements of tiles of that size that come from or go to memory."""
    return min((type_.element.bytes for _, type_ in _transfers(kernel, size)), default=_USUAL)


def _elements_there(kernel: Kernel, size: int) -> int:
    """How many elements of tiles of that size lie in memory, as far as that is known."""
    return max((prod(_extents_there(op, type_.shape)) for op, type_ in _transfers(kernel, size)), default=size)


def rows_there(kernel: Kernel) -> Mapping[int, int]:
    """How many elements of tiles lie in memory, by the size of the tiles, where these are rows that are not whole."""
    sizes = {tile_type(value).size for value in tiles_of(kernel)} if _has_rows(kernel) else ()
    found = ((size, _elements_there(kernel, size)) for size in sizes)
    return {size: there for size, there in found if there < size}


def _extents_there(op: tile.Load | tile.Store, shape: tuple[int, ...]) -> Iterator[int]:
    assert isinstance(op.memref.type, MemrefType)
    for mode, extent in enumerate(shape):
        yield elements_there(op.memref.type, op.indices, shape, op.check, mode) or extent


def _reduced(kernel: Kernel, size: int) -> Reduced:
    """What becomes of tiles of that size."""
    reduced = [op for op in kernel.walk() if isinstance(op, _REDUCTIONS) and tile_type(op.operands[0]).size == size]
    if not reduced:
        return Reduced.NO
    loops = [op for op in collective(kernel) if isinstance(op, scf.For)]
    carried = [value for loop in loops for value in loop.outs if isinstance(value.type, TileType)]
    carried = [value for value in carried if tile_type(value).size == size]
    if carried and not all(op.operands[0] in carried for op in reduced):
        return Reduced.BESIDE_SUMS
    if any(tile_type(op.results[0]).size == 1 for op in reduced):
        return Reduced.ONCE
    if carried:
        return Reduced.BEHIND_LOOP
    loaded = (op for op, _ in _transfers(kernel, size) if isinstance(op, tile.Load))
    repeated = any(loop.is_ancestor_of(op) for op in loaded for loop in loops)
    return Reduced.IN_LOOP if repeated else Reduced.ONCE


def shares_terms(kernel: Kernel) -> bool:
    """Whether blocks share the terms of products."""
    return any(isinstance(op, team.Publish) for op in kernel.walk())


def _has_rows(kernel: Kernel) -> bool:
    """Whether tiles of more than one element are rows of one length."""
    lengths = {tuple(extent for extent in tile_type(value).shape if extent != 1) for value in tiles_of(kernel)}
    return len(lengths - {()}) == 1 and all(len(length) <= 1 for length in lengths)


def refused(schedule: Schedule, reason: str) -> Schedule:
    """The schedule of a kernel that has no way yet."""
    return replace(schedule, way=None, reason=one_line(f"in parts: {reason}"))


def one_line(reason: str) -> str:
    """As a schedule may say it, which stands on one line between semicolons."""
    return reason.replace(";", ",").replace("\n", " ")


def _with_spread(taken: Schedule, kernel: Kernel) -> Schedule:
    """The schedule, which tells whether the kernel was divided among blocks, its tiles too, and why it could not be."""
    before = schedule_of(kernel)
    reasons = [reason for reason in (taken.reason, before.reason) if reason]
    spread = before.spread if before.spread is not None or taken.spread else taken.spread
    spread = spread if kernel.parts is None else True
    reason = ", ".join(reasons)
    return replace(taken, spread=spread, divide=before.divide, joined=before.joined, reason=reason)


def _products(kernel: Kernel) -> list[Tile]:
    """The extents of the products of tiles."""
    return list(dict.fromkeys(map(extents_of, products_of(kernel))))
