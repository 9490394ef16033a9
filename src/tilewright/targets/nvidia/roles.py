"""Roles of a block's warps: groups of four that compute, and one more of which a warp asks for copies.

All threads of a block begin with as many registers as there are for each. The group that asks gives some of its own
back, and those that compute take them (`setmaxnreg`): no more in all than the block has begun with, or they would wait
for them without end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import lane_roles as ops
from tilewright.dialects.builtin import Kernel
from tilewright.ir import core
from tilewright.targets.llvm.emitter import i32, i64
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.occupancy import REGISTERS
from tilewright.targets.nvidia.turns import GROUP
from tilewright.targets.nvidia.warp import WARP

_ASKS: Final = 40
"""Registers of a thread that asks."""
_UNIT: Final = 8
_METERS: Final = "llvm.nvvm.barrier.cta.sync.count"
_MEETING: Final = 15
"""A barrier of its own, at which nobody else waits: at that of the work-group (0) its threads may meet before."""


def threads_beside(kernel: Kernel) -> int:
    """Threads of a block that are not of the work-group: a group of warps, who are given registers together."""
    return GROUP if any(isinstance(op, ops.Roles) for op in kernel.walk()) else 0


def registers(threads: int) -> int:
    """Of a thread that computes, of so many of a block with one more group that asks."""
    at_first = REGISTERS // (threads + GROUP) // _UNIT * _UNIT
    return (at_first * (threads + GROUP) - _ASKS * GROUP) // threads // _UNIT * _UNIT


def _deal(ctx: KernelContext, how: str, count: int) -> None:
    ctx.b.intrinsic_void(f"llvm.nvvm.setmaxnreg.{how}.sync.aligned.u32", [i32(count)])


def _roles(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.Roles)
    b, ctx.in_role = ctx.b, True
    with b.if_else(b.icmp("ult", ctx.thread, i64(ctx.threads))) as branch:
        with branch.then():
            _deal(ctx, "inc", registers(ctx.threads))
            ctx.lower_block(op.main.entry)
        with branch.otherwise():
            _deal(ctx, "dec", _ASKS)
            with b.if_then(b.icmp("ult", ctx.thread, i64(ctx.threads + WARP))):
                ctx.lower_block(op.beside.entry)
    ctx.in_role = False


def _meet(ctx: KernelContext, op: core.Operation) -> None:
    """The other warps of the group that asks have nothing to do."""
    ctx.b.intrinsic_void(_METERS, [i32(_MEETING), i32(ctx.threads + WARP)])


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {ops.Roles: _roles, ops.Meet: _meet}
