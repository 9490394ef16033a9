"""How a chunk gets to its slabs and back: in rows, where items follow each other, else item by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import gcd, prod

from msgspec import Struct

from tilewright.dialects import lane, memref, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import FragmentType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.lane_accesses import WORD
from tilewright.transforms.pack_items.batches import dense_strides
from tilewright.transforms.pack_items.copies import Copying, aligned, either, every, row, widest_piece
from tilewright.transforms.pack_items.items import PIECE, Items, Transfer, behind
from tilewright.transforms.pack_items.plan import Plan
from tilewright.transforms.pack_items.shares import Share
from tilewright.transforms.pack_items.slabs import Panels
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
            panels = self.plan.slabs.of[transfer.op].panels
            if panels is not None:
                self._load_panels(build, transfer, panels, views)
                continue
            copying = self._copying(build, transfer, views, None, threads.thread, self.plan.threads)
            width = self._width(transfer, copying, wide=True)
            condition = aligned(build, self._outside(transfer, copying), width) if width > 1 else None
            either(build, condition, partial(_emit, copying, width), partial(_emit, copying, 1))
        return bool(fixed)

    def _load_panels(self, build: Builder, transfer: Transfer, panels: Panels, views: Mapping[Value, Value]) -> None:
        """What is the same for all items, element by element, one panel after the other, zeros behind each."""
        op, mode, deep, missing = transfer.op, panels.mode, 1 - panels.mode, panels.wide - panels.held
        rank, threads, memory = self.threads.thread, self.plan.threads, self.memory[transfer.op]
        loop = emit.open_loop(build, build.index(0), build.index(panels.count))
        loop.op.unroll = False
        at = loop.body
        zero = at.index(0)
        shape = tuple(panels.held if k == mode else n for k, n in enumerate(transfer.shape))
        outside, *indices = (views.get(value, value) for value in (op.memref, *op.indices))
        indices[mode] = emit.add(at, indices[mode], emit.mul(at, loop.index, at.index(panels.held)))
        source = _box_of(at, outside, indices, shape)
        target = _box_of(at, memory, [zero, zero, loop.index], shape)
        Copying(source, target, shape, transfer.order, rank, threads, begins=True, shared=True).emit(at, 1)
        if missing:
            times = -(-transfer.shape[deep] // threads)
            held = FragmentType(missing * times, transfer.element)
            zeros = at(lane.Fill(at.constant(0, transfer.element), result_types=[held])).out
            start = [rank if k == deep else at.index(panels.held) for k in (0, 1)]
            steps = ((missing, mode, 1), (times, deep, threads))
            at(lane.Store(zeros, memory, [*start, loop.index], steps, (*(k == deep for k in (0, 1)), False)))

    def load_items(self, build: Builder) -> None:
        """What items of the chunk load."""
        loads = [t for t in self.items.loads if t.op in self.memory and not t.is_fixed]
        rows = [transfer for transfer in loads if transfer in self.plan.rows]
        others = [transfer for transfer in loads if transfer not in rows]
        if rows:
            self._move_rows(build, rows)
        if others:
            self._move_items(build, others, wide=True)

    def store(self, build: Builder, transfer: Transfer, known: Sequence[Mapping[Value, Value]] | None = None) -> None:
        """The results of all items of the chunk; where they go may be `known`."""
        if transfer in self.plan.rows:
            self._move_rows(build, [transfer])
        else:
            self._move_items(build, [transfer], wide=True, known=known)

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

    def addresses(self, build: Builder, transfer: Transfer) -> list[Mapping[Value, Value]] | None:
        """Where items lie whose addresses come from memory, for each pass; None if these are computed, or too many."""
        loaded = any(isinstance(op, memref.Load | memref.GroupLoad) for op in behind(_addresses([transfer])))
        share = self._share([transfer], wide=True)
        if not loaded or share.batch < share.passes:
            return None
        return self._views(build, [transfer], share, build.index(0), share.passes)

    def _move_items(
        self,
        build: Builder,
        transfers: Sequence[Transfer],
        *,
        wide: bool,
        known: Sequence[Mapping[Value, Value]] | None = None,
    ) -> None:
        """Items one by one, each by a group of threads; where they lie is `known`, or found for several first."""
        share = self._share(transfers, wide=wide)

        def some(at: Builder, first: Value, count: int) -> None:
            views = known or self._views(at, transfers, share, first, count)
            slots = [share.slot(at, self.threads.lane, emit.add(at, first, at.index(k))) for k in range(count)]
            for transfer in transfers:
                self._move_batch(at, transfer, share, list(zip(slots, views, strict=True)), wide=wide)

        whole = share.passes - share.passes % share.batch
        if whole > share.batch:
            loop = emit.open_loop(build, build.index(0), build.index(whole), build.index(share.batch))
            loop.op.unroll = False
            some(loop.body, loop.index, share.batch)
        elif whole:
            some(build, build.index(0), share.batch)
        if whole < share.passes:
            some(build, build.index(whole), share.passes - whole)

    def _share(self, transfers: Sequence[Transfer], *, wide: bool) -> Share:
        pieces = [self._pieces(transfer, wide=wide) for transfer in transfers]
        return Share.of(self.plan.crew, self.plan.items, pieces, batched=wide)

    def _pieces(self, transfer: Transfer, *, wide: bool) -> int:
        """That an item is moved in."""
        size, elements = transfer.element.bytes, prod(transfer.shape)
        if not wide:
            return elements
        if self._is_dense(transfer):
            return elements // (2 if self.plan.slabs.of[transfer.op].is_shifted else gcd(PIECE // size, elements))
        strides = emit.memref_type(transfer.op.memref).strides
        return elements // widest_piece(transfer.shape, transfer.order[0], strides, size)

    def _is_dense(self, transfer: Transfer) -> bool:
        """Whether an item has no gaps on either side."""
        inside = self.plan.slabs.of[transfer.op].strides
        return transfer.is_dense and inside == dense_strides(transfer.shape, transfer.order)

    def _views(
        self, build: Builder, transfers: Sequence[Transfer], share: Share, first: Value, count: int
    ) -> list[Mapping[Value, Value]]:
        """The memory of the items of so many passes."""
        found: list[Mapping[Value, Value]] = []
        for k in range(count):
            slot = share.slot(build, self.threads.lane, emit.add(build, first, build.index(k)))
            found.append(of_item(build, _addresses(transfers), self.threads.item(build, slot)))
        return found

    def _move_batch(
        self,
        build: Builder,
        transfer: Transfer,
        share: Share,
        items: Sequence[tuple[Value, Mapping[Value, Value]]],
        *,
        wide: bool,
    ) -> None:
        """Items of some passes: all are on their way before any is written that goes through registers."""
        rank, threads = share.rank(build, self.threads.lane), self.threads
        if self.plan.slabs.of[transfer.op].is_shifted:
            for write in [self._begin_words(build, transfer, views, slot, rank, share.lanes) for slot, views in items]:
                write()
            return
        copies = [self._copying(build, transfer, views, slot, rank, share.lanes) for slot, views in items]

        def by(width: int, at: Builder) -> None:
            if isinstance(transfer.op, tile.Load):
                for write in [copying.begin(at, width) for copying in copies]:
                    write()
                return
            for (slot, _), copying in zip(items, copies, strict=True):
                there = emit.not_less(at, threads.last, emit.add(at, threads.first, slot))
                copying.emit(emit.open_if(at, there), width)

        width = self._width(transfer, copies[0], wide=wide)
        if width == 1:
            by(1, build)
            return
        outside = [self._outside(transfer, copying) for copying in copies]
        condition = every(build, [aligned(build, memory, width) for memory in outside])
        either(build, condition, lambda at: by(width, at), lambda at: by(1, at))

    def shifts(self, build: Builder, slot: Value) -> dict[Operation, Value]:
        """Those of the item of a slot, by loads whose slabs are shifted."""
        shifted = [t for t in self.items.loads if t.op in self.memory and self.plan.slabs.of[t.op].is_shifted]
        views = of_item(build, _addresses(shifted), self.threads.item(build, slot))
        return {transfer.op: self._shift(build, transfer, views) for transfer in shifted}

    def _shift(self, build: Builder, transfer: Transfer, views: Mapping[Value, Value]) -> Value:
        """Elements by which an item lies behind where its slot in a shifted slab begins."""
        outside = self._global_row(build, transfer, views, prod(transfer.shape))
        zero, one = build.index(0), build.index(1)
        return emit.select(build, build(lane.Aligned(outside, [zero], WORD)).out, zero, one)

    def _begin_words(
        self,
        build: Builder,
        transfer: Transfer,
        views: Mapping[Value, Value],
        item: Value,
        rank: Value,
        threads: int,
    ) -> Callable[[], None]:
        """Begin to copy an item word by word; what is returned writes the half of a word in front of these or behind.

        That is one element: there is an odd number of them.
        """
        size, near = prod(transfer.shape), transfer.order[0]
        shift, place = self._shift(build, transfer, views), self._place_of(build, transfer.shape, item)
        outside, inside = self._global_row(build, transfer, views, size), self.memory[transfer.op]
        begin = [emit.add(build, shift, shift) if k == near else index for k, index in enumerate(place)]
        words = size - 1
        source, target = row(build, outside, [shift], words), row(build, inside, begin, words)
        Copying(source, target, (words,), (0,), rank, threads, begins=True).emit(build, 2)
        steps = ((1, 0, 1),)
        half = emit.mul(build, emit.sub(build, build.index(1), shift), build.index(words))
        held = FragmentType(1, transfer.element)
        found = build(lane.Load(outside, [half], steps, (), 1, result_types=[held])).out

        def write() -> None:
            one = emit.open_if(build, emit.less(build, rank, build.index(1)))
            one(lane.Store(found, row(one, inside, place, size + 1), [emit.add(one, half, shift)], steps, (), 1))

        return write

    def _width(self, transfer: Transfer, copying: Copying, *, wide: bool) -> int:
        """Elements of a piece."""
        return copying.width if wide and self.plan.slabs.of[transfer.op].pitch % PIECE == 0 else 1

    @staticmethod
    def _outside(transfer: Transfer, copying: Copying) -> Value:
        """The global memory of a copy."""
        return copying.source if isinstance(transfer.op, tile.Load) else copying.target

    def _copying(
        self,
        build: Builder,
        transfer: Transfer,
        views: Mapping[Value, Value],
        item: Value | None,
        rank: Value,
        threads: int,
    ) -> Copying:
        """One item, or what is the same for all, between global memory and its slab by so many threads."""
        op, shape, order = transfer.op, transfer.shape, transfer.order
        place = self._place_of(build, shape, item)
        if self._is_dense(transfer):
            size = prod(shape)
            inside = row(build, self.memory[op], place, size)
            outside = self._global_row(build, transfer, views, size)
            shape, order = (size,), (0,)
        else:
            inside = _box_of(build, self.memory[op], place, shape)
            memory, *indices = (views.get(value, value) for value in (op.memref, *op.indices))
            outside = _box_of(build, memory, indices, shape)
        source, target = (outside, inside) if isinstance(op, tile.Load) else (inside, outside)
        begins = isinstance(op, tile.Load)
        return Copying(source, target, shape, order, rank, threads, begins, transfer.is_fixed)

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


def _emit(copying: Copying, width: int, build: Builder) -> None:
    copying.emit(build, width)
