"""Which kernels have their products on the lane level, and which loops load factors ahead."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE, RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.schedules import Copies, ProductChoice, Schedule, Tile, in_common
from tilewright.ir.types import I8, INDEX, MemrefType, TileType
from tilewright.transforms.aliasing import allocation_bytes
from tilewright.transforms.emit import integer_of
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.known import collective, teams_of
from tilewright.transforms.schedule.products.chains import lines_of, sums_of
from tilewright.transforms.schedule.products.factors import Factor
from tilewright.transforms.schedule.products.matrices import obstacle
from tilewright.transforms.schedule.products.plan import (
    LEAST_STAGES,
    WARP,
    Block,
    ProductPlan,
    Shape,
    choices_beside,
    plan_product,
)
from tilewright.transforms.schedule.products.shared_factors import ALIGNMENT, buffer_type
from tilewright.transforms.schedule.products.sources import is_along, is_factor, source_of, widened_bytes
from tilewright.transforms.schedule.share_tiles import taken_tiles
from tilewright.transforms.signature import parts_of
from tilewright.transforms.tile_values import tile_type

_ASKED: Final = "copies=threads is asked for"


Side = tuple[tile.Mma, int]
"""A factor: of which product, 0 for the left one."""


class Around(Struct, frozen=True):
    """A loop over tiles of a result, and its operations that compute where factors of a tile lie.

    Its iterations may run in any order. What another loop in it loads ahead at its end is for the next tile.
    """

    loop: scf.For
    slices: tuple[Operation, ...]


class Ahead(Struct, frozen=True):
    """A loop whose products have factors that are loaded some iterations before they are multiplied: those in `ahead`.

    `slices` are the operations that compute where, of the loop's index and what is known before the loop. Factors in
    `once` are the same in all iterations; others are brought to shared memory when they are there. `by_threads` says
    why threads copy, not the machine by itself. If there is a loop `around` this one, it goes on loading ahead from
    tile to tile; `apart` says why it does not.
    """

    products: tuple[tile.Mma, ...]
    slices: tuple[Operation, ...]
    ahead: frozenset[Side]
    once: frozenset[Side]
    stages: int
    by_threads: str = ""
    around: Around | None = None
    apart: str = ""

    @property
    def by_tensor(self) -> bool:
        """Whether the machine copies by itself."""
        return not self.by_threads

    def of_twin(self, same: Mapping[Operation, Operation]) -> Ahead:
        """Of a copy of the loop, in which other operations are what these are here, and each tile is loaded anew."""
        products = {op: twin for op in self.products if isinstance(twin := same[op], tile.Mma)}
        ahead, once = (frozenset((products[op], side) for op, side in sides) for sides in (self.ahead, self.once))
        slices = tuple(same[op] for op in self.slices)
        return replace(self, products=tuple(products.values()), slices=slices, ahead=ahead, once=once, around=None)

    def stages_of(self, op: tile.Mma, side: int) -> int:
        """How many of a factor there are at a time."""
        return self.stages if (op, side) in self.ahead else 1


Places = tuple[int | None, int | None]
"""Of both factors of a product; None of one in registers."""


class Products(Struct, frozen=True):
    """How the products of a kernel are computed. `memory` says in which of the `buffers` the factors of each lie.

    Those without a plan are added up by each thread for itself (`plain`): the reason is that of the first.
    """

    plans: Mapping[tile.Mma, ProductPlan]
    loops: Mapping[scf.For, Ahead]
    buffers: Sequence[MemrefType]
    memory: Mapping[tile.Mma, Places]
    reason: str = ""

    @property
    def copies(self) -> Copies | None:
        """Who copies factors ahead of groups of warps that read them by themselves; None where none do."""
        ways = [found.by_tensor for found in self._of_groups()]
        return None if not ways else Copies.TENSOR if all(ways) else Copies.THREADS

    @property
    def why(self) -> str:
        """What there is to say of the choices: why a product has no unit, or why threads copy."""
        said = [found.by_threads for found in self._of_groups() if found.by_threads not in ("", _ASKED)]
        apart = [found.apart for found in self._of_groups() if found.apart]
        reasons = [self.reason] * bool(self.reason) + [f"copies by threads: {each}" for each in said[:1]]
        return ", ".join(reasons + [f"tiles one by one: {each}" for each in apart[:1]])

    @property
    def persistent(self) -> bool:
        """Whether blocks go on from tile to tile without waiting for the first factors of each."""
        return any(found.around is not None for found in self.loops.values())

    def resident(self, block: Block) -> int:
        """So many blocks are on the device at a time."""
        stages = sum(type_.span or 0 for type_ in self.buffers for _ in range(type_.element.bytes))
        return block.resident(list(self.plans.values()), stages)

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


def choose_products(kernel: Kernel, block: Block | None, wanted: Schedule) -> Products | str:
    """Plans of the products of a kernel, among those that are `wanted`, or what is in the way of all ways.

    Without a block there are no units.
    """
    if block is None:
        return Products({}, {}, [], {}, f"products by no unit: subgroups of {kernel.subgroup_size} are no warps")
    others = sum(map(allocation_bytes, _allocations(kernel))) + _taken_bytes(kernel)
    others += _conversions(kernel, block.threads // WARP)
    room, shared = block.shared_bytes, block.shared_bytes - others
    parts = parts_of(kernel)
    alone = parts is not None and parts.tiles is not None and parts.tiles <= block.multiprocessors
    block = replace(block, shared_bytes=max(shared, 0), alone=alone)
    plans: dict[tile.Mma, ProductPlan] = {}
    reasons: list[str] = []
    for op in products_of(kernel):
        found = _planned(op, block, wanted.product(extents_of(op)))
        if isinstance(found, str):
            reasons.append(f"{_product(op)}, by no unit: {found}")
        else:
            plans[op] = found
    loops = {
        op: found
        for op in collective(kernel)
        if isinstance(op, scf.For) and (found := _ahead(op, plans, block, wanted))
    }
    buffers, memory = _memory(kernel, plans, loops)
    total = sum(-(-(type_.span or 0) * type_.element.bytes // ALIGNMENT) * ALIGNMENT for type_ in buffers)
    if total > shared:
        return f"factors of {total:,} bytes beside {others:,} of other tiles in {room:,} bytes of shared memory"
    return Products(plans, loops, buffers, memory, next(iter(reasons), ""))


def _planned(op: tile.Mma, block: Block, wanted: ProductChoice | None) -> ProductPlan | str:
    """The plan of a product, of bytes that the program widens first if units take them as they are."""
    shape = _shape(op)
    found = plan_product(shape, block, wanted)
    if isinstance(found, ProductPlan) or not any(shape.unsigned):
        return found
    return plan_product(_shape(op, as_bytes=False), block, wanted)


def moves_from(kernel: Kernel, block: Block | None, taken: Products) -> Iterator[Schedule]:
    """What else the products of a kernel could have, those of the same extents together."""
    if block is None:
        return
    if taken.copies is not None:
        yield Schedule(copies=Copies.THREADS if taken.copies is Copies.TENSOR else Copies.TENSOR)
    shapes = {extents_of(op): _shape(op) for op in taken.plans}
    for choice in taken.choices:
        yield from (Schedule(products=(other,)) for other in choices_beside(shapes[choice.tile], block, choice))


def _memory(
    kernel: Kernel, plans: Mapping[tile.Mma, ProductPlan], loops: Mapping[scf.For, Ahead]
) -> tuple[Sequence[MemrefType], Mapping[tile.Mma, Places]]:
    """Buffers of factors; what does not run at the same time shares them."""
    buffers: list[MemrefType] = []
    memory: dict[tile.Mma, Places] = {}

    def take(factor: Factor, stages: int, taken: set[int]) -> int | None:
        if factor.held:
            return None
        type_ = buffer_type(factor, stages)
        found = next((k for k, other in enumerate(buffers) if other == type_ and k not in taken), len(buffers))
        if found == len(buffers):
            buffers.append(type_)
        taken.add(found)
        return found

    for op in collective(kernel):
        ring = loops.get(op) if isinstance(op, scf.For) else None
        if ring is not None:
            group = ring.products
        else:
            group = (op,) if isinstance(op, tile.Mma) and op in plans and op not in memory else ()
        around = [loops[loop] for loop in op.ancestors() if isinstance(loop, scf.For) and loop in loops]
        taken = {
            number for other in around for product in other.products for number in memory[product] if number is not None
        }
        for product in group:
            plan = plans[product]
            left, right = (ring.stages_of(product, side) if ring is not None else 1 for side in range(2))
            memory[product] = (take(plan.lhs, left, taken), take(plan.rhs, right, taken))
    return buffers, memory


def _allocations(kernel: Kernel) -> list[memref.Alloca]:
    return [op for op in kernel.walk() if isinstance(op, memref.Alloca)]


def _taken_bytes(kernel: Kernel) -> int:
    """Of tiles that work-items will take from shared memory, as long as share-tiles has not put them there."""
    regions = [op for op in collective(kernel) if isinstance(op, team.Spmd)]
    return sum(_bytes(tile_type(value)) for region in regions for value in taken_tiles(region))


def _conversions(kernel: Kernel, warps: int) -> int:
    """Bytes that changes of layouts and reductions may take: nothing where sums are computed with and stored."""
    total, found, products = 0, set[TileType](), frozenset(products_of(kernel))
    for op in collective(kernel):
        match op:
            case tile.Reduce() | ReduceBy():
                found.update(tile_type(value) for value in op.results)
                total += sum(warps * _bytes(tile_type(value)) for value in op.results)
            case MovesElements() if not is_factor(op.results[0], products):
                found.update(tile_type(value) for value in op.operands)
            case _:
                continue
    # to a layout, and back
    return total + sum(2 * _bytes(type_) for type_ in found)


def _bytes(type_: TileType) -> int:
    return type_.size * type_.element.bytes


def _shape(op: tile.Mma, as_bytes: bool = True) -> Shape:
    """What a product multiplies; if `as_bytes`, bytes that are widened to i32 are what they are in memory."""
    out, factors = tile_type(op.out), (op.lhs, op.rhs)
    m, n = out.shape
    unsigned = tuple(as_bytes and widened_bytes(value) for value in factors)
    lhs, rhs = (I8 if each else tile_type(value).element for value, each in zip(factors, unsigned, strict=True))
    along = (is_along(op.lhs, 0), is_along(op.rhs, 1))
    held = next((side for side, value in enumerate(factors) if sums_of(value) is not None), None)
    signs, depth = (unsigned[0], unsigned[1]), tile_type(op.lhs).shape[1]
    from_memory = (_runs_ahead(op, op.lhs), _runs_ahead(op, op.rhs))
    return Shape(m, n, depth, lhs, rhs, out.element, *along, held, lines_of(op), op.fast, signs, from_memory)


def extents_of(op: tile.Mma) -> Tile:
    """m, n, k."""
    shape = _shape(op)
    return (shape.m, shape.n, shape.k)


def _product(op: tile.Mma) -> str:
    found, shape = op.location.primary, _shape(op)
    line, column = found.source.position(found.start) if found is not None else (0, 0)
    place = f"{line}:{column}: " if found is not None else ""
    return f"{place}{shape.m}x{shape.n}x{shape.k}, {shape.lhs} by {shape.rhs} into {shape.sum}"


# Loads that run ahead


def _runs_ahead(op: tile.Mma, factor: Value) -> bool:
    """Whether a factor may be loaded some iterations before it is multiplied, as it is."""
    source, loop = source_of(factor, None), op.parent_op
    if (
        source is None
        or source.element is not source.loaded
        or not isinstance(loop, scf.For)
        or not _may_run_ahead(loop)
    ):
        return False
    load = source.load
    return load.block is op.block and _computed([load.memref, *load.indices], loop) is not None


def _may_run_ahead(loop: scf.For) -> bool:
    step = 1 if loop.step is None else integer_of(loop.step)
    return step is not None and step > 0 and all(is_reading(op) for op in loop.body.entry)


def _ahead(loop: scf.For, plans: Mapping[tile.Mma, ProductPlan], block: Block, schedule: Schedule) -> Ahead | None:
    body = loop.body.entry
    if not _may_run_ahead(loop):
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
                _computed([source.load.memref, *source.load.indices], loop)
                if source is not None and source.load.block is body
                else None
            )
            if slices is not None:
                ahead[op, side] = factor.bytes
                wanted.update(dict.fromkeys(slices))
                continue
            fixed += factor.bytes
            if not _is_inside(value, loop):
                once[op, side] = factor.bytes
    if not ahead:
        return None
    # products whose factors all stay where they are have one stage of each, whatever the loop has
    choices = [schedule.product(extents_of(op)) for op in products if (op, 0) in ahead or (op, 1) in ahead]
    asked = [choice.stages for choice in choices if choice is not None and choice.stages is not None]
    stages = block.stages([plans[op] for op in products], sum(ahead.values()), fixed, min(asked, default=None))
    if stages < LEAST_STAGES:
        return None
    slices = tuple(op for op in body if op in wanted)
    by_threads = _by_threads(products, ahead, once, plans)
    if schedule.copies is Copies.THREADS:
        by_threads = by_threads or _ASKED
    found = Ahead(tuple(products), slices, frozenset(ahead), frozenset(once), stages, by_threads)
    if schedule.persistent is False or by_threads or len(products) > 1:
        return found
    around = _around(loop, products[0], slices)
    if isinstance(around, str):
        # what nobody asks for needs no reason
        return replace(found, apart=around) if schedule.persistent else found
    return replace(found, around=around)


def _around(loop: scf.For, product: tile.Mma, slices: Sequence[Operation]) -> Around | str:
    """The loop over tiles in which a loop over the terms of one product stands, or why it cannot go on between them."""
    tiles = loop.parent_op
    if not isinstance(tiles, scf.For) or not tiles.parallel or tiles.outs or tiles.index.type is not INDEX:
        return "no loop over tiles of a result"
    if any(isinstance(op, tile.Mma) and op is not product for op in tiles.walk()):
        return "each tile has more than one product"
    if any(not (tiles is other or tiles.is_ancestor_of(other)) for other in _loops_over_tiles(tiles)):
        return "blocks share tiles of other instructions too, which want more of them"
    if any(_is_inside(bound, tiles) for bound in (loop.lower, loop.upper)):
        return "tiles have terms of their own"
    sources = [source_of(value, None) for value in (product.lhs, product.rhs)]
    places = [value for each in sources if each is not None for value in (each.load.memref, *each.load.indices)]
    found = _computed([*places, *(value for op in slices for value in op.operands)], tiles)
    if found is None:
        return "where factors lie is not computed of the number of the tile"
    return Around(tiles, tuple(op for op in tiles.body.entry if op in found))


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
    for op, side in ahead:
        value, factor = ((op.lhs, plans[op].lhs), (op.rhs, plans[op].rhs))[side]
        source = source_of(value, plans[op].instruction)
        assert source is not None, "factors that run ahead are loads"
        type_ = source.load.memref.type
        assert isinstance(type_, MemrefType)
        if not tensors.copies_as(type_.element, factor.element) or source.element is not factor.element:
            return f"{type_.element} is converted to {factor.element} on the way"
        near = source.dims[side if factor.along_outer else 1 - side]
        reason = tensors.no_slabs(buffer_type(factor, 1)) or obstacle(source.load.memref, near)
        if reason is not None:
            return reason
    return ""


def _is_inside(value: Value, loop: scf.For) -> bool:
    """Whether a value is another one in each iteration."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op
        return parent is loop or (parent is not None and loop in parent.ancestors())
    op = value.defining_op
    return op is not None and loop in op.ancestors()


