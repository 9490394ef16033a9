"""Where lines of scalars lie that tiles are loaded from: in packed panels, or in place in their matrix.

A tile takes lines any number of bytes apart, so that a small matrix whose terms are neighbours needs no packing where
whole tiles exist. Of a large one they would share few places of the caches.
"""

from __future__ import annotations

from msgspec import Struct

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.nodes import natural_dim
from tilewright.targets.cpu.large_products.tile_form import TileForm
from tilewright.targets.cpu.large_products.work import Work
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.outlining.outline import Outlined
from tilewright.targets.cpu.units.amx import ROW_BYTES, ROWS
from tilewright.targets.llvm.emitter import Builder, Value, i64


class ScalarLines(Struct, frozen=True):
    """Line 0 begins at `start`; distances in bytes to the next panel, the next run of terms, the next line, the next
    tile, and the terms of the next instruction."""

    start: Value
    panel: Value
    run: Value
    line: Value
    tile: Value
    step: Value

    @staticmethod
    def packed(machine: Machine, form: TileForm, panels: Value, across: int) -> ScalarLines:
        """Those of panels that lie beside each other, `across` of them for each run."""
        size = form.panel_bytes(machine, form.short)
        distances = (size, across * size, ROW_BYTES, ROWS * ROW_BYTES, form.short_step)
        return ScalarLines(panels, *map(i64, distances))

    @staticmethod
    def in_place(ctx: KernelContext, machine: Machine, form: TileForm, work: Work) -> ScalarLines:
        """Those of the matrix itself."""
        b, source, line = ctx.b, work.short, form.short.line
        start = Evaluator(b, ctx.arith, machine).address(source, (i64(0), i64(0)))
        size = source.type.element.bytes
        step = b.mul(source.strides[line], i64(size))
        panel, tile = (b.mul(step, i64(count)) for count in (form.short.height, ROWS))
        return ScalarLines(start, panel, i64(form.terms * size), step, tile, i64(ROW_BYTES))

    def inside(self, part: Outlined) -> ScalarLines:
        """The same in an outlined part."""
        return ScalarLines(*map(part.value, self.values))

    @property
    def values(self) -> tuple[Value, ...]:
        """All there is."""
        return (self.start, self.panel, self.run, self.line, self.tile, self.step)

    def panel_at(self, b: Builder, number: Value, run: Value) -> Value:
        """Where a panel begins, of a run of terms."""
        return b.gep("i8", self.start, b.add(b.mul(run, self.run), b.mul(number, self.panel)))


def may_lie_in_place(form: TileForm, work: Work) -> bool:
    """Whether elements are what the unit takes, and those of an instruction's terms neighbours."""
    source, packing = work.short, form.short.packing
    same = source.type.element is packing.element and not packing.flipped
    return same and not source.tables and natural_dim(source) == 1 - form.short.line


def are_whole(b: Builder, form: TileForm, work: Work) -> Value:
    """Whether all lines of all panels exist, and all terms of all instructions."""
    source, line = work.short, form.short.line
    lines, terms = source.bounds[line], source.bounds[1 - line]
    assert lines is not None
    assert terms is not None
    found = b.icmp("eq", b.urem(work.columns, i64(form.short.height)), i64(0))
    found = b.and_(found, b.icmp("eq", b.urem(work.depth, i64(form.unit.terms)), i64(0)))
    for bound, end in ((lines, work.columns), (terms, work.depth)):
        found = b.and_(found, b.and_(b.icmp("sle", bound.low, i64(0)), b.icmp("sle", end, bound.high)))
    return found
