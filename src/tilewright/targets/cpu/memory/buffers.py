"""Memory for tiles, shared between parts of a kernel that cannot need it at the same time.

Small tiles lie on the stack, larger ones in the workspace of the running thread, and so do small ones that are many:
threads have stacks of a few MiB.
"""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir import core
from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.emitter import Value

_ALIGNMENT = 64
_STACK_BYTES = 4096
_STACK_OF_FUNCTION = 128 * 1024


class _Buffer(Struct, frozen=True):
    offset: int
    size: int


class BufferPool:
    """Buffers of one function.

    A value is visible in its block and those inside it. Code generation goes through the blocks once, in order; so a
    buffer made for a block is free for others as soon as code is generated outside of that block.
    """

    __slots__ = ("_buffers", "_on_stack")

    def __init__(self) -> None:
        self._on_stack = 0
        self._buffers: dict[core.Block, list[_Buffer]] = {}

    def take(self, ctx: KernelContext, size: int, block: core.Block | None) -> Value:
        """Uninitialised memory for values of `block`; None: for the whole function."""
        if size <= _STACK_BYTES and self._on_stack + size <= _STACK_OF_FUNCTION:
            self._on_stack += size
            return ctx.b.alloca(f"[{size} x i8]", align=_ALIGNMENT, hint="buffer")
        return ctx.b.offset(ctx.workspace, self._offset(ctx, size, block), hint="buffer")

    def _offset(self, ctx: KernelContext, size: int, block: core.Block | None) -> int:
        new = ctx.layout.borrow if ctx.in_part else ctx.layout.reserve
        if block is None:
            return new(size)
        around = _enclosing(block)
        free = [(home, held) for home, all_ in self._buffers.items() if home not in around for held in all_]
        fitting = [found for found in free if size <= found[1].size <= 2 * size]
        if fitting:
            home, best = min(fitting, key=lambda found: found[1].size)
            self._buffers[home].remove(best)
        else:
            best = _Buffer(new(size), size)
        self._buffers.setdefault(block, []).append(best)
        return best.offset


def _enclosing(block: core.Block) -> set[core.Block]:
    """The block and all around it."""
    found = {block}
    op = block.parent_op
    while op is not None and op.block is not None:
        found.add(op.block)
        op = op.parent_op
    return found


def borrowed(ctx: KernelContext, machine: Machine, element: ScalarType, count: int) -> Value:
    """Memory of the workspace for `count` elements and a vector more, borrowed (`Workspace.passing`)."""
    offset = ctx.layout.borrow(element.bytes * count + machine.vector_bytes)
    return ctx.b.offset(ctx.workspace, offset, hint="borrowed")
