"""The inner part of a product on tiles: a block of accumulators over a run of terms, and its epilogue.

It is a function without calls, for these would cost the tiles their registers (`units/amx.py`).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.blocks import Block
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.large_products.epilogue import finish, is_inside
from tilewright.targets.cpu.large_products.tile_form import TileForm
from tilewright.targets.cpu.large_products.work import Work
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import LINE_BYTES, Machine
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes
from tilewright.targets.cpu.units.amx import ROW_BYTES, ROWS, Tile
from tilewright.targets.llvm.emitter import Builder, Value, constant, i64

_MOST_ROWS: Final = 16
"""Of the target that a step prefetches: all of a block in few steps."""
_MOST_DUE: Final = 4
"""Rows of the block before that a step sees to."""
_ROWS_AT_ONCE: Final = 8
"""Of a block's accumulators in the epilogue: vectors of them and of old elements share the registers."""
_SUM_LINES: Final = 4
_STREAM_LINES: Final = 2
"""Prefetched in each step, of each part of a factor."""


class _Rows(Struct, frozen=True):
    """Rows of `length` bytes in memory, `step` bytes apart; `count` of them are prefetched at a time."""

    start: Value
    step: Value
    length: int
    count: int

    def prefetch(self, b: Builder, number: Value) -> None:
        """Prefetch the rows of a number to be written, wherever in a line they begin."""
        first = b.mul(number, i64(self.count))
        for row in range(self.count):
            at = b.gep("i8", self.start, b.mul(b.add(first, i64(row)), self.step))
            for distance in (*range(0, self.length, LINE_BYTES), self.length - 1):
                b.prefetch(b.offset(at, distance), write=True)


class Due(Struct, frozen=True):
    """The block before, whose accumulators are complete at `accumulators`: what the program does with them is due if
    `is_due`."""

    at: tuple[Value, Value]
    accumulators: Value
    is_due: Value


