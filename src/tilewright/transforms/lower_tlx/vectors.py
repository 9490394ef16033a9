"""Sums of products of neighbours: of tiles with a dimension for the neighbours."""

from __future__ import annotations

from tilewright.dialects import tile
from tilewright.dialects.arith import Add, Mul
from tilewright.dialects.memref import AtomicKind
from tilewright.dialects.tlx import vectors as tlx
from tilewright.dialects.tlx.rules import vector_of
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType, TileType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx import tiles
from tilewright.transforms.lower_tlx.context import Lowering, address_of
from tilewright.transforms.tiling import Box, Piece


def neighbours(low: Lowering, op: tlx.ReduceMac | tlx.ReduceMacAcc) -> Value:
    """In registers, or chunk by chunk where the factors live in memory."""
    out, acc = vector_of(op.out), op.acc if isinstance(op, tlx.ReduceMacAcc) else None
    shape = (op.group, out.size)
    if not low.is_large(vector_of(op.a)):
        a, b = (tiles.reshaped(low.b, v, shape) for v in (op.a, op.b))
        return _sums(low, a, b, acc, out.element)
    views = [low.view(address_of(low.values[v]), vector_of(v).element, shape, (1, op.group)) for v in (op.a, op.b)]
    target = low.reserved(out.element, out.shape, (1,))
    old = None if acc is None else _in_memory(low, acc, out)

    def chunk(inner: Lowering, box: Box) -> None:
        both = Box((Piece(inner.b.index(0), op.group, False), *box.pieces))
        a, b = (both.load(inner.b, view) for view in views)
        given = None if old is None else box.load(inner.b, old)
        box.store(inner.b, _sums(inner, a, b, given, out.element), target)

    low.for_each_chunk(target, chunk, max(1, low.limit // op.group))
    return target if low.is_large(out) else low.read(target)


def _in_memory(low: Lowering, vector: Value, type_: TileType) -> Value:
    if low.is_large(type_):
        return low.values[vector]
    view = low.reserved(type_.element, type_.shape, (1,))
    low.write(vector, view)
    return view


def _sums(low: Lowering, a: Value, b: Value, acc: Value | None, element: ScalarType) -> Value:
    """Along the first dimension, in the type that elements are summed in."""
    wide = element.accumulator
    x, y = (emit.cast(low.b, v, wide) for v in (a, b))
    total = low.b(tile.Reduce(low.b(Mul(x, y)).out, AtomicKind.ADD, 0)).out
    if acc is not None:
        total = low.b(Add(emit.cast(low.b, acc, wide), total)).out
    return emit.cast(low.b, total, element)
