"""How loops load the factors of their products ahead: how many stages, who copies, what goes on from tile to tile."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import scf, tile
from tilewright.dialects.gpu_clusters import cluster_of
from tilewright.dialects.gpu_turns import MOST_GROUPS
from tilewright.ir.core import Operation
from tilewright.ir.schedules import Copies, Schedule
from tilewright.ir.types import MemrefType
from tilewright.transforms.schedule.products.ahead import (
    NOTHING,
    Ahead,
    adders_of,
    early_product,
    late_product,
    not_copied,
)
from tilewright.transforms.schedule.products.around import Around, Side, around_product, around_products
from tilewright.transforms.schedule.products.beside import loads_beside, slices_of
from tilewright.transforms.schedule.products.cluster_factors import shared_sides
from tilewright.transforms.schedule.products.loops import computed, is_inside, may_run_ahead
from tilewright.transforms.schedule.products.plan import LEAST_STAGES, WARP, Block, ProductPlan
from tilewright.transforms.schedule.products.producers import has_producer, has_producer_of_one
from tilewright.transforms.schedule.products.shapes import extents_of
from tilewright.transforms.schedule.products.shared_factors import buffer_type
from tilewright.transforms.schedule.products.sources import source_of

ASKED: Final = "threads are asked for"
_GROUP: Final = 4
"""Warps that multiply together."""
_PAIR: Final = 2
_LONG_TURN: Final = 1024
"""Clocks of the unit from which on turns pay: on an H200 1024 gain 6 to 10 %, 384 and 512 lose 2 to 12 %."""


class _Loaded(Struct, frozen=True):
    """What the products of a loop multiply: the bytes of each factor that can be loaded `ahead`, those that are the
    same in all iterations (`once`), the bytes of all that have one stage, and what computes where to load."""

    products: Sequence[tile.Mma]
    ahead: Mapping[Side, int]
    once: Collection[Side]
    fixed: int
    computed: Collection[Operation]


class _Room(Struct, frozen=True):
    """The memory of a block for factors, beside those of one stage; of `fewest` stages, if so many are asked for."""

    block: Block
    plans: Sequence[ProductPlan]
    fixed: int
    fewest: int | None

    def stages(self, bytes_: int) -> int:
        """So many of a stage's bytes have room."""
        return self.block.stages(self.plans, bytes_, self.fixed, self.fewest)


def ring_of(loop: scf.For, plans: Mapping[tile.Mma, ProductPlan], block: Block, schedule: Schedule) -> Ahead | None:
    """How a loop loads factors ahead; None if it does not."""
    if not may_run_ahead(loop):
        return None
    loaded = _loaded(loop, plans)
    products, ahead = loaded.products, loaded.ahead
    if not ahead:
        return None
    # products whose factors all stay where they are have one stage of each, whatever the loop has
    choices = [schedule.product(extents_of(op)) for op in products if (op, 0) in ahead or (op, 1) in ahead]
    asked = [choice.stages for choice in choices if choice is not None and choice.stages is not None]
    room = _Room(block, [plans[op] for op in products], loaded.fixed, min(asked, default=None))
    stages = room.stages(sum(ahead.values()))
    if stages < LEAST_STAGES:
        return None
    by_threads = _by_threads(products, ahead, loaded.once, plans)
    if schedule.copies is Copies.THREADS:
        by_threads = by_threads or ASKED
    same = _same_tiles(ahead, plans) if schedule.reuse and not by_threads else NOTHING
    if same:
        fewer = room.stages(sum(size for side, size in ahead.items() if side not in same))
        # of what the last product reads an iteration later there is one more
        same, stages = (NOTHING, stages) if fewer <= LEAST_STAGES else (same, fewer)
    shared = _shared(loop, products, plans, by_threads)
    found = Ahead(
        tuple(products),
        _in_order(loop, loaded.computed),
        frozenset(ahead),
        frozenset(loaded.once),
        stages,
        by_threads,
        turns=1 if by_threads else _groups_in_turn(loop, room.plans, products, block, schedule.turns),
        same=same,
    )
    found = replace(found, alone=shared) if isinstance(shared, str) else replace(found, shared=shared)
    if schedule.overlap and not by_threads and stages > LEAST_STAGES:
        found = _overlapping(loop, found, loaded, room)
    return _with_producer(loop, _going_on(loop, found, plans, schedule), room, schedule)


