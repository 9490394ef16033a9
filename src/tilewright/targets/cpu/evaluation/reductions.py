"""Blocks of reductions: across vectors where the reduced dimension is not the contiguous one, else within vectors."""

from __future__ import annotations

from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.blocks import Block, Piece, split_powers
from tilewright.targets.cpu.expressions.fragments import Fragments, flatten, join, rebuild
from tilewright.targets.cpu.expressions.nodes import Reduction, lane_bytes, natural_dim
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.llvm.emitter import Complex, Value, i64, lanes_of

_UNROLLED = 64
_ACCUMULATORS = 4


def combine(ev: BlockReader, word: str, dtype: str, x: Operand, y: Operand) -> Operand:
    """One step of a reduction."""
    return ev.arith.lower(word, dtype, x, y)


def reduction_block(ev: BlockReader, tile: Reduction, block: Block) -> Fragments:
    """The vectors of a block of a reduced tile."""
    if tile.type.rank == 0 or natural_dim(tile.source) == tile.dim:
        return [[_within(ev, tile, block, j, piece) for piece in block.pieces] for j in range(block.count)]
    return _across(ev, tile, block)


def _source_dim(tile: Reduction, dim: int) -> int:
    return dim if dim < tile.dim else dim + 1


def _across(ev: BlockReader, tile: Reduction, block: Block) -> Fragments:
    """Vectors along a dimension that stays, added up over the one that goes."""
    extent, dtype = tile.source.type.shape[tile.dim], tile.type.element.name
    vector = _source_dim(tile, block.vector)
    across = None if block.across is None else _source_dim(tile, block.across)

    def term(position: Value) -> Fragments:
        origin = (*block.origin[: tile.dim], position, *block.origin[tile.dim :])
        return ev.block(tile.source, Block(origin, vector, block.pieces, across, block.count))

    def add(total: Fragments, more: Fragments) -> Fragments:
        return [
            [combine(ev, tile.word, dtype, x, y) for x, y in zip(a, b, strict=True)]
            for a, b in zip(total, more, strict=True)
        ]

    total = term(i64(0))
    if (extent - 1) * len(block.pieces) * block.count <= (0 if ev.machine.compact else _UNROLLED):
        for k in range(1, extent):
            total = add(total, term(i64(k)))
        return total
    with ev.b.loop(i64(1), i64(extent), 1, flatten(total), hint="r") as loop, ev.scope():
        inside = rebuild(loop.carried, dtype, block.count, len(block.pieces))
        loop.yield_(*flatten(add(inside, term(loop.index))))
    return rebuild(loop.results, dtype, block.count, len(block.pieces))


def _within(ev: BlockReader, tile: Reduction, block: Block, j: int, piece: Piece) -> Operand:
    """Vectors along the dimension that goes; each lane of the result is a sum of its own."""
    elements: list[Operand] = []
    for lane in range(piece.active):
        position = list(block.origin)
        if block.across is not None:
            position[block.across] = ev.b.add(position[block.across], i64(j))
        if position:
            position[block.vector] = ev.b.add(position[block.vector], i64(piece.offset + lane))
        elements.append(_line(ev, tile, position))
    return join(ev.b, elements, piece.lanes)


def _line(ev: BlockReader, tile: Reduction, position: list[Value]) -> Operand:
    """One line of the source, reduced to a number: several running vectors, then the lanes of their sum."""
    extent, dtype = tile.source.type.shape[tile.dim], tile.type.element.name
    lanes = ev.machine.lanes(lane_bytes(tile.source))

    def vectors(start: Value, pieces: tuple[Piece, ...]) -> list[Operand]:
        origin = (*position[: tile.dim], start, *position[tile.dim :])
        return ev.block(tile.source, Block(origin, tile.dim, pieces))[0]

    chunk = lanes * _ACCUMULATORS
    wide = split_powers(chunk, lanes)
    trips = extent // chunk
    totals: list[Operand] = []
    if trips > 1:
        first = vectors(i64(0), wide)
        with ev.b.loop(i64(chunk), i64(trips * chunk), chunk, flatten([first]), hint="r") as loop, ev.scope():
            inside = rebuild(loop.carried, dtype, 1, _ACCUMULATORS)[0]
            more = vectors(loop.index, wide)
            summed = [combine(ev, tile.word, dtype, x, y) for x, y in zip(inside, more, strict=True)]
            loop.yield_(*flatten([summed]))
        totals = rebuild(loop.results, dtype, 1, _ACCUMULATORS)[0]
    done = trips * chunk if trips > 1 else 0
    if done < extent:
        totals = [*totals, *vectors(i64(done), split_powers(extent - done, lanes))]
    return _lanes_of(ev, tile.word, dtype, totals)


def _lanes_of(ev: BlockReader, word: str, dtype: str, vectors: list[Operand]) -> Operand:
    by_width: dict[int, Operand] = {}
    for operand in vectors:
        width = _width(operand)
        by_width[width] = combine(ev, word, dtype, by_width[width], operand) if width in by_width else operand
    scalars = [_reduce(ev, word, dtype, operand) for operand in by_width.values()]
    total = scalars[0]
    for scalar in scalars[1:]:
        total = combine(ev, word, dtype, total, scalar)
    return total


def _width(operand: Operand) -> int:
    return lanes_of(operand.re.type if isinstance(operand, Complex) else operand.type)


def _reduce(ev: BlockReader, word: str, dtype: str, operand: Operand) -> Operand:
    if isinstance(operand, Complex):
        part = "f32" if dtype == "c32" else "f64"
        re = ev.arith.reduce_lanes(word, part, operand.re)
        return Complex(re, ev.arith.reduce_lanes(word, part, operand.im))
    return ev.arith.reduce_lanes(word, dtype, operand)
