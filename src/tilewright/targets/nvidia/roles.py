"""Roles of a block's warps: groups of four that compute, and one more of which a warp, the producer, issues copies.

All threads of a block begin with as many registers as there are for each. The producer's group gives some of its own
back, and those that compute take them (`setmaxnreg`): no more in all than the block has begun with, or they would wait
for them without end.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Final

from tilewright.dialects import lane_roles as ops
from tilewright.dialects import memref
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.lane_products import MmaAsync
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, i32, i64
from tilewright.targets.nvidia import clusters
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.occupancy import REGISTERS
from tilewright.targets.nvidia.team import special_register
from tilewright.targets.nvidia.turns import GROUP
from tilewright.targets.nvidia.values import SHARED
from tilewright.targets.nvidia.warp import WARP

_ASKS: Final = 40
_ASKS_AT_LEAST: Final = 24
"""Registers of a thread that asks, and where there are two sides, each of which holds as many accumulators as there is
room for, or many threads, each of which has few."""
_MANY: Final = 512
_UNIT: Final = 8
_MOST_OF_THREAD: Final = 255
"""Registers that a thread can have at all."""
_METERS: Final = "llvm.nvvm.barrier.cta.sync.count"
_MEETING: Final = 15
"""A barrier of its own, at which nobody else waits: at that of the work-group (0) its threads may meet before."""


def sides_of(kernel: Kernel) -> int:
    """How many work-groups of a block compute, one beside the other; 0 if there are no roles."""
    return next((op.sides for op in kernel.walk() if isinstance(op, ops.Roles)), 0)


def threads_beside(kernel: Kernel, threads: int) -> int:
    """Threads of a block that are not of a work-group of so many: those of another one that takes turns with it, and a
    group of warps, who are given registers together."""
    sides = sides_of(kernel)
    return (sides - 1) * threads + GROUP if sides else 0


def registers(threads: int, sides: int = 1) -> int:
    """Of a thread that computes, of so many of a block with one more group that asks."""
    at_first = REGISTERS // (threads + GROUP) // _UNIT * _UNIT
    return (at_first * (threads + GROUP) - asks(threads, sides) * GROUP) // threads // _UNIT * _UNIT


def asks(threads: int, sides: int = 1) -> int:
    """Registers of a thread that asks, beside so many that compute."""
    return _ASKS_AT_LEAST if sides > 1 or threads >= _MANY else _ASKS


def _deal(ctx: KernelContext, how: str, count: int, threads: int) -> None:
    """Nothing has to be dealt where all have as many as a thread may have."""
    if REGISTERS // (threads + GROUP) < _MOST_OF_THREAD:
        ctx.b.intrinsic_void(f"llvm.nvvm.setmaxnreg.{how}.sync.aligned.u32", [i32(count)])


def _roles(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.Roles)
    b, ctx.in_role = ctx.b, True
    threads = op.sides * ctx.threads
    # by the warp's number: ptxas keeps what warps have in common out of their registers where lanes do not part
    warp, computes = _same_in_lanes(ctx, WARP), i64(threads // WARP)
    with b.if_else(b.icmp("uge", warp, computes)) as branch:
        with branch.then():
            _deal(ctx, "dec", asks(threads, op.sides), threads)
            apart = _shared_apart(ctx) if _multiplies_once(op) else nullcontext()
            with b.if_then(b.icmp("eq", warp, computes)), apart:
                ctx.lower_block(op.beside.entry)
        with branch.otherwise():
            _deal(ctx, "inc", registers(threads, op.sides), threads)
            ctx.lower_block(op.main.entry)
    ctx.in_role = False


def _multiplies_once(op: ops.Roles) -> bool:
    """Whether a step of a loop is one product."""
    loops = [inner.parent_op for inner in op.walk() if isinstance(inner, MmaAsync)]
    return len(loops) == len(set(loops))


@contextmanager
def _shared_apart(ctx: KernelContext) -> Generator[None]:
    """Addresses in shared memory in a register of their own.

    LLVM would keep one register of where shared memory begins for both roles, set in front of them. What a lane alone
    adds to, ptxas has in a register of each lane: descriptors of matrices went through 32 `R2UR` in a step of 130
    instructions, and none is left (`pingpong=yes`, 192 x 128). Where a step is two products it gains nothing: attention
    of width 96 and length 4096 was at 1.01 to 1.06 of torch's speed with it on an H200, and at 1.09 without.
    """
    before, values = ctx.shared, dict(ctx.values)
    begin = f"mov.b64 $0, {before.text.lstrip('@')};"
    ctx.shared = ctx.b.inline_asm(SHARED, begin, "=l", [], hint="shared")
    for value in values:
        if isinstance(value, core.OpResult) and isinstance(value.op, memref.Alloca):
            ctx.lower(value.op)
    yield
    ctx.shared = before
    ctx.values.update(values)


def _meet(ctx: KernelContext, op: core.Operation) -> None:
    """The other warps of the group that asks have nothing to do."""
    assert isinstance(op, ops.Meet)
    if op.cluster:
        clusters.meet(ctx)
        return
    threads = sides_of(ctx.kernel) * ctx.threads
    number, count = (0, threads) if op.sides else (_MEETING, threads + WARP)
    ctx.b.intrinsic_void(_METERS, [i32(number), i32(count)])


def _side(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.Side)
    ctx.bind(op.out, _same_in_lanes(ctx, ctx.threads))


def _same_in_lanes(ctx: KernelContext, threads: int) -> Value:
    """The number of a thread's group of so many of its block: the same in all lanes, which ptxas sees of what lanes
    exchange alone."""
    b = ctx.b
    number = b.trunc(b.udiv(special_register(ctx, "tid.x"), i64(threads)), "i32")
    same = b.intrinsic("llvm.nvvm.shfl.sync.idx.i32", "i32", [i32(-1), number, i32(0), i32(WARP - 1)], overload=[])
    return b.zext(same, "i64")


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {ops.Roles: _roles, ops.Meet: _meet, ops.Side: _side}