def _loaded(loop: scf.For, plans: Mapping[tile.Mma, ProductPlan]) -> _Loaded:
    """What the products in the body of a loop multiply."""
    body = loop.body.entry
    products = [op for op in body if isinstance(op, tile.Mma) and op in plans]
    ahead, once = dict[Side, int](), dict[Side, None]()
    fixed, wanted = 0, dict[Operation, None]()
    for op in products:
        for side, (value, factor) in enumerate(((op.lhs, plans[op].lhs), (op.rhs, plans[op].rhs))):
            if factor.held:
                continue
            source = source_of(value, plans[op].instruction)
            slices = (
                computed([source.load.memref, *source.load.indices], loop)
                if source is not None and source.load.block is body
                else None
            )
            if slices is not None:
                ahead[op, side] = factor.bytes
                wanted.update(dict.fromkeys(slices))
                continue
            fixed += factor.bytes
            if not is_inside(value, loop):
                once[op, side] = None
    return _Loaded(products, ahead, once, fixed, wanted)


def _in_order(loop: scf.For, wanted: Collection[Operation]) -> tuple[Operation, ...]:
    """Operations of a loop as they stand in it."""
    return tuple(op for op in loop.body.entry if op in wanted)


def _overlapping(loop: scf.For, found: Ahead, loaded: _Loaded, room: _Room) -> Ahead:
    """The same with the first product of an iteration begun in the one before, if it may be, and with what is loaded
    beside factors, if there is memory for it."""
    early = early_product(loop, found.products, found.ahead)
    if early is None:
        return found
    last = not room.block.has_registers_for(room.plans, room.plans[found.products.index(early)])
    found = replace(found, turns=1, overlap=True, last=last)
    beside = loads_beside(loop, found.together, adders_of(loop, found.products), found.products)
    bytes_ = sum(loaded.ahead[side] for side in found.copied) + sum(each.bytes for each in beside)
    fewer = room.stages(bytes_)
    if not beside or fewer <= LEAST_STAGES:
        return found
    slices = _in_order(loop, {*loaded.computed, *slices_of(beside, loop)})
    return replace(found, beside=beside, slices=slices, stages=fewer)


def _with_producer(loop: scf.For, found: Ahead, room: _Room, schedule: Schedule) -> Ahead:
    """The same with a producer warp, if one issues the copies, and with sides that take tiles by turns."""
    groups = room.block.threads // (WARP * _GROUP)
    if len(found.products) == 1:
        reads = any(plan.rows.read for plan in room.plans)
        roles = not (found.by_threads or reads) and has_producer_of_one(groups, room.block.sides, schedule)
        sides = room.block.sides if roles and found.around is not None else 1
        return replace(found, roles=roles, sides=sides)
    asks = not found.by_threads and has_producer(loop, groups, found, schedule)
    takes_none = asks and found.around is not None and schedule.turns is None
    return replace(found, roles=asks, turns=1 if takes_none else found.turns)


def _going_on(loop: scf.For, found: Ahead, plans: Mapping[tile.Mma, ProductPlan], schedule: Schedule) -> Ahead:
    """The same with the loop over tiles around it, if there is one and it goes on from tile to tile."""
    if schedule.persistent is False or (found.by_threads and not _threads_go_on(found, plans, schedule)):
        return found
    if len(found.products) == 1:
        around = around_product(loop, found.products[0], found.slices)
    else:
        around = _around_several(loop, found, plans) if schedule.persistent else ""
    if isinstance(around, str):
        # what nobody asks for needs no reason
        return replace(found, apart=around) if schedule.persistent else found
    return replace(found, around=around)


def _threads_go_on(found: Ahead, plans: Mapping[tile.Mma, ProductPlan], schedule: Schedule) -> bool:
    """Whether threads that copy may go on from tile to tile, and are asked to: for one product, which warps multiply by
    themselves, of factors that are both loaded ahead."""
    op, *others = found.products
    is_alone = not others and not plans[op].instruction.reads_memory and all((op, k) in found.ahead for k in range(2))
    return bool(schedule.persistent) and is_alone


def _same_tiles(ahead: Container[Side], plans: Mapping[tile.Mma, ProductPlan]) -> Mapping[Side, Side]:
    """Factors that are tiles which another product loads ahead too, and lie in memory as it has them: its factor."""
    first, found = dict[tuple[Operation, MemrefType], Side](), dict[Side, Side]()
    for op, plan in plans.items():
        for side, (value, factor) in enumerate(((op.lhs, plan.lhs), (op.rhs, plan.rhs))):
            source = source_of(value, plan.instruction)
            if (op, side) not in ahead or source is None:
                continue
            other = first.setdefault((source.load, buffer_type(factor, 1)), (op, side))
            if other != (op, side):
                found[op, side] = other
    return found


