"""Memory of a work-group while a kernel is lowered: allocations, and above them what is reserved for a region.

That is shared memory. A kernel that needs more than there is has its large pieces, and what finds no room, in scratch
memory: the launch gives each block a part of the device's own.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_clusters import MulticastTensor
from tilewright.dialects.gpu_stores import StoreSlab
from tilewright.dialects.gpu_tensors import CopyTensor, OpenBarriers
from tilewright.dialects.lane_products import CopyAsync, LoadMatrices, MmaAsync
from tilewright.dialects.statics import Reserve
from tilewright.ir.core import Block, BlockArgument, Operation
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.aliasing import allocation_bytes

ALIGNMENT: Final = 128
_SCRATCH_ALIGNMENT: Final = 256
_LARGE: Final = 16 * 1024
_KEPT_FREE: Final = 8 * 1024
"""Of shared memory, for what goes nowhere else."""

_UNITS: Final = (CopyAsync, CopyTensor, LoadMatrices, MmaAsync, MulticastTensor, OpenBarriers, StoreSlab)


class Place(Struct, frozen=True):
    """Bytes from the beginning of a block's shared memory, or of its scratch memory.

    Where it is no `fresh` memory, others may still be reading what was there before.
    """

    offset: int
    in_scratch: bool = False
    fresh: bool = True


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


class Arena:
    """Byte offsets in the one dynamic shared allocation of a block, and in its scratch memory.

    First the stack that `assign-stack` laid out, then local parameters, then what is reserved until the region around
    it ends. `high_water` is what a launch must provide, `scratch_bytes` what it must provide
    of scratch memory; none unless `room`, the bytes of shared memory that there are, is given.
    """

    def __init__(self, kernel: Kernel, room: int | None = None) -> None:
        self._room = None if room is None else max(room - _KEPT_FREE, 0)
        self._places: dict[memref.Alloca, Place] = {}
        self._taken_in_turn = _taken_in_turn(kernel)
        self.top = self.high_water = self._scratch_top = 0
        self._scratch_high = 0 if room is None else 1
        self._place_allocations(kernel)
        self.top = _aligned(self.top, ALIGNMENT)
        self.high_water = max(self.high_water, self.top)

    def _place_allocations(self, kernel: Kernel) -> None:
        unplaced: list[memref.Alloca] = []
        for op in kernel.walk():
            if isinstance(op, memref.Alloca):
                if op.offset is None:
                    unplaced.append(op)
                else:
                    self._places[op] = self._on_stack(op.offset, allocation_bytes(op))
        for op in unplaced:
            if _is_factors(op):
                self.top = _aligned(self.top, op.alignment or ALIGNMENT)
                self._places[op] = Place(self.reserve(allocation_bytes(op)))
        for op in unplaced:
            if op not in self._places:
                self._places[op] = self.place(allocation_bytes(op), ALIGNMENT)

    def _on_stack(self, offset: int, size: int) -> Place:
        """The same distance from the beginning in either memory: what shares bytes is not needed at one time."""
        end = offset + size
        if self._room is not None and end > self._room // 2:
            self._scratch_top = max(self._scratch_top, end)
            self._scratch_high = max(self._scratch_high, end)
            return Place(offset, in_scratch=True)
        self.top = max(self.top, end)
        return Place(offset)

    def place_of(self, op: memref.Alloca) -> Place:
        """Where an allocation of the program lies."""
        return self._places[op]

    @property
    def scratch_bytes(self) -> int:
        """Bytes of scratch memory for each block, so many that the next one's are aligned as well."""
        return _aligned(self._scratch_high, _SCRATCH_ALIGNMENT)

    def reserve(self, size: int) -> int:
        """Bytes of shared memory until the end of the current frame."""
        offset = self.top
        self.top = _aligned(offset + size, 16)
        self.high_water = max(self.high_water, self.top)
        return offset

    def place(self, size: int, alignment: int = 16) -> Place:
        """Bytes of either memory until the end of the current frame."""
        if self._room is None or (size <= _LARGE and _aligned(self.top, alignment) + size <= self._room):
            self.top = _aligned(self.top, alignment)
            fresh = self.top >= self.high_water
            return Place(self.reserve(size), fresh=fresh)
        offset = _aligned(self._scratch_top, alignment)
        fresh = offset >= self._scratch_high
        self._scratch_top = offset + size
        self._scratch_high = max(self._scratch_high, self._scratch_top)
        return Place(offset, in_scratch=True, fresh=fresh)

    def place_for(self, op: Reserve) -> Place:
        """Bytes for memory that the program reserves until the region around it ends."""
        found = self.place(op.size + op.alignment)
        return replace(found, fresh=found.fresh and op not in self._taken_in_turn)

    @contextmanager
    def frame(self) -> Generator[None]:
        """Free at the end what is reserved inside."""
        before = self.top, self._scratch_top
        yield
        self.top, self._scratch_top = before


def _is_factors(op: memref.Alloca) -> bool:
    """Whether units that work by themselves read or write the memory: they reach no other than shared memory."""
    return any(isinstance(user, _UNITS) for user in op.out.uses)


def _taken_in_turn(kernel: Kernel) -> frozenset[Reserve]:
    """Those in loops that reserve in several regions: one may have in the next iteration what another has in this."""
    by_loop: dict[Operation, dict[Reserve, Block | None]] = {}
    for op in kernel.walk():
        if isinstance(op, Reserve):
            loops = [around for around in op.ancestors() if isinstance(around, scf.For | scf.While)]
            for loop in loops[-1:]:
                by_loop.setdefault(loop, {})[op] = op.block
    return frozenset(op for blocks in by_loop.values() if len(set(blocks.values())) > 1 for op in blocks)


def is_local_parameter(parameter: BlockArgument) -> bool:
    """Whether a parameter is work-group memory that the launch reserves."""
    return isinstance(parameter.type, MemrefType) and parameter.type.space is AddressSpace.LOCAL
