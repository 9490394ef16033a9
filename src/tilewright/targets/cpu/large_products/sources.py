"""What panels are packed from next: prefetched into the second cache, share by share, while others are multiplied."""

from __future__ import annotations

from msgspec import Struct

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.nodes import Memory, natural_dim
from tilewright.targets.cpu.large_products.packing import Format
from tilewright.targets.cpu.large_products.panels import Corner
from tilewright.targets.cpu.machine import LINE_BYTES, Machine
from tilewright.targets.llvm.emitter import Builder, Value, i64


class Source(Struct, frozen=True):
    """What exists of some panels' lines and terms in their factor: so many of each of its dimensions from `corner` on.

    Along dimension `natural` elements are neighbours. All is prefetched in `shares`, some terms of each at a time.
    """

    memory: Memory
    natural: int
    line: int
    corner: tuple[Value, Value]
    existing: tuple[Value, Value]
    shares: Value

    @staticmethod
    def of(
        b: Builder, memory: Memory, form: Format, corner: Corner, lines: Value, depth: Value, shares: Value
    ) -> Source | None:
        """What begins at a corner and has so many lines and `depth` terms; None where no elements are neighbours.

        Of a tile of which all lines are beyond the ends of its matrix there is nothing. Behind the ends of the factor
        there may be no pages, which a processor takes long to find out.
        """
        natural = natural_dim(memory)
        if natural is None:
            return None
        at, counts = (corner.line, corner.term), (lines, depth)
        if form.line == 1:
            at, counts = (at[1], at[0]), (counts[1], counts[0])
        existing: list[Value] = []
        for bound, first, count in zip(memory.bounds, at, counts, strict=True):
            assert bound is not None
            existing.append(b.smax(b.smin(count, b.sub(bound.high, first)), i64(0)))
        return Source(memory, natural, form.line, at, (existing[0], existing[1]), shares)

    def prefetch(self, ctx: KernelContext, machine: Machine, number: Value, first: Value, count: Value) -> None:
        """A share of `count` terms from number `first` on."""
        b, ev = ctx.b, Evaluator(ctx.b, ctx.arith, machine)
        begin, end = [i64(0), i64(0)], list(self.existing)
        begin[1 - self.line], end[1 - self.line] = first, b.smin(b.add(first, count), self.existing[1 - self.line])
        far = 1 - self.natural
        all_ = count if self.natural == self.line else self.existing[far]
        share = b.udiv(b.add(all_, b.sub(self.shares, i64(1))), self.shares)
        begin[far] = b.add(begin[far], b.mul(number, share))
        end[far] = b.smin(b.add(begin[far], share), end[far])
        step = LINE_BYTES // self.memory.type.element.bytes
        with (
            b.loop(begin[far], end[far], hint="far") as row,
            b.loop(begin[self.natural], end[self.natural], step, hint="near") as part,
        ):
            steps = (part.index, row.index) if self.natural == 0 else (row.index, part.index)
            position = tuple(b.add(start, step) for start, step in zip(self.corner, steps, strict=True))
            b.prefetch(ev.address(self.memory, position), locality=2)


class Share(Struct, frozen=True):
    """The share with a number of what is prefetched while a register block is computed."""

    source: Source
    number: Value
