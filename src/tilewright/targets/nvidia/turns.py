"""Turns of groups of four warps, by barriers of the machine: one for each group, at which it waits for one other.

Barrier 0 is that of the block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import gpu_turns as ops
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, i32
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.warp import WARP

GROUP: Final = 4 * WARP
_FIRST: Final = 1
_ARRIVE: Final = "llvm.nvvm.barrier.cta.arrive.aligned.count"
_SYNC: Final = "llvm.nvvm.barrier.cta.sync.aligned.count"


def _group(ctx: KernelContext) -> Value:
    return ctx.b.udiv(ctx.warp, i32(GROUP // WARP))


def _at_barrier(ctx: KernelContext, name: str, number: Value) -> None:
    """Two groups meet there, one of which waits."""
    ctx.b.intrinsic_void(name, [number, i32(2 * GROUP)])


def _open(ctx: KernelContext, op: core.Operation) -> None:
    """As if the last group had passed it on."""
    assert isinstance(op, ops.OpenTurns)
    with ctx.b.if_then(ctx.b.icmp("eq", _group(ctx), i32(op.groups - 1))):
        _at_barrier(ctx, _ARRIVE, i32(_FIRST))


def _await(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.AwaitTurn)
    _at_barrier(ctx, _SYNC, ctx.b.add(_group(ctx), i32(_FIRST)))


def _pass(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.PassTurn)
    b = ctx.b
    following = b.urem(b.add(_group(ctx), i32(1)), i32(op.groups))
    _at_barrier(ctx, _ARRIVE, b.add(following, i32(_FIRST)))


def _close(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.CloseTurns)
    with ctx.b.if_then(ctx.b.icmp("eq", _group(ctx), i32(0))):
        _at_barrier(ctx, _SYNC, i32(_FIRST))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {ops.OpenTurns: _open, ops.AwaitTurn: _await, ops.PassTurn: _pass, ops.CloseTurns: _close}
