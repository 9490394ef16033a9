"""What a panel is packed from next: prefetched into the second cache, share by share, while others are multiplied."""

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
    """What exists of a panel's lines and terms in its factor, in some equal shares.

    There are `near` elements side by side, along dimension `natural`, and `far` such rows, `share` of them in a share.
    """

    memory: Memory
    natural: int
    corner: tuple[Value, Value]
    near: Value
    far: Value
    share: Value

    @staticmethod
    def of(b: Builder, memory: Memory, form: Format, corner: Corner, depth: Value, shares: Value) -> Source | None:
        """The panel that begins at a corner and has `depth` terms; None where no elements are neighbours.

        There are no `shares` of a tile of which all lines are beyond the ends of its matrix.
        Behind the ends of the factor there may be no pages, which a processor takes long to find out.
        """
        natural = natural_dim(memory)
        if natural is None:
            return None
        counts, at = (i64(form.height), depth), (corner.line, corner.term)
        if form.line == 1:
            counts, at = (counts[1], counts[0]), (at[1], at[0])
        existing: list[Value] = []
        for bound, first, count in zip(memory.bounds, at, counts, strict=True):
            assert bound is not None
            existing.append(b.smax(b.smin(count, b.sub(bound.high, first)), i64(0)))
        far, some = existing[1 - natural], b.smax(shares, i64(1))
        share = b.udiv(b.add(far, b.sub(some, i64(1))), some)
        return Source(memory, natural, at, existing[natural], far, share)

    def prefetch(self, ctx: KernelContext, machine: Machine, number: Value) -> None:
        """One of the shares."""
        b, ev = ctx.b, Evaluator(ctx.b, ctx.arith, machine)
        first = b.mul(number, self.share)
        end = b.smin(b.add(first, self.share), self.far)
        step = LINE_BYTES // self.memory.type.element.bytes
        with b.loop(first, end, hint="far") as row, b.loop(i64(0), self.near, step, hint="near") as part:
            steps = (part.index, row.index) if self.natural == 0 else (row.index, part.index)
            position = tuple(b.add(start, step) for start, step in zip(self.corner, steps, strict=True))
            b.prefetch(ev.address(self.memory, position), locality=2)
