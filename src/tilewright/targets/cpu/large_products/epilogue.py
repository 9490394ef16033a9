"""What the program does with a large product, once its sums are there: in registers, block by block, and the store."""

from __future__ import annotations

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.tables import is_straight
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import Fragments
from tilewright.targets.cpu.expressions.nodes import Memory, Table, subexpressions
from tilewright.targets.cpu.large_products.work import Work
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.units.vector import is_zero
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64


def finish(ctx: KernelContext, machine: Machine, work: Work, block: Block, total: Fragments) -> None:
    """Compute a block from its sums and store it, checked where it may reach over the ends of the target."""
    b, height = ctx.b, sum(piece.lanes for piece in block.pieces)
    line, column = block.origin[block.vector], block.origin[1 - block.vector]
    tables = _tables(work, block.vector)
    whole = b.and_(
        b.icmp("sle", b.add(line, i64(height)), work.lines),
        b.icmp("sle", b.add(column, i64(block.count)), work.columns),
    )
    for first, pieces in _stored_at_once(b, tables, block.pieces, height):
        position, start = b.add(line, i64(block.pieces[first].offset)), first
        origin = (position, column) if block.vector == 0 else (column, position)
        part = Block(origin, block.vector, pieces, block.across, block.count)
        sums = [row[start : start + len(pieces)] for row in total]
        straight = boolean(True)
        for table in tables:
            straight = b.and_(straight, _straight(b, table, position, pieces, height))
        with b.if_else(b.and_(whole, straight), likely=True) as branch:
            for arm, checked in ((branch.then, False), (branch.otherwise, True)):
                with arm():
                    ev = Evaluator(b, ctx.arith, machine, checked, straight=not checked)
                    acc = ev.block(work.product.acc, part)
                    ev.provide(work.product, part, added(ctx.arith, work.product.type.element, acc, sums))
                    ev.store(work.target, part, ev.block(work.value, part))


def _tables(work: Work, vector: int) -> list[Table]:
    """The tables by which vectors of what is read and written lie."""
    memory = [*subexpressions(work.value), *subexpressions(work.product.acc), work.target]
    found = [tile.table(vector) for tile in memory if isinstance(tile, Memory)]
    return [table for table in found if table is not None]


def _stored_at_once(
    b: Builder, tables: list[Table], pieces: tuple[Piece, ...], height: int
) -> list[tuple[int, tuple[Piece, ...]]]:
    """Vectors of a block from a number on: each on its own if runs of tables may end inside of some."""
    if all(_straight(b, table, i64(0), pieces, height).text == "true" for table in tables):
        return [(0, pieces)]
    return [(number, (Piece(0, piece.lanes, piece.active),)) for number, piece in enumerate(pieces)]


def _straight(b: Builder, table: Table, position: Value, pieces: tuple[Piece, ...], height: int) -> Value:
    """Whether these vectors, from a position on that is a multiple of a panel's height, lie in one run each."""
    found = boolean(True)
    for piece in pieces:
        found = b.and_(found, is_straight(b, table, b.add(position, i64(piece.offset)), piece.lanes, height))
    return found


def added(arith: Arithmetic, element: ScalarType, before: Fragments, more: Fragments) -> Fragments:
    """The sums of two blocks; what is added to zeros stays as it is."""

    def plus(x: Operand, y: Operand) -> Operand:
        return y if isinstance(x, Value) and is_zero(x) else arith.binary("add", element.name, x, y)

    return [[plus(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(before, more, strict=True)]
