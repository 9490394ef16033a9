"""Large products on tiles: packed factors, blocks of tiles over panels, in an order that suits the caches.

The lines of scalars are packed first, for all terms, by all threads. Then threads take panels of vectors, some at a
time: they pack them, and multiply them with as many panels of scalars as the second cache holds, run by run of the
terms, before they go on to the next ones. So the accumulators of unfinished blocks do not leave the second cache.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.large_products.epilogue import to_lines
from tilewright.targets.cpu.large_products.packing import Format
from tilewright.targets.cpu.large_products.panels import Corner, pack_panels
from tilewright.targets.cpu.large_products.tile_form import (
    BESIDE_SUMS,
    BESIDE_SUMS_AND_VECTORS,
    PANELS_AT_ONCE,
    TileForm,
)
from tilewright.targets.cpu.large_products.tile_kernel import Due, TileKernel
from tilewright.targets.cpu.large_products.work import Work, blocks, groups
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import borrowed
from tilewright.targets.cpu.outlining.outline import Outlined, threads_of
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64


class _Strip(Struct, frozen=True):
    """Panels of vectors from number `line` on, `lines` of them; those of scalars from `column` to `end`."""

    line: Value
    lines: Value
    column: Value
    end: Value


class _Run(Struct, frozen=True):
    """Terms from number `term` on, `depth` of them: run `number` of `count`."""

    number: Value
    count: Value
    term: Value
    depth: Value


class TileProduct:
    """Emits the loops of a product."""

    __slots__ = ("_across", "_form", "_lines", "_machine")

    def __init__(self, machine: Machine, form: TileForm, shape: tuple[int, ...]) -> None:
        self._machine = machine
        self._form = form
        self._lines = -(-shape[form.vector] // form.long.height)
        self._across = -(-shape[1 - form.vector] // form.short.height)

    def emit(self, ctx: KernelContext, work: Work, worth: Value) -> None:
        """All of the product; the threads of the team share it if it is `worth` that."""
        shift = to_lines(ctx.b, work.target, self._form.vector) if self._form.streamed else i64(0)
        work = replace(work, shift=shift)
        if not self._apart:
            work = replace(work, panels=self._panels(ctx, self._form.short, self._across))
            self._pack_short(ctx, work, worth)
        self._multiply(ctx, work, worth)

    @property
    def _apart(self) -> bool:
        """Whether each thread packs the scalars for itself: what another one has just written takes longer to read than
        to pack, where it fits the thread's own cache and meets one group of panels only."""
        size = self._across * self._form.runs * self._form.panel_bytes(self._machine, self._form.short)
        return self._lines <= PANELS_AT_ONCE and size <= self._machine.l2_bytes // 2

    def _pack_short(self, ctx: KernelContext, work: Work, worth: Value) -> None:
        """All panels of scalars, for all terms."""
        part = Outlined(ctx, self._machine, "pack_rows")
        self._pack_shorts(part.inner, work.inside(part), part.begin, part.end)
        part.call(blocks(ctx.b, work.columns, self._form.short.height), worth)

    def _pack_shorts(self, ctx: KernelContext, work: Work, begin: Value, end: Value) -> None:
        """Some panels of scalars."""
        b, form = ctx.b, self._form.short
        with self._each_run(b, work) as run:
            to = self._panel(b, work.panels, form, begin, run, self._across)
            self._pack(ctx, work.short, form, b.mul(begin, i64(form.height)), b.sub(end, begin), run, to)

    def _multiply(self, ctx: KernelContext, work: Work, worth: Value) -> None:
        """Panels of vectors, some at a time."""
        part = Outlined(ctx, self._machine, "multiply")
        inner, inside, form = part.inner, work.inside(part), self._form
        b, at_once = inner.b, min(PANELS_AT_ONCE, self._lines)
        lines = blocks(ctx.b, ctx.b.add(work.lines, work.shift), form.long.height)
        count = groups(ctx.b, lines, at_once, threads_of(ctx, worth))
        panels, parts = part.value(lines), part.value(count)
        longs = self._panels(inner, form.long, at_once)
        kept = at_once * min(self._columns_at_once, self._across) if form.runs > 1 else self._kept
        inside = replace(inside, accumulators=self._borrowed(inner, form.unit.accumulator, kept * form.block_bytes))
        columns = blocks(b, inside.columns, form.short.height)
        if self._apart:
            inside = replace(inside, panels=self._panels(inner, form.short, self._across))
            self._pack_shorts(inner, inside, i64(0), columns)
        with b.loop(part.begin, part.end, hint="group") as group:
            first, end = (b.udiv(b.mul(k, panels), parts) for k in (group.index, b.add(group.index, i64(1))))
            with b.loop(i64(0), columns, self._columns_at_once, hint="column") as block:
                last = b.smin(columns, b.add(block.index, i64(self._columns_at_once)))
                strip = _Strip(first, b.sub(end, first), block.index, last)
                with self._each_run(b, inside) as run:
                    start = self._panel(b, longs, form.long, i64(0), run, at_once)
                    with b.if_then(b.icmp("eq", block.index, i64(0))):
                        line = b.sub(b.mul(first, i64(form.long.height)), inside.shift)
                        self._pack(inner, inside.long, form.long, line, strip.lines, run, start)
                    self._multiply_strip(inner, inside, strip, run, start)
        part.call(count, worth)

    def _multiply_strip(self, ctx: KernelContext, work: Work, strip: _Strip, run: _Run, longs: Value) -> None:
        """All blocks of a strip over a run of terms, in a function of their own (`TileKernel`)."""
        form, ahead = self._form, self._next_shorts(ctx.b, work, strip, run)
        first, last = (ctx.b.icmp("eq", run.number, i64(0)), _is_last(ctx.b, run)) if form.runs > 1 else _ONLY
        work = replace(work, term=run.term, depth=run.depth, first=first, last=last)
        part = Outlined(ctx, self._machine, "tiles")
        inside, b = work.inside(part), part.inner.b
        longs, ahead, line, column, end = map(part.value, (longs, ahead, strip.line, strip.column, strip.end))
        run = _Run(*map(part.value, (run.number, run.count, run.term, run.depth)))
        accumulators, steps = inside.accumulators, blocks(b, run.depth, form.unit.terms)
        assert accumulators is not None
        kernel = TileKernel(part.inner, self._machine, form, inside)
        columns = b.sub(end, column)

        def place(block: Value) -> Value:
            kept = block if form.runs > 1 else b.and_(block, i64(self._kept - 1))
            return b.gep("i8", accumulators, b.mul(kept, i64(form.block_bytes)))

        with b.loop(part.begin, part.end, hint="line") as i, b.loop(column, end, hint="column") as j:
            number = b.sub(j.index, column)
            block = b.add(b.mul(i.index, columns), number)
            due: Due | None = None
            if form.overlapped:
                begins = b.icmp("eq", number, i64(0))
                before = (
                    b.select(begins, b.sub(i.index, i64(1)), i.index),
                    b.sub(b.select(begins, end, j.index), i64(1)),
                )
                is_due = b.and_(inside.last, b.icmp("sgt", block, i64(0)))
                due = Due((b.add(line, before[0]), before[1]), place(b.sub(block, i64(1))), is_due)
            streams: list[Value] = []
            if self._streams:
                next_long = self._panel(b, longs, form.long, b.add(i.index, i64(1)))
                streams = [kernel.stream(next_long, number, steps), kernel.stream(ahead, block, steps)]
            kernel.emit(
                (b.add(line, i.index), j.index),
                self._panel(b, longs, form.long, i.index),
                self._panel(b, inside.panels, form.short, j.index, run, self._across),
                place(block),
                steps,
                streams,
                due,
            )
        if form.overlapped:
            is_due = b.and_(inside.last, b.icmp("slt", column, end))
            is_due = b.and_(is_due, b.icmp("slt", part.begin, part.end))
            last = b.sub(b.mul(part.end, columns), i64(1))
            at = b.add(line, b.sub(part.end, i64(1))), b.sub(end, i64(1))
            kernel.finish(at, place(last), is_due)
        part.call(strip.lines, boolean(False))

    @property
    def _kept(self) -> int:
        """Blocks whose accumulators are kept where there is one run: one, or with it the one before."""
        return 2 if self._form.overlapped else 1

    def _next_shorts(self, b: Builder, work: Work, strip: _Strip, run: _Run) -> Value:
        """The panels of scalars that come next: those of the next run, or the first run of the next strip."""
        is_last = _is_last(b, run)
        following = b.select(is_last, i64(0), b.add(run.number, i64(1)))
        column = b.select(is_last, strip.end, strip.column)
        return self._panel(b, work.panels, self._form.short, column, replace(run, number=following), self._across)

    @property
    def _columns_at_once(self) -> int:
        """Panels of scalars that vectors are multiplied with before others: fewer where accumulators are kept between
        runs, and fewer still where the vectors of all runs stay in the second cache as well."""
        form = self._form
        if form.runs == 1:
            return PANELS_AT_ONCE
        vectors = min(PANELS_AT_ONCE, self._lines) * form.runs * form.panel_bytes(self._machine, form.long)
        return BESIDE_SUMS_AND_VECTORS if vectors <= self._machine.l2_bytes * 5 // 8 else BESIDE_SUMS

    @property
    def _streams(self) -> bool:
        """Whether there is more than what is multiplied at once."""
        return self._form.runs > 1 or max(self._lines, self._across) > PANELS_AT_ONCE

    @contextmanager
    def _each_run(self, b: Builder, work: Work) -> Generator[_Run]:
        """A loop over the runs of terms, of which there is one at least."""
        form = self._form
        if form.runs == 1:
            yield _Run(i64(0), i64(1), i64(0), work.depth)
            return
        count = b.smax(blocks(b, work.depth, form.terms), i64(1))
        with b.loop(i64(0), count, runs_at_least_once=True, hint="run") as loop:
            term = b.mul(loop.index, i64(form.terms))
            yield _Run(loop.index, count, term, b.smin(b.sub(work.depth, term), i64(form.terms)))

    # Panels

    def _pack(
        self, ctx: KernelContext, source: Memory, form: Format, line: Value, count: Value, run: _Run, to: Value
    ) -> None:
        """Pack the terms of a run, with zeros up to all those of an instruction, into panels from a line on."""
        b, unit, machine = ctx.b, self._form.unit, self._machine
        depth = b.mul(blocks(b, run.depth, unit.terms), i64(unit.terms))
        corner = Corner(line, run.term)
        pack_panels(ctx, machine, source, form, corner, depth, to, count, self._form.panel_bytes(machine, form))

    def _panels(self, ctx: KernelContext, form: Format, count: int) -> Value:
        """Memory for panels of all runs."""
        return self._borrowed(ctx, form.word, count * self._form.runs * self._form.panel_bytes(self._machine, form))

    def _panel(
        self, b: Builder, panels: Value, form: Format, number: Value, run: _Run | None = None, count: int = 0
    ) -> Value:
        """Address of a panel, of those of a run if there are `count` of each run."""
        if run is not None:
            number = b.add(b.mul(run.number, i64(count)), number)
        return b.gep("i8", panels, b.mul(number, i64(self._form.panel_bytes(self._machine, form))))

    def _borrowed(self, ctx: KernelContext, element: ScalarType, size: int) -> Value:
        return borrowed(ctx, self._machine, element, size // element.bytes)


_ONLY = (boolean(True), boolean(True))


def _is_last(b: Builder, run: _Run) -> Value:
    return b.icmp("eq", b.add(run.number, i64(1)), run.count)
