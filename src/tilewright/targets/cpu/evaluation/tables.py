"""Vectors of memory that lies by tables: where a vector's lanes are neighbours, in two parts, or each for itself.

A vector along a dimension with a table may begin in one run of neighbours and end in the next: then it is two vectors
under masks, one the other's complement. Shorter runs, and lanes that are no neighbours, are gathered.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import Fragments, value_of
from tilewright.targets.cpu.expressions.nodes import Memory, Table
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, store_lanes
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64, vector
from tilewright.targets.llvm.types import ELEMENTS

_OFFSET = "i64"
_LANE = "i8"
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


class _Steps(Struct, frozen=True):
    """Where the lanes of a vector lie, from where the vector's line begins.

    Neighbours from `near` on; if `first` is given, only these lanes are, and the others are neighbours from `far` on,
    counted as if all lanes lay there. Else `each` lane lies somewhere.
    """

    near: Value | None
    first: Value | None = None
    far: Value | None = None
    each: Value | None = None


def load_block(ev: Reader, tile: Memory, block: Block) -> Fragments:
    """The vectors of a block."""
    rows: Fragments = [[] for _ in range(block.count)]
    for piece in block.pieces:
        steps = _steps(ev, tile, block, piece)
        for j, row in enumerate(rows):
            row.append(_load(ev, tile, _line(ev, tile, block, j), steps, piece, ev.mask(tile, block, j, piece)))
    return rows


def store_block(ev: Reader, tile: Memory, block: Block, fragments: Fragments) -> None:
    """Write the vectors of a block."""
    for p, piece in enumerate(block.pieces):
        steps = _steps(ev, tile, block, piece)
        for j, row in enumerate(fragments):
            mask = ev.mask(tile, block, j, piece, writes=True)
            _store(ev, tile, _line(ev, tile, block, j), steps, piece, mask, row[p])


def _load(ev: Reader, tile: Memory, line: Value, steps: _Steps, piece: Piece, mask: Value | None) -> Operand:
    b, element = ev.b, ELEMENTS[tile.type.element.name]
    if steps.each is not None:
        at = b.gep(element.llvm, line, steps.each)
        return b.gather(vector(element.llvm, piece.lanes), at, _known(b, mask, piece.lanes), element.bytes)
    first, *rest = (load_lanes(b, at, m) for at, m in _parts(b, tile, line, steps, piece, mask))
    return first if steps.first is None else b.select(steps.first, value_of(first), value_of(rest[0]))


def _store(
    ev: Reader, tile: Memory, line: Value, steps: _Steps, piece: Piece, mask: Value | None, operand: Operand
) -> None:
    b, element = ev.b, ELEMENTS[tile.type.element.name]
    if steps.each is not None:
        at = b.gep(element.llvm, line, steps.each)
        b.scatter(value_of(operand), at, _known(b, mask, piece.lanes), element.bytes)
        return
    for at, m in _parts(b, tile, line, steps, piece, mask):
        store_lanes(b, operand, at, m)


def _parts(
    b: Builder, tile: Memory, line: Value, steps: _Steps, piece: Piece, mask: Value | None
) -> list[tuple[Lanes, Value | None]]:
    """Neighbours that a vector is made of, and which of its lanes these are."""
    dtype = tile.type.element.name

    def lanes_at(offset: Value) -> Lanes:
        return Lanes(dtype, b.gep(ELEMENTS[dtype].llvm, line, offset), i64(1), piece.lanes)

    assert steps.near is not None
    if steps.first is None or steps.far is None:
        return [(lanes_at(steps.near), mask)]
    return [
        (lanes_at(offset), part if mask is None else b.and_(mask, part))
        for offset, part in ((steps.near, steps.first), (steps.far, b.not_(steps.first)))
    ]


def _known(b: Builder, mask: Value | None, lanes: int) -> Value:
    return b.splat(boolean(True), lanes) if mask is None else mask


def _line(ev: Reader, tile: Memory, block: Block, j: int) -> Value:
    """Where the vectors at a position across a block begin to be counted from."""
    b, found = ev.b, i64(0)
    for dim, at in enumerate(block.origin):
        if dim != block.vector:
            found = b.add(found, distance(b, tile, dim, b.add(at, i64(j)) if dim == block.across else at))
    return b.gep(ELEMENTS[tile.type.element.name].llvm, tile.pointer, found)


def _steps(ev: Reader, tile: Memory, block: Block, piece: Piece) -> _Steps:
    b, table, stride = ev.b, tile.table(block.vector), tile.strides[block.vector]
    position = b.add(block.origin[block.vector], i64(piece.offset))
    first = distance(b, tile, block.vector, position)
    if piece.lanes == 1 or (table is None and stride.integer == 1):
        return _Steps(first)
    if table is None:
        lanes = b.mul(b.splat(stride, piece.lanes), b.step(vector(_OFFSET, piece.lanes)))
        return _Steps(None, each=b.add(b.splat(first, piece.lanes), lanes))
    if stride.integer != 1 or not (ev.straight or table.run >= piece.lanes):
        return _Steps(None, each=b.load(vector(_OFFSET, piece.lanes), _entry(b, table, position), _OFFSET_BYTES))
    if ev.straight or _is_always_straight(table, block.origin[block.vector], piece):
        return _Steps(first)
    count = b.smin(_left(b, table, position), i64(piece.lanes))
    # behind a vector that is all in one run lies nothing, but the table goes on
    other = b.sub(b.load(_OFFSET, _entry(b, table, b.add(position, count))), count)
    room = b.splat(b.trunc(count, _LANE), piece.lanes)
    return _Steps(first, b.icmp("slt", b.step(room.type), room), other)


def _is_always_straight(table: Table, origin: Value, piece: Piece) -> bool:
    """Whether a vector at a known position lies in one run."""
    at = origin.integer
    if at is None:
        return False
    return all(step % piece.lanes == 0 for step in (table.run, table.grain, at + piece.offset))
