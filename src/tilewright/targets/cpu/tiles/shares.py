"""Shares of work-items: the component of a subgroup's tile that each lane of a vector holds (`tile.ShareExtract`)."""

from __future__ import annotations

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.lowered import Operand, Scalar
from tilewright.targets.cpu.memory.places import tile_of
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Complex, Value, lane_constants
from tilewright.targets.llvm.types import ELEMENTS


def _positions(shape: tuple[int, ...], lanes: int, index: int) -> list[tuple[int, int] | None]:
    """Row and column of component `index` for each work-item; None beyond the last column."""
    rows, columns = shape
    high = min(rows, lanes)
    wide = -(-high * columns // lanes) * lanes // high
    each = high * wide // lanes
    group, turn = divmod(index, each)
    found: list[tuple[int, int] | None] = []
    for lane in range(lanes):
        row, column = lane % high + group * high, lane // high + turn * (lanes // high)
        found.append((row, column) if column < columns else None)
    return found


def _lanes(ctx: KernelContext, memory: Memory, index: int) -> tuple[list[Value], Value]:
    """Addresses of the real (and imaginary) parts for each lane, and the lanes that have an element."""
    strides = [stride.integer for stride in memory.strides]
    positions = _positions(memory.type.shape, ctx.lanes, index)
    assert None not in strides
    row_step, column_step = (s for s in strides if s is not None)
    offsets = [0 if at is None else at[0] * row_step + at[1] * column_step for at in positions]
    element = ELEMENTS[memory.type.element.name]
    parts = 2 if memory.type.element.is_complex else 1
    pointers = [
        ctx.b.gep(element.llvm, memory.pointer, lane_constants("i64", [parts * at + part for at in offsets]))
        for part in range(parts)
    ]
    return pointers, lane_constants("i1", [int(at is not None) for at in positions])


def _buffered(ctx: KernelContext, roots: Roots, value: core.Value) -> Memory:
    """The tile in a buffer of ours, kept for later components."""
    found = tile_of(ctx, value)
    if not isinstance(found, Memory) or found.checked or any(s.integer is None for s in found.strides):
        found = roots.materialize(found, 0)
    return found


def extract(ctx: KernelContext, roots: Roots, op: tile.ShareExtract) -> None:
    """One component of each work-item's share."""
    memory = _buffered(ctx, roots, op.tile)
    pointers, exists = _lanes(ctx, memory, op.index)
    element = ELEMENTS[memory.type.element.name]
    size = ELEMENTS[element.component].bytes
    if ctx.lanes == 1:
        loaded = [ctx.b.load(element.llvm, pointer, size) for pointer in pointers]
    else:
        ltype = f"<{ctx.lanes} x {element.llvm}>"
        loaded = [ctx.b.gather(ltype, pointer, exists, size) for pointer in pointers]
    operand: Operand = Complex(loaded[0], loaded[1]) if len(loaded) == 2 else loaded[0]
    ctx.bind(op.results[0], Scalar(operand, ctx.lanes > 1))


def insert(ctx: KernelContext, roots: Roots, op: tile.ShareInsert) -> Memory:
    """A copy of the tile with one component of each active work-item's share replaced."""
    type_ = op.out.type
    assert isinstance(type_, TileType)
    copy = roots.buffer(type_)
    roots.store(tile_of(ctx, op.tile), copy)
    pointers, exists = _lanes(ctx, copy, op.index)
    mask = exists if ctx.mask is None else ctx.b.and_(exists, ctx.mask)
    operand = ctx.widen(ctx.scalar(op.value))
    size = ELEMENTS[ELEMENTS[type_.element.name].component].bytes
    values = [operand.re, operand.im] if isinstance(operand, Complex) else [operand]
    for value, pointer in zip(values, pointers, strict=True):
        if ctx.lanes == 1:
            with ctx.b.if_then(mask):
                ctx.b.store(value, pointer, size)
        else:
            ctx.b.scatter(value, pointer, mask, size)
    return copy
