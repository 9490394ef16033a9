"""What products multiply, as their plans see it."""

from __future__ import annotations

from tilewright.dialects import tile
from tilewright.ir.schedules import Tile
from tilewright.ir.types import I8
from tilewright.transforms.schedule.products.chains import lines_of, sums_of
from tilewright.transforms.schedule.products.loops import runs_ahead
from tilewright.transforms.schedule.products.plan import Shape
from tilewright.transforms.schedule.products.sources import is_along, widened_bytes
from tilewright.transforms.tile_values import tile_type


def product_shape(op: tile.Mma, as_bytes: bool = True) -> Shape:
    """What a product multiplies; if `as_bytes`, bytes that are widened to i32 are what they are in memory."""
    out, factors = tile_type(op.out), (op.lhs, op.rhs)
    m, n = out.shape
    unsigned = tuple(as_bytes and widened_bytes(value) for value in factors)
    lhs, rhs = (I8 if each else tile_type(value).element for value, each in zip(factors, unsigned, strict=True))
    along = (is_along(op.lhs, 0), is_along(op.rhs, 1))
    held = next((side for side, value in enumerate(factors) if sums_of(value) is not None), None)
    signs, depth = (unsigned[0], unsigned[1]), tile_type(op.lhs).shape[1]
    from_memory = (runs_ahead(op, op.lhs), runs_ahead(op, op.rhs))
    return Shape(m, n, depth, lhs, rhs, out.element, *along, held, lines_of(op), op.fast, signs, from_memory)


def extents_of(op: tile.Mma) -> Tile:
    """m, n, k."""
    shape = product_shape(op)
    return (shape.m, shape.n, shape.k)
