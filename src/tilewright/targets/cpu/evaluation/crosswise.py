"""Blocks of memory whose elements are neighbours across its vectors: rows are loaded, and transposed in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from tilewright.targets.cpu.expressions.blocks import Block, Piece, split_powers
from tilewright.targets.cpu.expressions.fragments import Fragments
from tilewright.targets.cpu.expressions.graph import reachable
from tilewright.targets.cpu.expressions.nodes import Converted, Elementwise, Expression, Extract, Memory, Permute
from tilewright.targets.cpu.expressions.squares import columns_of
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes
from tilewright.targets.llvm.emitter import Builder, Value, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind

FEWEST: Final = 4
"""Fewer rows or columns are not worth the shuffles."""
_GROUP: Final = 4
"""Rows that are found from one address."""


class MemoryReader(Protocol):
    """Who knows where elements of memory lie, at the position of a builder."""

    b: Builder

    def advance(self, tile: Memory, pointer: Value, distance: Value) -> Value:
        """The address `distance` elements further on."""
        ...

    def lanes(self, tile: Memory, block: Block, base: Value, j: int, piece: Piece) -> Lanes:
        """Where one vector of a block lies."""
        ...

    def mask(self, tile: Memory, block: Block, j: int, piece: Piece, writes: bool = False) -> Value | None:
        """The lanes of a vector that exist; None if all may be read."""
        ...


def is_crosswise(tile: Memory, vector: int, across: int | None) -> bool:
    """Whether a block with vectors along one dimension finds neighbours along the other one only."""
    if across is None or tile.tables or ELEMENTS[tile.type.element.name].kind is Kind.BOOL:
        return False
    return tile.strides[across].integer == 1 and tile.strides[vector].integer != 1


def crosswise_memory(tile: Expression, vector: int, across: int | None) -> Iterator[tuple[Memory, int]]:
    """Memory under an expression whose elements are neighbours across the vectors of a sweep over it.

    Beside each stands along which of its own dimensions these vectors run.
    """
    found = reachable((tile, vector, across), _at_same_position)
    return (
        (part, along) for part, along, other in found if isinstance(part, Memory) and is_crosswise(part, along, other)
    )


_Seen = tuple[Expression, int, int | None]
"""An expression, and along which of its dimensions vectors and positions across run."""


def _at_same_position(seen: _Seen) -> Sequence[_Seen]:
    tile, vector, across = seen
    match tile:
        case Elementwise():
            return [(part, vector, across) for part in tile.operands]
        case Converted() | Extract():
            return [(tile.source, vector, across)]
        case Permute():
            return [(tile.source, tile.order[vector], None if across is None else tile.order[across])]
        case _:
            return []


def crosswise_block(ev: MemoryReader, tile: Memory, block: Block, base: Value) -> Fragments:
    """The vectors of a block all of whose elements exist; `base` is the address of its first one."""
    columns: list[list[Operand]] = [[] for _ in range(block.count)]
    for piece in block.pieces:
        for j, vector in enumerate(_columns(ev, tile, block, base, piece)):
            columns[j].append(vector)
    return columns


def _columns(ev: MemoryReader, tile: Memory, block: Block, base: Value, piece: Piece) -> list[Operand]:
    found: list[Operand] = []
    for part in split_powers(block.count, piece.lanes):
        if min(part.lanes, piece.active) < FEWEST:
            alone = range(part.offset, part.offset + part.lanes)
            found += [
                load_lanes(ev.b, ev.lanes(tile, block, base, j, piece), ev.mask(tile, block, j, piece)) for j in alone
            ]
            continue
        found += columns_of(ev.b, _rows(ev, tile, block, base, part, piece), piece.lanes)
    return found


def _rows(ev: MemoryReader, tile: Memory, block: Block, base: Value, part: Piece, piece: Piece) -> list[Operand]:
    """The elements of some columns at the positions of a vector.

    Where no constant says how far rows lie apart, LLVM finds the place of each from that of the one before it, and the
    loads of sixteen wait for as many additions. It is not told that groups of rows lie four times that far apart.
    """
    stride = tile.strides[block.vector]
    grouped = stride.integer is None
    pointer = ev.advance(tile, base, ev.b.add(ev.b.mul(stride, i64(piece.offset)), i64(part.offset)))
    jump = ev.b.inline_asm("i64", "", "=r,0", [ev.b.mul(stride, i64(_GROUP))], hint="jump") if grouped else stride
    rows: list[Operand] = []
    for row in range(piece.active):
        if grouped and row and row % _GROUP == 0:
            pointer = ev.advance(tile, pointer, jump)
        at = ev.advance(tile, pointer, ev.b.mul(stride, i64(row % _GROUP if grouped else row)))
        if tile.following is not None:
            ev.b.prefetch(ev.advance(tile, at, i64(tile.following)))
        rows.append(load_lanes(ev.b, Lanes(tile.type.element.name, at, i64(1), part.lanes)))
    return rows
