"""order-groups: work-groups that run at a time share what they multiply.

before:  %x = team.group_id {dim = 0}    %y = team.group_id {dim = 1}      (x fastest)
after:   %n = %y * %gx + %x    %x = .. %n ..    %y = .. %n ..               (bands of `order` along x)

Work-groups run in any order, so that any of them may do the work of any other; a device begins them by their numbers.
Those of one row of a grid multiply one factor by as many others as there are of them. In bands, those that run at a
time have few of both: of 264 tiles of a result 16 rows and 17 columns, not 264 and one.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import team
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit
from tilewright.transforms.schedule.choose_schedule import schedule_of
from tilewright.transforms.schedule.known import runs_lanes
from tilewright.transforms.spread_collectives.numbering import banded

_PLANE: Final = (0, 1)
"""The dimensions of a grid among which numbers are exchanged; the third one is the slowest as it is."""


class OrderGroups(Pass, frozen=True):
    """Give work-groups other numbers where the schedule says so."""

    name: ClassVar[str] = "order-groups"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            order = schedule_of(kernel).order
            if order is not None and order > 1 and runs_lanes(kernel):
                _renumber(kernel, order)
                changed = True
        return changed


def _renumber(kernel: Kernel, band: int) -> None:
    taken = [op for op in kernel.walk() if isinstance(op, team.GroupId) and op.dim < len(_PLANE)]
    first = kernel.body.entry.first
    assert first is not None
    build = Builder.before_op(first)
    x, y = (build(team.GroupId(dim)).out for dim in _PLANE)
    along, across = (build(team.NumGroups(dim)).out for dim in _PLANE)
    number = emit.add(build, emit.mul(build, y, along), x)
    found = banded(build, number, across, along, band)
    for op in taken:
        op.out.replace_all_uses_with(found[1 - op.dim])
        op.erase()
