"""share-blocks: several work-groups of one warp are run by one block, each by a warp of it.

before:  builtin.kernel {work_group_size = [32, 1], schedule = "lanes threads=32"} {
           team.spmd { %g = team.group_id {dim = 0} ..  team.barrier  .. } }
after:   builtin.kernel {work_group_size = [256, 1], schedule = "lanes threads=32 groups=8", items = 8} {
           team.spmd {
             %w = team.subgroup_linear_id ..  %g = arith.add %first, %w ..
             scf.if %there { ..  lane.synchronize  .. } } }

A multiprocessor runs a limited number of blocks at a time, and is given a limited number in a second: of blocks of one
warp too few are there to keep memory busy. Work-groups that have shared memory of their own, or report, stay as they
are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from tilewright.dialects import lane, memref, reports, scf, statics, team
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Schedule
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.known import runs_lanes, teams_of
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.schedule.said import schedule_of

_OWN = (memref.Alloca, statics.Reserve, reports.Check, reports.Claim)
"""What a work-group has for itself, or does not survive."""


class ShareBlocks(Pass, frozen=True):
    """Of kernels on the lane level whose threads the machine chooses."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "share-blocks"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            wanted, found = self.request.of(kernel).groups, _obstacle(kernel)
            groups = 1 if found is not None else wanted or self.policy.groups
            if context.offers is not None and found is None:
                context.offers.add(kernel.sym_name, self._moves(kernel, groups))
            if groups > 1 and groups * teams_of(kernel).threads <= self.policy.most_threads:
                _share(kernel, groups)
                changed = True
            self.request.check_groups(kernel, kernel.items if runs_lanes(kernel) else 1, context.report, found or "")
        return changed

    def _moves(self, kernel: Kernel, groups: int) -> Iterator[Schedule]:
        """More and fewer work-groups in a block, as many as it has room for."""
        for count in (2 * groups, groups // 2):
            if 1 <= count <= self.policy.most_threads // teams_of(kernel).threads:
                yield Schedule(groups=count)


def _obstacle(kernel: Kernel) -> str | None:
    """Why a kernel's work-groups have blocks of their own, in words."""
    if not runs_lanes(kernel) or not kernel.spread:
        return "only work-groups share blocks that the machine gives threads to, over lanes"
    if kernel.parts is not None:
        return "each of its work-groups is divided among blocks"
    if teams_of(kernel).warps != 1:
        return f"its work-groups have {teams_of(kernel).threads} threads, and those of one warp share blocks"
    locals_ = [p for p in kernel.parameters if isinstance(p.type, MemrefType) and p.type.space is AddressSpace.LOCAL]
    own = [op.name for op in kernel.walk() if isinstance(op, _OWN)] + ["a local parameter" for _ in locals_]
    return f"its work-groups have {own[0]}" if own else None


def _share(kernel: Kernel, groups: int) -> None:
    (spmd,) = (op for op in kernel.body.entry if isinstance(op, team.Spmd))
    body = spmd.body.entry
    old = list(body)
    build = Builder.at_end(body, kernel.location)
    mine = emit.add(build, build(team.GroupId(0)).out, emit.to_index(build, build(team.SubgroupLinearId()).out))
    there = build(Cmp(Predicate.LT, mine, build(team.NumGroups(0)).out)).out
    region, inner = new_region()
    build(scf.If(there, region))
    for op in old:
        op.detach()
        inner.append(op)
    for op in [each for top in old for each in top.walk()]:
        match op:
            case team.GroupId() if op.dim == 0:
                op.out.replace_all_uses_with(mine)
                op.erase()
            case team.SubgroupLinearId():
                op.out.replace_all_uses_with(Builder.before_op(op).int32(0))
                op.erase()
            case team.Barrier():
                Builder.before_op(op)(lane.Synchronize())
                op.erase()
            case _:
                pass
    kernel.items, kernel.work_group_size = groups, (groups * teams_of(kernel).threads, 1)
    kernel.schedule = str(replace(schedule_of(kernel), groups=groups))
