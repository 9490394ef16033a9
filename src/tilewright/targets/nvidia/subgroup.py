"""Tile operations of SPMD regions: tiles of a subgroup, in registers."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from tilewright.dialects import scf, tile
from tilewright.dialects.matrix_instructions import MatrixInstruction
from tilewright.ir import core
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import TileType
from tilewright.targets.llvm.emitter import Value
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia import warp
from tilewright.targets.nvidia.atomics import atomic_load, atomic_store, atomic_update
from tilewright.targets.nvidia.context import KernelContext, is_tile
from tilewright.targets.nvidia.elementwise import COMPUTED, apply
from tilewright.targets.nvidia.guards import guarded
from tilewright.targets.nvidia.lane_products import multiplied, prepared
from tilewright.targets.nvidia.lanes import packed
from tilewright.targets.nvidia.memory import address, load_element, place, store_element
from tilewright.targets.nvidia.registers import (
    Coordinates,
    count_of,
    each_element,
    each_slot,
    gather,
    holds_element,
    lane_predicate,
    number_of,
    positions,
    registers_of,
    slot_count,
    wanted,
)
from tilewright.targets.nvidia.subgroup_matrices import load_matrices
from tilewright.targets.nvidia.subgroup_products import SubgroupProduct
from tilewright.targets.nvidia.subgroup_runs import load_runs, store_runs
from tilewright.targets.nvidia.team import Combiner
from tilewright.targets.nvidia.values import Operand, RegisterTile
from tilewright.transforms.tile_values import tile_type


def lower_tile(ctx: KernelContext, op: core.Operation) -> None:
    """Lower a tile operation, or an elementwise one on tiles, of an SPMD region."""
    if isinstance(op, COMPUTED):
        ctx.bind(op.results[0], _elementwise(ctx, op))
        return
    match op:
        case tile.Store() | tile.AtomicStore():
            _store(ctx, op)
        case tile.Item():
            ctx.bind(op.out, gather(ctx, registers_of(ctx, op.tile), [0] * ctx.subgroup_size))
        case tile.ShareExtract():
            ctx.bind(op.out, _share_extract(ctx, op))
        case _:
            ctx.bind(op.results[0], _computed(ctx, op))


def _computed(ctx: KernelContext, op: core.Operation) -> RegisterTile:
    match op:
        case tile.Load() | tile.AtomicLoad():
            return _load(ctx, op)
        case tile.AtomicRmw():
            return _atomic_rmw(ctx, op)
        case tile.Splat():
            operand, type_ = ctx.operand(op.value), tile_type(op.out)
            return RegisterTile(type_, (operand,) * count_of(ctx, op.out))
        case tile.Iota():
            name = tile_type(op.out).element.name
            return each_slot(ctx, tile_type(op.out), lambda _, at: ctx.arith.cast(at[op.dim], "index", name))
        case tile.Reshape():
            return RegisterTile(tile_type(op.out), registers_of(ctx, op.tile).slots)
        case tile.Mma():
            return _mma(ctx, op)
        case tile.Reduce():
            return _reduce(ctx, op)
        case tile.Scan():
            return _scan(ctx, op)
        case tile.Map():
            return _map(ctx, op)
        case tile.ShareInsert():
            return _share_insert(ctx, op)
        case MovesElements():
            return _moved(ctx, op, op.moves())
        case _:
            raise AssertionError(f"{op.name} gives no tile of a subgroup")


def _elementwise(ctx: KernelContext, op: core.Operation) -> RegisterTile:
    operands = [registers_of(ctx, o).slots if is_tile(o) else ctx.operand(o) for o in op.operands]
    type_ = tile_type(op.results[0])
    slots: list[Operand] = []
    for slot in range(count_of(ctx, op.results[0])):
        slots.append(apply(ctx.arith, op, [_slot(operand, slot) for operand in operands]))
    return RegisterTile(type_, tuple(slots))


def _slot(operand: Operand | tuple[Operand, ...], slot: int) -> Operand:
    return operand if isinstance(operand, Operand) else operand[slot]


# Memory


def _inside(ctx: KernelContext, value: core.Value, slot: int, inside: Value) -> Value:
    whole = value in ctx.products.layouts
    return inside if whole else ctx.b.and_(holds_element(ctx, tile_type(value), slot), inside)


def _load(ctx: KernelContext, op: tile.Load | tile.AtomicLoad) -> RegisterTile:
    matrices = load_matrices(ctx, op) if isinstance(op, tile.Load) else None
    if matrices is not None:
        return matrices
    runs = load_runs(ctx, op) if isinstance(op, tile.Load) else None
    if runs is not None:
        return runs

    def element(slot: int, where: Coordinates) -> Operand:
        view, indices, inside = place(ctx, op.memref, op.indices, where, op.check)

        def read() -> Operand:
            pointer = address(ctx, view, indices)
            if isinstance(op, tile.AtomicLoad):
                return atomic_load(ctx, view.element, pointer, op.scope, op.semantics)
            return load_element(ctx, view.element, pointer)

        zero = ctx.arith.constant(view.element.name, 0)
        return guarded(ctx, _inside(ctx, op.out, slot, inside), read, lambda: zero)

    return each_element(ctx, op.out, element)


@contextmanager
def _in_order(ctx: KernelContext) -> Generator[None]:
    """Emit writes of the subgroup between what its work-items read before and what they read afterwards.

    Lanes do not run in lock step: without waiting one would write what another is still to read.
    """
    warp.synchronize(ctx)
    yield
    warp.synchronize(ctx)


def _store(ctx: KernelContext, op: tile.Store | tile.AtomicStore) -> None:
    with _in_order(ctx):
        _store_slots(ctx, op)


def _store_slots(ctx: KernelContext, op: tile.Store | tile.AtomicStore) -> None:
    if isinstance(op, tile.Store) and store_runs(ctx, op):
        return
    source, places = registers_of(ctx, op.value), positions(ctx, op.value)
    for slot, (operand, where) in enumerate(zip(source.slots, places, strict=True)):
        view, indices, inside = place(ctx, op.memref, op.indices, where, op.check)
        with ctx.b.if_then(_inside(ctx, op.value, slot, inside)):
            pointer = address(ctx, view, indices)
            if isinstance(op, tile.AtomicStore):
                atomic_store(ctx, view.element, operand, pointer, op.scope, op.semantics)
            else:
                store_element(ctx, view.element, operand, pointer)


def _atomic_rmw(ctx: KernelContext, op: tile.AtomicRmw) -> RegisterTile:
    type_, source = tile_type(op.out), registers_of(ctx, op.value)

    def element(slot: int, where: Coordinates) -> Operand:
        view, indices, inside = place(ctx, op.memref, op.indices, where, op.check)

        def update() -> Operand:
            pointer = address(ctx, view, indices)
            return atomic_update(ctx, op.kind, view.element, source.slots[slot], pointer, op.scope, op.semantics)

        zero = ctx.arith.constant(view.element.name, 0)
        return guarded(ctx, _inside(ctx, op.out, slot, inside), update, lambda: zero)

    with _in_order(ctx):
        return each_slot(ctx, type_, element)


# Moving elements


def _moved(ctx: KernelContext, op: core.Operation, moves: Sequence[Move]) -> RegisterTile:
    """Each slot from the operands that some lane of it comes from."""
    type_ = tile_type(op.results[0])
    sources = [registers_of(ctx, operand) for operand in op.operands]
    slots: list[Operand] = []
    for slot in range(slot_count(ctx, type_)):
        result: Operand | None = None
        for move in moves:
            source = sources[move.operand]
            table = wanted(ctx, type_, slot, lambda at, m=move, t=source.type: _source(m, t, at))
            if all(number is None for number in table):
                continue
            found = gather(ctx, source, table)
            mine = lane_predicate(ctx, [number is not None for number in table])
            result = found if result is None else ctx.arith.select(mine, found, result)
        assert result is not None
        slots.append(result)
    return RegisterTile(type_, tuple(slots))


def _source(move: Move, type_: TileType, at: tuple[int, ...]) -> int | None:
    """Number of the operand's element that a move puts at a position of the result."""
    inner = [index - start for index, start in zip(at, move.start, strict=True)]
    inside = all(0 <= index < extent for index, extent in zip(inner, move.shape, strict=True))
    return number_of(move.at(inner), type_.shape) if inside else None


