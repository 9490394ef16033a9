"""The body of a function that packs a panel for a unit whose words hold several terms.

The terms of a word are neighbours, the words of the lines stand side by side, as single terms do in plain panels. The
last word is filled up with zeros.
"""

from __future__ import annotations

from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.blocks import Block, Piece, split_powers
from tilewright.targets.cpu.expressions.fragments import join, value_of
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.expressions.squares import transpose
from tilewright.targets.cpu.large_products.packing import Format, PlainPacking
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Value, constant, i64, lanes_of, vector


class InterleavedPacking(PlainPacking):
    """Runs of whole words; behind the last term there are as many zeros as the last run has places."""

    __slots__ = ("_group",)

    def __init__(
        self, b: Builder, arith: Arithmetic, machine: Machine, source: Memory, form: Format, target: Value, depth: Value
    ) -> None:
        super().__init__(b, arith, machine, source, form, target, depth)
        self._group = form.packing.group
        self._steps: int = self._group * self._steps

    def _rest(self, full: Value) -> None:
        """The terms that are left, in one more run that is checked. Panels have room for whole runs."""
        ev = Evaluator(self._b, self._arith, self._machine)
        with self._b.loop(full, self._depth, self._steps, hint="k") as loop:
            self._run(ev, loop.index)

    def _pieces(self) -> tuple[Piece, ...]:
        """As many lines at once as the elements of a vector: they become several vectors of words."""
        return split_powers(self._form.height, self._machine.lanes(self._form.packing.element.bytes))

    def _run_in_order(self, ev: Evaluator, term: Value) -> None:
        """Lines are neighbours: vectors of them for each term of a word, interleaved, one word after the other."""
        b, group, height = self._b, self._group, self._form.height
        for k in range(self._steps // group):
            lines = self._lines(b.add(term, i64(k * group)), group)
            found = ev.block(self._value, lines)
            start = b.mul(b.add(b.udiv(term, i64(group)), i64(k)), i64(height))
            for p, piece in enumerate(lines.pieces):
                terms = [value_of(row[p]) for row in found]
                self._store(self._as_words(interleaved(b, terms)), b.add(start, i64(piece.offset)))

    def _run_transposed(self, ev: Evaluator, term: Value) -> None:
        """Terms are neighbours: squares of words."""
        b, form, size = self._b, self._form, self._steps // self._group
        squares: list[list[Operand]] = []
        for first in range(0, form.height, size):
            count = min(size, form.height - first)
            piece = Piece(0, self._steps, self._steps)
            block = Block(self._at(i64(first), term), 1 - form.line, (piece,), form.line, count)
            rows: list[Operand] = [self._as_words(value_of(row[0])) for row in ev.block(self._value, block)]
            squares.append(transpose(b, rows, size))
        self._store_squares(b.udiv(term, i64(self._group)), size, squares)

    def _as_words(self, elements: Value) -> Value:
        """Elements as words, with the bits changed that are to be."""
        b, form = self._b, self._form
        words = b.bitcast(elements, vector(form.word.name, lanes_of(elements.type) // self._group))
        flipped = form.packing.zero_word
        return b.xor(words, constant(words.type, flipped)) if flipped else words


def interleaved(b: Builder, terms: list[Value]) -> Value:
    """The first lanes of all vectors, then the second ones, and so on."""
    lanes = lanes_of(terms[0].type)
    if lanes == 1:
        return value_of(join(b, list(terms), len(terms)))
    while len(terms) > 1:
        half = len(terms) // 2
        order = [lane + lanes * which for lane in range(lanes) for which in (0, 1)]
        terms = [b.shuffle(terms[k], terms[k + half], order) for k in range(half)]
        lanes *= 2
    return terms[0]