class TileKernel:
    """Emits the code of blocks."""

    __slots__ = ("_b", "_ctx", "_form", "_machine", "_work")

    def __init__(self, ctx: KernelContext, machine: Machine, form: TileForm, work: Work) -> None:
        self._ctx = ctx
        self._b = ctx.b
        self._machine = machine
        self._form = form
        self._work = work

    def emit(
        self,
        at: tuple[Value, Value],
        long: Value,
        short: Value,
        accumulators: Value,
        steps: Value,
        streams: list[Value],
        due: Due | None = None,
    ) -> None:
        """The block with these numbers, of two panels and so many steps; its accumulators are kept at `accumulators`
        between runs.

        `streams` are prefetched into the second cache, two lines a step. What is `due` of the block before happens in
        the meantime, some rows a step; the block's own epilogue is left to the next one then, and at last to `finish`.
        """
        b, work = self._b, self._work
        rows = self._target_rows(at, accumulators)
        total = self._accumulate([long, short, *streams], self._beginning(accumulators), accumulators, rows, steps, due)
        if self._form.plain:
            self._store_plain(at, accumulators, total)
            return
        self._keep(accumulators, total)
        if due is not None:
            with b.if_then(due.is_due):
                self._epilogue(
                    due.at, due.accumulators, b.mul(b.smin(steps, i64(self._due_steps)), i64(self._due_rows))
                )
        else:
            self.finish(at, accumulators, work.last)

    def _keep(self, accumulators: Value, total: list[Value]) -> None:
        for (offset, tile), value in zip(self._form.accumulators, total, strict=True):
            tile.store(self._b, value, self._b.offset(accumulators, offset), i64(self._form.sum_row))

    def _store_plain(self, at: tuple[Value, Value], accumulators: Value, total: list[Value]) -> None:
        """Store complete accumulators that are the result: tiles into the target, if all of the block exists there."""
        b, form, work = self._b, self._form, self._work
        block = Block(self._origin(at, i64(0)), form.vector, form.pieces(), 1 - form.vector, form.short.height)
        whole = b.and_(work.last, is_inside(b, work, block, form.long.height))
        with b.if_else(whole, likely=True) as branch:
            with branch.then():
                start, step = self._target_place(at)
                for (offset, tile), value in zip(form.accumulators, total, strict=True):
                    row, column = divmod(offset, form.sum_row)
                    place = b.offset(b.gep("i8", start, b.mul(step, i64(row))), column)
                    tile.store(b, value, place, step)
            with branch.otherwise():
                self._keep(accumulators, total)
                self.finish(at, accumulators, work.last)

    def finish(self, at: tuple[Value, Value], accumulators: Value, is_due: Value) -> None:
        """What the program does with a block's accumulators, if that is due."""
        if is_due.text == "true":
            self._epilogue(at, accumulators)
            return
        with self._b.if_then(is_due):
            self._epilogue(at, accumulators)

    @property
    def _due_rows(self) -> int:
        """Of the block before in each step, so that a whole run sees to all of them."""
        steps = self._form.terms // self._form.unit.terms
        return min(_MOST_DUE, -(-self._form.short.height // steps))

    @property
    def _due_steps(self) -> int:
        return self._form.short.height // self._due_rows

    def _beginning(self, accumulators: Value) -> list[Value]:
        """Zeros in the first run of terms, what was kept in later ones."""
        b, form = self._b, self._form
        if self._work.first.text == "true":
            return [tile.zeros(b) for _, tile in form.accumulators]
        with b.if_else(self._work.first) as branch:
            with branch.then():
                branch.yield_(*(tile.zeros(b) for _, tile in form.accumulators))
            with branch.otherwise():
                branch.yield_(
                    *(tile.load(b, b.offset(accumulators, offset), form.sum_row) for offset, tile in form.accumulators)
                )
        return branch.results

    def stream(self, start: Value, block: Value, steps: Value) -> Value:
        """Where the prefetches of a block begin, if those of block 0 do at `start`."""
        b = self._b
        return b.gep("i8", start, b.mul(b.mul(block, steps), i64(self._stream_lines * LINE_BYTES)))

    @property
    def _stream_lines(self) -> int:
        """Prefetched in each step."""
        return _STREAM_LINES * self._form.long.packing.parts

    def _accumulate(
        self,
        pointers: list[Value],
        beginning: list[Value],
        accumulators: Value,
        rows: _Rows | None,
        steps: Value,
        due: Due | None,
    ) -> list[Value]:
        """The terms of one instruction after the other; `pointers` are the panels, then what is prefetched."""
        b, form = self._b, self._form
        due_steps = i64(0) if due is None else b.select(due.is_due, i64(self._due_steps), i64(0))
        with b.loop(i64(0), steps, 1, [*pointers, *beginning], hint="k") as loop:
            long, short, *streams = loop.carried[: len(pointers)]
            products = self._products(long, short, loop.carried[len(pointers) :])
            self._prefetch(streams, accumulators, loop.index)
            if rows is not None:
                rows.prefetch(b, loop.index)
            if due is not None:
                with b.if_then(b.icmp("slt", loop.index, due_steps)):
                    self._rows(due.at, due.accumulators, b.mul(loop.index, i64(self._due_rows)), self._due_rows)
            streams = [b.offset(stream, self._stream_lines * LINE_BYTES) for stream in streams]
            loop.yield_(b.offset(long, form.long_step), b.offset(short, form.short_step), *streams, *products)
        return loop.results[len(pointers) :]

    def _products(self, long: Value, short: Value, totals: list[Value]) -> list[Value]:
        """Accumulators and the terms of one instruction, of each of its products; what two of these share is loaded
        once."""
        b, form = self._b, self._form
        vectors: list[Value] = []
        scalars: list[Value | None] = []
        which: tuple[int | None, int | None] = (None, None)
        for product in form.unit.products:
            if product[1] != which[1]:
                vectors = self._vectors(b.offset(long, product[1] * form.long_step // form.long.packing.parts))
            if product[0] != which[0]:
                scalars = [None] * len(form.rows)
            which, before, totals = product, iter(totals), []
            start = b.offset(short, product[0] * form.short_step // form.short.packing.parts)
            for r, height in enumerate(form.rows):
                lines = scalars[r]
                if lines is None:
                    place = b.offset(start, ROW_BYTES * ROWS * r)
                    lines = scalars[r] = Tile(height).load(b, place, ROW_BYTES, passing=True)
                totals += [form.unit.multiply(b, Tile(height), lines, factor, next(before)) for factor in vectors]
        return totals

    def _vectors(self, start: Value) -> list[Value]:
        """The tiles of vectors of one instruction's terms."""
        b, row = self._b, self._form.sum_row
        return [Tile(ROWS).load(b, b.offset(start, column), row) for column in range(0, row, ROW_BYTES)]

    def _prefetch(self, streams: list[Value], accumulators: Value, step: Value) -> None:
        """The accumulators of the next block into the first cache, what comes later into the second one."""
        b = self._b
        for stream in streams:
            for line in range(self._stream_lines):
                b.prefetch(b.offset(stream, LINE_BYTES * line), locality=2)
        if self._form.runs > 1:
            lines = _SUM_LINES * self._form.long.packing.parts
            next_ = b.gep("i8", accumulators, b.mul(step, i64(lines * LINE_BYTES)))
            for line in range(lines):
                b.prefetch(b.offset(next_, self._form.block_bytes + LINE_BYTES * line), write=True)

    def _target_rows(self, at: tuple[Value, Value], accumulators: Value) -> _Rows | None:
        """What the epilogue will write; in earlier runs of terms the accumulators, which are near in any case."""
        b, form, work = self._b, self._form, self._work
        target = work.target
        if form.streamed or target.strides[form.vector].integer != 1:
            return None
        size = target.type.element.bytes
        steps = form.terms // form.unit.terms
        start, step = self._target_place(at)
        start, step = b.select(work.last, start, accumulators), b.select(work.last, step, i64(0))
        return _Rows(start, step, form.long.height * size, min(_MOST_ROWS, -(-form.short.height // steps)))

    def _target_place(self, at: tuple[Value, Value]) -> tuple[Value, Value]:
        """Where a block begins in the target, and how many bytes its rows are apart there."""
        b, target = self._b, self._work.target
        start = Evaluator(b, self._ctx.arith, self._machine).address(target, self._origin(at, i64(0)))
        return start, b.mul(target.strides[1 - self._form.vector], i64(target.type.element.bytes))

    def _origin(self, at: tuple[Value, Value], row: Value) -> tuple[Value, Value]:
        """Position in the target of a row of a block."""
        b, form = self._b, self._form
        line = b.sub(b.mul(at[0], i64(form.long.height)), self._work.shift)
        column = b.add(b.mul(at[1], i64(form.short.height)), row)
        return (line, column) if form.vector == 0 else (column, line)

    def _epilogue(self, at: tuple[Value, Value], accumulators: Value, first: Value | None = None) -> None:
        """What the program does with the accumulators, some rows at a time; from a row on."""
        b, height = self._b, self._form.short.height
        at_once, first = (_ROWS_AT_ONCE, i64(0)) if first is None else (self._due_rows, first)
        many = height // at_once * at_once
        if many:
            with b.loop(first, i64(many), at_once, hint="row") as loop:
                self._rows(at, accumulators, loop.index, at_once)
        if many < height:
            self._rows(at, accumulators, i64(many), height - many)

    def _rows(self, at: tuple[Value, Value], accumulators: Value, first: Value, count: int) -> None:
        b, form = self._b, self._form
        pieces, element = form.pieces(), form.unit.accumulator.name
        start = b.gep("i8", accumulators, b.mul(first, i64(form.sum_row)))
        total = [
            [
                self._scaled(
                    load_lanes(b, Lanes(element, b.offset(start, form.sum_row * row + 4 * p.offset), i64(1), p.lanes))
                )
                for p in pieces
            ]
            for row in range(count)
        ]
        origin = self._origin(at, first)
        block = Block(origin, form.vector, pieces, 1 - form.vector, count)
        finish(self._ctx, self._machine, self._work, block, total, streamed=form.streamed)

    def _scaled(self, accumulators: Operand) -> Operand:
        """Sums of products, of accumulators that are those of others (`AmxUnit.factor`)."""
        factor, value = self._form.unit.factor, value_of(accumulators)
        return accumulators if factor == 1.0 else self._b.fmul(value, constant(value.type, factor))
