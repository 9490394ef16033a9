"""What blocks of a cluster do to each other's memory, on the gpu and lane levels."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import gpu_clusters as ops
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_tensors import bytes_of_stage
from tilewright.interpreter.memory import Awaited, Phase, View
from tilewright.interpreter.side_by_side import CODE
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.tensor_copies import WARP, box_of, forget, memory_of, one_thread, phase_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace


def _shape(w: WorkGroup) -> tuple[int, int]:
    return w.kernel.cluster or (1, 1)


def _rank(w: WorkGroup) -> int:
    return w.part % prod(_shape(w))


def _id(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.ClusterId)
    w.values[op.out] = np.asarray(w.part // prod(_shape(w)), np.int64)


def _place(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.ClusterRank)
    rank, rows = _rank(w), _shape(w)[0]
    w.values[op.out] = np.asarray((rank % rows, rank // rows)[op.dim], np.int64)


def _barrier(w: WorkGroup, op: Operation) -> None:
    if w.mask is not None and not w.mask.all():
        fail("R022", op.location, "not all work-items reach this barrier of the cluster")
    if w.cluster is not None:
        w.cluster.meet(op)
    if w.mask is not None:
        w.shadow.synchronise(list(AddressSpace))


def _other(w: WorkGroup, op: Operation, rank: int, memory: Value) -> WorkGroup:
    """A block of the cluster whose memory is there."""
    assert w.cluster is not None, "kernels with clusters have blocks in them"
    found = w.cluster.block(rank, op)
    if memory not in found.values:
        fail(CODE, op.location, f"{op.name} accesses memory of block {rank} of the cluster, which has not begun")
    return found


def _phase(w: WorkGroup, op: Operation, rank: int, memory: Value, number: Value) -> tuple[WorkGroup, Phase]:
    """That of the barrier of a number, as this block says it, in another one."""
    other = _other(w, op, rank, memory)
    return other, phase_of(other, op, memory, w.number(number), f" of block {rank} of the cluster")


def _multicast(w: WorkGroup, op: Operation) -> None:
    """A share goes to the same place in all blocks that share, and counts at each of their barriers."""
    assert isinstance(op, ops.MulticastTensor)
    one_thread(w, op)
    sharers = ops.sharers(_shape(w), op.side, _rank(w))
    share, size = sharers.index(_rank(w)), bytes_of_stage(memref_of(op.target)) // len(sharers)
    box = box_of(w, op)
    rows = box.shape[1] // len(sharers)
    values = np.ascontiguousarray(box[:, share * rows : (share + 1) * rows])
    place = (0, share * rows, 0, w.number(op.stage))
    for rank in sharers:
        other, found = _phase(w, op, rank, op.barriers, op.number)
        target: View = memory_of(other, op.target)
        forget(other, target, place, values.shape, op.location)
        found.bytes -= size
        found.copies.append(Awaited(target, place, values, op.location))


def _release(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.Release)
    one_thread(w, op)
    for rank in ops.partners(_shape(w), _rank(w)):
        _, found = _phase(w, op, rank, op.barriers, op.number)
        if not found.missing:
            said = f"arrives at a barrier of block {rank} of the cluster"
            fail(CODE, op.location, f"{said} whose phase has all its arrivals and has not been awaited")
        found.missing -= 1


def _release_by_warps(w: WorkGroup, op: Operation) -> None:
    """All warps of the block come at once."""
    assert isinstance(op, ops.ReleaseByWarps)
    if w.mask is not None and not w.mask.all():
        fail("R022", op.location, f"not all work-items reach this {op.name}")
    warps = w.items // WARP
    for rank in ops.partners(_shape(w), _rank(w)):
        _, found = _phase(w, op, rank, op.barriers, op.number)
        if found.missing < warps:
            said = f"{warps} warps arrive at a barrier of block {rank} of the cluster"
            fail(CODE, op.location, f"{said} whose phase lacks {found.missing} arrivals and has not been awaited")
        found.missing -= warps


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        ops.ClusterId: _id,
        ops.ClusterRank: _place,
        ops.ClusterBarrier: _barrier,
        ops.MulticastTensor: _multicast,
        ops.Release: _release,
        ops.ReleaseByWarps: _release_by_warps,
    }
