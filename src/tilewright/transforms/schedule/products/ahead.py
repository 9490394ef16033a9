"""Loops whose products have factors that are loaded some iterations before they are multiplied."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf, tile
from tilewright.dialects.gpu_clusters import cluster_of
from tilewright.dialects.gpu_turns import MOST_GROUPS
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.schedules import Copies, Schedule
from tilewright.ir.types import MemrefType
from tilewright.transforms.schedule.products.around import Around, Side, around_product, around_products
from tilewright.transforms.schedule.products.beside import Beside, loads_beside, slices_of
from tilewright.transforms.schedule.products.cluster_factors import shared_sides
from tilewright.transforms.schedule.products.factors import Factor
from tilewright.transforms.schedule.products.loops import computed, is_inside, may_run_ahead
from tilewright.transforms.schedule.products.matrices import obstacle
from tilewright.transforms.schedule.products.plan import LEAST_STAGES, WARP, Block, ProductPlan
from tilewright.transforms.schedule.products.producers import has_producer, has_producer_of_one
from tilewright.transforms.schedule.products.shapes import extents_of
from tilewright.transforms.schedule.products.shared_factors import buffer_type
from tilewright.transforms.schedule.products.sources import Source, source_of

ASKED: Final = "threads are asked for"
_GROUP: Final = 4
"""Warps that multiply together."""
_PAIR: Final = 2
_LONG_TURN: Final = 1024
"""Clocks of the unit from which on turns pay: on an H200 1024 gain 6 to 10 %, 384 and 512 lose 2 to 12 %."""


_NOTHING: Final[Mapping[Side, Side]] = {}


class Ahead(Struct, frozen=True):
    """A loop whose products have factors that are loaded some iterations before they are multiplied: those in `ahead`.

    `slices` are the operations that compute where, of the loop's index and what is known before the loop. Factors in
    `once` are the same in all iterations; others are brought to shared memory when they are there. `by_threads` says
    why threads copy, not the machine by itself. If there is a loop `around` this one, it goes on loading ahead from
    tile to tile; `apart` says why it does not. So many groups of warps take `turns` at the unit that multiplies.
    Factors that are the `same` tile as another one, which is told, lie where that does. If products `overlap`, the
    first one of each iteration is begun in the one before, and those whose accumulators are only added up are awaited
    in the next one; where threads lack registers for accumulators of two iterations, it is begun `last` of all.
    Blocks of a cluster copy the factors of the sides `shared` for each other; `alone` says why they do not. What is
    loaded `beside` factors threads read. With `roles` a producer warp issues the copies; so many `sides`
    take tiles of the loop around by turns.
    """

    products: tuple[tile.Mma, ...]
    slices: tuple[Operation, ...]
    ahead: frozenset[Side]
    once: frozenset[Side]
    stages: int
    by_threads: str = ""
    around: Around | None = None
    apart: str = ""
    turns: int = 1
    same: Mapping[Side, Side] = _NOTHING
    overlap: bool = False
    last: bool = False
    shared: frozenset[int] = frozenset()
    alone: str = ""
    beside: Sequence[Beside] = ()
    roles: bool = False
    sides: int = 1

    @property
    def by_tensor(self) -> bool:
        """Whether the machine copies by itself."""
        return not self.by_threads

    @property
    def has_several(self) -> bool:
        """Whether the machine copies by itself what several products multiply."""
        return self.by_tensor and len(self.products) > 1

    @property
    def goes_on_in_order(self) -> bool:
        """Whether it goes on over a loop whose iterations the program orders, but for their loads."""
        return self.around is not None and not self.around.loop.parallel

    def of_twin(self, same: Mapping[Operation, Operation]) -> Ahead:
        """Of a copy of the loop, in which other operations are what these are here, and each tile is loaded anew."""
        products = {op: twin for op in self.products if isinstance(twin := same[op], tile.Mma)}
        ahead, once = (frozenset((products[op], side) for op, side in sides) for sides in (self.ahead, self.once))
        slices = tuple(same[op] for op in self.slices)
        twins = {(products[op], side): (products[first], other) for (op, side), (first, other) in self.same.items()}
        whole = tuple(products.values())
        found = replace(self, products=whole, slices=slices, ahead=ahead, once=once, same=twins)
        return replace(found, around=None, shared=frozenset(), beside=(), roles=False, sides=1)

    @property
    def copied(self) -> Sequence[Side]:
        """The factors that are loaded ahead, each tile once."""
        sides = [(op, side) for op in self.products for side in range(2)]
        return [each for each in sides if each in self.ahead and each not in self.same]

    @property
    def shared_by_all(self) -> Sequence[Side]:
        """The factors that are the same in all iterations."""
        return [(op, side) for op in self.products for side in range(2) if (op, side) in self.once]

    def is_late(self, loop: scf.For, op: tile.Mma) -> bool:
        """Whether a product of one iteration is awaited in the next one."""
        return op in adders_of(loop, self.products) if self.overlap else op is late_product(loop, self.products)

    @property
    def together(self) -> Sequence[tuple[tile.Mma, ...]]:
        """Products with factors that are loaded ahead; those that share some are together, with all others then.

        One ring has fewer barriers to wait at than several, and there is memory for more than two stages of it.
        """
        found = tuple(op for op in self.products if (op, 0) in self.ahead or (op, 1) in self.ahead)
        return [found] if self.same else [(op,) for op in found]

    def stages_of(self, op: tile.Mma, side: int) -> int:
        """How many of a factor there are at a time."""
        return self.stages if (op, side) in self.ahead else 1


def ring_of(loop: scf.For, plans: Mapping[tile.Mma, ProductPlan], block: Block, schedule: Schedule) -> Ahead | None:
    """How a loop loads factors ahead; None if it does not."""
    body = loop.body.entry
    if not may_run_ahead(loop):
        return None
    products = [op for op in body if isinstance(op, tile.Mma) and op in plans]
    ahead, once = dict[Side, int](), dict[Side, int]()
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
                once[op, side] = factor.bytes
    if not ahead:
        return None
    # products whose factors all stay where they are have one stage of each, whatever the loop has
    choices = [schedule.product(extents_of(op)) for op in products if (op, 0) in ahead or (op, 1) in ahead]
    asked = [choice.stages for choice in choices if choice is not None and choice.stages is not None]
    taken, fewest = [plans[op] for op in products], min(asked, default=None)
    stages = block.stages(taken, sum(ahead.values()), fixed, fewest)
    if stages < LEAST_STAGES:
        return None
    slices = tuple(op for op in body if op in wanted)
    by_threads = _by_threads(products, ahead, once, plans)
    if schedule.copies is Copies.THREADS:
        by_threads = by_threads or ASKED
    same = _same_tiles(ahead, plans) if schedule.reuse and not by_threads else _NOTHING
    if same:
        fewer = block.stages(taken, sum(size for side, size in ahead.items() if side not in same), fixed, fewest)
        # of what the last product reads an iteration later there is one more
        same, stages = (_NOTHING, stages) if fewer <= LEAST_STAGES else (same, fewer)
    shared = _shared(loop, products, plans, by_threads)
    overlap = bool(schedule.overlap) and not by_threads and stages > LEAST_STAGES
    early = early_product(loop, products, ahead) if overlap else None
    overlap = early is not None
    taken_turns = _groups_in_turn(loop, taken, products, block, schedule.turns)
    turns = 1 if by_threads or overlap else taken_turns
    found = Ahead(
        tuple(products),
        slices,
        frozenset(ahead),
        frozenset(once),
        stages,
        by_threads,
        turns=turns,
        same=same,
        overlap=overlap,
        last=early is not None and not block.has_registers_for(taken, plans[early]),
    )
    found = replace(found, alone=shared) if isinstance(shared, str) else replace(found, shared=shared)
    if overlap:
        beside = loads_beside(loop, found.together, adders_of(loop, products), products)
        bytes_ = sum(ahead[side] for side in found.copied) + sum(each.bytes for each in beside)
        fewer = block.stages(taken, bytes_, fixed, fewest)
        if beside and fewer > LEAST_STAGES:
            wanted.update(dict.fromkeys(slices_of(beside, loop)))
            found = replace(found, beside=beside, slices=tuple(op for op in body if op in wanted), stages=fewer)
    found = _going_on(loop, found, plans, schedule)
    groups = block.threads // (WARP * _GROUP)
    if len(products) == 1:
        reads = any(plans[op].rows.read for op in products)
        roles = not (by_threads or reads) and has_producer_of_one(groups, block.sides, schedule)
        sides = block.sides if roles and found.around is not None else 1
        return replace(found, roles=roles, sides=sides)
    asks = not by_threads and has_producer(loop, groups, found, schedule)
    takes_none = asks and found.around is not None and schedule.turns is None
    return replace(found, roles=asks, turns=1 if takes_none else found.turns)


def _going_on(loop: scf.For, found: Ahead, plans: Mapping[tile.Mma, ProductPlan], schedule: Schedule) -> Ahead:
    """The same with the loop over tiles around it, if there is one and it goes on from tile to tile."""
    if schedule.persistent is False or found.by_threads:
        return found
    if len(found.products) == 1:
        around = around_product(loop, found.products[0], found.slices)
    else:
        around = _around_several(loop, found, plans) if schedule.persistent else ""
    if isinstance(around, str):
        # what nobody asks for needs no reason
        return replace(found, apart=around) if schedule.persistent else found
    return replace(found, around=around)


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


def needs_nothing(op: tile.Mma, loop: scf.For, ahead: Container[Side]) -> bool:
    """Whether a product can be begun before an iteration computes anything."""
    factors = [value for side, value in enumerate((op.lhs, op.rhs)) if (op, side) not in ahead]
    return not any(_is_of(value, loop) for value in (op.acc, *factors))


def _is_of(value: Value, loop: scf.For) -> bool:
    """Whether a value is computed or carried by the loop."""
    if isinstance(value, BlockArgument):
        return value.block is loop.body.entry
    return value.defining_op is not None and value.defining_op.block is loop.body.entry


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


def late_product(loop: scf.For, products: Sequence[tile.Mma]) -> tile.Mma | None:
    """The last of several products if its accumulators are nothing but handed on: the next iteration may multiply
    them."""
    op, end = products[-1], loop.body.entry.last
    places = [value for value in (() if end is None else end.operands) if value is op.out]
    return op if len(products) > 1 and len(places) == 1 and list(op.out.uses) == [end] else None


def adders_of(loop: scf.For, products: Sequence[tile.Mma]) -> list[tile.Mma]:
    """The products whose accumulators are nothing but handed on."""
    end = loop.body.entry.last
    operands = [] if end is None else list(end.operands)
    return [op for op in products if operands.count(op.out) == 1 and list(op.out.uses) == [end]]


def early_product(loop: scf.For, products: Sequence[tile.Mma], ahead: Container[Side]) -> tile.Mma | None:
    """The first of several products if the iteration before may begin it: it needs nothing that is computed."""
    op, end = products[0], loop.body.entry.last
    is_early = len(products) > 1 and needs_nothing(op, loop, ahead) and end not in op.out.uses
    return op if is_early else None


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


def not_copied(source: Source, factor: Factor, side: int) -> str:
    """Why the machine cannot copy a factor by itself; nothing if it can."""
    type_ = source.load.memref.type
    assert isinstance(type_, MemrefType)
    if not tensors.copies_as(type_.element, factor.element) or source.element is not factor.element:
        return f"{type_.element} is converted to {factor.element} on the way"
    near = source.dims[side if factor.along_outer else 1 - side]
    return tensors.no_slabs(buffer_type(factor, 1)) or obstacle(source.load.memref, near) or ""
