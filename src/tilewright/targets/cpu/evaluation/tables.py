"""Vectors of memory that lies by tables: where a vector's lanes are neighbours, in two parts, or each for itself.

A vector along a dimension with a table may begin in one run of neighbours and end in the next: then it is two vectors
under masks, one the other's complement. Shorter runs, and lanes that are no neighbours, are gathered.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.expressions.nodes import Memory, Table
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, store_lanes
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64, vector
from tilewright.targets.llvm.types import ELEMENTS

_OFFSET = "i64"
_OFFSET_BYTES = 8


class Reader(Protocol):
    """What computes addresses and masks of blocks."""

    b: Builder
    straight: bool

    def mask(self, tile: Memory, block: Block, j: int, piece: Piece, writes: bool = False) -> Value | None:
        """The lanes that exist; None if all do."""
        ...


def distance(b: Builder, tile: Memory, dim: int, position: Value) -> Value:
    """Elements from the first position of a dimension to another."""
    table = tile.table(dim)
    return b.mul(position, tile.strides[dim]) if table is None else b.load(_OFFSET, _entry(b, table, position))


def _entry(b: Builder, table: Table, position: Value) -> Value:
    return b.gep(_OFFSET, table.pointer, position)


def is_straight(b: Builder, table: Table, position: Value, lanes: int, grain: int) -> Value:
    """Whether so many positions from one on, a multiple of `grain`, lie in one run."""
    if all(step % lanes == 0 for step in (table.run, table.grain, grain)):
        return boolean(True)
    return b.icmp("sle", i64(lanes), _left(b, table, position))


def _left(b: Builder, table: Table, position: Value) -> Value:
    """How many positions there are from one to its run's end."""
    return b.sub(i64(table.run), b.urem(b.add(table.phase, position), i64(table.run)))


class _Place(Struct, frozen=True):
    """Where a vector lies: `lanes` where they are neighbours, of which `first` are, if given, the rest being `after`.

    `addresses` of each lane otherwise.
    """

    lanes: Lanes | None
    first: Value | None = None
    after: Lanes | None = None
    addresses: Value | None = None


def load_vector(ev: Reader, tile: Memory, block: Block, j: int, piece: Piece) -> Operand:
    """The vector of a block at a position across it."""
    b, place, mask = ev.b, _place(ev, tile, block, j, piece), ev.mask(tile, block, j, piece)
    if place.addresses is not None:
        element = ELEMENTS[tile.type.element.name]
        return b.gather(vector(element.llvm, piece.lanes), place.addresses, _known(b, mask, piece.lanes), element.bytes)
    assert place.lanes is not None
    if place.first is None or place.after is None:
        return load_lanes(b, place.lanes, mask)
    near, far = (load_lanes(b, at, _both(b, mask, m)) for at, m in _parts(b, place.lanes, place.first, place.after))
    return b.select(place.first, value_of(near), value_of(far))


def store_vector(ev: Reader, tile: Memory, block: Block, j: int, piece: Piece, operand: Operand) -> None:
    """Write the vector of a block at a position across it."""
    b, place, mask = ev.b, _place(ev, tile, block, j, piece), ev.mask(tile, block, j, piece, writes=True)
    if place.addresses is not None:
        size = ELEMENTS[tile.type.element.name].bytes
        b.scatter(value_of(operand), place.addresses, _known(b, mask, piece.lanes), size)
        return
    assert place.lanes is not None
    if place.first is None or place.after is None:
        store_lanes(b, operand, place.lanes, mask)
        return
    for at, part in _parts(b, place.lanes, place.first, place.after):
        store_lanes(b, operand, at, _both(b, mask, part))


def _parts(b: Builder, near: Lanes, first: Value, far: Lanes) -> tuple[tuple[Lanes, Value], tuple[Lanes, Value]]:
    return (near, first), (far, b.not_(first))


def _both(b: Builder, mask: Value | None, part: Value) -> Value:
    return part if mask is None else b.and_(mask, part)


def _known(b: Builder, mask: Value | None, lanes: int) -> Value:
    return b.splat(boolean(True), lanes) if mask is None else mask


def _place(ev: Reader, tile: Memory, block: Block, j: int, piece: Piece) -> _Place:
    b, dtype = ev.b, tile.type.element.name
    base = i64(0)
    for dim, at in enumerate(block.origin):
        if dim != block.vector:
            base = b.add(base, distance(b, tile, dim, b.add(at, i64(j)) if dim == block.across else at))
    start = b.gep(ELEMENTS[dtype].llvm, tile.pointer, base)
    position = b.add(block.origin[block.vector], i64(piece.offset))
    table, stride = tile.table(block.vector), tile.strides[block.vector]

    def lanes_at(offset: Value) -> Lanes:
        return Lanes(dtype, b.gep(ELEMENTS[dtype].llvm, start, offset), stride, piece.lanes)

    if table is None or piece.lanes == 1:
        return _Place(lanes_at(distance(b, tile, block.vector, position)))
    near = _entry(b, table, position)
    if stride.integer == 1 and (ev.straight or table.run >= piece.lanes):
        whole = lanes_at(b.load(_OFFSET, near))
        if ev.straight or _is_always_straight(table, block.origin[block.vector], piece):
            return _Place(whole)
        count = b.smin(_left(b, table, position), i64(piece.lanes))
        room = b.splat(count, piece.lanes)
        # behind a vector that is all in one run lies nothing, but the table goes on
        other = b.sub(b.load(_OFFSET, b.gep(_OFFSET, near, count)), count)
        return _Place(whole, b.icmp("slt", b.step(room.type), room), lanes_at(other))
    offsets = b.load(vector(_OFFSET, piece.lanes), near, _OFFSET_BYTES)
    return _Place(None, addresses=b.gep(ELEMENTS[dtype].llvm, start, offsets))


def _is_always_straight(table: Table, origin: Value, piece: Piece) -> bool:
    """Whether a vector at a known position lies in one run."""
    at = origin.integer
    if at is None:
        return False
    return all(step % piece.lanes == 0 for step in (table.run, table.grain, at + piece.offset))
