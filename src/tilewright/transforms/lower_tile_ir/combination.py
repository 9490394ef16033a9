"""The region of a reduction or scan, as something that is emitted for elements and accumulated values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.cuda_tile import control, core
from tilewright.dialects.cuda_tile.types import Tile
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.definition import PURE
from tilewright.transforms.lower_tile_ir import elementwise, memory, shapes
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering

_RANK_ZERO = (core.Constant, core.Reshape, core.Broadcast, core.Offset)


@cache
def _scalar_table() -> Mapping[type[Operation], Handler]:
    """Operations that are arithmetic if all their values are scalars."""
    others = {**shapes.handlers(), **memory.pure_handlers()}
    return {**elementwise.handlers(), **{key: others[key] for key in _RANK_ZERO}}


def _is_scalar_arithmetic(op: Operation) -> bool:
    values = [*op.operands, *op.results]
    return type(op) in _scalar_table() and all(isinstance(v.type, Tile) and not v.type.shape for v in values)


def _invariant(op: Operation, inside: set[Value]) -> bool:
    return PURE in op.definition.traits and not inside.intersection(op.operands)


class Combination(Struct, frozen=True):
    """A region, less the operations that depend on no element: these have been emitted in front."""

    body: Block
    ops: list[Operation]
    emit: Handler

    @staticmethod
    def of(low: Lowering, body: Block, emit: Handler) -> Combination:
        """Emit what can run in front, where `low` stands; keep the rest."""
        inside: set[Value] = set(body.arguments)
        kept: list[Operation] = []
        *ops, _ = body
        for op in ops:
            if _invariant(op, inside):
                emit(low, op)
            else:
                inside.update(op.results)
                kept.append(op)
        return Combination(body, kept, emit)

    @property
    def is_scalar_arithmetic(self) -> bool:
        """Whether `tile.reduce_by` and `tile.scan_by` can hold it."""
        return all(map(_is_scalar_arithmetic, self.ops))

    def __call__(self, low: Lowering, elements: Sequence[Value], accumulated: Sequence[Value]) -> list[Value]:
        """Emit it; the next accumulated values."""
        pairs = (value for pair in zip(elements, accumulated, strict=True) for value in pair)
        for argument, value in zip(self.body.arguments, pairs, strict=True):
            low.bind(argument, value)
        for op in self.ops:
            self.emit(low, op)
        end = self.body.last
        assert isinstance(end, control.Yield)
        return [low.value(v) for v in end.values]

    def region(self, low: Lowering) -> Region:
        """As a region of the tile level."""
        region, block = new_region([low.type_of(a) for a in self.body.arguments])
        inner = low.inside(Builder(block, location=low.b.location))
        inner.b(scf.Yield(self(inner, block.arguments[0::2], block.arguments[1::2])))
        return region