# Combining elements


def _mma(ctx: KernelContext, op: tile.Mma) -> RegisterTile:
    product = ctx.products.products.get(op)
    return _by_elements(ctx, op) if product is None else _by_instructions(ctx, op, product)


def _by_instructions(ctx: KernelContext, op: tile.Mma, product: SubgroupProduct) -> RegisterTile:
    """Each part of one factor times each of the other, step by step along k."""
    found = product.instruction
    rows, columns = ((op.lhs, found.rows), (op.rhs, found.columns))
    if product.swapped:
        rows, columns = ((op.rhs, found.rows), (op.lhs, found.columns))
    steps = tile_type(op.lhs).shape[1] // found.shape[2]
    left, right = (_parts(ctx, value, part, found, steps) for value, part in (rows, columns))
    given = op.acc if product.narrow_accumulators is None else product.narrow_accumulators
    accumulators = [slot for slot in registers_of(ctx, given).slots if isinstance(slot, Value)]
    each = found.accumulators.count(Owner.REG)
    for row_parts, column_parts in zip(left, right, strict=True):
        for c, column in enumerate(column_parts):
            for r, row in enumerate(row_parts):
                mine = slice(each * (r + len(row_parts) * c), each * (r + len(row_parts) * c + 1))
                accumulators[mine] = multiplied(ctx, found, row, column, accumulators[mine])
    type_ = tile_type(op.out)
    return RegisterTile(
        type_, tuple(ctx.arith.cast(total, found.sum.name, type_.element.name) for total in accumulators)
    )


