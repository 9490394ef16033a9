"""Shared memory of a work-group while a kernel is lowered: the program's allocations, and above them our tiles."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from tilewright.dialects import memref
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.aliasing import allocation_bytes

ALIGNMENT: Final = 128


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


class Arena:
    """Byte offsets in the one dynamic shared allocation of a block.

    First the stack that `assign-stack` laid out, then local parameters, then tiles, which are freed with the block of
    operations that they were made for. `high_water` is what a launch must provide.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._offsets: dict[memref.Alloca, int] = {}
        self.top = 0
        self._place_allocations(kernel)
        self.top = _aligned(self.top, ALIGNMENT)
        self.high_water = self.top

    def _place_allocations(self, kernel: Kernel) -> None:
        unplaced: list[memref.Alloca] = []
        for op in kernel.walk():
            if isinstance(op, memref.Alloca):
                if op.offset is None:
                    unplaced.append(op)
                else:
                    self._offsets[op] = op.offset
                    self.top = max(self.top, op.offset + allocation_bytes(op))
        for op in unplaced:
            self.top = _aligned(self.top, ALIGNMENT)
            self._offsets[op] = self.top
            self.top += allocation_bytes(op)

    def offset_of(self, op: memref.Alloca) -> int:
        """Where an allocation of the program lies."""
        return self._offsets[op]

    def reserve(self, size: int) -> int:
        """Bytes until the end of the current frame."""
        offset = self.top
        self.top = _aligned(offset + size, 16)
        self.high_water = max(self.high_water, self.top)
        return offset

    @contextmanager
    def frame(self) -> Generator[None]:
        """Free at the end what is reserved inside."""
        before = self.top
        yield
        self.top = before


def is_local_parameter(parameter: BlockArgument) -> bool:
    """Whether a parameter is work-group memory that the launch reserves."""
    return isinstance(parameter.type, MemrefType) and parameter.type.space is AddressSpace.LOCAL
