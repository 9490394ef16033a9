"""Moves of elements that no rule for layouts knows: each element of the result is read from where it comes from.

before:  %r = theirs.flip %t {dim = 0} -> tile<8x4xf32>
after:   tile.store %t, %m, %z, %z    %o = arith.constant {value = 0.0} -> tile<8x4xf32>
         %r = tile.map %o (%i: i32, %j: i32, %e: f32) { %x = memref.load %m, 7 - %i, %j  scf.yield %x }
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import arith, memref, scf, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Value
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import I32, INDEX, TileType
from tilewright.transforms import emit
from tilewright.transforms.schedule.slicing.boxes import Box
from tilewright.transforms.tile_values import tile_type


class _Position(Struct, frozen=True):
    """A value that is never negative where it is divided (`index_map.Index`)."""

    build: Builder
    value: Value

    def __add__(self, other: int | _Position) -> _Position:
        added = self.build.index(other) if isinstance(other, int) else other.value
        return _Position(self.build, emit.add(self.build, self.value, added))

    def __mul__(self, other: int) -> _Position:
        return _Position(self.build, emit.mul(self.build, self.value, self.build.index(other)))

    def __floordiv__(self, other: int) -> _Position:
        return _Position(self.build, emit.quotient(self.build, self.value, other))

    def __mod__(self, other: int) -> _Position:
        return _Position(self.build, emit.rem(self.build, self.value, self.build.index(other)))


def moved(build: Builder, op: MovesElements, places: Sequence[Value], box: Box) -> Value:
    """A box of the result of a move of tiles that lie at these places."""
    type_ = TileType(box.shape, tile_type(op.results[0]).element)
    region, block = new_region([*(I32 for _ in box.shape), type_.element])
    here = Builder.at_end(block, op.location)
    positions = [
        emit.add(here, offset, emit.cast(here, argument, INDEX))
        for offset, argument in zip(box.offsets, block.arguments, strict=False)
    ]
    here(scf.Yield([_element(here, op.moves(), places, positions)]))
    return build(tile.Map(build.zero(type_), region)).out


def _element(build: Builder, moves: Sequence[Move], places: Sequence[Value], positions: list[Value]) -> Value:
    """The element from the first move in whose box it lies; it surely lies in one."""
    move, *others = moves
    at = [emit.sub(build, position, build.index(start)) for position, start in zip(positions, move.start, strict=True)]
    if not others:
        return _loaded(build, move, places, at)
    inside = build.boolean(True)
    for position, extent in zip(at, move.shape, strict=True):
        for predicate, limit in ((arith.Predicate.GE, 0), (arith.Predicate.LT, extent)):
            inside = emit.both(build, inside, build(arith.Cmp(predicate, position, build.index(limit))).out)
    regions = [new_region() for _ in range(2)]
    here, otherwise = (Builder.at_end(block, build.location) for _, block in regions)
    found = _loaded(here, move, places, at)
    here(scf.Yield([found]))
    otherwise(scf.Yield([_element(otherwise, others, places, positions)]))
    return build(scf.If(inside, *(region for region, _ in regions), result_types=[found.type])).results[0]


def _loaded(build: Builder, move: Move, places: Sequence[Value], at: list[Value]) -> Value:
    found = move.at([_Position(build, position) for position in at])
    indices = [build.index(index) if isinstance(index, int) else index.value for index in found]
    return build(memref.Load(places[move.operand], indices)).out
