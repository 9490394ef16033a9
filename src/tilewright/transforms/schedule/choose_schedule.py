"""choose-schedule: how each kernel is run, in words on the kernel.

before:  builtin.kernel {work_group_size = [128, 1]} { %t = tile.load .. -> tile<4096xf32> .. }
after:   builtin.kernel {work_group_size = [256, 1], schedule = "lanes, 256 threads"} { .. }

A kernel whose tile operations are all known to the lane level takes that way, any other the target's own emission,
element by element; then the schedule says what is not known.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import tile
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Value
from tilewright.ir.layouts import Owner
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.policy import GenericSchedulePolicy, SchedulePolicy
from tilewright.transforms.schedule.known import LANES, obstacle, teams_of, tiles_of
from tilewright.transforms.schedule.spreading import Teams, Wishes, spread_layout

_ELEMENTS: Final = "elements"
_USUAL: Final = 4
_MOST_REGISTERS: Final = 64
"""Registers of a thread that a tile takes at most."""

_TRANSFERS: Final = (tile.Load, tile.Store)


class ChooseSchedule(Pass, frozen=True):
    """Decide by the target's model."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    name: ClassVar[str] = "choose-schedule"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            found = obstacle(kernel)
            if found is None:
                largest = max(_type(value).size for value in tiles_of(kernel))
                threads = self._threads(kernel, largest)
                registers = _most_registers(kernel, threads)
                if registers <= _MOST_REGISTERS:
                    if kernel.spread:
                        kernel.work_group_size = (threads, 1)
                    kernel.schedule = f"{LANES}, {threads} threads"
                    continue
                found = f"tiles of {largest} elements: they take {registers} registers of each of {threads} threads"
            kernel.schedule = refused(found)

    def _threads(self, kernel: Kernel, largest: int) -> int:
        """As many as suit the largest tile, where the program does not say how many there are."""
        if not kernel.spread:
            return teams_of(kernel).threads
        return self.policy.threads(largest, _least_bytes(kernel, largest))


def _most_registers(kernel: Kernel, threads: int) -> int:
    """Those that a tile takes of each thread, with what its layout covers beyond it."""
    lanes = teams_of(kernel).lanes
    shapes = {_type(value).shape for value in tiles_of(kernel)}
    return max(spread_layout(s, Teams(lanes, threads // lanes), Wishes()).count(Owner.REG) for s in shapes)


def _least_bytes(kernel: Kernel, size: int) -> int:
    """Of the elements of tiles of that size that come from or go to memory."""
    moved = [op.out if isinstance(op, tile.Load) else op.value for op in kernel.walk() if isinstance(op, _TRANSFERS)]
    return min((_type(value).element.bytes for value in moved if _type(value).size == size), default=_USUAL)


def _type(value: Value) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def refused(reason: str) -> str:
    """The schedule of a kernel that goes on as before."""
    return f"{_ELEMENTS}, for the lane level does not take {reason}"
