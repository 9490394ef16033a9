"""Which products of a kernel have a plan, which sums stay in registers, and which loops load their factors ahead."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE, RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.layouts import Layout
from tilewright.ir.schedules import ProductChoice, Schedule, Tile, in_common
from tilewright.ir.types import MemrefType, TileType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.deferral import collective_ops
from tilewright.targets.nvidia.elementwise import COMPUTED
from tilewright.transforms.schedule.products.plan import LEAST_STAGES, Block, ProductPlan, Shape, plan_product

_TRANSPOSED: Final = (1, 0)
_ANY: Final = Schedule()


class Source(Struct, frozen=True):
    """The load that a factor is, maybe turned: dimension k of the factor is dimension `dims[k]` of what is loaded."""

    load: tile.Load
    dims: tuple[int, int]


class Ahead(Struct, frozen=True):
    """A loop whose products have their factors loaded some iterations before they are multiplied.

    `slices` are the operations that compute where, of the loop's index and what is known before the loop.
    """

    products: tuple[tile.Mma, ...]
    slices: tuple[Operation, ...]
    stages: int


class Products(Struct, frozen=True):
    """What was decided; `refused` says of the other products why they have no plan."""

    plans: Mapping[tile.Mma, ProductPlan]
    refused: Mapping[tile.Mma, str]
    fragments: Mapping[Value, Layout]
    loops: Mapping[scf.For, Ahead]

    @property
    def described(self) -> str:
        """A line for each product: its place, extents and types, and its plan or why it has none."""
        ahead = {product: found.stages for found in self.loops.values() for product in found.products}
        lines: list[str] = []
        for op, plan in self.plans.items():
            how = f"{ahead[op]} stages" if op in ahead else "factors loaded when they are needed"
            sums = "sums in registers" if op.out in self.fragments else "sums through shared memory"
            lines.append(f"{_product(op)}: {plan}, {how}, {sums}")
        lines += [f"{_product(op)}: element by element; {why}" for op, why in self.refused.items()]
        return "\n".join(dict.fromkeys(lines))

    @property
    def choices(self) -> tuple[ProductChoice, ...]:
        """The plans as a schedule says them, which is by extents: what products of the same have in common."""
        ahead = {product: found.stages for found in self.loops.values() for product in found.products}
        found = [
            ProductChoice(_extents(op), plan.instruction.name, (plan.lhs.warps, plan.rhs.warps), ahead.get(op, 1))
            for op, plan in self.plans.items()
        ]
        return in_common(found)


def choose_products(
    kernel: Kernel,
    threads: int,
    shared_bytes: int,
    waiting: frozenset[Value],
    have: Architecture,
    wanted: Schedule = _ANY,
) -> Products:
    """Decide for the collective regions of a kernel; `waiting` are tiles that are computed when asked for.

    What is `wanted` is taken where it is possible.
    """
    ops = list(collective_ops(kernel.body.entry))
    block = Block(threads, shared_bytes, have)
    found = _decided(ops, block, waiting, wanted)
    others = sum(_tile(value).size * _tile(value).element.bytes for value in _buffered(ops, found, waiting))
    less = replace(block, shared_bytes=max(shared_bytes - others, 0))
    return found if not others else _decided(ops, less, waiting, wanted)


def _decided(ops: Sequence[Operation], block: Block, waiting: frozenset[Value], wanted: Schedule) -> Products:
    plans: dict[tile.Mma, ProductPlan] = {}
    refused: dict[tile.Mma, str] = {}
    for op in ops:
        if isinstance(op, tile.Mma):
            found = plan_product(_shape(op), block, wanted.product(_extents(op)))
            if isinstance(found, str):
                refused[op] = found
            else:
                plans[op] = found
    collective, met = frozenset(ops), dict[Value | tile.Store, Layout]()
    for op, plan in plans.items():
        kept = _kept(op.out, plans, plan.layout, waiting, collective)
        if all(met.get(each, plan.layout) == plan.layout for each in kept):
            met.update(dict.fromkeys(kept, plan.layout))
    fragments = {value: layout for value, layout in met.items() if isinstance(value, Value)}
    loops = {
        op: found for op in ops if isinstance(op, scf.For) and (found := _ahead(op, plans, block, waiting, wanted))
    }
    return Products(plans, refused, fragments, loops)


def _buffered(ops: Sequence[Operation], found: Products, waiting: frozenset[Value]) -> Iterator[Value]:
    """Tiles that lie in shared memory beside the factors."""
    for op in ops:
        for value in op.results:
            if isinstance(value.type, TileType) and value not in waiting and value not in found.fragments:
                yield value


def source_of(factor: Value) -> Source | None:
    """The load of a matrix that a factor is, maybe transposed."""
    dims = (0, 1)
    while isinstance(op := factor.defining_op, tile.Permute):
        dims = (dims[1], dims[0]) if op.order == _TRANSPOSED else dims
        factor = op.tile
    return Source(op, dims) if isinstance(op, tile.Load) and len(op.indices) == len(dims) else None


def _shape(op: tile.Mma) -> Shape:
    lhs, rhs, out = _tile(op.lhs), _tile(op.rhs), _tile(op.out)
    m, n = out.shape
    along = (_is_along(op.lhs, 0), _is_along(op.rhs, 1))
    return Shape(m, n, lhs.shape[1], lhs.element, rhs.element, out.element, *along)


def _extents(op: tile.Mma) -> Tile:
    shape = _shape(op)
    return (shape.m, shape.n, shape.k)


def _tile(value: Value) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def _is_along(factor: Value, outer: int) -> bool:
    """Whether neighbours in the factor's memory are surely neighbours along that dimension of it."""
    source = source_of(factor)
    if source is None:
        return False
    type_ = source.load.memref.type
    assert isinstance(type_, MemrefType)
    return type_.strides[source.dims[outer]] == 1


