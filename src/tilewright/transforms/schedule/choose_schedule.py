"""choose-schedule: how each kernel is run, in words on the kernel.

before:  builtin.kernel {work_group_size = [128, 1]} { %t = tile.load .. -> tile<4096xf32> .. }
after:   builtin.kernel {work_group_size = [256, 1], schedule = "lanes, 256 threads"} { .. }

A kernel whose tile operations are all known to the lane level takes that way, any other the target's own emission,
element by element; then the schedule says what is not known.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.policy import GenericSchedulePolicy, SchedulePolicy
from tilewright.transforms.schedule.known import LANES, obstacle, teams_of, tiles_of

_ELEMENTS: Final = "elements"


class ChooseSchedule(Pass, frozen=True):
    """Decide by the target's model."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    name: ClassVar[str] = "choose-schedule"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            found = obstacle(kernel)
            if found is None:
                self._spread(kernel)
                kernel.schedule = f"{LANES}, {teams_of(kernel).threads} threads"
            else:
                kernel.schedule = refused(found)

    def _spread(self, kernel: Kernel) -> None:
        """As many threads as suit the largest tile, where the program does not say how many there are."""
        if kernel.spread:
            sizes = [value.type.size for value in tiles_of(kernel) if isinstance(value.type, TileType)]
            kernel.work_group_size = (self.policy.threads(max(sizes)), 1)


def refused(reason: str) -> str:
    """The schedule of a kernel that goes on as before."""
    return f"{_ELEMENTS}, for the lane level does not take {reason}"
