"""Blocks of a cluster: where each stands in it, copies to several of them, arrivals at their barriers, and meeting."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

from tilewright.dialects import gpu_clusters as ops
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, constant, i32, i64
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.team import part, special_register
from tilewright.targets.nvidia.tensor_copies import Share, barrier_at, copy_slabs, first_lane

_RANK: Final = "cluster.ctarank"


def _rank(ctx: KernelContext) -> Value:
    """Of this block, as 64 bits."""
    return special_register(ctx, _RANK)


def _place(ctx: KernelContext, cluster: tuple[int, int], dim: int) -> Value:
    """Of this block along m or n."""
    if cluster[1 - dim] == 1:
        return _rank(ctx)
    rows = i64(cluster[0])
    return ctx.b.urem(_rank(ctx), rows) if dim == 0 else ctx.b.udiv(_rank(ctx), rows)


def _cluster_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.ClusterId)
    ctx.bind(op.out, ctx.b.udiv(part(ctx), i64(prod(ops.cluster_of(op)))))


def _cluster_rank(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.ClusterRank)
    ctx.bind(op.out, _place(ctx, ops.cluster_of(op), op.dim))


def _meet(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.ClusterBarrier)
    meet(ctx)


def meet(ctx: KernelContext) -> None:
    """Wait until all threads of the cluster have arrived that have not ended.

    Barriers that were opened have been released by the fence that follows that (`tensor_copies`).

    To arrive with release semantics would be a fence for all memory as well (MEMBAR.ALL.GPU).
    """
    ctx.b.intrinsic_void("llvm.nvvm.barrier.cluster.arrive.relaxed.aligned", [])
    ctx.b.intrinsic_void("llvm.nvvm.barrier.cluster.wait.aligned", [])


def _multicast(ctx: KernelContext, op: core.Operation) -> None:
    """The mask of the block of rank 0, or of one in its place along the other dimension, moved to this block's."""
    assert isinstance(op, ops.MulticastTensor)
    b, cluster = ctx.b, ops.cluster_of(op)
    rows = cluster[0]
    pattern = sum(1 << rank for rank in ops.sharers(cluster, op.side, 0))
    place = _place(ctx, cluster, op.side)
    shift = place if op.side == 0 else b.mul(place, i64(rows))
    mask = b.trunc(b.shl(i32(pattern), b.trunc(shift, "i32")), "i16")
    if cluster[op.side] == 1:
        mask = constant("i16", pattern)
    copy_slabs(ctx, op, Share(_place(ctx, cluster, 1 - op.side), op.shares, mask))


def _release(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.Release)
    _arrive_everywhere(ctx, op)


def _release_by_warps(ctx: KernelContext, op: core.Operation) -> None:
    """One lane of a warp arrives for it."""
    assert isinstance(op, ops.ReleaseByWarps)
    with first_lane(ctx):
        _arrive_everywhere(ctx, op)


def _arrive_everywhere(ctx: KernelContext, op: ops.Release | ops.ReleaseByWarps) -> None:
    """One arrival at each block, this one among them.

    Arrivals have the scope of a block: those of the scope of the cluster wait for all memory in each of them.
    """
    b, cluster = ctx.b, ops.cluster_of(op)
    place = barrier_at(ctx, op.barriers, op.number)
    rows, columns = cluster
    m, n = (b.trunc(_place(ctx, cluster, dim), "i32") for dim in range(2))
    first = b.mul(n, i32(rows))
    targets = [b.add(first, i32(k)) for k in range(rows)]
    # the block itself is among those
    for k in range(1, columns):
        other = b.urem(b.add(n, i32(k)), i32(columns))
        targets.append(b.add(b.mul(other, i32(rows)), m))
    for target in targets:
        there = b.intrinsic("llvm.nvvm.mapa.shared.cluster", "ptr addrspace(7)", [place, target], overload=[])
        b.intrinsic_void("llvm.nvvm.mbarrier.arrive.scope.cta.space.cluster", [there, i32(1)])


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        ops.ClusterId: _cluster_id,
        ops.ClusterRank: _cluster_rank,
        ops.ClusterBarrier: _meet,
        ops.MulticastTensor: _multicast,
        ops.Release: _release,
        ops.ReleaseByWarps: _release_by_warps,
    }
