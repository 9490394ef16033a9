"""The body of a function that packs a panel as rows: some words of a line side by side, then those of the next line.

So lie the lines of which a tile takes up to sixteen (`units/amx.py`). Behind the last term there are zeros up to the
end of a row.
"""

from __future__ import annotations

from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.expressions.squares import transpose
from tilewright.targets.cpu.large_products.interleaved import InterleavedPacking, interleaved
from tilewright.targets.cpu.large_products.packing import Format
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Value, i64


class RowPacking(InterleavedPacking):
    """A row of each line at once."""

    __slots__ = ("_words",)

    def __init__(
        self, b: Builder, arith: Arithmetic, machine: Machine, source: Memory, form: Format, target: Value, depth: Value
    ) -> None:
        super().__init__(b, arith, machine, source, form, target, depth)
        self._words = form.packing.words
        self._steps: int = self._group * self._words

    def _pieces(self) -> tuple[Piece, ...]:
        """Whole vectors, the last one perhaps with lanes outside."""
        height, size = self._form.height, self._words
        return tuple(Piece(first, size, min(size, height - first)) for first in range(0, height, size))

    def _run_in_order(self, ev: Evaluator, term: Value) -> None:
        """Lines are neighbours: words of them, interleaved, then squares of words."""
        form, size = self._form, self._words
        for piece in self._pieces():
            block = Block(self._at(i64(0), term), form.line, (piece,), 1 - form.line, self._steps)
            found = [self._parts(value_of(row[0])) for row in ev.block(self._value, block)]
            for part, terms in enumerate(zip(*found, strict=True)):
                words: list[Operand] = [
                    self._as_words(interleaved(self._b, list(terms[k : k + self._group])))
                    for k in range(0, self._steps, self._group)
                ]
                self._store_rows(term, part, piece.offset, transpose(self._b, words, size)[: piece.active])

    def _run_transposed(self, ev: Evaluator, term: Value) -> None:
        """Terms are neighbours: rows are copied."""
        for part, rows in enumerate(zip(*self._rows(ev, term, 0, self._form.height), strict=True)):
            self._store_rows(term, part, 0, list(rows))

    def _store_rows(self, term: Value, part: int, first: int, rows: list[Operand]) -> None:
        """Store a row of each line from `first` on."""
        b, parts = self._b, self._form.packing.parts
        before = b.add(b.mul(b.udiv(term, i64(self._steps)), i64(parts)), i64(part))
        start = b.mul(before, i64(self._form.height * self._words))
        for line, row in enumerate(rows, first):
            self._store(row, b.add(start, i64(line * self._words)))