def _parts(
    ctx: KernelContext, value: core.Value, part: Layout, found: MatrixInstruction, steps: int
) -> list[list[list[list[Value]]]]:
    """For each step what is prepared of each part of a factor."""
    factor, each = found.factor.name, part.count(Owner.REG)
    cast = (ctx.arith.cast(slot, tile_type(value).element.name, factor) for slot in registers_of(ctx, value).slots)
    slots = [slot for slot in cast if isinstance(slot, Value)]
    parts = [
        prepared(ctx, found, packed(ctx, slots[first : first + each], ELEMENTS[factor]))
        for first in range(0, len(slots), each)
    ]
    count = len(parts) // steps
    return [parts[first : first + count] for first in range(0, len(parts), count)]


def _by_elements(ctx: KernelContext, op: tile.Mma) -> RegisterTile:
    type_, element = tile_type(op.out), tile_type(op.out).element
    wide = element.accumulator if element.is_float else element
    left, right = (_cast_slots(ctx, registers_of(ctx, v), wide.name) for v in (op.lhs, op.rhs))
    acc = _cast_slots(ctx, registers_of(ctx, op.acc), wide.name)
    fetch = _Fetcher(ctx)
    slots: list[Operand] = []
    for slot in range(slot_count(ctx, type_)):
        total = acc.slots[slot]
        for k in range(left.type.shape[1]):
            x = fetch(left, wanted(ctx, type_, slot, lambda at, k=k: number_of((at[0], k), left.type.shape)))
            y = fetch(right, wanted(ctx, type_, slot, lambda at, k=k: number_of((k, at[1]), right.type.shape)))
            total = ctx.arith.lower("fma", wide.name, x, y, total)
        slots.append(ctx.arith.cast(total, wide.name, element.name))
    return RegisterTile(type_, tuple(slots))


class _Fetcher:
    """`gather` that remembers what it has fetched."""

    def __init__(self, ctx: KernelContext) -> None:
        self._ctx = ctx
        self._known: dict[tuple[RegisterTile, tuple[int | None, ...]], Operand] = {}

    def __call__(self, source: RegisterTile, table: list[int | None]) -> Operand:
        key = (source, tuple(table))
        if key not in self._known:
            self._known[key] = gather(self._ctx, source, table)
        return self._known[key]


