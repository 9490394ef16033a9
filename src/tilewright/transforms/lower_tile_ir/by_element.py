"""Reductions and scans by any region at all: one element after another, in loops over scratch memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from msgspec import Struct

from tilewright.dialects import arith, scf
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX, TileType
from tilewright.transforms.lower_tile_ir.context import Lowering
from tilewright.transforms.lower_tile_ir.scratch import Scratch
from tilewright.transforms.lower_tile_ir.shapes import reshaped

Row = list[Value]
"""One element of each tile."""
Combine = Callable[[Lowering, Row, Row], Row]
"""Emits the region: from elements and what was accumulated before them."""


class _Lines(Struct, frozen=True):
    """Lines of elements in memory, along the middle one of three dimensions, and what becomes of them.

    The targets hold every partial result, or (`last`) only that of whole lines.
    """

    sources: list[Scratch]
    targets: list[Scratch]
    combine: Combine
    starts: Row
    reverse: bool
    last: bool

    def walk(self, low: Lowering, before: Value, after: Value) -> None:
        """Go along one line."""
        extent = self.sources[0].type.shape[1]

        def at(here: Lowering, step: Value) -> Row:
            number = here.b(arith.Sub(here.b.index(extent - 1), step)).out if self.reverse else step
            return [before, number, after]

        def row(here: Lowering, step: Value) -> Row:
            return [source.element(here, at(here, step)) for source in self.sources]

        def put(here: Lowering, totals: Row, place: Row) -> None:
            for target, value in zip(self.targets, totals, strict=True):
                target.put(here, value, place)

        def step(here: Lowering, number: Value, totals: Row) -> Row:
            found = self.combine(here, row(here, number), totals)
            if not self.last:
                put(here, found, at(here, number))
            return found

        zero = low.b.index(0)
        first = row(low, zero)
        if self.starts:
            first = self.combine(low, first, self.starts)
        if not self.last:
            put(low, first, at(low, zero))
        totals = _counted(low, 1, extent, first, step)
        if self.last:
            put(low, totals, [before, zero, after])


def combined(
    low: Lowering,
    tiles: Sequence[Value],
    dim: int,
    combine: Combine,
    *,
    starts: Sequence[Value] = (),
    reverse: bool = False,
    last: bool = False,
) -> list[Value]:
    """Elements along a dimension combined with all before them; `last`: only the last of each line, extent 1.

    The first one is combined with `starts`, if there are any.
    """
    sources: list[Scratch] = []
    targets: list[Scratch] = []
    types: list[TileType] = []
    for tile in tiles:
        type_ = tile.type
        assert isinstance(type_, TileType)
        shape, element = type_.shape, type_.element
        before, after = prod(shape[:dim]), prod(shape[dim + 1 :])
        sources.append(Scratch.of(low, reshaped(low, tile, TileType((before, shape[dim], after), element))))
        targets.append(Scratch.reserve(low, TileType((before, 1 if last else shape[dim], after), element)))
        types.append(TileType((*shape[:dim], 1 if last else shape[dim], *shape[dim + 1 :]), element))
    lines = _Lines(sources, targets, combine, list(starts), reverse, last)
    before, _, after = sources[0].type.shape

    def outer(here: Lowering, number: Value, _: Row) -> Row:
        def inner(deeper: Lowering, position: Value, _: Row) -> Row:
            lines.walk(deeper, position, number)
            return []

        return _counted(here, 0, before, [], inner)

    _counted(low, 0, after, [], outer)
    return [reshaped(low, target.whole(low), type_) for target, type_ in zip(targets, types, strict=True)]


def _counted(low: Lowering, start: int, end: int, carried: Row, body: Callable[[Lowering, Value, Row], Row]) -> Row:
    """A loop from `start` to before `end`; what its last iteration leaves."""
    types = [value.type for value in carried]
    region, block = new_region([INDEX, *types])
    inner = low.inside(Builder(block, location=low.b.location))
    inner.b(scf.Yield(body(inner, block.arguments[0], list(block.arguments[1:]))))
    loop = scf.For(low.b.index(start), low.b.index(end), region, low.b.index(1), carried, result_types=types)
    return list(low.b(loop).outs)
