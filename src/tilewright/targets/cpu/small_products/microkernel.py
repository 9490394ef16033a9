"""The microkernel: a register block of `acc + lhs rhs`.

The vectors run along the block's vector dimension: columns of `lhs` times scalars of `rhs` if that is 0, rows of `rhs`
times scalars of `lhs` if it is 1. All accumulators stay in registers over all terms. Short products are unrolled;
others are loops of four steps, since nothing unrolls them later (no pass pipeline runs).

Neighbouring steps of the sum run together, column by column: the scalars they need share a cache line, which on AVX-512
pays where each accumulator needs a scalar of its own, and where two share one, as long as LLVM hardly spills
(benchmarks/batched_gemm.py, 16x16x16). Not so in blocks of nearly all registers, where each scalar is kept for all its
products and no longer: LLVM would load the next ones meanwhile, or let a scalar's last product take its register, and
then spill accumulators.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import Fragments, flatten, rebuild, value_of
from tilewright.targets.cpu.expressions.nodes import Expression, Product, Registers
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.small_products.shape import scheduled_accumulators
from tilewright.targets.cpu.units.vector import VectorUnit
from tilewright.targets.llvm.emitter import Value, i64

_Read = Callable[[Expression, Block], Fragments]
_UNROLLED_STEPS = 640
_LOOP_STEPS = 4
_MOST_TOGETHER = 4
_PLAIN = ("f32", "f64")


def product_block(ev: BlockReader, tile: Product, block: Block) -> Fragments:
    """The vectors of a block of a product."""
    assert block.across is not None, "a product has two dimensions"
    depth = tile.lhs.type.shape[1]
    tile = _with_inner_product(ev, tile, block)
    start = ev.read_once(tile.acc, block)
    vectors = len(block.pieces) * block.count
    unrolled = 0 if ev.machine.compact else _UNROLLED_STEPS
    if depth * vectors <= unrolled or depth <= _LOOP_STEPS:
        return _steps(ev, tile, block, i64(0), depth, start)
    main = depth - depth % _LOOP_STEPS
    total = _loop(ev, tile, block, i64(main), start)
    return _steps(ev, tile, block, i64(main), depth - main, total) if main < depth else total


def _with_inner_product(ev: BlockReader, tile: Product, block: Block) -> Product:
    """A factor that is itself a product is computed first, for the rows of this block, and stays in registers."""
    along = 0 if block.vector == 0 else 1
    inner = tile.lhs if along == 0 else tile.rhs
    if not isinstance(inner, Product):
        return tile
    row = block.origin[along]
    assert row.integer is not None, "chained products of many blocks go through a buffer"
    origin = (row, i64(0)) if along == 0 else (i64(0), row)
    columns = inner.type.shape[1 - along]
    found = ev.block(inner, Block(origin, along, block.pieces, 1 - along, columns))
    pieces = tuple(Piece(row.integer + piece.offset, piece.lanes, piece.active) for piece in block.pieces)
    held = Registers(inner.type, along, pieces, found)
    return replace(tile, lhs=held) if along == 0 else replace(tile, rhs=held)


def _loop(ev: BlockReader, tile: Product, block: Block, depth: Value, start: Fragments) -> Fragments:
    carried = flatten(start)
    dtype, pieces = tile.type.element.name, len(block.pieces)
    with ev.b.loop(i64(0), depth, _LOOP_STEPS, carried, hint="k") as loop, ev.scope():
        inside = rebuild(loop.carried, dtype, block.count, pieces)
        loop.yield_(*flatten(_steps(ev, tile, block, loop.index, _LOOP_STEPS, inside)))
    return rebuild(loop.results, dtype, block.count, pieces)


def _steps(ev: BlockReader, tile: Product, block: Block, first: Value, steps: int, start: Fragments) -> Fragments:
    """`steps` terms of the sum from `first` on, in runs of neighbouring ones."""
    run = _terms_together(ev, tile, block)
    acc = [list(row) for row in start]
    for k in range(0, steps, run):
        _run(ev, tile, block, ev.b.add(first, i64(k)), min(run, steps - k), acc)
    return acc


def _terms_together(ev: BlockReader, tile: Product, block: Block) -> int:
    """How many neighbouring terms run together.

    Two vectors of rows take no more registers than LLVM leaves free, which begins the next block early.
    """
    pieces = len(block.pieces)
    if pieces == 1:
        return _MOST_TOGETHER
    if pieces == 2 and tile.type.element.name in _PLAIN:
        room = ev.machine.registers * 3 // 4
        return max(2, min(_MOST_TOGETHER, room // pieces - block.count))
    return 1 if _is_tight(ev, tile, block) else 2


def _is_tight(ev: BlockReader, tile: Product, block: Block) -> bool:
    """Whether the vectors of two terms would be too many beside the accumulators."""
    pieces, most = len(block.pieces), scheduled_accumulators(ev.machine)
    return tile.type.element.name in _PLAIN and pieces > 2 and pieces * block.count > most


def _run(ev: BlockReader, tile: Product, block: Block, k: Value, steps: int, acc: Fragments) -> None:
    """Add `steps` neighbouring terms to the accumulators."""
    along = 0 if block.vector == 0 else 1
    long_tile, short_tile = (tile.lhs, tile.rhs) if along == 0 else (tile.rhs, tile.lhs)
    row, column = block.origin[along], block.origin[1 - along]

    def place(position: Value, term: Value) -> tuple[Value, Value]:
        return (position, term) if along == 0 else (term, position)

    vectors = _cast(ev, tile, ev.read_once, long_tile, Block(place(row, k), along, block.pieces, 1 - along, steps))
    tight, unit = _is_tight(ev, tile, block), VectorUnit(tile.type.element)
    for j in range(block.count):
        scalars = _scalars(ev, tile, short_tile, (k, column) if along == 0 else (column, k), j, steps, along)
        for step in range(steps):
            splats: dict[int, Operand] = {}
            for p, piece in enumerate(block.pieces):
                wide = splats.get(piece.lanes)
                if wide is None:
                    wide = splats[piece.lanes] = ev.arith.splat(scalars[step], piece.lanes)
                acc[j][p] = unit.multiply(ev, vectors[step][p], wide, acc[j][p])
            if tight:
                ev.b.keep(value_of(splats[block.pieces[0].lanes]))


def _scalars(
    ev: BlockReader, tile: Product, short: Expression, origin: tuple[Value, ...], j: int, steps: int, along: int
) -> list[Operand]:
    """The scalars of column `j` of the block for neighbouring terms."""
    block = Block(origin, 1 - along, (Piece(j, 1, 1),), along, steps)
    return [row[0] for row in _cast(ev, tile, ev.block, short, block)]


def _cast(ev: BlockReader, tile: Product, read: _Read, source: Expression, block: Block) -> Fragments:
    """A block of a factor in the accumulator's type."""
    have, want = source.type.element.name, tile.type.element.name
    found = read(source, block)
    if have == want:
        return found
    return [[ev.arith.cast(operand, have, want) for operand in row] for row in found]