def _cast_slots(ctx: KernelContext, source: RegisterTile, name: str) -> RegisterTile:
    slots = tuple(ctx.arith.cast(slot, source.type.element.name, name) for slot in source.slots)
    return RegisterTile(source.type, slots)


def _reduce(ctx: KernelContext, op: tile.Reduce) -> RegisterTile:
    source, type_ = registers_of(ctx, op.tile), tile_type(op.out)
    combine, shape = Combiner(ctx, op.kind, source.type.element), source.type.shape
    slots: list[Operand] = []
    for slot in range(slot_count(ctx, type_)):
        total: Operand | None = None
        for k in range(shape[op.dim]):
            table = wanted(ctx, type_, slot, lambda at, k=k: number_of((*at[: op.dim], k, *at[op.dim :]), shape))
            found = combine.widen(gather(ctx, source, table))
            total = found if total is None else combine(total, found)
        assert total is not None
        slots.append(combine.narrow(total))
    return RegisterTile(type_, tuple(slots))


def _scan(ctx: KernelContext, op: tile.Scan) -> RegisterTile:
    source, type_ = registers_of(ctx, op.tile), tile_type(op.out)
    combine, shape, dim = Combiner(ctx, op.kind, source.type.element), source.type.shape, op.dim
    slots: list[Operand] = []
    for slot in range(slot_count(ctx, type_)):
        total = combine.identity()
        for k in range(shape[dim]):
            table = wanted(ctx, type_, slot, lambda at, k=k: _earlier(at, dim, k, shape))
            if all(number is None for number in table):
                continue
            found = combine(total, combine.widen(gather(ctx, source, table)))
            reached = lane_predicate(ctx, [number is not None for number in table])
            total = ctx.arith.select(reached, found, total)
        slots.append(combine.narrow(total))
    return RegisterTile(type_, tuple(slots))


def _earlier(at: tuple[int, ...], dim: int, k: int, shape: tuple[int, ...]) -> int | None:
    """The element at position k along `dim`, if that is not behind `at`."""
    return number_of((*at[:dim], k, *at[dim + 1 :]), shape) if k <= at[dim] else None


def _map(ctx: KernelContext, op: tile.Map) -> RegisterTile:
    source = registers_of(ctx, op.tile)

    def element(slot: int, where: Coordinates) -> Operand:
        positions = [ctx.b.trunc(at, "i32") for at in where]
        for argument, found in zip(op.body.entry.arguments, [*positions, source.slots[slot]], strict=True):
            ctx.bind(argument, found)
        ctx.lower_block(op.body.entry)
        (result,) = scf.yielded(op.body)
        return ctx.operand(result)

    return each_slot(ctx, source.type, element, guard=True)


# Shares of work-items


def _slot_of_component(ctx: KernelContext, type_: TileType, index: int) -> int:
    """Where component `u + k I J / S` lies: our slots count the row blocks k first (see `RegisterTile`)."""
    rows, columns = type_.shape
    blocks = max(rows // ctx.subgroup_size, 1)
    per_block = columns if blocks > 1 else slot_count(ctx, type_)
    k, u = divmod(index, per_block)
    return k + u * blocks


def _share_extract(ctx: KernelContext, op: tile.ShareExtract) -> Operand:
    source = registers_of(ctx, op.tile)
    slot = _slot_of_component(ctx, source.type, op.index)
    zero = ctx.arith.constant(source.type.element.name, 0)
    return ctx.arith.select(holds_element(ctx, source.type, slot), source.slots[slot], zero)


def _share_insert(ctx: KernelContext, op: tile.ShareInsert) -> RegisterTile:
    source = registers_of(ctx, op.tile)
    slot = _slot_of_component(ctx, source.type, op.index)
    slots: list[Operand] = list(source.slots)
    slots[slot] = ctx.operand(op.value)
    return RegisterTile(source.type, tuple(slots))
