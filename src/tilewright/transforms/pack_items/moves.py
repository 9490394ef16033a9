"""How a chunk gets to its slabs and back: in rows, where items follow each other, else item by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from msgspec import Struct

from tilewright.dialects import memref, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import MemrefType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.batches import dense_strides
from tilewright.transforms.pack_items.copies import Copying, aligned, either, every, row
from tilewright.transforms.pack_items.items import Items, Transfer
from tilewright.transforms.pack_items.plan import Plan
from tilewright.transforms.pack_items.slabs import PIECE
from tilewright.transforms.pack_items.threads import Threads, of_item


class Moves(Struct, frozen=True, eq=False):
    """What threads move of their chunk; `memory` has the slabs by the operations whose tiles they hold."""

    items: Items
    plan: Plan
    memory: Mapping[Operation, Value]
    threads: Threads

    def passes(self, build: Builder, body: Callable[[Builder, Value], None], count: int) -> None:
        """What the teams do for each of so many items or slots of the chunk, by its number."""
        passes = count // self.plan.teams
        if passes == 1:
            body(build, self.threads.team)
            return
        loop = emit.open_loop(build, build.index(0), build.index(passes))
        loop.op.unroll = False
        body(loop.body, self.threads.slot(loop.body, self.plan, loop.index))

    def _whole_chunk(self, build: Builder, transfers: Sequence[Transfer], views: Mapping[Value, Value]) -> Value:
        """Whether rows may be moved for all items of the chunk at once: all are there, and memory is aligned.

        Gaps behind the last item may be read if another item follows.
        """
        behind = any(transfer.has_gaps for transfer in transfers)
        end = emit.add(build, self.threads.first, build.index(self.plan.items - 1 + behind))
        tests: list[Value | None] = [emit.not_less(build, self.threads.last, end)]
        for transfer in transfers:
            memory = self._global_row(build, transfer, views, self.plan.items * transfer.apart)
            tests.append(aligned(build, memory, PIECE // transfer.element.bytes))
        found = every(build, tests)
        assert found is not None
        return found

    def load_fixed(self, build: Builder) -> bool:
        """What is the same for all items, if there is such."""
        threads = self.threads
        fixed = [t for t in self.items.loads if t.op in self.memory and t.is_fixed]
        views = of_item(build, _addresses(fixed), threads.last)
        for transfer in fixed:
            self._move(build, transfer, views, None, threads.thread, self.plan.threads, wide=True)
        return bool(fixed)

    def load_items(self, build: Builder) -> None:
        """What items of the chunk load."""
        loads = [t for t in self.items.loads if t.op in self.memory and not t.is_fixed]
        rows = [transfer for transfer in loads if transfer in self.plan.rows]
        others = [transfer for transfer in loads if transfer not in rows]
        if rows:
            self._move_rows(build, rows)
        if others:
            self._move_items(build, others, wide=True)

    def store(self, build: Builder, transfer: Transfer) -> None:
        """The results of all items of the chunk."""
        if transfer in self.plan.rows:
            self._move_rows(build, [transfer])
        else:
            self._move_items(build, [transfer], wide=True)

    def _move_rows(self, build: Builder, transfers: Sequence[Transfer]) -> None:
        """All items of the chunk at once; one by one if some are missing or memory is not aligned."""
        views = of_item(build, _addresses(transfers), self.threads.first)

        def at_once(at: Builder) -> None:
            for transfer in transfers:
                self._move_row(at, transfer, views)

        whole = self._whole_chunk(build, transfers, views)
        emit.if_else(build, whole, at_once, lambda at: self._move_items(at, transfers, wide=False))

    def _move_row(self, build: Builder, transfer: Transfer, views: Mapping[Value, Value]) -> None:
        """All items of the chunk, which lie behind each other, by all threads of the crew."""
        piece = PIECE // transfer.element.bytes
        # nothing behind the last item but what fills a piece
        size = -(-((self.plan.items - 1) * transfer.apart + transfer.reach) // piece) * piece
        outside = self._global_row(build, transfer, views, size)
        zero = build.index(0)
        inside = self.memory[transfer.op]
        start = [*(zero for _ in transfer.shape), zero, self.threads.crew]
        inside = row(build, inside, start, size)
        source, target = (outside, inside) if isinstance(transfer.op, tile.Load) else (inside, outside)
        crew = self.plan.crew
        copying = Copying(source, target, (size,), (0,), self.threads.lane, crew, isinstance(transfer.op, tile.Load))
        copying.emit(build, piece)

    def _global_row(self, build: Builder, transfer: Transfer, views: Mapping[Value, Value], size: int) -> Value:
        op = transfer.op
        memory, *indices = (views.get(value, value) for value in (op.memref, *op.indices))
        return row(build, memory, indices, size)

    def _move_items(self, build: Builder, transfers: Sequence[Transfer], wide: bool) -> None:
        """Items one by one, each by its team."""

        def one(at: Builder, slot: Value) -> None:
            threads = self.threads
            views = of_item(at, _addresses(transfers), threads.item(at, slot))
            works = threads.works
            if not isinstance(transfers[0].op, tile.Load):
                there = emit.not_less(at, threads.last, emit.add(at, threads.first, slot))
                works = there if works is None else emit.both(at, works, there)
            inner = at if works is None else emit.open_if(at, works)
            for transfer in transfers:
                self._move(inner, transfer, views, slot, threads.rank, self.plan.team, wide=wide)

        self.passes(build, one, self.plan.items)

    def _move(
        self,
        build: Builder,
        transfer: Transfer,
        views: Mapping[Value, Value],
        item: Value | None,
        rank: Value,
        threads: int,
        *,
        wide: bool,
    ) -> None:
        """One item, or what is the same for all, between global memory and its slab by so many threads."""
        op, shape, order = transfer.op, transfer.shape, transfer.order
        place = self._place_of(build, shape, item)
        if transfer.is_dense and self.plan.slabs.of[op].strides == dense_strides(shape, order):
            size = prod(shape)
            inside = row(build, self.memory[op], place, size)
            outside = self._global_row(build, transfer, views, size)
            shape, order = (size,), (0,)
        else:
            inside = _box_of(build, self.memory[op], place, shape)
            memory, *indices = (views.get(value, value) for value in (op.memref, *op.indices))
            outside = _box_of(build, memory, indices, shape)
        source, target = (outside, inside) if isinstance(op, tile.Load) else (inside, outside)
        copying = Copying(source, target, shape, order, rank, threads, isinstance(op, tile.Load))
        width = copying.width if wide and self.plan.slabs.of[op].pitch % PIECE == 0 else 1
        if width == 1:
            copying.emit(build, 1)
            return
        condition = aligned(build, outside, width)
        either(build, condition, lambda at: copying.emit(at, width), lambda at: copying.emit(at, 1))

    def _place_of(self, build: Builder, shape: tuple[int, ...], item: Value | None) -> list[Value]:
        """Where the tile of an item of the chunk begins in its slab; what is the same for all begins at 0."""
        begin, joined = [build.index(0)] * len(shape), self.plan.joined
        if item is None:
            return begin
        if joined > 1:
            begin[-1] = emit.mul(build, emit.rem(build, item, build.index(joined)), build.index(shape[-1]))
        return [*begin, emit.quotient(build, item, joined), self.threads.crew]


def _addresses(transfers: Sequence[Transfer]) -> list[Value]:
    """The values that say where tiles lie."""
    return [value for t in transfers for value in (t.op.memref, *t.op.indices)]


def _box_of(build: Builder, memory: Value, indices: Sequence[Value], shape: tuple[int, ...]) -> Value:
    """The box at `indices`; modes behind those of the shape are dropped."""
    type_ = emit.memref_type(memory)
    result = MemrefType(type_.element, shape, type_.strides[: len(shape)], type_.space)
    sizes = (*shape, *(0,) * (type_.order - len(shape)))
    starts = (None,) * type_.order
    return build(memref.Subview(memory, list(indices), [], starts, sizes, result_types=[result])).out
