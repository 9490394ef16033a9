"""What the program does with a large product, once its accumulators are there: in registers, block by block, and the
store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.tables import is_straight
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import Fragments
from tilewright.targets.cpu.expressions.nodes import (
    Broadcast,
    Converted,
    Elementwise,
    Expression,
    Memory,
    Product,
    Splat,
    Table,
    subexpressions,
)
from tilewright.targets.cpu.large_products.work import Work
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import LINE_BYTES, Machine
from tilewright.targets.cpu.units.vector import is_zero
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64

_SHORT: Final = 6


def finish(
    ctx: KernelContext, machine: Machine, work: Work, block: Block, total: Fragments, *, streamed: bool = False
) -> None:
    """Compute a block from its accumulators and store it, checked where it may reach over the ends of the target.

    `streamed`: past the caches where rows of vectors begin with cache lines.
    """
    b, height = ctx.b, sum(piece.lanes for piece in block.pieces)
    line, column = block.origin[block.vector], block.origin[1 - block.vector]
    tables = _tables(work, block.vector)
    whole = is_inside(b, work, block, height)
    for first, pieces in _stored_at_once(b, tables, block.pieces, height):
        position = b.add(line, i64(block.pieces[first].offset))
        origin = (position, column) if block.vector == 0 else (column, position)
        part = Block(origin, block.vector, pieces, block.across, block.count)
        accumulators = [row[first : first + len(pieces)] for row in total]
        straight = boolean(True)
        for table in tables:
            straight = b.and_(straight, _straight(b, table, position, pieces, height))
        with b.if_else(b.and_(whole, straight), likely=True) as branch:
            with branch.then():
                if streamed:
                    with b.if_else(_begins_lines(b, work.target, part)) as rows:
                        with rows.then():
                            _store(ctx, machine, work, part, accumulators, streamed=True)
                        with rows.otherwise():
                            _store(ctx, machine, work, part, accumulators)
                else:
                    _store(ctx, machine, work, part, accumulators)
            with branch.otherwise():
                _store(ctx, machine, work, part, accumulators, checked=True)


def is_inside(b: Builder, work: Work, block: Block, height: int) -> Value:
    """Whether all of a block exists in the target and in all that is read for it: each has ends of its own."""
    found, known = boolean(True), set[tuple[int, str, Value]]()
    parts = (part for whole in (work.value, work.product.acc) for part in elementwise_parts(whole))
    for memory in (work.target, *(part for part in parts if isinstance(part, Memory))):
        for dim, (bound, extent) in enumerate(zip(memory.bounds, memory.type.shape, strict=True)):
            assert bound is not None
            if extent == 1 != work.target.type.shape[dim]:
                first, end = i64(0), i64(1)
            else:
                first = block.origin[dim]
                end = b.add(first, i64(height if dim == block.vector else block.count))
            is_first = bound.low.integer == 0 and (dim != block.vector or work.shift.integer == 0)
            tests = [("sle", end, bound.high), *([] if is_first else [("sge", first, bound.low)])]
            for how, position, limit in tests:
                if (dim, how, limit) not in known:
                    known.add((dim, how, limit))
                    found = b.and_(found, b.icmp(how, position, limit))
    return found


def _store(
    ctx: KernelContext,
    machine: Machine,
    work: Work,
    block: Block,
    total: Fragments,
    *,
    checked: bool = False,
    streamed: bool = False,
) -> None:
    ev = Evaluator(ctx.b, ctx.arith, machine, checked, straight=not checked)
    acc = ev.block(work.product.acc, block)
    ev.provide(work.product, block, added(ctx.arith, work.product.type.element, acc, total))
    ev.store(work.target, block, ev.block(work.value, block), streamed=streamed)


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


def may_be_streamed(machine: Machine, value: Expression, product: Product, target: Memory, vector: int) -> bool:
    """Whether a target is too large for the second cache, lies in whole vectors, and is not read before.

    Where something lies by tables, panels have to begin where runs may.
    """
    size = target.type.size * target.type.element.bytes
    if not target.distant or size <= machine.l2_bytes or target.strides[vector].integer != 1:
        return False
    if any(isinstance(part, Memory) and part.tables for part in (target, *subexpressions(value))):
        return False
    read = (part for whole in (value, product.acc) for part in elementwise_parts(whole))
    return not any(isinstance(part, Memory) and part.strides == target.strides for part in read)


def is_plain(value: Expression, target: Memory, vector: int) -> bool:
    """Whether the accumulators are what is stored, rows of vectors in one piece each."""
    if not isinstance(value, Product):
        return False
    acc = value.acc
    if not isinstance(acc, Splat) or not isinstance(acc.operand, Value):
        return False
    straight = target.strides[vector].integer == 1 and not any(target.tables)
    return straight and (acc.operand.integer == 0 or is_zero(acc.operand))


def is_short(value: Expression) -> bool:
    """Whether what happens to accumulators is so little code, and without calls, that it may stand in the loop over
    terms."""
    parts = list(elementwise_parts(value))
    known = all(not isinstance(part, Elementwise) or part.op.definition.dialect == "arith" for part in parts)
    return known and sum(isinstance(part, Elementwise | Converted) for part in parts) <= _SHORT


def to_lines(b: Builder, target: Memory, vector: int) -> Value:
    """How many elements a target begins behind the beginning of a cache line, if all its rows of vectors do."""
    size = target.type.element.bytes
    start = b.cast("ptrtoint", target.pointer, "i64")
    step = b.and_(b.mul(target.strides[1 - vector], i64(size)), i64(LINE_BYTES - 1))
    alike = b.icmp("eq", b.or_(b.and_(start, i64(size - 1)), step), i64(0))
    return b.select(alike, b.udiv(b.and_(start, i64(LINE_BYTES - 1)), i64(size)), i64(0))


def _begins_lines(b: Builder, target: Memory, block: Block) -> Value:
    """Whether all rows of vectors of a block begin with a cache line."""
    size = target.type.element.bytes
    distance = i64(0)
    for at, stride in zip(block.origin, target.strides, strict=True):
        distance = b.add(distance, b.mul(at, stride))
    start = b.add(b.cast("ptrtoint", target.pointer, "i64"), b.mul(distance, i64(size)))
    step = b.mul(target.strides[1 - block.vector], i64(size))
    return b.icmp("eq", b.and_(b.or_(start, step), i64(LINE_BYTES - 1)), i64(0))


def elementwise_parts(value: Expression) -> Iterator[Expression]:
    """The expression down to its products and leaves; what occurs twice only once."""
    seen: set[Expression] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        if isinstance(part, Elementwise):
            waiting.extend(part.operands)
        elif isinstance(part, Converted | Broadcast):
            waiting.append(part.source)


def added(arith: Arithmetic, element: ScalarType, before: Fragments, more: Fragments) -> Fragments:
    """The sums of two blocks; what is added to zeros stays as it is."""

    def plus(x: Operand, y: Operand) -> Operand:
        return y if isinstance(x, Value) and is_zero(x) else arith.binary("add", element.name, x, y)

    return [[plus(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(before, more, strict=True)]
