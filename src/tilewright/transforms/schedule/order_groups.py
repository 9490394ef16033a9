"""order-groups: work-groups that run at a time share what they multiply.

before:  %x = team.group_id {dim = 0}    %y = team.group_id {dim = 1}      (x fastest)
after:   %n = %y * %gx + %x    %x = .. %n ..    %y = .. %n ..               (bands of `order` along x)

Work-groups run in any order, so that any of them may do the work of any other; a device begins them by their numbers.
Those of one row of a grid multiply one factor by as many others as there are of them. In bands, those that run at a
time have few of both: of 264 tiles of a result 16 rows and 17 columns, not 264 and one.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import scf, team
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit
from tilewright.transforms.schedule.known import runs_lanes
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.spread_collectives.tile_orders import Bands

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
                changed = _renumber(kernel, order) or changed
        return changed


def _renumber(kernel: Kernel, band: int) -> bool:
    taken = [op for op in kernel.walk() if isinstance(op, team.GroupId) and op.dim < len(_PLANE)]
    if not taken:
        return False
    start = kernel.body.entry.first
    assert start is not None
    build = Builder.before_op(start)
    x, y = (build(team.GroupId(dim)).out for dim in _PLANE)
    along, across = (build(team.NumGroups(dim)).out for dim in _PLANE)
    # rows of one band run in their order as it is
    in_order = emit.not_less(build, build.index(band), along)
    (then, first), (orelse, second) = new_region(), new_region()
    branch = build(scf.If(in_order, then, orelse, result_types=[x.type, x.type]))
    Builder.at_end(first, build.location)(scf.Yield([y, x]))
    at = Builder.at_end(second, build.location)
    number = emit.add(at, emit.mul(at, y, along), x)
    at(scf.Yield(Bands.of(at, across, along, band).split(at, number)))
    found = branch.outs
    for op in taken:
        op.out.replace_all_uses_with(found[1 - op.dim])
        op.erase()
    return True
