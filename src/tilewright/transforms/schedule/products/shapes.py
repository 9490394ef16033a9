"""What products multiply, as their plans see it."""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.dialects import scf, tile
from tilewright.ir.schedules import Tile
from tilewright.ir.types import I8
from tilewright.transforms.schedule.products.chains import lines_of, sums_of
from tilewright.transforms.schedule.products.loops import is_inside, runs_ahead
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


def with_rows_held(op: tile.Mma, shape: Shape) -> Shape:
    """The same with a factor in registers that all iterations of a loop with several products multiply."""
    loop = op.parent_op
    if shape.held is not None or not isinstance(loop, scf.For) or not _has_others(loop, op):
        return shape
    side = next((side for side, value in enumerate((op.lhs, op.rhs)) if not is_inside(value, loop)), None)
    return replace(shape, held=side)


def _has_others(loop: scf.For, product: tile.Mma) -> bool:
    return any(isinstance(op, tile.Mma) and op is not product for op in loop.body.entry)


def extents_of(op: tile.Mma) -> Tile:
    """m, n, k."""
    m, n = tile_type(op.out).shape
    return (m, n, tile_type(op.lhs).shape[1])
