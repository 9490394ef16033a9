"""round-factors: products of f32 for units that multiply numbers of fewer bits, where a caller allows that.

before:  %d = tile.mma %a, %b, %c -> tile<64x64xf32>
tf32:    %x = arith.cast %a -> tile<64x32xtf32>  ..  %d = tile.mma %x, %y, %c
3xtf32:  %x = arith.cast %a -> tile<64x32xtf32>  %z = arith.cast %x -> tile<64x32xf32>
         %r = arith.sub %a, %z  %u = arith.cast %r -> tile<64x32xtf32>  ..
         %e = tile.mma %u, %y, %c  %f = tile.mma %x, %v, %e  %d = tile.mma %x, %y, %f

Factors are rounded to the nearest number of 11 significant bits, ties to even; three products keep nearly all 24 (the
product of what is left of both factors is dropped). Sums are f32 in either case. With `3xtf32` what is infinite, or
becomes so by rounding, gives NaN. Products of other types stay as they are: they need no rounding.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import F32, TF32
from tilewright.numerics.precision import Precision
from tilewright.transforms import emit
from tilewright.transforms.tile_values import tile_type


class RoundFactors(Pass, frozen=True):
    """Let the products of f32 of a module have factors of fewer bits."""

    precision: Precision = Precision.TF32
    name: ClassVar[str] = "round-factors"

    def run(self, module: Module, context: PassContext) -> bool:
        products = [op for op in module.walk() if isinstance(op, tile.Mma) and _is_single(op)]
        for op in products:
            _round(op, self.precision)
        return bool(products)


def _is_single(op: tile.Mma) -> bool:
    return all(tile_type(value).element is F32 for value in (op.lhs, op.rhs, op.out))


def _round(op: tile.Mma, precision: Precision) -> None:
    build = Builder.before_op(op)
    lhs, rhs = (emit.cast(build, value, TF32) for value in (op.lhs, op.rhs))
    if precision is Precision.THREE_TF32:
        # the smallest terms first
        left, right = (
            emit.cast(build, emit.sub(build, value, emit.cast(build, rounded, F32)), TF32)
            for value, rounded in ((op.lhs, lhs), (op.rhs, rhs))
        )
        total: Value = op.acc
        for factors in ((left, rhs), (lhs, right)):
            total = build(tile.Mma(*factors, total)).out
        op.set_operand(2, total)
    op.set_operand(0, lhs)
    op.set_operand(1, rhs)
