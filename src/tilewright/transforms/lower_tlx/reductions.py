"""Windows, one dimension after the other: each is a reduction of its own, since what combines is associative.

Elements that are only stored, f16 say, are combined in the type that they are summed in, and rounded once at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct, structs

from tilewright.dialects import arith, arith_floats, tile_combine
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.scf import Yield
from tilewright.dialects.tlx import reductions as tlx
from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.types import Dim, TensorType, of_dims
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import ScalarType, TileType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx import tiles
from tilewright.transforms.lower_tlx.context import Lowering, strides_of
from tilewright.transforms.tiling import Box, Piece, along

_Binary = Callable[[Value, Value], Operation]
_RUN_BYTES = 512
"""Of a row at once: what is combined of it so far stays in registers."""
_ROWS = 4
_STREAMS = 8
"""Long rows at once: a core fetches faster from several places (Ice Lake, the largest of 10^7 f64: one row after the
other 7.0 ms, two 6.9, four 6.1, eight 5.3; NumPy 7.4)."""
_LEAST_STREAM_BYTES = 4096
_LONG_ROW_BYTES = 1 << 18
"""Of rows that are put together: enough that their ends do not count, few enough that threads share what there is."""

_INTEGERS: Final[Mapping[type[tlx.Reduction], _Binary]] = {
    tlx.ReduceAdd: arith.Add,
    tlx.ReduceMul: arith.Mul,
    tlx.ReduceMax: arith.Max,
    tlx.ReduceMin: arith.Min,
    tlx.ReduceAnd: arith.And,
    tlx.ReduceOr: arith.Or,
    tlx.ReduceXor: arith.Xor,
}
_FLOATS: Final[Mapping[type[tlx.Reduction], _Binary]] = {
    tlx.ReduceAdd: arith.Add,
    tlx.ReduceMul: arith.Mul,
    tlx.ReduceMax: arith_floats.Maximum,
    tlx.ReduceMin: arith_floats.Minimum,
}


class Combination(Struct, frozen=True):
    """What makes one of two elements, in the type in which they are combined."""

    binary: _Binary
    element: ScalarType

    @staticmethod
    def of(op: tlx.Reduction) -> Combination:
        """That of an operation."""
        element = tensor_of(op.input).element.accumulator
        return Combination((_FLOATS if element.is_float else _INTEGERS)[type(op)], element)

    @property
    def rounds(self) -> bool:
        """Whether results depend on the order of elements."""
        return self.element.is_float and self.binary in (arith.Add, arith.Mul)

    def pair(self, b: Builder, x: Value, y: Value) -> Value:
        """Of two values."""
        return b(self.binary(x, y)).results[0]

    def along(self, b: Builder, value: Value, dim: int) -> Value:
        """Of all elements of a tile along a dimension, which keeps an extent of 1."""
        shape = tiles.with_extent(value, dim, 1)
        if shape == tiles.shape_of(value):
            return value
        region, block = new_region([self.element, self.element])
        inner = Builder.at_end(block, b.location)
        inner(Yield([self.pair(inner, block.arguments[0], block.arguments[1])]))
        less = TileType((*shape[:dim], *shape[dim + 1 :]), self.element)
        found = b(tile_combine.ReduceBy([value], dim, region, result_types=[less])).outs[0]
        return tiles.reshaped(b, found, shape)


class _Pass(Struct, frozen=True):
    """A reduction of windows along one mode of views and tiles."""

    combine: Combination
    mode: int
    extent: int
    window: int
    step: int

    @property
    def count(self) -> int:
        """Windows that fit."""
        return (self.extent - self.window) // self.step + 1


def reduction(low: Lowering, op: tlx.Reduction) -> Value:
    """All windows of a tensor."""
    source, out = tensor_of(op.input), tensor_of(op.out)
    combine, first = Combination.of(op), source.rank - len(op.window)
    passes = [
        _Pass(combine, source.rank - 1 - dim, source.shape[dim], op.window[dim - first], op.strides[dim - first])
        for dim in reversed(range(first, source.rank))
    ]
    if not low.is_large(source):
        found = emit.cast(low.b, low.tile(op.input), combine.element)
        for step in passes:
            found = _of_tile(low.b, step, found)
        return emit.cast(low.b, found, out.element)
    return _of_memory(low, [p for p in passes if p.extent > 1], low.memory(op.input, source), out)


def _of_tile(b: Builder, step: _Pass, value: Value) -> Value:
    if step.window == step.extent:
        return step.combine.along(b, value, step.mode)
    total = tiles.stepped(b, value, step.mode, 0, step.step, step.count)
    for k in range(1, step.window):
        total = step.combine.pair(b, total, tiles.stepped(b, value, step.mode, k, step.step, step.count))
    return total


def _longer_rows(low: Lowering, passes: list[_Pass], view: Value) -> Value:
    """Rows that follow each other in memory, and of which nothing but all is wanted, as fewer and longer ones.

    What ends a row, its elements combined with each other, then happens less often. Not where results are rounded: the
    errors of sums grow with the length of rows.
    """
    if len(passes) < 2 or passes[0].combine.rounds:
        return view
    row, column = passes[:2]
    type_, strides = emit.memref_type(view), strides_of(view)
    beside = strides[row.mode] == 1 and strides[column.mode] == row.extent
    if not beside or any(p.window != p.extent for p in (row, column)):
        return view
    together = max(1, min(column.extent, _LONG_ROW_BYTES // (row.extent * type_.element.bytes)))
    while column.extent % together:
        together -= 1
    extents = {row.mode: row.extent * together, column.mode: column.extent // together}
    passes[:2] = [structs.replace(p, extent=extents[p.mode], window=extents[p.mode], step=1) for p in (row, column)]
    shape = [extents.get(mode, n or 1) for mode, n in enumerate(type_.shape)]
    strides = [s if mode != column.mode else row.extent * together for mode, s in enumerate(strides)]
    return low.view(low.moved(view, [0] * len(shape)), type_.element, shape, strides)


def _of_memory(low: Lowering, passes: list[_Pass], view: Value, out: TensorType) -> Value:
    view = _longer_rows(low, passes, view)
    type_ = emit.memref_type(view)
    shape = [n or 1 for n in type_.shape]
    for step in passes:
        shape[step.mode] = step.count
        last, dims = step is passes[-1], [Dim(n) for n in reversed(shape)]
        target = low.result(out) if last else low.fresh(of_dims(step.combine.element, dims, out.layout))
        if step.window == step.extent and strides_of(view)[step.mode] == 1:
            _rows(low, step, view, target)
        else:
            _windows(low, step, view, target)
        view = target
    if not passes:
        copy = low.result(out)
        low.copy(view, copy)
        return copy
    return view


def _windows(low: Lowering, step: _Pass, view: Value, target: Value) -> None:
    """Each chunk of the result goes through the positions of its windows."""
    element, strides = emit.memref_type(view).element, strides_of(view)
    shape = [n or 1 for n in emit.memref_type(target).shape]
    steps = [low.product(s, step.step) if mode == step.mode else s for mode, s in enumerate(strides)]

    def at(inner: Lowering, box: Box, k: emit.Length) -> Value:
        moved = inner.moved(view, [k if mode == step.mode else 0 for mode in range(len(shape))])
        found = box.load(inner.b, inner.view(moved, element, shape, steps))
        return emit.cast(inner.b, found, step.combine.element)

    def chunk(inner: Lowering, box: Box) -> None:
        first = at(inner, box, 0)
        loop = emit.open_loop(inner.b, inner.b.index(1), inner.b.index(step.window), inits=[first])
        body = inner.inside(loop.body)
        (total,) = loop.finish([step.combine.pair(body.b, loop.carried[0], at(body, box, loop.index))])
        box.store(inner.b, emit.cast(inner.b, total, emit.memref_type(target).element), target)

    low.for_each_chunk(target, chunk)


def _rows(low: Lowering, step: _Pass, view: Value, target: Value) -> None:
    """Whole rows of neighbouring elements: runs are combined element by element, then the elements of one run.

    Some rows at once: long ones are as many streams, of which the hardware fetches each ahead, and a run has a part of
    each. Where results are rounded, long ones come one after the other: errors grow with what is added to one element.
    """
    element = step.combine.element
    is_long = step.extent * element.bytes >= _LEAST_STREAM_BYTES
    streams = _STREAMS if is_long and not step.combine.rounds else 1
    length = min(step.extent, max(1, _RUN_BYTES // streams // element.bytes), low.limit)
    whole = step.extent // length * length

    def row(inner: Lowering, box: Box) -> None:
        def run(b: Builder, piece: Piece) -> Value:
            pieces = tuple(piece if mode == step.mode else p for mode, p in enumerate(box.pieces))
            return emit.cast(b, Box(pieces).load(b, view), step.combine.element)

        first = run(inner.b, Piece(inner.b.index(0), length, False))

        def add(b: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
            start = emit.add(b, piece.index, b.index(length))
            return [step.combine.pair(b, carried[0], run(b, Piece(start, length, False)))]

        (total,) = along(inner.b, whole - length, length, add, [first])
        total = step.combine.along(inner.b, total, step.mode)
        if whole < step.extent:
            rest = run(inner.b, Piece(inner.b.index(whole), step.extent - whole, False))
            total = step.combine.pair(inner.b, total, step.combine.along(inner.b, rest, step.mode))
        box.store(inner.b, emit.cast(inner.b, total, emit.memref_type(target).element), target)

    rows = _ROWS if length == step.extent else streams
    low.for_each_chunk(target, row, max(1, min(rows, low.limit // length)))
