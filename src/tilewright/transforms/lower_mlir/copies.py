"""Lowers the copies of nvgpu, which go on by themselves, to those of a lane."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import gpu_products, lane_products
from tilewright.dialects.gpu_products import COPIED_BYTES
from tilewright.dialects.mlir import nvgpu
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace
from tilewright.transforms.address_spaces import is_surely_global
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Unsupported


def _copy(low: Lowering, op: Operation) -> None:
    assert isinstance(op, nvgpu.DeviceAsyncCopy)
    _check_threads(low, op)
    if op.srcElements:
        raise Unsupported(op, f"{op.name}: srcElements is not supported; copies are of whole rows")
    (source, from_), (target, to) = low.memref(op.src), low.memref(op.dst)
    bytes_ = op.elements * from_.element.bytes
    if to.space is not AddressSpace.LOCAL or not is_surely_global(source):
        raise Unsupported(op, f"{op.name}: copies go from global to shared memory")
    if bytes_ not in COPIED_BYTES or (op.elements > 1 and (from_.strides[0], to.strides[0]) != (1, 1)):
        raise Unsupported(op, f"{op.name}: a copy is of 4, 8 or 16 bytes that follow each other, not of {bytes_}")
    row = ((op.elements, 0, 1),)
    places: tuple[Value, list[Value], Value, list[Value]] = (
        source,
        low.indices(op.srcIndices),
        target,
        low.indices(op.dstIndices),
    )
    low.b(lane_products.CopyAsync(*places, row, row, op.elements))


def _group(low: Lowering, op: Operation) -> None:
    _check_threads(low, op)
    low.b(gpu_products.CommitCopies())


def _wait(low: Lowering, op: Operation) -> None:
    assert isinstance(op, nvgpu.DeviceAsyncWait)
    _check_threads(low, op)
    low.b(gpu_products.AwaitCopies(op.pending))


def _check_threads(low: Lowering, op: Operation) -> None:
    if low.threads is None:
        raise Unsupported(op, f"{op.name}: only threads of a launch copy so")


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {
        nvgpu.DeviceAsyncCopy: _copy,
        nvgpu.DeviceAsyncCreateGroup: _group,
        nvgpu.DeviceAsyncWait: _wait,
    }