def _shared(
    loop: scf.For, products: Sequence[tile.Mma], plans: Mapping[tile.Mma, ProductPlan], by_threads: str
) -> frozenset[int] | str:
    """The factors that blocks of a cluster copy for each other, or why each copies for itself."""
    if cluster_of(loop) == (1, 1):
        return frozenset()
    if by_threads:
        return "threads copy factors"
    if len(products) > 1:
        return "a loop has several products"
    return shared_sides(loop, products[0], plans)


def _groups_in_turn(
    loop: scf.For, plans: Sequence[ProductPlan], products: Sequence[tile.Mma], block: Block, asked: bool | None
) -> int:
    """How many groups of warps take turns: those of a loop that computes factors while it multiplies others.

    Two do where nobody asks, if each keeps the unit long enough, but for those that go on from tile to tile beside a
    producer warp: one is in the next tile before the other one. Of torch's attention without turns and with them, on
    an H100, f16: width 128 at lengths 512, 1024, 2048, 4096, 8192, 16384 1.05 and 1.07, 1.05 1.03, 1.05 1.02, 1.05
    1.04, 1.08 1.04, 1.08 1.03, causal 1024 to 16384 1.05 to 1.09 and 1.05 to 1.07; width 256 as fast, causal 1.00 and
    0.97. Without going on width 128 has 0.99 and 1.02.
    """
    groups = block.threads // (WARP * _GROUP)
    is_rotated = late_product(loop, products) is not None
    if not is_rotated or not 2 <= groups <= MOST_GROUPS or asked is False:
        return 1
    is_long = sum(map(_clocks, plans)) >= _LONG_TURN
    return groups if asked or (groups == _PAIR and is_long) else 1


def _clocks(plan: ProductPlan) -> int:
    """How long the unit multiplies for one group of warps: two columns of an instruction of 64 rows a clock."""
    each = plan.columns.part.shape[0] // 2
    return each * plan.rows.repeats * plan.columns.repeats * plan.steps


def _around_several(loop: scf.For, found: Ahead, plans: Mapping[tile.Mma, ProductPlan]) -> Around | str:
    """The loop over tiles around one with several products, or why it cannot go on between them."""
    if found.overlap:
        return "iterations overlap"
    late = late_product(loop, found.products)
    if late is None:
        return "the last accumulators of a loop are used in it"
    loads: list[tile.Load] = []
    for op, side in (*found.copied, *found.shared_by_all):
        value, factor = ((op.lhs, plans[op].lhs), (op.rhs, plans[op].rhs))[side]
        source = source_of(value, plans[op].instruction)
        if source is None:
            return "a factor that is the same in all iterations is computed"
        if reason := not_copied(source, factor, side):
            return reason
        loads.append(source.load)
    read = [ops for ops in found.together if late not in ops]
    if any(all(op not in ops for ops in read) for op, _ in found.once):
        return "nothing tells when a factor that is the same in all iterations has been read"
    return around_products(loop, found.products, found.slices, loads)


def _is_put(
    op: tile.Mma, side: int, ahead: Container[Side], once: Container[Side], plans: Mapping[tile.Mma, ProductPlan]
) -> bool:
    """Whether a factor is computed in the loop and not multiplied from registers."""
    return not ((op, side) in ahead or (op, side) in once or (plans[op].lhs, plans[op].rhs)[side].held)


def _by_threads(
    products: Sequence[tile.Mma],
    ahead: Collection[Side],
    once: Collection[Side],
    plans: Mapping[tile.Mma, ProductPlan],
) -> str:
    """Why the machine cannot copy the factors of a loop by itself; nothing if it can."""
    if any(_is_put(op, side, ahead, once, plans) for op in products for side in range(2)):
        return "a factor is computed in the loop and kept in shared memory"
    if len(products) == 1 and once:
        return "a factor is the same in all iterations"
    if len(products) > 1 and any(plans[op].rows.read for op in products):
        return "rows are read from shared memory"
    for op, side in ahead:
        value, factor = ((op.lhs, plans[op].lhs), (op.rhs, plans[op].rhs))[side]
        source = source_of(value, plans[op].instruction)
        assert source is not None, "factors that run ahead are loads"
        if reason := not_copied(source, factor, side):
            return reason
    return ""
