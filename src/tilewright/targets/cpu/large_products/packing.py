"""The body of a function that packs a panel of a large product, term by term.

A panel holds `height` lines of a factor (rows of the left one, columns of the right one) and `depth` terms, the lines
of one term side by side. Lines and terms beyond the factor's ends are zeros.
"""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import ScalarType, TileType
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.tables import is_straight, know
from tilewright.targets.cpu.expressions.blocks import Block, Piece, split_powers
from tilewright.targets.cpu.expressions.fragments import parts_of
from tilewright.targets.cpu.expressions.nodes import Converted, Expression, Memory, natural_dim
from tilewright.targets.cpu.expressions.squares import transpose
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import LINE_BYTES, Machine
from tilewright.targets.cpu.memory.lanes import Lanes, store_lanes
from tilewright.targets.cpu.units.unit import Packing
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64
from tilewright.targets.llvm.types import lanes_of

RUN_GRAIN = 16
"""Runs of terms are multiples of so many words: packing moves whole vectors of terms."""
_TERMS = 4
_PREFETCH_RUNS = 2


class Format(Struct, frozen=True):
    """Panels of one factor: its dimension of lines, lines of a panel, how elements are packed.

    `summed`: behind each panel there is a word a line, for accumulators over its terms. `row`: words from one line to
    the next, where the terms of a line lie side by side (`lines.py`); else 0.
    """

    line: int
    height: int
    packing: Packing
    summed: bool = False
    row: int = 0

    @property
    def word(self) -> ScalarType:
        """What panels consist of."""
        return self.packing.word

    def stride(self, depth: int, machine: Machine) -> int:
        """Words from one panel to the next."""
        return self.accumulators(depth, machine) + (self.height if self.summed else 0)

    def accumulators(self, depth: int, machine: Machine) -> int:
        """Words from the beginning of a panel to its accumulators; whole vectors may be written at the end of its
        terms."""
        words = self.row or depth // self.packing.group * self.packing.parts
        return self.height * words + machine.lanes(self.word.component.bytes)

    @property
    def step(self) -> int:
        """Words from a line's word to its next one."""
        return 1 if self.row else self.height


