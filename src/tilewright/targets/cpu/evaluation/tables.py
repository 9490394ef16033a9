"""Vectors of memory that lies by tables: where a vector's lanes are neighbours, in a few parts, or each for itself.

A vector along a dimension with a table may begin in one run of neighbours and end in another: then it is as many
vectors, each under a mask of its own lanes. Lanes of very short runs, and those that are no neighbours, are gathered.
"""

from __future__ import annotations

from math import gcd
from typing import Final, Protocol

from msgspec import Struct

from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import Fragments, value_of
from tilewright.targets.cpu.expressions.nodes import Memory, Table
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, store_lanes
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64, vector
from tilewright.targets.llvm.types import ELEMENTS

_OFFSET = "i64"
_LANE = "i8"
_OFFSET_BYTES = 8
_LANES_OF_PART: Final = 4
"""As few lanes a part, on average, are still faster moved together than one by one."""


class Part(Struct, frozen=True):
    """Lanes of a vector that are neighbours, all if there is no mask: they lie from `offset` on, counted as if all
    lanes lay there."""

    offset: Value
    lanes: Value | None = None


class Steps(Struct, frozen=True):
    """Where the lanes of a vector lie, from where the vector's line begins: in `parts`, or `each` somewhere."""

    parts: tuple[Part, ...] = ()
    each: Value | None = None


class Reader(Protocol):
    """What computes addresses and masks of blocks; `steps` are those known so far."""

    b: Builder
    machine: Machine
    straight: bool
    steps: dict[tuple[Memory, int, int, Value], Steps]

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


def _load(ev: Reader, tile: Memory, line: Value, steps: Steps, piece: Piece, mask: Value | None) -> Operand:
    b, element = ev.b, ELEMENTS[tile.type.element.name]
    if steps.each is not None:
        at = b.gep(element.llvm, line, steps.each)
        return b.gather(vector(element.llvm, piece.lanes), at, _known(b, mask, piece.lanes), element.bytes)
    first, *rest = steps.parts
    found = load_lanes(b, _lanes_at(b, tile, line, first, piece), _both(b, mask, first.lanes))
    for part in rest:
        at, lanes, before = _lanes_at(b, tile, line, part, piece), _both(b, mask, part.lanes), value_of(found)
        found = b.masked_load(before.type, at.pointer, _known(b, lanes, piece.lanes), element.bytes, before)
    return found


def _store(
    ev: Reader, tile: Memory, line: Value, steps: Steps, piece: Piece, mask: Value | None, operand: Operand
) -> None:
    b, element = ev.b, ELEMENTS[tile.type.element.name]
    if steps.each is not None:
        at = b.gep(element.llvm, line, steps.each)
        b.scatter(value_of(operand), at, _known(b, mask, piece.lanes), element.bytes)
        return
    for part in steps.parts:
        store_lanes(b, operand, _lanes_at(b, tile, line, part, piece), _both(b, mask, part.lanes))


def _lanes_at(b: Builder, tile: Memory, line: Value, part: Part, piece: Piece) -> Lanes:
    dtype = tile.type.element.name
    return Lanes(dtype, b.gep(ELEMENTS[dtype].llvm, line, part.offset), i64(1), piece.lanes)


def _both(b: Builder, mask: Value | None, lanes: Value | None) -> Value | None:
    return mask if lanes is None else lanes if mask is None else b.and_(mask, lanes)


def _known(b: Builder, mask: Value | None, lanes: int) -> Value:
    return b.splat(boolean(True), lanes) if mask is None else mask


def _line(ev: Reader, tile: Memory, block: Block, j: int) -> Value:
    """Where the vectors at a position across a block begin to be counted from."""
    b, found = ev.b, i64(0)
    for dim, at in enumerate(block.origin):
        if dim != block.vector:
            found = b.add(found, distance(b, tile, dim, b.add(at, i64(j)) if dim == block.across else at))
    return b.gep(ELEMENTS[tile.type.element.name].llvm, tile.pointer, found)


def know(ev: Reader, tile: Memory, block: Block) -> None:
    """Find out now where the lanes of a block's vectors lie: for code that follows, other blocks there included."""
    if tile.tables:
        for piece in block.pieces:
            _steps(ev, tile, block, piece)


def _steps(ev: Reader, tile: Memory, block: Block, piece: Piece) -> Steps:
    position = ev.b.add(block.origin[block.vector], i64(piece.offset))
    key = (tile, block.vector, piece.lanes, position)
    known = ev.steps.get(key)
    if known is None:
        known = ev.steps[key] = _found(ev, tile, block, piece, position)
    return known


def _found(ev: Reader, tile: Memory, block: Block, piece: Piece, position: Value) -> Steps:
    b, table, stride = ev.b, tile.table(block.vector), tile.strides[block.vector]
    first = distance(b, tile, block.vector, position)
    if piece.lanes == 1 or (table is None and stride.integer == 1):
        return Steps((Part(first),))
    if table is None:
        lanes = b.mul(b.splat(stride, piece.lanes), b.step(vector(_OFFSET, piece.lanes)))
        return Steps(each=b.add(b.splat(first, piece.lanes), lanes))
    count = 1 if ev.straight else _most_runs(table, block.origin[block.vector], piece)
    few = table.run >= piece.lanes or (ev.machine.masks and count * _LANES_OF_PART <= piece.lanes)
    if stride.integer != 1 or not (count == 1 or few):
        return Steps(each=b.load(vector(_OFFSET, piece.lanes), _entry(b, table, position), _OFFSET_BYTES))
    return Steps((Part(first),)) if count == 1 else Steps(_parts(b, table, position, first, count, piece.lanes))


def _parts(b: Builder, table: Table, position: Value, first: Value, count: int, lanes: int) -> tuple[Part, ...]:
    """A vector's lanes run by run, of which there are so many at most.

    Behind a vector that has fewer lies nothing, but the table goes on.
    """
    ends = [b.smin(b.add(_left(b, table, position), i64(k * table.run)), i64(lanes)) for k in range(count - 1)]
    rooms = [b.splat(b.trunc(end, _LANE), lanes) for end in ends]
    numbers = b.step(vector(_LANE, lanes))
    parts: list[Part] = []
    for k in range(count):
        before = None if k == count - 1 else b.icmp("slt", numbers, rooms[k])
        behind = None if k == 0 else b.icmp("sge", numbers, rooms[k - 1])
        offset = (
            first if k == 0 else b.sub(b.load(_OFFSET, _entry(b, table, b.add(position, ends[k - 1]))), ends[k - 1])
        )
        parts.append(Part(offset, _both(b, before, behind)))
    return tuple(parts)


def _most_runs(table: Table, origin: Value, piece: Piece) -> int:
    """In how many runs the lanes of a vector may lie, for all that is known of where it begins."""
    at = origin.integer
    nearest = 1 if at is None else gcd(table.run, table.grain, at + piece.offset)
    return 1 + max(0, -(-(piece.lanes - nearest) // table.run))
