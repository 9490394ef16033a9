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
from tilewright.targets.cpu.units.splitting import split
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
        packing = form.packing
        # a run does not end between words whose parts lie together
        self._steps: int = self._group * (self._steps if packing.parts == 1 else packing.together)

    def _rest(self, full: Value) -> None:
        """The terms that are left, in one more run that is checked. Panels have room for whole runs."""
        ev = Evaluator(self._b, self._arith, self._machine)
        with self._b.loop(full, self._depth, self._steps, hint="k") as loop:
            self._run(ev, loop.index)

    def _pieces(self) -> tuple[Piece, ...]:
        """As many lines at once as the elements of a vector: they become several vectors of words."""
        return split_powers(self._form.height, self._machine.lanes(self._form.packing.read.bytes))

    def _run_in_order(self, ev: Evaluator, term: Value) -> None:
        """Lines are neighbours: vectors of them for each term of a word, interleaved, one word after the other."""
        b, group = self._b, self._group
        for k in range(self._steps // group):
            lines = self._lines(b.add(term, i64(k * group)), group)
            found = ev.block(self._value, lines)
            word = b.add(b.udiv(term, i64(group)), i64(k))
            for p, piece in enumerate(lines.pieces):
                parts = zip(*(self._parts(value_of(row[p])) for row in found), strict=True)
                for part, terms in enumerate(parts):
                    place = b.add(self._start(word, part), i64(piece.offset))
                    self._store(self._as_words(interleaved(b, list(terms))), place)

    def _run_transposed(self, ev: Evaluator, term: Value) -> None:
        """Terms are neighbours: squares of words."""
        b, form, size = self._b, self._form, self._steps // self._group
        squares: list[list[list[Operand]]] = [[] for _ in range(form.packing.parts)]
        for first in range(0, form.height, size):
            rows = self._rows(ev, term, first, min(size, form.height - first))
            for which, part in zip(squares, zip(*rows, strict=True), strict=True):
                which.append(transpose(b, list(part), size))
        for part, some in enumerate(squares):
            self._store_squares(b.udiv(term, i64(self._group)), size, some, part)

    def _rows(self, ev: Evaluator, term: Value, first: int, count: int) -> list[list[Operand]]:
        """A run of terms of `count` lines from one on, as words, for each line and part."""
        form, size = self._form, self._machine.lanes(self._form.packing.read.bytes)
        pieces = split_powers(self._steps, size)
        block = Block(self._at(i64(first), term), 1 - form.line, pieces, form.line, count)
        found: list[list[Operand]] = []
        for row in ev.block(self._value, block):
            parts = zip(*(self._parts(value_of(operand)) for operand in row), strict=True)
            found.append([self._as_words(beside(self._b, list(part))) for part in parts])
        return found

    def _parts(self, elements: Value) -> tuple[Value, ...]:
        """What is packed of elements, one part after the other."""
        return (elements,) if self._form.packing.parts == 1 else split(self._b, elements)

    def _as_words(self, elements: Value) -> Value:
        """Elements as words, with the bits changed that are to be."""
        b, form = self._b, self._form
        words = b.bitcast(elements, vector(form.word.name, lanes_of(elements.type) // self._group))
        flipped = form.packing.zero_word
        return b.xor(words, constant(words.type, flipped)) if flipped else words


def beside(b: Builder, vectors: list[Value]) -> Value:
    """The lanes of all vectors of one length, of which there are some power of two."""
    while len(vectors) > 1:
        lanes = 2 * lanes_of(vectors[0].type)
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [b.shuffle(first, second, range(lanes)) for first, second in pairs]
    return vectors[0]


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
