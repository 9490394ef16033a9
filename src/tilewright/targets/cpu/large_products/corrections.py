"""What the vectors of a panel give with words of zero scalars, where these are no zeros (`ProductUnit.scalars`)."""

from __future__ import annotations

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.large_products.vector_form import Form
from tilewright.targets.cpu.large_products.work import element_address
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, store_lanes
from tilewright.targets.llvm.emitter import Value, constant, i64, vector, zero


def sum_words(ctx: KernelContext, machine: Machine, form: Form, panel: Value, steps: Value) -> None:
    """Write the negative of it behind a panel of vectors: what the accumulators of its lines begin with."""
    b, unit, pieces = ctx.b, form.unit, form.pieces(machine)
    ev = Evaluator(b, ctx.arith, machine)
    words = form.long.word

    def lanes_at(start: Value, offset: int, lanes: int) -> Lanes:
        return Lanes(words.name, element_address(b, words, start, i64(offset)), i64(1), lanes)

    zeros = [zero(vector(words.name, piece.lanes)) for piece in pieces]
    with b.loop(i64(0), steps, 1, [panel, *zeros], hint="k") as loop:
        start, *accumulators = loop.carried
        totals: list[Value] = []
        for piece, total in zip(pieces, accumulators, strict=True):
            scalar = constant(vector(words.name, piece.lanes), form.short.packing.zero_word)
            found = unit.multiply(ev, load_lanes(b, lanes_at(start, piece.offset, piece.lanes)), scalar, total)
            totals.append(value_of(found))
        loop.yield_(lanes_at(start, form.long.height, 1).pointer, *totals)
    for piece, empty, total in zip(pieces, zeros, loop.results[1:], strict=True):
        to = lanes_at(panel, form.long.accumulators(form.terms, machine) + piece.offset, piece.lanes)
        store_lanes(b, b.sub(empty, total), to)
