"""The body of a function that packs a panel line by line: the terms of a line side by side, as they are in the factor.

So scalars that are read where they lie (`vector_product.py`) are packed where some of their lines do not exist.
Panels that meet more than one panel of vectors lie term by term: one stream, which processors fetch ahead of its
readers, as they do not fetch that many lines at once (Emerald Rapids: .99 to 1.02 times as fast where the panels fit
the first cache, 1.02 to 1.27 where they do not; squares of 1024 and 2048 on Zen 4 1.0 to 1.06).
"""

from __future__ import annotations

from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.large_products.packing import PlainPacking
from tilewright.targets.llvm.emitter import Value, i64

_LINES_AHEAD = 2


class LinePacking(PlainPacking):
    """Vectors of terms are copied, one line after the other."""

    __slots__ = ()

    def _runs(self, full: Value, *, checked: bool, straight: bool) -> None:
        b, size = self._b, self._steps
        ev = Evaluator(b, self._arith, self._machine, checked, straight)
        with (
            b.loop(i64(0), i64(self._form.height), hint="line") as line,
            b.loop(i64(0), full, size, hint="k") as loop,
            ev.scope(),
        ):
            if not checked:
                following = b.smin(b.add(line.index, i64(_LINES_AHEAD)), i64(self._form.height - 1))
                ahead = self._at(following, loop.index)
                b.prefetch(Evaluator(b, self._arith, self._machine).address(self._source, ahead), spread=True)
            origin = self._at(line.index, loop.index)
            block = Block(origin, 1 - self._form.line, (Piece(0, size, size),), self._form.line, 1)
            self._store(ev.block(self._value, block)[0][0], self._place(line.index, loop.index))

    def _place(self, line: Value, term: Value) -> Value:
        return self._b.add(self._b.mul(line, i64(self._form.row)), term)
