"""assign-stack: every `memref.alloca` gets a byte offset in the work-group's local memory.

before:  %a = memref.alloca -> memref<f32x16,local>          .. last use of %a ..
         %b = memref.alloca -> memref<f32x32,local>
after:   %a = memref.alloca {offset = 0}  ..  %b = memref.alloca {offset = 0}         local_bytes = 128

Allocations that are never live at once share bytes. An allocation lives from its place to the last use of it or a view
of it; a use in a loop that it stands outside of makes it live until the loop ends.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from tilewright.dialects import memref
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import MemrefType
from tilewright.transforms.aliasing import allocation_bytes
from tilewright.transforms.facts import STACK_ALIGNMENT


class AssignStack(Pass, frozen=True):
    """Lay out local memory."""

    name: ClassVar[str] = "assign-stack"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            changed |= assign_stack(kernel)
        return changed


class _Slot(Struct, frozen=True):
    op: memref.Alloca
    start: int
    end: int
    size: int


def assign_stack(kernel: Kernel) -> bool:
    """Set `offset` of all allocations and `local_bytes` of the kernel; whether there was anything to set."""
    allocations = [op for op in kernel.walk() if isinstance(op, memref.Alloca)]
    if not allocations:
        return kernel.attributes.pop("local_bytes", None) is not None
    kernel.local_bytes = 0
    begin, end = _numbering(kernel)
    slots = [_Slot(op, begin[op], _last_use(op, end), allocation_bytes(op)) for op in allocations]
    placed: list[tuple[_Slot, int]] = []
    for slot in sorted(slots, key=lambda s: (-s.size, s.start)):
        offset = _first_fit(slot, placed)
        slot.op.offset = offset
        placed.append((slot, offset))
        kernel.local_bytes = max(kernel.local_bytes, offset + slot.size)
    return True


def _numbering(kernel: Kernel) -> tuple[dict[Operation, int], dict[Operation, int]]:
    """Positions at which operations begin and end, nested ones in between."""
    begin: dict[Operation, int] = {}
    end: dict[Operation, int] = {}
    clock = 0
    stack: list[tuple[Operation, bool]] = [(kernel, False)]
    while stack:
        op, leaving = stack.pop()
        clock += 1
        if leaving:
            end[op] = clock
            continue
        begin[op] = clock
        stack.append((op, True))
        inner = [op for region in op.regions for block in region.blocks for op in block]
        stack.extend((op, False) for op in reversed(inner))
    return begin, end


def _last_use(op: memref.Alloca, end: dict[Operation, int]) -> int:
    last = end[op]
    assert op.block is not None
    work: list[Value] = [op.out]
    while work:
        for user in work.pop().uses:
            last = max(last, end[_ancestor_in(user, op.block)])
            work.extend(r for r in user.results if isinstance(r.type, MemrefType))
    return last


def _ancestor_in(op: Operation, block: Block) -> Operation:
    while op.block is not block:
        parent = op.parent_op
        assert parent is not None
        op = parent
    return op


def _first_fit(slot: _Slot, placed: list[tuple[_Slot, int]]) -> int:
    """The lowest aligned offset that is free while the slot lives."""
    taken = sorted(
        (offset, offset + other.size)
        for other, offset in placed
        if other.start <= slot.end and slot.start <= other.end and other.size
    )
    alignment = slot.op.alignment or STACK_ALIGNMENT
    offset = 0
    for low, high in taken:
        if offset + slot.size <= low:
            break
        offset = max(offset, -(-high // alignment) * alignment)
    return offset
