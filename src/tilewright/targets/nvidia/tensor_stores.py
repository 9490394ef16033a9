"""Slabs of accumulators in shared memory, and the boxes that the machine stores from them by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import gpu_stores as ops
from tilewright.dialects.gpu_products import memref_of
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, boolean, i32, i64
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.lanes import words_of
from tilewright.targets.nvidia.memory import element_pointer
from tilewright.targets.nvidia.tensor_copies import map_of, matrix_at

_WIDE_LINE: Final = 128
_CHUNK: Final = 16
"""Bytes that stay together where lines are swizzled."""
_HALF: Final = 2


def _slab(ctx: KernelContext, slabs: core.Value, stage: core.Value) -> Value:
    """Where one begins."""
    view = ctx.view(slabs)
    return element_pointer(ctx, view.element, view.pointer, ctx.b.mul(ctx.scalar(stage), view.strides[3]))


def _store_slab(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.StoreSlab)
    words, slab, line = words_of(ctx, op.value), _slab(ctx, op.slabs, op.stage), ops.line_of(memref_of(op.slabs))
    is_half = memref_of(op.slabs).element.bytes == _HALF
    if op.turned:
        (_by_turned_matrices if is_half else _by_words)(ctx, slab, words, line)
    else:
        (_by_matrices if is_half else _by_pairs)(ctx, slab, words, line)


def _by_matrices(ctx: KernelContext, slab: Value, words: tuple[Value, ...], line_bytes: int) -> None:
    """Four matrices of 8 x 8 halves at a time: rows 0 to 7 and 8 to 15, of two chunks of each line."""
    b, lane = ctx.b, ctx.b.trunc(ctx.warp_lane, "i32")
    line = b.mul(b.and_(lane, i32(15)), i32(line_bytes))
    swizzle = b.mul(b.xor(b.lshr(lane, i32(4)), _turn(ctx, b.and_(lane, i32(7)), line_bytes)), i32(_CHUNK))
    for number in range(0, len(words), 4):
        chunk = i32(number // 4 * 2 * _CHUNK)
        place = b.gep("i8", slab, b.zext(b.add(line, b.xor(swizzle, chunk)), "i64"), inbounds=False)
        name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16"
        b.intrinsic_void(name, [place, *words[number : number + 4]], overload=[place.type])


def _by_turned_matrices(ctx: KernelContext, slab: Value, words: tuple[Value, ...], line_bytes: int) -> None:
    """Four matrices of 8 x 8 halves at a time, a column of each to a line: 16 lines, of both chunks."""
    b, lane = ctx.b, ctx.b.trunc(ctx.warp_lane, "i32")
    within = b.and_(lane, i32(7))
    line = b.mul(b.or_(b.shl(b.lshr(lane, i32(4)), i32(3)), within), i32(line_bytes))
    swizzle = b.xor(b.and_(b.lshr(lane, i32(3)), i32(1)), _turn(ctx, within, line_bytes))
    first = b.gep("i8", slab, b.zext(b.add(line, b.mul(swizzle, i32(_CHUNK))), "i64"), inbounds=False)
    for number in range(0, len(words), 4):
        place = b.offset(first, number // 4 * ops.ROWS * line_bytes)
        name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16"
        b.intrinsic_void(name, [place, *words[number : number + 4]], overload=[place.type])


def _by_words(ctx: KernelContext, slab: Value, words: tuple[Value, ...], line_bytes: int) -> None:
    """One element of a lane at a time, neighbours of it to lines that follow each other."""
    b, lane = ctx.b, ctx.b.trunc(ctx.warp_lane, "i32")
    row, quarter = b.lshr(lane, i32(2)), b.and_(lane, i32(3))
    within = b.add(b.mul(quarter, i32(2 * line_bytes)), b.mul(b.and_(row, i32(3)), i32(4)))
    turn = _turn(ctx, b.mul(quarter, i32(2)), line_bytes)
    halves: list[Value] = []
    for half in range(2):
        chunk = b.xor(b.add(b.lshr(row, i32(2)), i32(2 * half)), turn)
        offset = b.add(within, b.mul(chunk, i32(_CHUNK)))
        halves.append(b.gep("i8", slab, b.zext(offset, "i64"), inbounds=False))
    for number, word in enumerate(words):
        first = halves[number // 2 % 2]
        b.store(word, b.offset(first, (number // 4 * 8 + number % 2) * line_bytes), 4)


def _by_pairs(ctx: KernelContext, slab: Value, words: tuple[Value, ...], line_bytes: int) -> None:
    """Two neighbours of a lane at a time, of rows 0 to 7 and 8 to 15."""
    b, lane = ctx.b, ctx.b.trunc(ctx.warp_lane, "i32")
    row, quarter = b.lshr(lane, i32(2)), b.and_(lane, i32(3))
    line = b.add(b.mul(row, i32(line_bytes)), b.mul(b.and_(quarter, i32(1)), i32(8)))
    swizzle = b.mul(b.xor(b.lshr(quarter, i32(1)), _turn(ctx, row, line_bytes)), i32(_CHUNK))
    for number in range(0, len(words), 2):
        chunk, half = i32(number // 4 * 2 * _CHUNK), number // 2 % 2
        offset = b.add(b.add(line, b.xor(swizzle, chunk)), i32(half * 8 * line_bytes))
        for k in range(2):
            place = b.gep("i8", slab, b.zext(b.add(offset, i32(4 * k)), "i64"), inbounds=False)
            b.store(words[number + k], place, 8 - 4 * k)


def _turn(ctx: KernelContext, row: Value, line_bytes: int) -> Value:
    """By what the numbers of chunks of one of eight rows are changed: that of the 128 bytes in which it lies."""
    together = _WIDE_LINE // line_bytes
    return row if together == 1 else ctx.b.lshr(row, i32(together.bit_length() - 1))


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.StoreTensor)
    b, place = ctx.b, ctx.maps[map_of(op.memref, op.slabs, op.modes[0])]
    beside = [mode.position for mode in matrix_at(op.memref, op.modes[0]).origin.beside]
    at = [b.trunc(ctx.scalar(index), "i32") for index in (*(op.indices[mode] for mode in op.modes), *beside)]
    hints = [i64(0), boolean(False)]
    name = f"llvm.nvvm.cp.async.bulk.tensor.s2g.tile.{len(at)}d"
    b.intrinsic_void(name, [_slab(ctx, op.slabs, op.stage), place, *at, *hints])


def _commit(ctx: KernelContext, op: core.Operation) -> None:
    ctx.b.intrinsic_void("llvm.nvvm.cp.async.bulk.commit.group", [])


def _await(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.AwaitStores)
    ctx.b.intrinsic_void("llvm.nvvm.cp.async.bulk.wait.group.read", [i32(op.pending)])


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        ops.StoreSlab: _store_slab,
        ops.StoreTensor: _store,
        ops.CommitStores: _commit,
        ops.AwaitStores: _await,
    }
