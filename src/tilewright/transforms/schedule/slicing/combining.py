"""Reductions, scans and products of tiles part by part: what is combined so far is carried from part to part.

Floats that are stored in fewer bits than sums are formed in are widened first, and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import ScalarType, TileType
from tilewright.transforms import emit
from tilewright.transforms.schedule.regions import elementwise
from tilewright.transforms.schedule.slicing.boxes import Box, Shape, Values, fold, part_of
from tilewright.transforms.schedule.slicing.slices import Slices
from tilewright.transforms.schedule.spreading import Teams
from tilewright.transforms.schedule.totals import COMBINATIONS
from tilewright.transforms.tile_values import tile_type

Lines = tile.Reduce | ReduceBy | tile.Scan | ScanBy

_DEPTH: Final = 64
"""Of the parts of factors."""


class Parts(Struct, frozen=True):
    """How large parts are: `registers` of each thread; `slices` begins a place where they are computed."""

    teams: Teams
    registers: int
    slices: Callable[[], Slices]

    def _step(self, shape: Shape, dim: int) -> int:
        return part_of(shape, self.teams, self.registers, [dim])[dim]

    def _loaded(self, build: Builder, op: Lines, box: Box) -> Values:
        slices = self.slices()
        found = (slices.of(build, value, box) for value in _tiles(op))
        return [emit.cast(build, value, wide) for value, wide in zip(found, _wide(op), strict=True)]

    def reduced(self, build: Builder, op: tile.Reduce | ReduceBy, box: Box) -> Values:
        """A box of the results of a reduction."""
        extent = tile_type(op.operands[0]).shape[op.dim]
        step = self._step(box.along(op.dim, build.index(0), extent).shape, op.dim)

        def part(here: Builder, start: Value, count: int) -> Values:
            return _lines(here, op, self._loaded(here, op, box.along(op.dim, start, count)))

        def more(here: Builder, start: Value, count: int, totals: Values) -> Values:
            return _combined(here, op, part(here, start, count), totals)

        first = min(step, extent)
        totals = fold(build, extent, step, part(build, build.index(0), first), more, first)
        return _narrowed(build, op, totals)

    def scanned(
        self, build: Builder, op: tile.Scan | ScanBy, box: Box, put: Callable[[Builder, Box, Values], None]
    ) -> None:
        """The lines of a scan in a box that has all of them; `put` takes its parts."""
        extent, backwards = box.shape[op.dim], isinstance(op, ScanBy) and op.reverse
        step = self._step(box.shape, op.dim)
        rest = box.without(op.dim)

        def place(here: Builder, start: Value, count: int) -> Box:
            if backwards:
                start = emit.sub(here, here.index(extent - count), start)
            return rest.along(op.dim, start, count)

        def last(here: Builder, values: Values) -> Values:
            shape = tile_type(values[0]).shape
            offsets = tuple(0 if k != op.dim or backwards else n - 1 for k, n in enumerate(shape))
            types = [_shaped(value, rest.along(op.dim, value, 1).shape) for value in values]
            return [
                here(tile.Extract(value, offsets, result_types=[type_])).out
                for value, type_ in zip(values, types, strict=True)
            ]

        def more(here: Builder, start: Value, count: int, before: Values) -> Values:
            at = place(here, start, count)
            found = _lines(here, op, self._loaded(here, op, at), goes_on=bool(before))
            if before:
                spread = [
                    here(tile.Broadcast(value, result_types=[other.type])).out
                    for value, other in zip(before, found, strict=True)
                ]
                found = _combined(here, op, found, spread)
            put(here, at, _narrowed(here, op, found))
            return last(here, found)

        first = min(step, extent)
        fold(build, extent, step, more(build, build.index(0), first, []), more, first)

    def multiplied(self, build: Builder, op: tile.Mma, box: Box) -> Values:
        """A box of a product: its accumulators, to which the parts of the factors are added."""
        (rows, columns), depth = box.shape, tile_type(op.lhs).shape[1]
        element = tile_type(op.acc).element
        wide = element.accumulator if element.is_float else element
        step = min(depth, _DEPTH, self._step((rows, depth), 1), self._step((depth, columns), 0))
        outer = box.offsets

        def more(here: Builder, start: Value, count: int, totals: Values) -> Values:
            slices = self.slices()
            left = slices.of(here, op.lhs, Box((outer[0], start), (rows, count)))
            right = slices.of(here, op.rhs, Box((start, outer[1]), (count, columns)))
            (total,) = totals
            return [here(tile.Mma(left, right, total, op.fast)).out]

        start = emit.cast(build, self.slices().of(build, op.acc, box), wide)
        (total,) = fold(build, depth, step, [start], more)
        return [emit.cast(build, total, element)]


def _tiles(op: Lines) -> Sequence[Value]:
    return op.tiles if isinstance(op, ReduceBy | ScanBy) else [op.tile]


def _wide(op: Lines) -> list[ScalarType]:
    """What elements are combined in: those of regions as they are."""
    elements = [tile_type(value).element for value in _tiles(op)]
    if isinstance(op, ReduceBy | ScanBy):
        return elements
    return [element.accumulator if element.is_float else element for element in elements]


def _narrowed(build: Builder, op: Operation, values: Values) -> Values:
    results = (tile_type(result).element for result in op.results)
    return [emit.cast(build, value, element) for value, element in zip(values, results, strict=True)]


def _lines(build: Builder, op: Lines, values: Values, goes_on: bool = False) -> Values:
    """The operation on parts of its tiles; one that goes on starts with nothing."""
    match op:
        case tile.Reduce():
            return [build(tile.Reduce(values[0], op.kind, op.dim)).out]
        case tile.Scan():
            return [build(tile.Scan(values[0], op.kind, op.dim)).out]
        case ReduceBy():
            shape = tile_type(values[0]).shape
            kept = (*shape[: op.dim], *shape[op.dim + 1 :])
            types = [_shaped(value, kept) for value in values]
            return list(build(ReduceBy(values, op.dim, op.body.clone({}), result_types=types)).outs)
        case ScanBy():
            starts = [] if goes_on else op.starts
            types = [value.type for value in values]
            return list(build(ScanBy(values, op.dim, op.reverse, op.body.clone({}), starts, result_types=types)).outs)


def _combined(build: Builder, op: Lines, later: Values, earlier: Values) -> Values:
    """Element by element, what was combined of later elements with what was of earlier ones."""
    if isinstance(op, ReduceBy | ScanBy):
        pairs = [value for pair in zip(later, earlier, strict=True) for value in pair]
        return list(elementwise(build, op.body, pairs, lambda value: value))
    return [build(COMBINATIONS[op.kind](earlier[0], later[0])).out]


def _shaped(value: Value, shape: Shape) -> TileType:
    return TileType(shape, tile_type(value).element)
