"""What a kernel on the lane level does with memory: for people who want to know why it is as fast as it is."""

from __future__ import annotations

from typing import Final

from tilewright.dialects import memref
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_clusters import MulticastTensor
from tilewright.dialects.gpu_tensors import CopyTensor
from tilewright.dialects.lane_products import MmaAsync
from tilewright.ir.core import Value
from tilewright.ir.interfaces import AccessesBox, root_of
from tilewright.ir.types import MemrefType
from tilewright.transforms.aliasing import allocation_bytes
from tilewright.transforms.explanations.costs import Costs, Told, place_of
from tilewright.transforms.explanations.lane_values import LaneValues
from tilewright.transforms.explanations.records import KernelUse, MemoryAccess, SharedBuffer
from tilewright.transforms.explanations.waits import Waits
from tilewright.transforms.schedule.known import teams_of

__all__ = ["explain_kernel"]

_LATE: Final = "threads are chosen as code is emitted, and not told"
_BY_ITSELF: Final = "the unit reads shared memory by itself, in an order that is not told"
_BOXES: Final = "the machine copies lines of 128 bytes by itself"


def explain_kernel(kernel: Kernel) -> KernelUse:
    """Accesses and barriers of a kernel behind all passes; alike ones of one place are told once."""
    names = _names(kernel)
    costs = Costs(LaneValues(teams_of(kernel)), names)
    told: list[Told] = []
    untold: dict[str, None] = {}
    for op in kernel.walk():
        found = costs.of(op)
        told += found
        if isinstance(op, MmaAsync):
            for memory in (op.columns,) if op.holds_rows else (op.rows, op.columns):
                untold[f"{place_of(op)}: {op.name} of {names[root_of(memory)]}: {_BY_ITSELF}"] = None
        elif isinstance(op, CopyTensor | MulticastTensor):
            source, target = (names.get(root_of(memory), "memory") for memory in (op.memref, op.target))
            untold[f"{place_of(op)}: {op.name} of {source} to {target}: {_BOXES}"] = None
        elif not found and isinstance(op, AccessesBox):
            untold[f"{place_of(op)}: {op.name} of {names.get(root_of(op.box().memref), 'memory')}: {_LATE}"] = None
    accesses = tuple(dict.fromkeys(each.access for each in told))
    waits = Waits(names).of(kernel.body.entry)
    return KernelUse(accesses, tuple(_buffers(kernel, names, told)), waits, tuple(untold))


def _names(kernel: Kernel) -> dict[Value, str]:
    """Parameters as the source calls them, allocations by number."""
    found: dict[Value, str] = {parameter: f"%{parameter.name}" for parameter in kernel.parameters}
    for op in kernel.walk():
        if isinstance(op, FromAddress) and isinstance(address := op.address.defining_op, AddressOf):
            found[op.out] = f"%{address.pointer.name}"
        if isinstance(op, memref.Alloca):
            found[op.out] = f"shared buffer {sum(name.startswith('shared') for name in found.values()) + 1}"
    return found


def _buffers(kernel: Kernel, names: dict[Value, str], told: list[Told]) -> list[SharedBuffer]:
    found: list[SharedBuffer] = []
    for op in kernel.walk():
        if isinstance(op, memref.Alloca):
            assert isinstance(op.out.type, MemrefType)
            conflicts = _conflicts([each.access for each in told if each.root is op.out])
            found.append(SharedBuffer(names[op.out], str(op.out.type), allocation_bytes(op), conflicts))
    return found


def _conflicts(accesses: list[MemoryAccess]) -> int | None:
    total = 0
    for access in accesses:
        if access.units is None or access.least is None:
            return None
        total += access.units - access.least
    return total
