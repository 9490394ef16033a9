"""Columns side by side in memory that fill no whole vectors: stored as one run of vectors.

    9 rows f32, vectors of 16:    column 0 | column 1 | ...    ->    [00..08,10..16] [17,18,20..28,30..34] ...

Nearly every vector stored column by column, with surplus lanes for the next column to overwrite, touches two cache
lines; where these are not in the first cache, stores then take longer than the product (9x9x9 f32: 62 instead of 90
GF/s). Masked stores do not, but hold up the next load of the bytes they spare (59 instead of 88 GF/s where the result
is loaded).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.cpu.blocks import Block
from tilewright.targets.cpu.lanes import Lanes
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.tiles import Fragments, Memory
from tilewright.targets.llvm.emitter import Builder, Complex, Value, i64

if TYPE_CHECKING:
    from tilewright.targets.cpu.evaluate import Evaluator


def is_run(tile: Memory, block: Block) -> bool:
    """Whether a block consists of whole columns of one partial vector each, without gaps between them."""
    if block.across is None or len(block.pieces) != 1:
        return False
    height = tile.type.shape[block.vector]
    unit = tile.strides[block.vector].integer == 1 and tile.strides[block.across].integer == height
    return unit and block.pieces[0].partial and block.pieces[0].active == height


def store_run(ev: Evaluator, tile: Memory, block: Block, fragments: Fragments) -> None:
    """Store such a block."""
    piece = block.pieces[0]
    columns = [row[0] for row in fragments]
    base, total = ev.address(tile, block.origin), piece.active * block.count
    for start in range(0, total, piece.lanes):
        active = min(piece.lanes, total - start)
        operand = _elements(ev.b, columns, piece.active, range(start, start + active), piece.lanes)
        at = Lanes(tile.type.element.name, ev.advance(tile, base, i64(start)), i64(1), piece.lanes)
        ev.store_prefix(tile, operand, at, active)


def _elements(b: Builder, columns: list[Operand], height: int, wanted: range, lanes: int) -> Operand:
    """The wanted elements of the run of all columns as a vector."""
    first, last = wanted[0] // height, wanted[-1] // height
    row = wanted[0] % height
    found = _shuffled(b, columns[first], None, [at if at < height else -1 for at in range(row, row + lanes)])
    for number in range(first + 1, last + 1):
        rows = [at - number * height for at in range(wanted[0], wanted[0] + lanes)]
        order = [lanes + row if 0 <= row < height else lane for lane, row in enumerate(rows)]
        found = _shuffled(b, found, columns[number], order)
    return found


def _shuffled(b: Builder, first: Operand, second: Operand | None, order: list[int]) -> Operand:
    if isinstance(first, Complex):
        assert second is None or isinstance(second, Complex)
        parts = ((first.re, None if second is None else second.re), (first.im, None if second is None else second.im))
        return Complex(*(b.shuffle(x, y, order) for x, y in parts))
    assert second is None or isinstance(second, Value)
    return b.shuffle(first, second, order)
