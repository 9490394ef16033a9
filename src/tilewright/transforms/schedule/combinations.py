"""Reductions and scans of tiles on the lane level: which lines are combined by what.

Elements that only the layout has, beyond the tile, come last along a dimension: a scan from the low coordinates on
never brings them to others. Elsewhere a bool goes with each combined element that says whether there is any.
"""

from __future__ import annotations

from collections.abc import Callable

from tilewright.dialects import arith, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Operation, Value
from tilewright.ir.layouts import Layout
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.schedule.conversions import Buffers
from tilewright.transforms.schedule.fragments import either
from tilewright.transforms.schedule.lines import Combine, Lines, Row
from tilewright.transforms.schedule.ragged import inside
from tilewright.transforms.schedule.regions import elementwise
from tilewright.transforms.schedule.threads import Threads


def scan(
    build: Builder, threads: Threads, buffer: Buffers, op: tile.Scan, value: Value, kind: type[Operation]
) -> Value:
    """The fragment of prefixes by an operation on two numbers; floats of 16 bits are combined in f32, each rounded
    once."""
    element = emit.scalar_type(value.type)
    wide = element.accumulator if element.is_float else element

    def combine(at: Builder, first: Row, then: Row) -> Row:
        return (at(kind.of_parts([first[0], then[0]], [first[0].type], {})).results[0],)

    _, layout = _held(op.tile)
    lines = Lines(build, threads, op.dim, combine, buffer)
    return emit.cast(build, lines.scanned(layout, (emit.cast(build, value, wide),))[0], element)


def by_region(
    build: Builder, threads: Threads, buffer: Buffers, op: ReduceBy | ScanBy, new: Callable[[Value], Value]
) -> Row:
    """The fragments of the results of a reduction or scan by a region; `new` says what values became."""

    def combine(at: Builder, first: Row, then: Row) -> Row:
        arguments = [value for pair in zip(then, first, strict=True) for value in pair]
        return elementwise(at, op.body, arguments, new)

    (shape, layout), row = _held(op.tiles[0]), tuple(new(value) for value in op.tiles)
    if isinstance(op, ScanBy) and not op.reverse:
        starts = tuple(new(value) for value in op.starts)
        return Lines(build, threads, op.dim, combine, buffer).scanned(layout, row, starts)
    there = inside(build, threads, layout, shape, [op.dim])
    if there is not None:
        row = (*row, there)
    counted = combine if there is None else _of_those_there(combine)
    lines = Lines(build, threads, op.dim, counted, buffer, isinstance(op, ScanBy))
    if isinstance(op, ReduceBy):
        return lines.reduced(layout, row)[: len(op.outs)]
    starts = tuple(new(value) for value in op.starts)
    if starts and there is not None:
        starts = (*starts, build.boolean(True))
    return lines.scanned(layout, row, starts)[: len(op.outs)]


def _of_those_there(combine: Combine) -> Combine:
    """The same on rows whose last fragment says in which registers there is something."""

    def combined(at: Builder, first: Row, then: Row) -> Row:
        (*x, before), (*y, behind) = first, then
        both = combine(at, tuple(x), tuple(y))
        one = [either(at, before, p, q) for p, q in zip(x, y, strict=True)]
        all_there = at(arith.And(before, behind)).out
        found = [either(at, all_there, p, q) for p, q in zip(both, one, strict=True)]
        return (*found, at(arith.Or(before, behind)).out)

    return combined


def _held(value: Value) -> tuple[tuple[int, ...], Layout]:
    """The extents of a tile, and who holds it."""
    type_ = value.type
    assert isinstance(type_, TileType)
    assert type_.layout is not None, "assign-layouts gives all tiles of the kernel a layout"
    return type_.shape, type_.layout
