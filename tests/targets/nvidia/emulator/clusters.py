"""Blocks of a cluster: who has arrived where all meet, and whose shared memory an address lies in."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from .memory import SHARED, Memory, Window
from .numbers import Array
from .text import EmulatorError

if TYPE_CHECKING:
    from .accesses import Accesses

ARRIVE_TOGETHER: Final = "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned"
MEETING: Final = "llvm.nvvm.barrier.cluster.wait.aligned"
_STRIDE: Final = 1 << 20
"""From a block's shared memory to the next one's, in addresses of the cluster. A block's own is in its place, too."""


def mapped(place: Array, rank: Array) -> Array:
    """The address in the cluster of a place in shared memory of the block of a rank."""
    return SHARED + (rank + 1) * _STRIDE + place


def rank_of(address: int) -> tuple[int, int]:
    """Of the block in whose memory an address of the cluster lies, and the place there."""
    rank, place = divmod(address - SHARED, _STRIDE)
    if rank < 1:
        raise EmulatorError("an address of the cluster that no block's memory has been mapped to")
    return rank - 1, place


@dataclass(slots=True)
class Member:
    """A block, its memory, how often each of its threads has arrived, which have ended, and whether all have."""

    block: Accesses
    window: Window
    arrived: Array
    gone: Array
    has_ended: bool = False

    def has_met(self, times: int) -> bool:
        """Whether all threads have arrived so often that have not ended."""
        return self.has_ended or bool((self.arrived[~self.gone] >= times).all())


@dataclass(slots=True)
class Cluster:
    """Blocks by rank."""

    memory: Memory
    members: list[Member] = field(default_factory=list[Member])

    def member(self, rank: int) -> Member:
        """One whose memory may be accessed."""
        if rank >= len(self.members):
            raise EmulatorError(f"the cluster has no block {rank}")
        found = self.members[rank]
        if found.has_ended:
            raise EmulatorError(f"the memory of block {rank} of the cluster is accessed, which has ended")
        return found

    @contextmanager
    def memory_of(self, rank: int) -> Generator[Accesses]:
        """Work on the shared memory of another block."""
        found = self.member(rank)
        before = self.memory.map(found.window)
        yield found.block
        self.memory.map(before)

    def have_met(self, rank: int) -> bool:
        """Whether all have arrived as often as the threads of a block have."""
        wanted = int(self.members[rank].arrived.max())
        return all(member.has_met(wanted) for member in self.members)

    @staticmethod
    def ranks_in(mask: int) -> Sequence[int]:
        """Those whose bits are set."""
        return [rank for rank in range(16) if mask >> rank & 1]


def nobody(threads: int) -> Array:
    """None of so many threads has arrived."""
    return np.zeros(threads, np.int64)
