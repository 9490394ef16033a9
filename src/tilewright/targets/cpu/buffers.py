"""Stack memory for tiles, shared between parts of a kernel that cannot need it at the same time."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.ir import core
from tilewright.targets.llvm.emitter import Builder, Value

_ALIGNMENT = 64
_SHARED_FROM = 4096


@dataclass(slots=True)
class _Buffer:
    pointer: Value
    size: int
    block: core.Block


class BufferPool:
    """Buffers of one function.

    A value is visible in its block and those inside it. Code generation goes through the blocks once, in order; so a
    buffer made for a block is free for others as soon as code is generated outside of that block.
    """

    __slots__ = ("_buffers", "_named")

    def __init__(self) -> None:
        self._buffers: list[_Buffer] = []
        self._named: dict[str, tuple[Value, int]] = {}

    def take(self, b: Builder, size: int, block: core.Block | None) -> Value:
        """Uninitialised memory for values of `block`; None: for the whole function."""
        if block is None or size < _SHARED_FROM:
            return b.alloca(f"[{size} x i8]", align=_ALIGNMENT, hint="buffer")
        around = _enclosing(block)
        fitting = [held for held in self._buffers if size <= held.size <= 2 * size and held.block not in around]
        if fitting:
            best = min(fitting, key=lambda held: held.size)
            best.block = block
            return best.pointer
        pointer = b.alloca(f"[{size} x i8]", align=_ALIGNMENT, hint="buffer")
        self._buffers.append(_Buffer(pointer, size, block))
        return pointer

    def scratch(self, b: Builder, size: int, name: str) -> Value:
        """Memory for a purpose that never overlaps with itself in time, such as packing."""
        known = self._named.get(name)
        if known is not None and known[1] >= size:
            return known[0]
        pointer = b.alloca(f"[{size} x i8]", align=_ALIGNMENT, hint="buffer")
        self._named[name] = (pointer, size)
        return pointer


def _enclosing(block: core.Block) -> set[core.Block]:
    """The block and all around it."""
    found = {block}
    op = block.parent_op
    while op is not None and op.block is not None:
        found.add(op.block)
        op = op.parent_op
    return found
