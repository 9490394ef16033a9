"""Exchange within a subgroup: a warp, or an aligned segment of one.

Segments of a warp may be on different paths, so every shuffle names the lanes of its own segment only.
"""

from __future__ import annotations

from collections.abc import Callable

from tilewright.targets.llvm.emitter import Value, constant, i32, i64
from tilewright.targets.llvm.types import bits_of
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.values import Operand, of_parts, parts_of

WARP = 32


def members(ctx: KernelContext) -> Value:
    """The lanes of this subgroup as bits of its warp."""
    size = ctx.subgroup_size
    if size == WARP:
        return i32(-1)
    b = ctx.b
    lane = b.trunc(b.and_(ctx.thread, i64(WARP - 1)), "i32")
    first = b.and_(lane, i32(WARP - size))
    return b.shl(i32((1 << size) - 1), first, hint="members")


def synchronize(ctx: KernelContext) -> None:
    """The work-items of the subgroup arrive and see each other's writes."""
    if ctx.subgroup_size > 1:
        ctx.b.intrinsic_void("llvm.nvvm.bar.warp.sync", [members(ctx)])


def shuffle(ctx: KernelContext, mode: str, operand: Operand, position: Value) -> Operand:
    """`operand` of another lane: `idx` lane `position`, `bfly` the lane with these bits flipped, `up` that many below.

    With `up` the first lanes keep their own.
    """
    if ctx.subgroup_size == 1:
        return operand
    parts = [_shuffle_value(ctx, mode, part, position) for part in parts_of(operand)]
    return of_parts(parts)


def _shuffle_value(ctx: KernelContext, mode: str, value: Value, position: Value) -> Value:
    b, ltype = ctx.b, value.type
    bits = bits_of(ltype)
    if ltype in ("half", "float", "double"):
        return b.bitcast(_shuffle_value(ctx, mode, b.bitcast(value, f"i{bits}"), position), ltype)
    if bits == 64:
        low = _shuffle_word(ctx, mode, b.trunc(value, "i32"), position)
        high = _shuffle_word(ctx, mode, b.trunc(b.lshr(value, i64(32)), "i32"), position)
        return b.or_(b.zext(low, "i64"), b.shl(b.zext(high, "i64"), i64(32)))
    word = b.zext(value, "i32") if bits < 32 else value
    moved = _shuffle_word(ctx, mode, word, position)
    return b.cast("trunc", moved, ltype)


def _shuffle_word(ctx: KernelContext, mode: str, word: Value, position: Value) -> Value:
    # The last operand confines the exchange to segments: bits of the lane that stay, above the bound of the result.
    clamp = 0 if mode == "up" else WARP - 1
    segment = i32((WARP - ctx.subgroup_size) << 8 | clamp)
    return ctx.b.intrinsic(
        f"llvm.nvvm.shfl.sync.{mode}.i32", "i32", [members(ctx), word, position, segment], overload=(), hint="shfl"
    )


Combine = Callable[[Operand, Operand], Operand]


def reduce(ctx: KernelContext, operand: Operand, combine: Combine) -> Operand:
    """All work-items' operands combined, for all of them."""
    step = 1
    while step < ctx.subgroup_size:
        operand = combine(operand, shuffle(ctx, "bfly", operand, i32(step)))
        step *= 2
    return operand


def inclusive_scan(ctx: KernelContext, operand: Operand, combine: Combine) -> Operand:
    """The operands of this and all lower work-items combined."""
    step = 1
    while step < ctx.subgroup_size:
        below = combine(shuffle(ctx, "up", operand, i32(step)), operand)
        reached = ctx.b.icmp("sge", ctx.lane, i32(step))
        operand = ctx.arith.select(reached, below, operand)
        step *= 2
    return operand


def shift_up(ctx: KernelContext, operand: Operand, first: Operand) -> Operand:
    """The operand of the next lower work-item; `first` in the lowest."""
    moved = shuffle(ctx, "up", operand, i32(1))
    return ctx.arith.select(ctx.b.icmp("eq", ctx.lane, constant("i32", 0)), first, moved)