def _product(op: tile.Mma) -> str:
    found, shape = op.location.primary, _shape(op)
    line, column = found.source.position(found.start) if found is not None else (0, 0)
    place = f"{line}:{column}: " if found is not None else ""
    return f"{place}{shape.m}x{shape.n}x{shape.k}, {shape.lhs} by {shape.rhs} into {shape.sum}"


# Sums in registers


def _kept(
    start: Value,
    plans: Mapping[tile.Mma, ProductPlan],
    layout: Layout,
    waiting: frozenset[Value],
    ops: Container[Operation],
) -> set[Value | tile.Store]:
    """The sums, what loops carry of them and who stores them, if only who holds an element wants it; else none.

    Where sums of two products meet, they have one layout.
    """
    found: set[Value | tile.Store] = set()
    work = [start]
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        for user, operand in _uses(value, waiting):
            # subgroups read tiles of the work-group from memory
            following = _followed(user, operand, layout, plans) if user in ops else None
            if following is None:
                return set()
            work += following
            if isinstance(user, tile.Store):
                found.add(user)
    return found


def _uses(value: Value, waiting: frozenset[Value]) -> Iterator[tuple[Operation, Value]]:
    """Operations that take a tile, or what elementwise operations make of it, with the operand that they take."""
    for user in value.uses:
        if isinstance(user, COMPUTED) and user.results[0] in waiting:
            yield from _uses(user.results[0], waiting)
        else:
            yield user, value


def _followed(
    user: Operation, value: Value, layout: Layout, plans: Mapping[tile.Mma, ProductPlan]
) -> Sequence[Value] | None:
    """What holds the elements further on; None if somebody wants them elsewhere."""
    match user:
        case tile.Store():
            return []
        case tile.Mma() if value not in (user.lhs, user.rhs):
            return [] if user in plans and plans[user].layout == layout else None
        case scf.Yield() if isinstance(loop := user.parent_op, scf.For):
            return _carried(loop, user.values, value)
        case scf.For():
            return _carried(user, user.inits, value)
        case _:
            return None


def _carried(loop: scf.For, given: Sequence[Value], value: Value) -> Sequence[Value]:
    numbers = [k for k, each in enumerate(given) if each is value]
    return [each for k in numbers for each in (loop.outs[k], loop.carried[k])]


# Loads that run ahead


def _ahead(
    loop: scf.For, plans: Mapping[tile.Mma, ProductPlan], block: Block, waiting: frozenset[Value], schedule: Schedule
) -> Ahead | None:
    body = loop.body.entry
    if not all(_is_reading(op) for op in body):
        return None
    products: list[tile.Mma] = []
    wanted: dict[Operation, None] = {}
    for op in body:
        if not (isinstance(op, tile.Mma) and op in plans):
            continue
        sources = [source_of(factor) for factor in (op.lhs, op.rhs)]
        loads = [source.load for source in sources if source is not None]
        slices = [_slice(load, loop) for load in loads if load.block is body and load.out in waiting]
        if len(slices) == len(sources) and None not in slices:
            products.append(op)
            wanted.update((each, None) for found in slices for each in found or ())
    stages = block.stages([plans[op] for op in products]) if products else 0
    asked = [choice.stages for op in products if (choice := schedule.product(_extents(op))) is not None]
    stages = min([stages, *(count for count in asked if count is not None)])
    if stages < LEAST_STAGES:
        return None
    return Ahead(tuple(products), tuple(op for op in body if op in wanted), stages)


def _is_reading(op: Operation) -> bool:
    """Whether neither the operation nor one inside it writes, updates or orders memory."""
    for inner in op.walk():
        if RECURSIVE_EFFECTS in inner.definition.traits:
            continue
        effects = inner.effects()
        if effects is None or any(effect.kind not in (EffectKind.READ, EffectKind.HINT) for effect in effects):
            return False
    return True


def _slice(load: tile.Load, loop: scf.For) -> list[Operation] | None:
    """What computes the place of a load from the loop's index; None if that takes more than arithmetic and views."""
    found: dict[Operation, None] = {}
    work: list[Value] = [load.memref, *load.indices]
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