def is_reading(op: Operation) -> bool:
    """Whether neither the operation nor one inside it writes, updates or orders memory."""
    return all(_reads(inner) for inner in _inside(op))


def _inside(op: Operation) -> Iterator[Operation]:
    return (inner for inner in op.walk() if RECURSIVE_EFFECTS not in inner.definition.traits)


def _reads(op: Operation) -> bool:
    effects = op.effects()
    return effects is not None and all(effect.kind in (EffectKind.READ, EffectKind.HINT) for effect in effects)


def _loops_over_tiles(op: Operation) -> Iterator[scf.For]:
    """All of the kernel in which an operation stands."""
    (kernel,) = (each for each in op.ancestors() if isinstance(each, Kernel))
    return (each for each in kernel.walk() if isinstance(each, scf.For) and each.parallel)


def _computed(values: Iterable[Value], loop: scf.For) -> Sequence[Operation] | None:
    """What of a loop computes values from its index; None if that takes more than arithmetic and views."""
    found: dict[Operation, None] = {}
    work = list(values)
    while work:
        value = work.pop()
        op = value.defining_op
        if isinstance(value, BlockArgument) and value.block is loop.body.entry:
            if value is not loop.index:
                return None
        elif op is not None and op.block is loop.body.entry and op not in found:
            if PURE not in op.definition.traits or isinstance(op.results[0].type, TileType):
                return None
            found[op] = None
            work += op.operands
    return list(found)
