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
from typing import Any, ClassVar

from msgspec.structs import replace

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane, memref, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Schedule, Way
from tilewright.ir.types import FragmentType, TileType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.choice import moves_from, plan_of
from tilewright.transforms.pack_items.column_scalars import ColumnScalars
from tilewright.transforms.pack_items.items import Items, Transfer, is_batch
from tilewright.transforms.pack_items.moves import Moves
from tilewright.transforms.pack_items.plan import Plan
from tilewright.transforms.pack_items.products import product
from tilewright.transforms.pack_items.slots import Box, PanelSlot, Slot
from tilewright.transforms.pack_items.threads import Threads, of_item
from tilewright.transforms.pack_items.units import unit_product
from tilewright.transforms.policy import PackingPolicy
from tilewright.transforms.schedule.choose_schedule import schedule_of
from tilewright.transforms.schedule.known import has_tile
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.tile_values import tile_type


class PackItems(Pass, frozen=True):
    """Pack the batches of small products among kernels; of the others the schedule says what is in the way."""

    policy: PackingPolicy = PackingPolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "pack-items"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            wanted = self.request.of(kernel)
            is_shared = kernel.parts is not None or kernel.gathered
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
                continue
            _Packing(kernel, items, plan, self.policy).run()
            kernel.subgroup_size, kernel.work_group_size = self.policy.warp, (plan.threads, 1)
            kernel.items = plan.items * plan.crews
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

    def _slot(self, op: Operation, slot: Value, box: Box) -> Slot | PanelSlot:
        """The place of an item in the slab of an operation, or of its panel of a box."""
        slab, memory = self._plan.slabs.of[op], self._memory[op]
        place = () if slab.is_fixed else (slot, self._threads.crew)
        panels = slab.panels
        if panels is None:
            return Slot(slab, memory, place, self._shifts.get(op))
        return PanelSlot(Slot(slab, memory, (box.numbers[panels.mode], *place)), panels)

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

    # Tiles

    def _compute(self, build: Builder, slot: Value) -> None:
        """What the program does with an item, in its order."""
        threads, plan = self._threads, self._plan
        if plan.most is not None or plan.slots > plan.teams:
            self._shifts = self._moves.shifts(build, slot)
        computed = [op for op in self._items.operations if has_tile(op) and op not in self._items.transfers]
        scalars = [value for op in computed for value in op.operands if not isinstance(value.type, TileType)]
        boxes = {
            shape: Box.of(build, tiling, threads.rank, plan.team, threads.works)
            for shape, tiling in plan.tilings.items()
        }
        values = dict(of_item(build, scalars, threads.item(build, slot))) if plan.joined == 1 else {}
        columns = ColumnScalars(threads, plan.joined, scalars, slot) if plan.joined > 1 else None
        if columns is not None:
            columns.load(build, [(op, boxes[self._items.shape(op.results[0])]) for op in computed])
        state = _State()

        def held(value: Value) -> Value:
            """The registers of a tile, or a scalar; what is in a slab is read from there whenever it is needed."""
            op = value.defining_op
            if value in values or op is None or not isinstance(value.type, TileType):
                return values.get(value, value)
            if state.writes and not isinstance(op, tile.Load):
                self._synchronize(build)
                state.writes = False
            state.reads = True
            box = boxes[self._items.shape(value)]
            return self._slot(op, slot, box).read_box(build, box)

        def write(op: Operation, value: Value) -> None:
            # what is read here may lie where others are about to write
            found = held(value)
            if state.reads or state.writes:
                self._synchronize(build)
            state.reads, state.writes = False, True
            box = boxes[self._items.shape(value)]
            inner = build if box.writes is None else emit.open_if(build, box.writes)
            self._slot(op, slot, box).write(inner, box, found)

        def factor(value: Value, box: Box) -> Slot | PanelSlot:
            if state.writes:
                self._synchronize(build)
                state.writes = False
            state.reads = True
            op = value.defining_op
            assert op is not None
            return self._slot(op, slot, box)

        def go_ahead() -> None:
            self._load_next(build)
            state.reads = state.writes = False

        ahead = self._items.last_reader if self._ahead is not None and plan.slots == plan.teams else None
        for op in self._items.operations:
            build.location = op.location
            match op:
                case tile.Load():
                    continue
                case tile.Store():
                    write(op, op.value)
                case tile.Mma():
                    box = boxes[self._items.shape(op.out)]
                    start = held(op.acc)
                    if op is ahead and not any(map(self._items.is_moving, (op.lhs, op.rhs))):
                        # accumulators begin with what is in registers now
                        go_ahead()
                        ahead = None
                    left, right = factor(op.lhs, box), factor(op.rhs, box)
                    if box.tiling.unit:
                        assert isinstance(left, Slot), "matrix instructions read no panels"
                        assert isinstance(right, Slot), "matrix instructions read no panels"
                        values[op.out] = unit_product(build, op, box, (left, right), start)
                    else:
                        values[op.out] = product(build, op, box, (left, right), start, is_long=plan.most is not None)
                case _ if has_tile(op):
                    box = boxes[self._items.shape(op.results[0])]
                    found = {value: held(value) for value in op.operands}
                    if columns is not None:
                        found |= columns.of(build, op, box)
                    values[op.results[0]] = _registers(build, op, found, box)
                case _:
                    continue
            if op in self._memory and op.results:
                write(op, op.results[0])
                del values[op.results[0]]
            if op is ahead:
                go_ahead()


class _State:
    """What the threads of a crew have done to slabs since they waited for each other."""

    reads = False
    writes = False


def _registers(build: Builder, op: Operation, held: Mapping[Value, Value], box: Box) -> Value:
    """An operation on the registers of tiles instead of all their elements."""
    type_ = FragmentType(box.tiling.registers, tile_type(op.results[0]).element)
    if isinstance(op, tile.Splat):
        value = held[op.value]
        return value if value.type == type_ else build(lane.Fill(value, result_types=[type_])).out
    new: Any = type(op).of_parts([held[value] for value in op.operands], [type_], dict(op.attributes))
    new.places = op.places
    return build(new).results[0]
