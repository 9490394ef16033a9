"""Reductions of tiles by one operation in any order: of all registers at once, or of some after others."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, tile
from tilewright.dialects.arith import Select
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind
from tilewright.dialects.tile_combine import ReduceBy, single_operation
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import ScalarType
from tilewright.transforms import emit
from tilewright.transforms.schedule.accesses import Part
from tilewright.transforms.schedule.ragged import inside, neutral
from tilewright.transforms.schedule.reductions import Reduction, picked
from tilewright.transforms.schedule.threads import Threads
from tilewright.transforms.tile_values import layout_of, tile_type

COMBINATIONS: Final[dict[AtomicKind, type[arith.Add | arith.Max | arith.Min]]] = {
    AtomicKind.ADD: arith.Add,
    AtomicKind.MAX: arith.Max,
    AtomicKind.MIN: arith.Min,
}


class Combining(Struct, frozen=True):
    """How a reduction is done: by `kind`, in elements of `wide`; floats of 16 bits are added in f32, rounded once."""

    reduction: Reduction
    kind: type[Operation]
    wide: ScalarType


def combining(op: tile.Reduce | ReduceBy) -> Combining | None:
    """By one operation in any order; None where the order counts."""
    value = op.operands[0]
    layout, shape, element = layout_of(value), tile_type(value).shape, tile_type(value).element
    if isinstance(op, tile.Reduce):
        kind = COMBINATIONS[op.kind]
        wide = element.accumulator if element.is_float else element
        reduction = Reduction(layout, op.dim, lambda at, x, y: at(kind(x, y)).out)
        return Combining(reduction, kind, wide)
    inner = single_operation(op.body)
    if inner is None or (layout.shape[op.dim] != shape[op.dim] and neutral(type(inner), element) is None):
        return None

    def combine(at: Builder, x: Value, y: Value) -> Value:
        return at(type(inner).of_parts([x, y], [x.type], dict(inner.attributes))).results[0]

    return Combining(Reduction(layout, op.dim, combine), type(inner), element)


class Total(Struct):
    """What a reduction has of parts; `kept` says of each register whether it holds an element of the tile."""

    threads: Threads
    combining: Combining
    kept: Value | None
    found: Value | None = None

    @staticmethod
    def of(build: Builder, threads: Threads, op: tile.Reduce | ReduceBy) -> Total:
        """Of nothing yet."""
        value, how = op.operands[0], combining(op)
        assert how is not None, "the strip has asked"
        return Total(threads, how, inside(build, threads, layout_of(value), tile_type(value).shape, [op.dim]))

    def more(self, build: Builder, part: Part, value: Value) -> None:
        """Add a part."""
        value = emit.cast(build, value, self.combining.wide)
        if self.kept is not None:
            number = neutral(self.combining.kind, self.combining.wide)
            assert number is not None, "choose-schedule has asked"
            kept = picked(build, [self.kept], part.registers)
            value = build(Select(kept, value, build.constant(number, value.type))).out
        self.found = self.combining.reduction.more(build, self.found, value)

    def across(self, build: Builder, shared: Builder, again: bool) -> Value:
        """The result of all threads; `again` if the code may run more than once."""
        assert self.found is not None
        reduction = self.combining.reduction
        return reduction.across(build, self.threads, shared, reduction.last(build, self.found), again)
