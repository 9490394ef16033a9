"""Boxes that the machine copies by itself, by maps in the block of parameters, and barriers in shared memory."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from tilewright.artifacts.tensor_maps import MAP_BYTES, TensorMap
from tilewright.dialects import gpu_tensors as ops
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_clusters import MulticastTensor
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_stores import StoreTensor
from tilewright.ir import core
from tilewright.ir.types import F32, TF32
from tilewright.targets.llvm.emitter import Builder, Value, boolean, constant, i32, i64
from tilewright.targets.nvidia import warp
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.memory import address, element_pointer
from tilewright.targets.nvidia.values import PARAMETERS
from tilewright.targets.nvidia.warp import WARP
from tilewright.transforms.launch_quantities import parameter_name
from tilewright.transforms.schedule.products.matrices import Matrix, matrix_of

_CLUSTER: Final = "ptr addrspace(7)"


def maps_of(kernel: Kernel) -> tuple[TensorMap, ...]:
    """Of the matrices that the machine copies boxes of, one for those of one form."""
    found: dict[TensorMap, None] = {}
    for op in kernel.walk():
        match op:
            case ops.CopyTensor():
                found[map_of(op.memref, op.target, op.modes[0])] = None
            case MulticastTensor():
                found[map_of(op.memref, op.target, op.modes[0], op.shares)] = None
            case StoreTensor():
                found[map_of(op.memref, op.slabs, op.modes[0])] = None
            case _:
                continue
    return tuple(found)


def matrix_at(view: core.Value, near: int) -> Matrix:
    """The matrix that a memref is, with rows along mode `near`."""
    matrix = matrix_of(view, near)
    assert isinstance(matrix, Matrix), "choose-schedule has asked"
    return matrix


def map_of(view: core.Value, slabs: core.Value, near: int, shares: int = 1) -> TensorMap:
    """Of a matrix whose boxes go to or come from slabs, with rows along mode `near`; of `shares` of these, each one."""
    source, target, matrix = memref_of(view), memref_of(slabs), matrix_at(view, near)
    extents, strides = (
        tuple(number if isinstance(number, int) else number.quantity for number in numbers)
        for numbers in (matrix.all_extents, matrix.all_strides)
    )
    name, box = parameter_name(matrix.origin.parameter), (target.shape[0] or 0, (target.shape[1] or 0) // shares)
    # tf32 in memory has bits behind its fraction that nobody reads: they are copied as they are
    dtype = F32.name if source.element is TF32 else target.element.name
    return TensorMap(name, dtype, matrix.origin.distance, extents, strides, box)


def map_pointers(b: Builder, maps: Sequence[TensorMap], slots: Value, first: int) -> Mapping[TensorMap, Value]:
    """Where each map lies in the block of parameters, whose first one is so many bytes behind its beginning."""
    return {found: b.offset(slots, first + MAP_BYTES * k) for k, found in enumerate(maps)}


def barrier_at(ctx: KernelContext, memory: core.Value, number: core.Value) -> Value:
    """Where a barrier lies."""
    return address(ctx, ctx.view(memory), [ctx.scalar(number)])


def _open(ctx: KernelContext, op: core.Operation) -> None:
    """Maps are on their way to the unit that copies while barriers are made, and while the launch before this one ends:
    the first copy would wait for them."""
    assert isinstance(op, ops.OpenBarriers)
    if op is next(each for each in ctx.kernel.walk() if isinstance(each, ops.OpenBarriers)):
        for place in ctx.maps.values():
            parameter = ctx.b.cast("addrspacecast", place, PARAMETERS)
            ctx.b.intrinsic_void("llvm.nvvm.prefetch.tensormap", [parameter], overload=[PARAMETERS])
    for k in range(memref_of(op.barriers).shape[0] or 0):
        place = address(ctx, ctx.view(op.barriers), [i64(k)])
        ctx.b.intrinsic_void("llvm.nvvm.mbarrier.init.shared", [place, i32(op.arrivals)])
    ctx.b.intrinsic_void("llvm.nvvm.fence.mbarrier_init.release.cluster", [])


def _close(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.CloseBarriers)
    for k in range(memref_of(op.barriers).shape[0] or 0):
        place = address(ctx, ctx.view(op.barriers), [i64(k)])
        ctx.b.intrinsic_void("llvm.nvvm.mbarrier.inval.shared", [place])


def _expect(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.Expect)
    name = "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta"
    ctx.b.intrinsic(name, "i64", [barrier_at(ctx, op.barriers, op.number), i32(op.bytes)], overload=[])


def _await(ctx: KernelContext, op: core.Operation) -> None:
    """The machine waits a while for the phase; then it is asked again."""
    assert isinstance(op, ops.AwaitPhase | ops.AwaitReaders)
    b, place = ctx.b, barrier_at(ctx, op.barriers, op.number)
    parity = b.trunc(ctx.scalar(op.parity), "i32")
    with b.while_loop([]) as loop:
        name = "llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta"
        ended = b.intrinsic(name, "i1", [place, parity], overload=[])
        b.leave_unless(loop, b.xor(ended, boolean(True)))


def _copy(ctx: KernelContext, op: core.Operation) -> None:
    """One instruction for each slab."""
    assert isinstance(op, ops.CopyTensor)
    copy_slabs(ctx, op, None)


class Share(NamedTuple):
    """Which of so many equal parts of a box, by its rows, and the blocks of the cluster that get it, a bit each."""

    number: Value
    shares: int
    mask: Value


def copy_slabs(ctx: KernelContext, op: ops.CopyTensor | MulticastTensor, share: Share | None) -> None:
    """Copy a box, or a share of one."""
    b, target, (near, far) = ctx.b, ctx.view(op.target), op.modes
    found = map_of(op.memref, op.target, near, 1 if share is None else share.shares)
    barrier, stage = barrier_at(ctx, op.barriers, op.number), b.mul(ctx.scalar(op.stage), target.strides[3])
    start = [ctx.scalar(op.indices[mode]) for mode in (near, far)]
    if share is not None:
        row = b.mul(share.number, i64(found.box[1]))
        stage = b.add(stage, b.mul(row, target.strides[1]))
        start[1] = b.add(start[1], row)
    which = [b.trunc(ctx.scalar(mode.position), "i32") for mode in matrix_at(op.memref, near).origin.beside]
    for slab in range(target.type.shape[2] or 0):
        distance = b.add(stage, i64(slab * (target.type.strides[2] or 0)))
        pointer = element_pointer(ctx, target.element, target.pointer, distance)
        place = b.cast("inttoptr", b.cast("ptrtoint", pointer, "i64"), _CLUSTER)
        at = [b.trunc(b.add(start[0], i64(slab * found.box[0])), "i32"), b.trunc(start[1], "i32"), *which]
        mask = constant("i16", 0) if share is None else share.mask
        hints = [mask, i64(0), boolean(share is not None), boolean(False), i32(0)]
        name = f"llvm.nvvm.cp.async.bulk.tensor.g2s.tile.{len(at)}d"
        b.intrinsic_void(name, [place, barrier, ctx.maps[found], *at, *hints])


def _arrive(ctx: KernelContext, op: core.Operation) -> None:
    """One lane of a warp arrives for it: whatever the warp has awaited it has awaited together. If lanes have loaded
    something, all meet first."""
    assert isinstance(op, ops.Arrive)
    if op.loads:
        warp.synchronize(ctx)
    place = barrier_at(ctx, op.barriers, op.number)
    with first_lane(ctx):
        ctx.b.intrinsic("llvm.nvvm.mbarrier.arrive.scope.cta.space.cta", "i64", [place, i32(1)], overload=[])


@contextmanager
def first_lane(ctx: KernelContext) -> Generator[None]:
    """What the first lane of each warp does."""
    b = ctx.b
    lane = b.trunc(b.and_(ctx.thread, i64(WARP - 1)), "i32")
    with b.if_then(b.icmp("eq", lane, i32(0))):
        yield


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        ops.OpenBarriers: _open,
        ops.CloseBarriers: _close,
        ops.Expect: _expect,
        ops.AwaitPhase: _await,
        ops.AwaitReaders: _await,
        ops.Arrive: _arrive,
        ops.CopyTensor: _copy,
    }
