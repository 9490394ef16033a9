"""pack-items: what treats a small item by each work-group treats many by one block of threads, on the lane level.

before:  builtin.kernel {schedule = "lanes product=.."} {
           %a = memref.subview %A, %group_id ..     %x = tile.load %a, ..     %t = tile.mma %x, %y, %z
           tile.store %t, %c, ..
         }
after:   builtin.kernel {schedule = "packed threads=128 # ..", items = 16, work_group_size = [128, 1]} {
           %A = memref.alloca ..
           team.spmd {
             scf.if %whole { lane.copy_async ..  16 bytes a time } else { lane.copy_async .. item by item }
             gpu.commit_copies  gpu.await_copies {pending = 0}  lane.synchronize
             .. products from shared memory, accumulators in registers, results to shared memory ..
             lane.synchronize
             scf.if %whole { lane.store ..  16 bytes a time } else { .. }
           }
         }

Each warp, or for large items each block, takes one chunk of items that follow each other: loads it in one stage,
computes in place, stores it once. What lies behind the end of the grid is the last item again, and is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from msgspec.structs import replace

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane, memref, team
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Schedule, Way
from tilewright.transforms import emit
from tilewright.transforms.pack_items.choice import moves_from, plan_of
from tilewright.transforms.pack_items.computing import Computing, Places
from tilewright.transforms.pack_items.items import LATE_LOAD, Items, Transfer, is_batch
from tilewright.transforms.pack_items.moves import Moves
from tilewright.transforms.pack_items.plan import Plan
from tilewright.transforms.pack_items.policy import PackingPolicy
from tilewright.transforms.pack_items.threads import Threads
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.separate_arrays import hold_up, lie_apart


class PackItems(Pass, frozen=True):
    """Pack the batches of small products among kernels; of the others the schedule says what is in the way."""

    policy: PackingPolicy = PackingPolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "pack-items"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            wanted = self.request.of(kernel)
            is_shared = kernel.parts is not None or kernel.gathered or kernel.stepped is not None
            if is_shared or wanted.way not in (None, Way.PACKED) or not is_batch(kernel):
                continue
            items = Items.of(kernel)
            plan = items if isinstance(items, str) else plan_of(items, self.policy, wanted)
            if context.offers is not None and isinstance(plan, Plan) and not isinstance(items, str):
                context.offers.only(kernel.sym_name, moves_from(plan, items, self.policy))
            if isinstance(plan, Plan) and wanted.way is None:
                plan = plan.lacks(wanted) or plan
            if isinstance(items, str) or isinstance(plan, str):
                kernel.schedule = str(_unpacked(schedule_of(kernel), str(plan)))
                if lie_apart(kernel) or str(plan) == LATE_LOAD:
                    hold_up(kernel, self.name)
                continue
            _Packing(kernel, items, plan, self.policy).run()
            kernel.subgroup_size, kernel.work_group_size = self.policy.warp, (plan.threads, 1)
            kernel.items = plan.items_apart[0]
            goes_on = None
            if plan.most is not None:
                kernel.most_blocks, goes_on = plan.most, True
            taken = Schedule(Way.PACKED, plan.threads, reason=str(plan), chunk=plan.chunk, persistent=goes_on)
            taken = replace(taken, pairs=plan.pairs or None, dependent=schedule_of(kernel).dependent)
            kernel.schedule = str(taken)


def _unpacked(schedule: Schedule, reason: str) -> Schedule:
    """The schedule of a kernel that goes on as before, and why."""
    said = "work-groups are not packed: " + reason.replace(";", ",").replace("\n", " ")
    return replace(schedule, reason=f"{schedule.reason}, {said}" if schedule.reason else said)


class _Packing:
    """The code of one kernel."""

    def __init__(self, kernel: Kernel, items: Items, plan: Plan, policy: PackingPolicy) -> None:
        self._kernel, self._items, self._plan = kernel, replace(items, joined=plan.joined), plan
        self._policy = policy
        self._allocations = Block()
        self._memory = self._allocated(Builder.at_end(self._allocations, kernel.location))
        body = Block()
        self._body = body
        self._build = Builder.at_end(body, kernel.location)
        self._moves = Moves(self._items, plan, self._memory, Threads.of(self._build, plan))
        self._ahead: Value | None = None
        self._known: dict[Operation, Sequence[Mapping[Value, Value]] | None] = {}
        self._shifts: dict[Operation, Value] = {}

    @property
    def _threads(self) -> Threads:
        return self._moves.threads

    def run(self) -> None:
        """Replace the kernel's body."""
        kernel, old = self._kernel, list(self._kernel.body.entry)
        if self._plan.most is None:
            self._load(self._build)
            self._treat(self._if_there(self._build))
        else:
            self._go_on(self._build, self._plan.most)
        for op in reversed(old):
            op.drop_all()
            op.detach()
        build = Builder.at_end(kernel.body.entry, kernel.location)
        for op in list(self._allocations):
            op.detach()
            build(op)
        build(team.Spmd(Region(self._body)))

    def _treat(self, build: Builder) -> None:
        """Compute a chunk that is there, and store it."""
        self._moves.passes(build, self._compute, self._plan.slots)
        if self._ahead is not None and self._plan.slots > self._plan.teams:
            self._load_next(build)
        self._synchronize(build)
        for transfer in self._items.stores:
            self._store(build, transfer)

    def _go_on(self, build: Builder, blocks: int) -> None:
        """One chunk after the other: each is loaded while that before it is computed, as soon as there is room."""
        first, last = self._threads.first, self._threads.last
        self._load(build)
        step = build.index(self._plan.items * self._plan.crews * blocks)
        loop = emit.open_loop(build, first, emit.add(build, last, build.index(1)), step)
        loop.op.unroll = False
        self._moves = replace(self._moves, threads=replace(self._threads, first=loop.index))
        loop.body(gpu.AwaitCopies(0))
        self._synchronize(loop.body)
        self._ahead = step
        self._treat(loop.body)

    def _load_next(self, build: Builder) -> None:
        """Begin to load the chunk that comes next, if there is one, where all threads have read this one."""
        here, step = self._moves, self._ahead
        assert step is not None
        self._synchronize(build)
        first = emit.add(build, here.threads.first, step)
        inner = emit.open_if(build, emit.not_less(build, here.threads.last, first))
        replace(here, threads=replace(here.threads, first=first)).load_items(inner)
        build(gpu.CommitCopies())

    def _allocated(self, build: Builder) -> dict[Operation, Value]:
        """The memory of the slabs: what is the block's in front of what is the crews'."""
        plan, slabs = self._plan, self._plan.slabs
        found: dict[Operation, Value] = {}
        for op, slab in slabs.of.items():
            type_ = slab.memory(plan.slots, plan.crews, slabs.crew_bytes)
            offset = slab.offset + (0 if slab.is_fixed else slabs.fixed_bytes)
            found[op] = build(memref.Alloca(offset=offset, result_types=[type_])).out
        return found

    def _synchronize(self, build: Builder, whole_block: bool = False) -> None:
        """The threads of a crew wait for each other."""
        if self._plan.crews > 1 and not whole_block:
            build(lane.Synchronize())
        elif self._plan.threads > self._policy.warp:
            build(team.Barrier(fence_global=True, fence_local=True))
        else:
            build(lane.Synchronize())

    def _if_there(self, build: Builder) -> Builder:
        """Where crews go on that have an item: what others would read instead might just be written by its own crew."""
        if self._plan.crews == 1:
            return build
        return emit.open_if(build, emit.not_less(build, self._threads.last, self._threads.first))

    def _load(self, build: Builder) -> None:
        """Everything that items read, and wait for it."""
        has_fixed = self._moves.load_fixed(build)
        self._moves.load_items(self._if_there(build))
        build(gpu.CommitCopies())
        if self._plan.most is None:
            # found meanwhile
            for transfer in self._items.stores:
                self._known[transfer.op] = self._moves.addresses(build, transfer)
            if self._plan.slots == self._plan.teams:
                self._shifts = self._moves.shifts(build, self._threads.team)
        build(gpu.AwaitCopies(0))
        self._synchronize(build, whole_block=has_fixed)

    def _store(self, build: Builder, transfer: Transfer) -> None:
        """The results of all items of the chunk, each one's behind that of the store before."""
        if transfer is not self._items.stores[0]:
            self._synchronize(build)
        self._moves.store(build, transfer, self._known.get(transfer.op))

    def _compute(self, build: Builder, slot: Value) -> None:
        """What the program does with the item of a slot."""
        threads, plan, items = self._threads, self._plan, self._items
        if plan.most is not None or plan.slots > plan.teams:
            self._shifts = self._moves.shifts(build, slot)
        places = Places(plan, self._memory, self._shifts, threads.crew, slot)
        ahead = items.last_reader if self._ahead is not None and plan.slots == plan.teams else None
        wait, load_next = partial(self._synchronize, build), partial(self._load_next, build)
        Computing(build, items, threads, places, wait, load_next, ahead).run()
