"""Barriers of the machine by number, at which some warps wait (`barrier.sync`) and others only arrive."""

from __future__ import annotations

from typing import Final

from .frame import Lanes, Sync
from .numbers import Array
from .text import EmulatorError

NUMBERED: Final = "llvm.nvvm.barrier.cta.sync.aligned.count"
COUNTED: Final = "llvm.nvvm.barrier.cta.sync.count"
"""A barrier at which so many threads wait, whose accesses it orders: those of some roles."""
ARRIVE: Final = "llvm.nvvm.barrier.cta.arrive.aligned.count"
_BARRIERS: Final = 16
_WARP: Final = 32


class Meetings:
    """Who has arrived at the barriers of a block: 0 is that of all its threads."""

    def __init__(self) -> None:
        self._arrived: dict[int, set[int]] = {}

    def arrive(self, threads: Array, numbers: Array, counts: Array) -> None:
        """Those who do not wait."""
        for thread, number, count in zip(threads.tolist(), numbers.tolist(), counts.tolist(), strict=True):
            _check(number, count)
            arrived = self._arrived.setdefault(number, set())
            if thread in arrived or len(arrived) == count:
                raise EmulatorError(f"thread {thread} arrives at barrier {number} again before it has let others go")
            arrived.add(thread)

    def released(self, sync: Sync, lanes: Lanes) -> Array:
        """Of threads that wait, those whose barrier is complete: the barrier is free again."""
        numbers, counts = (lanes.full(operand) for operand in sync.operands)
        going = numbers < 0
        for number, count in set(zip(numbers.tolist(), counts.tolist(), strict=True)):
            _check(number, count)
            mine = (numbers == number) & (counts == count)
            arrived = self._arrived.get(number, set[int]())
            if arrived & set(lanes.threads[mine].tolist()):
                raise EmulatorError(f"a thread waits at barrier {number}, where it has arrived")
            if len(arrived) + int(mine.sum()) == count:
                self._arrived.pop(number, None)
                going |= mine
        return going


def _check(number: int, count: int) -> None:
    if not 0 < number < _BARRIERS or count % _WARP or not count:
        raise EmulatorError(f"{count} threads cannot meet at barrier {number}")
