"""slice-tiles: kernels whose tiles registers have no room for work on parts of them (`slicing/__init__.py`).

before:  builtin.kernel {schedule = "threads=128 # in parts: tiles of 65536 elements ..."} { .. }
after:   builtin.kernel {schedule = "lanes threads=128 # in parts: tiles of 65536 elements ..."} { .. }

What waits in memory is work-group memory, so allocations are laid out again, and threads wait where they have to.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.assign_stack import assign_stack
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.insert_barriers import insert_barriers
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.choose_schedule import MOST_REGISTERS, ChooseSchedule
from tilewright.transforms.schedule.known import collective, is_known
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.schedule.slicing.rewriting import Rewriting


class SliceTiles(Pass, frozen=True):
    """Slice the tiles of kernels that have no way yet, and choose again."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "slice-tiles"

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if schedule_of(kernel).way is None]
        for op in (op for kernel in kernels for op in collective(kernel) if not is_known(op)):
            context.report.error("T006", op.location, f"{op.name} has no lowering for {self.policy.target}")
        context.report.raise_if_errors()
        for kernel in kernels:
            slice_tiles(kernel, MOST_REGISTERS)
            ChooseSchedule(self.policy, self.request).again(kernel, context)
            found = schedule_of(kernel)
            if found.way is None:
                message = f"kernel {kernel.sym_name} has no schedule for {self.policy.target}: {found.reason}"
                context.report.error("T006", kernel.location, message)
        return bool(kernels)


def slice_tiles(kernel: Kernel, most: int) -> None:
    """Let no tile take more than so many registers of a thread."""
    if Rewriting(kernel, most).run():
        assign_stack(kernel)
        insert_barriers(kernel)
