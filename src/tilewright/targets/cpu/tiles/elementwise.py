"""Operations on the elements of tiles as expressions."""

from __future__ import annotations

from tilewright.ir import core
from tilewright.ir.types import ScalarType, TileType
from tilewright.targets.cpu.context import KernelContext, NoLowering
from tilewright.targets.cpu.expressions.narrowing import narrowed
from tilewright.targets.cpu.expressions.nodes import Elementwise, Expression, Splat
from tilewright.targets.cpu.memory.places import tile_of
from tilewright.targets.llvm.elementwise import knows


def elementwise(ctx: KernelContext, op: core.Operation, type_: TileType) -> Expression:
    """The operation on what its operands became: scalars spread over the tile, what is repeated computed once."""
    if not knows(op):
        raise NoLowering(op)
    operands: list[Expression] = []
    for value in op.operands:
        if isinstance(value.type, ScalarType):
            spread = TileType(type_.shape, value.type)
            operands.append(Splat(spread, ctx.uniform_value(ctx.scalar(value))))
        else:
            operands.append(tile_of(ctx, value))
    return narrowed(Elementwise(type_, op, tuple(operands)))
