"""The inner part of a large product: one panel of vectors times all panels of scalars, and the epilogue."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.blocks import Block
from tilewright.targets.cpu.expressions.fragments import Fragments, flatten, rebuild
from tilewright.targets.cpu.large_products.epilogue import added, finish
from tilewright.targets.cpu.large_products.packing import RUN_GRAIN
from tilewright.targets.cpu.large_products.sources import Share
from tilewright.targets.cpu.large_products.vector_form import Form
from tilewright.targets.cpu.large_products.work import Work, blocks, element_address
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import LINE_BYTES, Machine
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, store_lanes
from tilewright.targets.llvm.emitter import Builder, Value, i64

_PREFETCH_TERMS = 64
_TERMS_AT_ONCE = 4
_SCALARS_OF_ONE_LOADED = 2
"""Of so many scalars one is loaded once for all vectors."""


class Place(Struct, frozen=True):
    """Memory of a register block: columns of `length` bytes, `step` bytes apart."""

    start: Value
    step: Value
    length: int

    def where(self, b: Builder, condition: Value, other: Place) -> Place:
        """This place if a condition holds, else as much of another."""
        start, step = b.select(condition, self.start, other.start), b.select(condition, self.step, other.step)
        return Place(start, step, self.length)

    def prefetch(self, b: Builder, column: Value) -> None:
        """Prefetch a column."""
        at = b.gep("i8", self.start, b.mul(column, self.step))
        for distance in range(0, self.length, LINE_BYTES):
            b.prefetch(b.offset(at, distance), write=True)


class Stream(Struct, frozen=True):
    """Memory that is prefetched into the second cache from `start` on, so many bytes on in each step of a block."""

    start: Value
    step: Value


class MacroKernel:
    """Emits the register blocks that one panel of vectors takes part in."""

    __slots__ = (
        "_ahead",
        "_b",
        "_columns",
        "_ctx",
        "_form",
        "_lines",
        "_machine",
        "_number",
        "_panel",
        "_pieces",
        "_share",
        "_work",
    )

    def __init__(
        self, ctx: KernelContext, machine: Machine, form: Form, work: Work, number: Value, panel: Value
    ) -> None:
        self._ctx = ctx
        self._b = ctx.b
        self._machine = machine
        self._form = form
        self._work = work
        self._number = number
        self._panel = panel
        self._pieces = form.pieces(machine)
        self._columns = blocks(ctx.b, work.columns, form.short.height)
        self._ahead: Stream | None = None
        self._share: Share | None = None
        self._lines: list[Value] = []

    def block(
        self,
        column: Value,
        short: Value,
        ahead: Stream | None = None,
        share: Share | None = None,
        apart: Value | None = None,
    ) -> None:
        """The register block with the panel of scalars at `short`; meanwhile memory `ahead` and a share are prefetched.

        The share has the terms that the panels have. Lines of scalars that lie elsewhere are so many words `apart`.
        """
        work, lines = self._work, range(self._form.short.height)
        self._lines = [i64(k) if apart is None else self._b.mul(i64(k), apart) for k in lines]
        self._ahead, self._share = ahead, share
        if work.accumulators is None:
            self._epilogue(column, self._accumulate(short, self._target_at(column)))
        else:
            self._resume(column, short, self._spilled_at(work.accumulators, column))

    def _resume(self, column: Value, short: Value, spilled: Value) -> None:
        """Add the accumulators of earlier runs; spill them for later ones or finish the block."""
        b, work = self._b, self._work
        kept = self._spilled_place(spilled)
        total = self._accumulate(short, kept, self._target_at(column).where(b, work.last, kept))
        with b.if_else(work.first) as branch:
            with branch.then():
                branch.yield_(*flatten(total))
            with branch.otherwise():
                before = self._grouped([load_lanes(b, at) for at in self._spilled(spilled)])
                branch.yield_(*flatten(added(self._ctx.arith, self._form.element, before, total)))
        total = self._rebuilt(branch.results)
        with b.if_else(work.last) as branch:
            with branch.then():
                self._epilogue(column, total)
            with branch.otherwise():
                operands = [operand for row in total for operand in row]
                for at, operand in zip(self._spilled(spilled), operands, strict=True):
                    store_lanes(b, operand, at)

    def _accumulate(self, short: Value, *places: Place) -> Fragments:
        """The microkernel over all terms; some time before the end it prefetches the places that are needed then.

        Not earlier: the panels that pass by would push them out of the first cache again.
        """
        b = self._b
        steps = self._form.steps(b, self._work.depth)
        start = b.smax(b.sub(steps, i64(_PREFETCH_TERMS)), i64(0))
        stop = b.smin(b.add(start, i64(self._form.short.height)), steps)
        pointers = [self._panel, short, *([] if self._ahead is None else [self._ahead.start])]
        carried = [*pointers, *flatten(self._beginning())]
        carried = self._spans(i64(0), start, carried)
        self._prefetch_share(start, stop)
        carried = self._terms(start, stop, carried, places)
        return self._rebuilt(self._spans(stop, steps, carried)[len(pointers) :])

    def _spans(self, first: Value, end: Value, carried: list[Value]) -> list[Value]:
        """The terms of two ends; if there is a share to prefetch, some terms of it ahead of as many of these.

        All of it at once would keep the processor from loading anything else.
        """
        b = self._b
        if self._share is None:
            return self._terms(first, end, carried, ())
        with b.loop(first, end, RUN_GRAIN, carried, hint="span") as loop:
            stop = b.smin(b.add(loop.index, i64(RUN_GRAIN)), end)
            self._prefetch_share(loop.index, stop)
            loop.yield_(*self._terms(loop.index, stop, loop.carried, ()))
        return loop.results

    def _prefetch_share(self, first: Value, end: Value) -> None:
        """Of the share that there is to prefetch, the terms of some steps."""
        if self._share is not None:
            b, group = self._b, i64(self._form.short.packing.group)
            first, count = b.mul(first, group), b.mul(b.sub(end, first), group)
            self._share.source.prefetch(self._ctx, self._machine, self._share.number, first, count)

    def _terms(self, first: Value, end: Value, carried: list[Value], places: tuple[Place, ...]) -> list[Value]:
        """Terms, several in a step of a loop where there is nothing of a place to prefetch in each."""
        if not places and self._machine.masks and not self._machine.compact:
            middle = self._b.add(first, self._b.and_(self._b.sub(end, first), i64(-_TERMS_AT_ONCE)))
            carried = self._loop(first, middle, _TERMS_AT_ONCE, carried, ())
            first = middle
        return self._loop(first, end, 1, carried, places)

    def _loop(
        self, first: Value, end: Value, at_once: int, carried: list[Value], places: tuple[Place, ...]
    ) -> list[Value]:
        """A loop over both panels, along which pointers of their own walk; each step prefetches a column of places."""
        b, form = self._b, self._form
        with b.loop(first, end, at_once, carried, hint="k") as loop:
            for place in places:
                place.prefetch(b, b.sub(loop.index, first))
            vectors_at, scalars_at, *others = loop.carried
            ahead, acc = self._prefetched(others, at_once)
            for term in range(at_once):
                self._multiply(vectors_at, scalars_at, term, acc, embedded=at_once > 1)
            following = [
                self._lanes(panel.word, at, at_once * panel.step, 1).pointer
                for at, panel in ((vectors_at, form.long), (scalars_at, form.short))
            ]
            loop.yield_(*following, *ahead, *flatten(acc))
        return loop.results

    def _multiply(self, vectors_at: Value, scalars_at: Value, term: int, acc: Fragments, *, embedded: bool) -> None:
        """The products of one term. `embedded`: every other scalar is a broadcast operand of the instructions that
        multiply by it, each of which loads it anew.

        That is fewer instructions and registers for more loads. Together with several terms a step it is 1.07 to 1.14
        times as fast on Emerald Rapids (640 columns of f32, 360 to 512 terms, and of f64, 256 to 384; 1.01 with 400 in
        two runs), in minutes in which loads are slow, probably since another guest has the core's other thread; on
        Zen 4 it is as fast.
        """
        b, form, ev = self._b, self._form, self._evaluator()
        start = term * form.long.height
        vectors = [
            load_lanes(b, self._lanes(form.long.word, vectors_at, start + p.offset, p.lanes)) for p in self._pieces
        ]
        for j, row in enumerate(acc):
            distance = b.add(self._lines[j], i64(term * form.short.step))
            lanes = Lanes(form.short.word.name, element_address(b, form.short.word, scalars_at, distance), i64(1), 1)
            scalar = load_lanes(b, lanes)
            for p, piece in enumerate(self._pieces):
                if p and embedded and j % _SCALARS_OF_ONE_LOADED:
                    # for the compiler alone: it would load once what it sees twice, and keep vectors of several terms
                    b.fence("acq_rel", "singlethread")
                    scalar = load_lanes(b, lanes)
                row[p] = form.unit.multiply(ev, vectors[p], self._ctx.arith.splat(scalar, piece.lanes), row[p])

    def _prefetched(self, carried: list[Value], at_once: int) -> tuple[list[Value], Fragments]:
        """Where the next step prefetches what lies ahead, if anything, and the accumulators."""
        if self._ahead is None:
            return [], self._rebuilt(carried)
        at, *values = carried
        for _ in range(at_once):
            self._b.prefetch(at, locality=2)
            at = self._b.gep("i8", at, self._ahead.step)
        return [at], self._rebuilt(values)

    def _epilogue(self, column: Value, total: Fragments) -> None:
        """What the program does with the product, in registers, and the store."""
        b, form = self._b, self._form
        line, first = b.mul(self._number, i64(form.long.height)), b.mul(column, i64(form.short.height))
        origin = (line, first) if form.vector == 0 else (first, line)
        block = Block(origin, form.vector, self._pieces, 1 - form.vector, form.short.height)
        finish(self._ctx, self._machine, self._work, block, total)

    # Register blocks

    def _evaluator(self, checked: bool = True) -> Evaluator:
        return Evaluator(self._b, self._ctx.arith, self._machine, checked, straight=not checked)

    def _rebuilt(self, values: list[Value]) -> Fragments:
        return rebuild(values, self._form.element.name, self._form.short.height, len(self._pieces))

    def _grouped(self, operands: list[Operand]) -> Fragments:
        count = len(self._pieces)
        return [operands[k : k + count] for k in range(0, len(operands), count)]

    def _beginning(self) -> Fragments:
        """What accumulators of a run of terms begin with: zeros, or what takes off what vectors give with words of
        zeros."""
        form = self._form
        if not form.long.summed:
            return self._zeros()
        at = form.long.accumulators(form.terms, self._machine)
        row = [
            load_lanes(self._b, self._lanes(form.element, self._panel, at + p.offset, p.lanes)) for p in self._pieces
        ]
        return [list(row) for _ in range(form.short.height)]

    def _zeros(self) -> Fragments:
        arith = self._ctx.arith
        zero = arith.constant(self._form.element.name, 0)
        return self._grouped([arith.splat(zero, p.lanes) for _ in range(self._form.short.height) for p in self._pieces])

    # Places in memory

    def _lanes(self, element: ScalarType, base: Value, position: int, lanes: int) -> Lanes:
        pointer = element_address(self._b, element, base, i64(position))
        return Lanes(element.name, pointer, i64(1), lanes)

    def _target_at(self, column: Value) -> Place:
        """The block of the target; only the first element of a column if it is strided."""
        form, target = self._form, self._work.target
        line, first = self._b.mul(self._number, i64(form.long.height)), self._b.mul(column, i64(form.short.height))
        start = self._evaluator().address(target, (line, first) if form.vector == 0 else (first, line))
        size, step = target.type.element.bytes, target.strides[1 - form.vector]
        height = form.long.height if target.strides[form.vector].integer == 1 else 1
        return Place(start, self._b.mul(step, i64(size)), height * size)

    def _spilled_place(self, spilled: Value) -> Place:
        column = self._form.long.height * self._form.element.bytes
        return Place(spilled, i64(column), column)

    def _spilled_at(self, base: Value, column: Value) -> Value:
        b, form = self._b, self._form
        number = b.add(b.mul(self._number, self._columns), column)
        return element_address(b, form.element, base, b.mul(number, i64(form.long.height * form.short.height)))

    def _spilled(self, base: Value) -> Iterator[Lanes]:
        """Where the accumulators of a register block are kept between runs."""
        for j in range(self._form.short.height):
            for piece in self._pieces:
                yield self._lanes(self._form.element, base, j * self._form.long.height + piece.offset, piece.lanes)
