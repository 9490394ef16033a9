"""Which kernels have their products on the lane level, and the memory of their factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.lane_roles import SIDES
from tilewright.dialects.reports import Check
from tilewright.ir.schedules import Copies, ProductChoice, Schedule, Tiles, in_common
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.ir.types import MemrefType
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.known import collective, teams_of
from tilewright.transforms.schedule.products.ahead import Ahead
from tilewright.transforms.schedule.products.beside import Beside
from tilewright.transforms.schedule.products.chains import sums_of
from tilewright.transforms.schedule.products.factor_memory import (
    FactorMemory,
    Places,
    bytes_beside_scratch,
    bytes_of,
    bytes_of_others,
    factor_memory,
    total_bytes,
)
from tilewright.transforms.schedule.products.factors import ANY_SLAB, SLAB
from tilewright.transforms.schedule.products.plan import WARP, Block, ProductPlan
from tilewright.transforms.schedule.products.planning import choices_beside, plan_product
from tilewright.transforms.schedule.products.rings import ASKED, ring_of
from tilewright.transforms.schedule.products.shapes import extents_of, product_shape, with_rows_held
from tilewright.transforms.schedule.products.storing import Stored, stored_by_machine
from tilewright.transforms.schedule.products.warpgroup_plans import why_no_groups
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.signature import parts_of

_PAIR: Final = 2
_GROUP: Final = 4 * WARP
"""Threads that multiply together."""
_PARTS: Final = (1, 2, 4)
"""Of shared memory each loop plans with one of so many."""
_ENOUGH_STAGES: Final = 3
"""Four are no faster (f16 on an H200, 2048 to 8192)."""
_ENOUGH_IN_CLUSTERS: Final = 4
"""Blocks that load for each other are not in step: `gemm` of f16 of 3000, tiles of 192x192 by two blocks, takes 83.3 us
for 90.0 on an H200, 4104 with such tiles 219 for 236."""


class Products(Struct, frozen=True):
    """How the products of a kernel are computed. `memory` says in which of the `buffers` the factors of each lie.

    Those without a plan are added up by each thread for itself (`plain`): the reason is that of the first. `stored` is
    the store of accumulators that the machine makes by itself, or why threads do (`ASKED`, or though it is asked to).
    What is loaded `beside` factors has a buffer each. `by_warps` is why the first of those that groups of warps could
    multiply has warps alone.
    """

    plans: Mapping[tile.Mma, ProductPlan]
    loops: Mapping[scf.For, Ahead]
    buffers: Sequence[MemrefType]
    memory: Mapping[tile.Mma, Places]
    reason: str = ""
    stored: Stored | str = ""
    beside: Mapping[Beside, int] = field(default_factory=dict[Beside, int])
    by_warps: str = ""

    @property
    def copies(self) -> Copies | None:
        """Who copies factors ahead of groups of warps that read them by themselves; None where none do."""
        ways = [found.by_tensor for found in self._of_groups()]
        return None if not ways else Copies.TENSOR if all(ways) else Copies.THREADS

    @property
    def takes_maps(self) -> bool:
        """Whether kernels are simpler whose launches copy matrices from multiples of 16 bytes: by the machine, or by
        threads for warps that multiply by themselves."""
        return self.copies is Copies.TENSOR or (self.copies is None and bool(self.loops))

    @property
    def why(self) -> str:
        """What there is to say of the choices: why a product has no unit, or why threads copy."""
        said = [found.by_threads for found in self._of_groups() if found.by_threads not in ("", ASKED)]
        apart = [found.apart for found in self._of_groups() if found.apart]
        reasons = [self.reason] * bool(self.reason) + [f"copies by threads: {each}" for each in said[:1]]
        unasked = isinstance(self.stored, str) and self.stored not in ("", ASKED)
        reasons += [f"stores by threads: {self.stored}"] if unasked else []
        reasons += [f"not by wgmma: {self.by_warps}"] if self.by_warps else []
        alone = [found.alone for found in self.loops.values() if found.alone]
        reasons += [f"blocks copy for themselves: {each}" for each in alone[:1]]
        return ", ".join(reasons + [f"tiles one by one: {each}" for each in apart[:1]])

    @property
    def stores(self) -> Copies | None:
        """Who stores accumulators; None where nobody has been asked."""
        return Copies.TENSOR if isinstance(self.stored, Stored) else Copies.THREADS if self.stored else None

    @property
    def persistent(self) -> bool:
        """Whether blocks go on from tile to tile without waiting for the first factors of each."""
        return any(found.around is not None for found in self.loops.values())

    @property
    def slab(self) -> int:
        """The least bytes of slabs into which rows of factors along m and n are cut."""
        factors = (factor for plan in self.plans.values() for factor in (plan.lhs, plan.rhs))
        return min((factor.slab for factor in factors if factor.swizzled and factor.along_outer), default=SLAB)

    @property
    def is_padded(self) -> bool:
        """Whether rows of a factor are longer in shared memory than what is multiplied."""
        return any(factor.is_padded for plan in self.plans.values() for factor in (plan.lhs, plan.rhs))

    @property
    def is_clustered(self) -> bool:
        """Whether blocks of a cluster copy factors for each other."""
        return any(found.shared for found in self.loops.values())

    @property
    def turns(self) -> bool:
        """Whether groups of warps take turns at the unit that multiplies."""
        return any(found.turns > 1 for found in self.loops.values())

    @property
    def reuse(self) -> bool:
        """Whether products of a loop read one copy of a tile that several multiply."""
        return any(found.same for found in self.loops.values())

    @property
    def overlap(self) -> bool:
        """Whether products go on while threads compute with the accumulators of others."""
        return any(found.overlap for found in self.loops.values())

    @property
    def held(self) -> bool:
        """Whether what all iterations of a loop multiply is in registers."""
        sides = [(op, plan.held) for op, plan in self.plans.items() if plan.held is not None]
        return any(sums_of((op.lhs, op.rhs)[side]) is None for op, side in sides)

    @property
    def roles(self) -> bool:
        """Whether a producer warp issues the copies of what loops multiply."""
        return bool(self.loops) and all(found.roles for found in self.loops.values())

    @property
    def pingpong(self) -> bool:
        """Whether two work-groups of a block take tiles by turns."""
        return any(found.sides > 1 for found in self.loops.values())

    def resident(self, block: Block, together: int = 1) -> int:
        """So many blocks are on the device at a time, if `together` are a cluster."""
        buffers = [*self.buffers, self.stored.slabs] if isinstance(self.stored, Stored) else self.buffers
        return block.resident(list(self.plans.values()), sum(map(bytes_of, buffers)), together)

    def _of_groups(self) -> Iterator[Ahead]:
        """Loops whose products are those of groups of warps."""
        for found in self.loops.values():
            if any(self.plans[op].instruction.reads_memory for op in found.products):
                yield found

    @property
    def choices(self) -> tuple[ProductChoice, ...]:
        """The plans as a schedule says them, which is by extents: what products of the same have in common."""
        ahead = {product: found for found in self.loops.values() for product in found.products}
        found: list[ProductChoice] = []
        for op, plan in self.plans.items():
            stages = max(ahead[op].stages_of(op, side) for side in range(2)) if op in ahead else 1
            warps = (plan.lhs.warps, plan.rhs.warps)
            found.append(ProductChoice(extents_of(op), plan.instruction.name, warps, stages))
        return in_common(found)


def products_of(kernel: Kernel) -> list[tile.Mma]:
    """In the order of the program."""
    return [op for op in collective(kernel) if isinstance(op, tile.Mma)]


def block_of(kernel: Kernel, policy: SchedulePolicy) -> Block | None:
    """What computes the products of a kernel; None if its subgroups are no warps, for which there are no units."""
    teams = teams_of(kernel)
    return policy.products(teams.threads) if teams.lanes == WARP else None


class _Planned(Struct, frozen=True):
    """A kernel whose products have plans, what computes them, and what is wanted of them."""

    kernel: Kernel
    plans: Mapping[tile.Mma, ProductPlan]
    block: Block
    wanted: Schedule

    def loops(self, shared: int) -> Mapping[scf.For, Ahead]:
        """Those that load factors ahead, with so many bytes of shared memory for all of them."""
        block = replace(self.block, shared_bytes=max(shared, 0))
        loops = [op for op in collective(self.kernel) if isinstance(op, scf.For)]
        return {op: found for op in loops if (found := ring_of(op, self.plans, block, self.wanted))}


class _Stores(NamedTuple):
    """What stores accumulators, as in `Products`, the loops beside it, and the bytes that it leaves for factors."""

    stored: Stored | str
    loops: Mapping[scf.For, Ahead]
    shared: int


def choose_products(kernel: Kernel, block: Block | None, wanted: Schedule) -> Products:
    """Plans of the products of a kernel, among those that are `wanted`.

    Without a block there are no units. Where loops would take more shared memory together than there is, each plans
    with less; where allocations leave too little, they go to scratch memory; where even so factors find no room, there
    are no plans.
    """
    if block is None:
        return _by_no_unit(f"subgroups of {kernel.subgroup_size} are no warps")
    if wanted.roles and any(isinstance(op, Check) for op in kernel.walk()):
        # work-items that end early would let others wait
        wanted = replace(wanted, roles=False)
    found: Products | str = ""
    beside_others = block.shared_bytes - bytes_of_others(kernel, block.threads // WARP)
    for most in (beside_others, bytes_beside_scratch(block.shared_bytes)):
        for part in _PARTS:
            found = _choose(kernel, block, wanted, most // part, most)
            if isinstance(found, Products):
                return found
    return _by_no_unit(found)


def _by_no_unit(why: str) -> Products:
    return Products({}, {}, [], {}, f"products by no unit: {why}")


def _choose(kernel: Kernel, block: Block, wanted: Schedule, shared: int, most: int) -> Products | str:
    """With so many bytes of shared memory for the factors of each loop, or that `most` are too few for all."""
    alone = _are_alone(kernel, block.multiprocessors)
    sides = SIDES if wanted.pingpong and wanted.roles else 1
    own = replace(block, shared_bytes=max(shared, 0), alone=alone, slab=least_slab(wanted), sides=sides)
    plans, reason = _plans(kernel, own, wanted)
    planned = _Planned(kernel, plans, own, wanted)
    stores = _stores(planned, shared)
    loops, (buffers, memory, beside) = _in_memory(planned, stores)
    if sides > 1 and not _takes_turns(loops, stores.stored):
        return _choose(kernel, block, replace(wanted, pingpong=False), shared, most)
    total, room = total_bytes(buffers), most - (shared - stores.shared)
    if total > room:
        return f"factors of {total:,} bytes in {max(room, 0):,} of shared memory"
    return Products(plans, loops, buffers, memory, reason, stores.stored, beside, _by_warps(planned))


def _are_alone(kernel: Kernel, multiprocessors: int) -> bool:
    """Whether blocks that divide work-groups are so few that each has a multiprocessor for itself."""
    parts = parts_of(kernel)
    if parts is None or parts.tiles is None:
        return False
    divide = schedule_of(kernel).divide
    return (parts.tiles if divide is None else parts.most) <= multiprocessors


def _plans(kernel: Kernel, block: Block, wanted: Schedule) -> tuple[Mapping[tile.Mma, ProductPlan], str]:
    """The plans of products, and why the first of those without has none."""
    plans: dict[tile.Mma, ProductPlan] = {}
    reasons: list[str] = []
    for op in products_of(kernel):
        found = _planned(op, block, wanted)
        if isinstance(found, str):
            reasons.append(f"{_product(op)}, by no unit: {found}")
        else:
            plans[op] = found
    return plans, next(iter(reasons), "")


def _by_warps(of: _Planned) -> str:
    """Why warps multiply alone what groups of them could, if nobody has asked for that."""
    alone = (op for op, plan in of.plans.items() if plan.instruction.warps == 1 and not plan.instruction.is_scalar)
    free = (op for op in alone if of.wanted.product(extents_of(op)) is None)
    return next(filter(None, (why_no_groups(product_shape(op), of.block) for op in free)), "")


def _stores(of: _Planned, shared: int) -> _Stores:
    """Who stores accumulators: the machine, if it can and loops keep stages enough beside what it stores from."""
    wanted, loops = of.wanted, of.loops(shared)
    if wanted.stores is Copies.THREADS:
        return _Stores(ASKED, loops, shared)
    asked = wanted.stores is Copies.TENSOR
    # on an H200 attention of width 128 and length 4096 is 1.04 times as fast so, causal 1.02
    is_asked_of = any(found.has_several or found.goes_on_in_order for found in loops.values())
    any_accumulators = asked or (of.block.threads >= _PAIR * _GROUP and is_asked_of)
    stored = stored_by_machine(
        of.kernel, of.plans, of.block.threads, any_accumulators=any_accumulators, sides=of.block.sides
    )
    if not isinstance(stored, Stored):
        # who has the device copy for one product would have it store
        is_expected = len(loops) == 1 and all(found.by_tensor for found in loops.values())
        return _Stores(stored if asked or is_expected else "", loops, shared)
    counts = _stages_enough(wanted)
    one_slab = stored.with_one_slab(of.block.threads // WARP)
    ways = [stored, one_slab] if any_accumulators or len(counts) > 1 else [stored]
    left = [max(shared - bytes_of(way.slabs), 0) for way in ways]
    fewer = [of.loops(bytes_) for bytes_ in left]
    enough = [number for most in counts for number, found in enumerate(fewer) if _are_enough(loops, found, most)]
    if not (enough or asked):
        return _Stores("", loops, shared)
    number = next(iter(enough), 0)
    return _Stores(ways[number], fewer[number], left[number])


def _in_memory(of: _Planned, stores: _Stores) -> tuple[Mapping[scf.For, Ahead], FactorMemory]:
    """The loops, with fewer stages if they have taken what products beside them need, and where factors lie."""
    found = factor_memory(of.kernel, of.plans, stores.loops)
    if total_bytes(found.buffers) <= stores.shared:
        return stores.loops, found
    places = (number for loop in stores.loops.values() for op in loop.products for number in found.places[op])
    used = {*found.beside.values(), *places}
    others = total_bytes([type_ for number, type_ in enumerate(found.buffers) if number not in used])
    loops = of.loops(stores.shared - others)
    return loops, factor_memory(of.kernel, of.plans, loops)


def _takes_turns(loops: Mapping[scf.For, Ahead], stored: Stored | str) -> bool:
    """Whether work-groups of a block can take all tiles by turns, and the machine stores them."""
    return len(loops) == 1 and isinstance(stored, Stored) and all(found.sides > 1 for found in loops.values())


def least_slab(wanted: Schedule) -> int:
    """Bytes of slabs at least; any tiles may have shorter ones than those that have been measured."""
    return wanted.swizzle or (ANY_SLAB if wanted.tiles is Tiles.ANY else SLAB)


def _stages_enough(wanted: Schedule) -> Sequence[int]:
    """From how many stages on more are of no use beside slabs, the best first: as many as are asked for, or a few."""
    asked = [product.stages for product in wanted.products if product.stages is not None]
    if wanted.cluster is not None:
        asked = asked or [_ENOUGH_IN_CLUSTERS]
    return (max(asked), _ENOUGH_STAGES) if asked else (_ENOUGH_STAGES,)


def _are_enough(loops: Mapping[scf.For, Ahead], fewer: Mapping[scf.For, Ahead], most: int) -> bool:
    """Whether loops have stages enough beside slabs: as many as without, or `most`, more of which are of no use."""
    return all(op in fewer and fewer[op].stages >= min(found.stages, most) for op, found in loops.items())


def _planned(op: tile.Mma, block: Block, schedule: Schedule) -> ProductPlan | str:
    """The plan of a product, of bytes that the program widens first if units take them as they are."""
    shape, wanted = product_shape(op), schedule.product(extents_of(op))
    if schedule.held:
        shape = with_rows_held(op, shape)
    found = plan_product(shape, block, wanted)
    if isinstance(found, ProductPlan) or not any(shape.unsigned):
        return found
    return plan_product(product_shape(op, as_bytes=False), block, wanted)


def moves_from(kernel: Kernel, block: Block | None, taken: Products) -> Iterator[Schedule]:
    """What else the products of a kernel could have, those of the same extents together."""
    if block is None:
        return
    if taken.copies is not None:
        yield Schedule(copies=Copies.THREADS if taken.copies is Copies.TENSOR else Copies.TENSOR)
        yield Schedule(stores=Copies.THREADS if taken.stores is Copies.TENSOR else Copies.TENSOR)
    if any(found.has_several for found in taken.loops.values()):
        yield Schedule(overlap=not taken.overlap)
        yield Schedule(held=not taken.held)
        yield Schedule(roles=not taken.roles)
    if any(found.by_tensor and len(found.products) > _PAIR for found in taken.loops.values()):
        yield Schedule(reuse=not taken.reuse)
    lines = () if taken.slab < SLAB else (line for line in SWIZZLED_LINES if line < SLAB and taken.is_padded)
    yield from (Schedule(swizzle=line) for line in lines)
    shapes = {extents_of(op): product_shape(op) for op in taken.plans}
    for choice in taken.choices:
        yield from (Schedule(products=(other,)) for other in choices_beside(shapes[choice.tile], block, choice))


def _product(op: tile.Mma) -> str:
    found, shape = op.location.primary, product_shape(op)
    line, column = found.source.position(found.start) if found is not None else (0, 0)
    place = f"{line}:{column}: " if found is not None else ""
    return f"{place}{shape.m}x{shape.n}x{shape.k}, {shape.lhs} by {shape.rhs} into {shape.sum}"