class PlainPacking:
    """The body of a packing function."""

    __slots__ = ("_arith", "_b", "_depth", "_form", "_machine", "_source", "_steps", "_target", "_transposed", "_value")

    def __init__(
        self,
        b: Builder,
        arith: Arithmetic,
        machine: Machine,
        source: Memory,
        form: Format,
        target: Value,
        depth: Value,
    ) -> None:
        self._b = b
        self._arith = arith
        self._machine = machine
        self._source = source
        self._form = form
        self._target = target
        self._depth = depth
        transposed = natural_dim(source) == 1 - form.line
        self._transposed = transposed
        self._steps = machine.lanes(form.word.component.bytes) if transposed else _TERMS
        element, signed = form.packing.read, form.packing.signed
        same = source.type.element is element
        wanted = TileType(source.type.shape, element)
        self._value: Expression = source if same else Converted(wanted, source, signed)

    def emit(self) -> None:
        """Runs of terms, unchecked where all lines exist; then the terms that are left one by one."""
        b, form = self._b, self._form
        full = self._full()
        with b.if_else(self._exist(i64(form.height)), likely=True) as branch:
            with branch.then():
                self._unchecked(full)
            with branch.otherwise():
                self._runs(full, checked=True, straight=False)
        self._rest(full)

    def whole_runs(self, panels: Value) -> Value:
        """Of how many terms panels beside each other, from this one on, may be packed unchecked, run by run."""
        b = self._b
        return b.select(self._exist(b.mul(panels, i64(self._form.height))), self._full(), i64(0))

    @property
    def run_length(self) -> int:
        """Terms of a run."""
        return self._steps

    def unchecked_run(self, term: Value) -> None:
        """Pack the run that begins with a term."""
        ev = Evaluator(self._b, self._arith, self._machine, checked=False, straight=True)
        with ev.scope():
            self._prefetch(self._b.add(term, i64(_PREFETCH_RUNS * self._steps)))
            self._run(ev, term)

    def _full(self) -> Value:
        """The terms of whole runs that exist."""
        b, terms = self._b, self._source.bounds[1 - self._form.line]
        assert terms is not None
        known = b.smax(b.smin(terms.high, self._depth), i64(0))
        return b.select(b.icmp("sle", terms.low, i64(0)), b.and_(known, i64(-self._steps)), i64(0))

    def _exist(self, count: Value) -> Value:
        """Whether so many lines do, from the panel's first one on."""
        b, lines = self._b, self._source.bounds[self._form.line]
        assert lines is not None
        return b.and_(b.icmp("sle", lines.low, i64(0)), b.icmp("sle", count, lines.high))

    def _unchecked(self, full: Value) -> None:
        """The runs of lines that all exist."""
        straight = boolean(self._terms_are_straight()) if self._transposed else self._lines_are_straight()
        if straight.is_constant:
            self._runs(full, checked=False, straight=straight.text == "true")
            return
        with self._b.if_else(straight) as branch:
            for arm, straight in ((branch.then, True), (branch.otherwise, False)):
                with arm():
                    self._runs(full, checked=False, straight=straight)

    def _runs(self, full: Value, *, checked: bool, straight: bool) -> None:
        ev = Evaluator(self._b, self._arith, self._machine, checked, straight)
        if not self._transposed:
            know(ev, self._source, self._lines(i64(0), 1))
        with self._b.loop(i64(0), full, self._steps, hint="k") as loop, ev.scope():
            if not checked:
                self._prefetch(self._b.add(loop.index, i64(_PREFETCH_RUNS * self._steps)))
            self._run(ev, loop.index)

    def _lines_are_straight(self) -> Value:
        """Whether vectors of lines lie in one run each."""
        table, found = self._source.table(self._form.line), boolean(True)
        if table is not None and not self._transposed:
            for piece in self._pieces():
                one = is_straight(self._b, table, i64(piece.offset), piece.lanes, piece.offset)
                found = self._b.and_(found, one)
        return found

    def _terms_are_straight(self) -> bool:
        """Whether vectors of terms always lie in one run each."""
        table = self._source.table(1 - self._form.line)
        return table is None or all(n % self._steps == 0 for n in (table.run, table.grain))

    def _pieces(self) -> tuple[Piece, ...]:
        """The vectors of a panel's lines."""
        return split_powers(self._form.height, self._machine.lanes(self._form.word.component.bytes))

    def _rest(self, full: Value) -> None:
        """The terms from `full` on, one by one."""
        b, form = self._b, self._form
        with b.loop(full, self._depth, hint="k") as loop, b.loop(i64(0), i64(form.height), hint="line") as line:
            ev = Evaluator(b, self._arith, self._machine)
            element = ev.scalar(self._value, self._at(line.index, loop.index))
            self._store(element, self._place(line.index, loop.index))

    def _place(self, line: Value, term: Value) -> Value:
        """Where a term of a line lies in the panel."""
        return self._b.add(self._b.mul(term, i64(self._form.height)), line)

    def _prefetch(self, term: Value) -> None:
        """Prefetch a run of terms: the hardware does not follow from page to page."""
        b, form, unit = self._b, self._form, natural_dim(self._source)
        if unit is None:
            return
        ev = Evaluator(b, self._arith, self._machine)
        along, size = form.line == unit, self._source.type.element.bytes
        if along:
            places, length = [self._at(i64(0), b.add(term, i64(k))) for k in range(self._steps)], form.height
        else:
            places, length = [self._at(i64(line), term) for line in range(form.height)], self._steps
        for place in places:
            start = ev.address(self._source, place)
            for distance in range(0, length * size, LINE_BYTES):
                b.prefetch(b.offset(start, distance), spread=True)

    def _at(self, line: Value, term: Value) -> tuple[Value, Value]:
        return (line, term) if self._form.line == 0 else (term, line)

    def _store(self, operand: Operand, position: Value) -> None:
        ev = Evaluator(self._b, self._arith, self._machine)
        dtype = self._form.word.name
        flat = Memory(TileType((1,), self._form.word), self._target, (i64(1),), (None,))
        lanes = lanes_of(parts_of(operand)[0].type)
        store_lanes(self._b, operand, Lanes(dtype, ev.address(flat, (position,)), i64(1), lanes))

    def _run(self, ev: Evaluator, term: Value) -> None:
        """Copy a run of terms of all lines."""
        if self._transposed:
            self._run_transposed(ev, term)
        else:
            self._run_in_order(ev, term)

    def _run_in_order(self, ev: Evaluator, term: Value) -> None:
        """Vectors of lines."""
        b, lines = self._b, self._lines(term, self._steps)
        found = ev.block(self._value, lines)
        for k in range(self._steps):
            start = b.mul(b.add(term, i64(k)), i64(self._form.height))
            for piece, operand in zip(lines.pieces, found[k], strict=True):
                self._store(operand, b.add(start, i64(piece.offset)))

    def _lines(self, term: Value, count: int) -> Block:
        """So many terms of all lines."""
        return Block(self._at(i64(0), term), self._form.line, self._pieces(), 1 - self._form.line, count)

    def _run_transposed(self, ev: Evaluator, term: Value) -> None:
        """Squares of vectors: lines are loaded, terms stored; surplus lanes land where the next term is stored."""
        form, b, size = self._form, self._b, self._steps
        squares: list[list[Operand]] = []
        for first in range(0, form.height, size):
            count = min(size, form.height - first)
            block = Block(self._at(i64(first), term), 1 - form.line, (Piece(0, size, size),), form.line, count)
            squares.append(transpose(b, [row[0] for row in ev.block(self._value, block)], size))
        self._store_squares(term, size, squares)

    def _start(self, word: Value, part: int = 0) -> Value:
        """Where the words with a number begin, one of each line."""
        b, packing = self._b, self._form.packing
        if packing.parts > 1:
            together = i64(packing.together)
            before = b.add(b.mul(b.udiv(word, together), i64(packing.parts)), i64(part))
            word = b.add(b.mul(before, together), b.urem(word, together))
        return b.mul(word, i64(self._form.height))

    def _store_squares(self, first: Value, size: int, squares: list[list[Operand]], part: int = 0) -> None:
        """Store words from number `first` on."""
        b = self._b
        for k in range(size):
            start = self._start(b.add(first, i64(k)), part)
            for number, columns in enumerate(squares):
                self._store(columns[k], b.add(start, i64(number * size)))
