"""Roots: whole tiles computed from their expressions, into stores, buffers, loop-carried vectors, single elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.block_stores import BlockStores
from tilewright.targets.cpu.evaluation.crosswise import crosswise_memory
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.streamed_stores import StreamedStores, begins_with_vectors, worth_streaming
from tilewright.targets.cpu.evaluation.sweep import Plan, fits_registers, sweep
from tilewright.targets.cpu.expressions.blocks import split_pieces
from tilewright.targets.cpu.expressions.fragments import Fragments, flatten, rebuild
from tilewright.targets.cpu.expressions.narrowing import with_scalars
from tilewright.targets.cpu.expressions.nodes import (
    Broadcast,
    Converted,
    Elementwise,
    Expression,
    Extract,
    Gathered,
    Iota,
    Memory,
    Permute,
    Product,
    Reduction,
    Registers,
    Reshaped,
    Reverse,
    Splat,
    Substitution,
    leaves,
    natural_dim,
    subexpressions,
)
from tilewright.targets.cpu.expressions.reshaping import column_major
from tilewright.targets.cpu.large_products.product import large_product, store_large
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import BufferPool
from tilewright.targets.cpu.outlining.outline import Outlined
from tilewright.targets.cpu.outlining.parts import outlined, wants_outlining
from tilewright.targets.cpu.tiles.sharing import is_costly
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind

_Materialized = dict[tuple[Expression, int], Expression]

_CHAINED_VECTORS = 12
_LEAST_TRANSPOSED = 4096
_ROLLED = (Memory, Splat, Elementwise, Converted, Broadcast, Permute, Iota, Reduction)


class Roots:
    """Computes whole tiles at the position of a kernel's builder."""

    __slots__ = ("_block", "_pool", "ctx", "machine")

    def __init__(self, ctx: KernelContext, machine: Machine, pool: BufferPool, block: core.Block | None) -> None:
        self.ctx = ctx
        self.machine = machine
        self._pool = pool
        self._block = block

    def unshared(self) -> Roots:
        """The same with buffers of its own: for code inside a block whose buffers still hold what is read."""
        return Roots(self.ctx, self.machine, self._pool, None)

    def within(self, part: Outlined) -> Roots:
        """The same for the body of an outlined part."""
        return Roots(part.inner, self.machine, BufferPool(), None)

    def evaluator(self, checked: bool = True) -> Evaluator:
        """A fresh evaluator: what it knows holds for one root only."""
        return Evaluator(self.ctx.b, self.ctx.arith, self.machine, checked)

    def store(self, value: Expression, target: Memory) -> None:
        """Compute a tile and write it to memory, without bounds tests where all of it is inside."""
        if 0 in value.type.shape:
            return
        if wants_outlining(self.ctx, self.machine):
            with outlined(self.ctx, self.machine) as part:
                inside = part.tile(target)
                assert isinstance(inside, Memory)
                self.within(part).store(part.tile(value), inside)
            return
        if isinstance(value, Reshaped):
            product = large_product(self.machine, value.source)
            if product is not None:
                matrix = Reshaped(value.source.type, target)
                store_large(self.ctx, self.machine, value.source, product, matrix)
                return
        product = large_product(self.machine, value)
        if product is not None:
            store_large(self.ctx, self.machine, value, product, target)
            return
        vector = natural_dim(target)
        value = self.materialize_operands(value, vector)
        product = large_product(self.machine, value)
        if product is not None:
            store_large(self.ctx, self.machine, value, product, target)
            return
        value = self._read_by_rows(value, target, vector)
        inside = self.inside([value, target])
        if inside is None or target.ends:
            # a part of a tile is short, which code for whole ones would not gain anything for
            self._store(value, target, vector, checked=bool(target.ends))
            return
        with self.ctx.b.if_else(inside, likely=True) as branch:
            with branch.then():
                self._store(value, target, vector, checked=False)
            with branch.otherwise():
                self._store(value, target, vector, checked=True)

    def _store(self, value: Expression, target: Memory, vector: int | None, checked: bool) -> None:
        ev = self.evaluator(checked)
        plan = Plan(ev, value, vector)
        streams = worth_streaming(ev, value, target, plan)
        if streams.text != "false":
            streams = self.ctx.b.and_(streams, begins_with_vectors(self.ctx.b, target, plan))
        if streams.text == "false":
            self._through_caches(ev, value, target, plan)
            return
        with self.ctx.b.if_else(streams) as branch:
            with branch.then():
                StreamedStores(ev, value, target, plan).tile()
            with branch.otherwise():
                self._through_caches(self.evaluator(False), value, target, plan)

    def _through_caches(self, ev: Evaluator, value: Expression, target: Memory, plan: Plan) -> None:
        if (target.checked or target.ends) and all(isinstance(part, _ROLLED) for part in subexpressions(value)):
            plan.roll(target, masked=ev.checked)
        stores = BlockStores(ev, value, target, plan)
        sweep(self.ctx.b, plan, stores.emit, ev)
        stores.finish()

    def _read_by_rows(self, value: Expression, target: Memory, vector: int | None) -> Expression:
        """The tile with transposed copies of the memory that the sweep would read crosswise.

        Transposed at once into distant memory, squares would touch a line of each of many rows, on both sides: if
        their distance is a power of two, more than the first cache has ways for.
        """
        plan = Plan(self.evaluator(), value, vector)
        if not plan.across_first or not target.distant or _bytes_of(target) < _LEAST_TRANSPOSED:
            return value
        known: dict[Expression, Expression] = {}
        for leaf, along in crosswise_memory(value, plan.vector, plan.across):
            if leaf not in known:
                known[leaf] = self.materialize(leaf, along)
        return Substitution(lambda same: same, known).tile(value)

    def inside(self, tiles: list[Expression]) -> Value | None:
        """Whether all checked elements of the tiles' memory exist; None if nothing is checked."""
        b, result = self.ctx.b, None
        seen: set[Expression] = set()
        for tile in tiles:
            for leaf in leaves(tile):
                if not isinstance(leaf, Memory) or not leaf.checked or leaf in seen:
                    continue
                seen.add(leaf)
                for bound, extent in zip(leaf.bounds, leaf.type.shape, strict=True):
                    if bound is None:
                        continue
                    fits = b.and_(b.icmp("sle", bound.low, i64(0)), b.icmp("sle", i64(extent), bound.high))
                    result = fits if result is None else b.and_(result, fits)
        return None if result is not None and result.text == "true" else result

    def element(self, tile: Expression) -> Operand:
        """The element of a tile with one element."""
        value = self.materialize_operands(tile, None)
        origin = (i64(0),) * tile.type.rank
        inside = self.inside([value])
        return self.evaluator(inside is not None).scalar(value, origin)

    # Buffers

    def buffer(self, type_: TileType, unit: int = 0, packed: bool = False, order: Sequence[int] = ()) -> Memory:
        """Uninitialised memory for a tile, contiguous along dimension `unit`, or packed with dimensions in an `order`.

        Unless it is to be `packed`, whole vectors fit behind each other along `unit`: a load of what two stores wrote,
        or one under a mask, waits until they have left the store buffer (`benchmarks/transposes.py`).
        """
        element = ELEMENTS[type_.element.name]
        size = 1 if element.kind is Kind.BOOL else element.bytes
        packed = packed or bool(order)
        order = order or ([unit, *(dim for dim in range(type_.rank) if dim != unit)] if type_.rank else [])
        padding = 0 if packed or not order else self._padding(type_, unit)
        strides, total = [1] * type_.rank, 1
        for dim in order:
            strides[dim] = total
            total *= max(type_.shape[dim], 1) + (padding if dim == unit else 0)
        slack = self.machine.vector_bytes // size
        pointer = self._pool.take(self.ctx, (total + slack) * size, self._block)
        return Memory(
            type_, pointer, tuple(map(i64, strides)), (None,) * type_.rank, span=total + slack, padding=padding
        )

    def _padding(self, type_: TileType, unit: int) -> int:
        """How many positions along `unit` vectors take up beyond the tile's own."""
        lanes = self.machine.lanes(type_.element.component.bytes)
        return sum(p.lanes - p.active for p in split_pieces(type_.shape[unit], lanes, self.machine).rest)

    def fill_zero(self, target: Memory) -> None:
        """All elements of a buffer become zero."""
        self.store(Splat(target.type, self.ctx.arith.constant(target.type.element.name, 0)), target)

    def materialize(self, tile: Expression, unit: int | None = None, packed: bool = False) -> Memory:
        """The tile in a stack buffer, contiguous along `unit` (default: as its source is)."""
        natural = natural_dim(tile)
        along = unit if unit is not None else (natural or 0)
        target = self.buffer(tile.type, min(along, max(tile.type.rank - 1, 0)), packed)
        self.store(tile, target)
        return target

    def computed_once(self, tile: Expression) -> Expression:
        """The tile computed into a buffer; of one that repeats its elements, each of them."""
        if isinstance(tile, Broadcast):
            return replace(tile, source=self.materialize(tile.source))
        return self.materialize(tile)

    def put_together(self, tile: Reshaped) -> Memory:
        """The elements in a buffer, where any shape is a matter of strides."""
        return column_major(self.materialize(tile.source, 0, packed=True), tile.type)

    # Tiles in registers

    def register_plan(self, type_: TileType, vector: int) -> Plan:
        """How a tile of that type is held in registers, with vectors along a dimension."""
        return Plan(self.evaluator(), Registers(type_, vector, (), []), vector)

    def registers_needed(self, type_: TileType, vector: int) -> int:
        """Vector registers that a tile of this type occupies."""
        plan = self.register_plan(type_, vector)
        columns = 1 if plan.across is None else type_.shape[plan.across]
        return len(plan.pieces) * columns * (2 if type_.element.is_complex else 1)

    def compute_registers(self, tile: Expression, vector: int) -> list[Value]:
        """The vectors of a whole tile."""
        value = self.materialize_operands(tile, vector)
        plan = self.register_plan(tile.type, vector)
        inside = self.inside([value])
        if inside is None:
            ev = self.evaluator(False)
            return flatten(ev.block(value, plan.whole))
        with self.ctx.b.if_else(inside, likely=True) as branch:
            for arm, checked in ((branch.then, False), (branch.otherwise, True)):
                with arm():
                    ev = self.evaluator(checked)
                    branch.yield_(*flatten(ev.block(value, plan.whole)))
        return branch.results

    def held(self, type_: TileType, vector: int, values: list[Value]) -> Registers:
        """The inverse of `compute_registers`."""
        plan = self.register_plan(type_, vector)
        columns = 1 if plan.across is None else type_.shape[plan.across]
        fragments: Fragments = rebuild(values, type_.element.name, columns, len(plan.pieces))
        return Registers(type_, plan.vector, tuple(plan.pieces), fragments)

    # What an expression needs in buffers

    def materialize_operands(self, tile: Expression, vector: int | None) -> Expression:
        """The tile with everything in buffers that the sweep to come cannot take as it is.

        That is: tiles in registers whose vectors do not fit, and the strided factor of a product whose vectors are
        read again for each block of columns.
        """
        tile = with_scalars(tile, self.element)
        plan = Plan(self.evaluator(), tile, vector)
        return self._with_operands(tile, plan, plan.vector, {})

    def _with_operands(self, tile: Expression, plan: Plan, vector: int, known: _Materialized) -> Expression:
        """Parts that occur several times stay one."""
        found = known.get((tile, vector))
        if found is None:
            found = known[(tile, vector)] = self._rewritten(tile, plan, vector, known)
        return found

    def _rewritten(self, tile: Expression, plan: Plan, vector: int, known: _Materialized) -> Expression:
        match tile:
            case Registers():
                fits = fits_registers(tile, plan) and tile.vector == vector
                return tile if fits else self._spill(tile)
            case Elementwise():
                operands = tuple(self._with_operands(part, plan, vector, known) for part in tile.operands)
                return replace(tile, operands=operands)
            case Product():
                return self._with_factors(tile, plan, vector, known)
            case Converted():
                return replace(tile, source=self._with_operands(tile.source, plan, vector, known))
            case Permute():
                return replace(tile, source=self._with_operands(tile.source, plan, tile.order[vector], known))
            case Gathered():
                mask = None if tile.mask is None else self._with_operands(tile.mask, plan, vector, known)
                return replace(tile, addresses=self._with_operands(tile.addresses, plan, vector, known), mask=mask)
            case Reshaped():
                return self.put_together(tile)
            case Broadcast() | Extract() | Reverse() | Reduction():
                parts = list(subexpressions(tile.source))
                first = any(isinstance(part, Registers | Product | Reshaped) for part in parts)
                first = first or (isinstance(tile, Broadcast) and any(map(is_costly, parts)))
                return replace(tile, source=self.materialize(tile.source)) if first else tile
            case _:
                return tile

    def _with_factors(self, tile: Product, plan: Plan, vector: int, known: _Materialized) -> Product:
        lhs, rhs = (self.materialize(f) if isinstance(f, Converted | Reshaped) else f for f in (tile.lhs, tile.rhs))
        long_tile, short_tile = (lhs, rhs) if vector == 0 else (rhs, lhs)
        if isinstance(short_tile, Product):
            short_tile = self.materialize(short_tile)
        if isinstance(long_tile, Product):
            kept = self._chained(long_tile, plan, vector)
            long_tile = self._with_factors(long_tile, plan, vector, known) if kept else self.materialize(long_tile)
        elif isinstance(long_tile, Memory) and natural_dim(long_tile) not in (vector, None) and not _read_once(plan):
            long_tile = self.materialize(long_tile, vector)
        factors = (long_tile, short_tile) if vector == 0 else (short_tile, long_tile)
        tile = replace(tile, lhs=factors[0], rhs=factors[1])
        return replace(tile, acc=self._with_operands(tile.acc, plan, vector, known))

    @staticmethod
    def _chained(inner: Product, plan: Plan, vector: int) -> bool:
        """Whether an inner product stays in registers: each row of it is computed once, and its rows fit."""
        held = inner.type.shape[1 - vector] * plan.shape.group
        return plan.straight and _read_once(plan) and held <= _CHAINED_VECTORS

    def _spill(self, tile: Registers) -> Memory:
        target = self.buffer(tile.type, tile.vector)
        ev = self.evaluator()
        plan = self.register_plan(tile.type, tile.vector)
        ev.store(target, plan.whole, ev.block(tile, plan.whole))
        return target


def _bytes_of(tile: Memory) -> int:
    return tile.type.element.bytes * prod(tile.type.shape)


def _read_once(plan: Plan) -> bool:
    """Whether each vector of the factor that gives a product its vectors is read once."""
    columns = plan.extents[plan.across] if plan.across is not None else 1
    return columns <= plan.shape.columns or plan.shape.resident
