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
             .. products from shared memory, sums in registers, results to shared memory ..
             lane.synchronize
             scf.if %whole { lane.store ..  16 bytes a time } else { .. }
           }
         }

Each warp, or for large items each block, takes one chunk of items that follow each other: loads it in one stage,
computes in place, stores it once. What lies behind the end of the grid is the last item again, and is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, ClassVar

from msgspec.structs import replace

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane, memref, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Schedule, Way
from tilewright.ir.types import FragmentType, MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.batches import dense_strides
from tilewright.transforms.pack_items.copies import Copying, aligned, either, every, row
from tilewright.transforms.pack_items.items import Items, Transfer, is_batch
from tilewright.transforms.pack_items.plan import Plan, moves_from, plan_of
from tilewright.transforms.pack_items.products import Box, Slot, product
from tilewright.transforms.pack_items.slabs import PIECE
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
            if kernel.parts is not None or wanted.way not in (None, Way.PACKED) or not is_batch(kernel):
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
            kernel.schedule = str(Schedule(Way.PACKED, plan.threads, reason=str(plan), chunk=plan.chunk))


def _unpacked(schedule: Schedule, reason: str) -> Schedule:
    """The schedule of a kernel that goes on as before, and why."""
    said = "work-groups are not packed: " + reason.replace(";", ",").replace("\n", " ")
    return replace(schedule, reason=f"{schedule.reason}, {said}" if schedule.reason else said)


class _Packing:
    """The code of one kernel."""

    def __init__(self, kernel: Kernel, items: Items, plan: Plan, policy: PackingPolicy) -> None:
        self._kernel, self._items, self._plan, self._policy = kernel, items, plan, policy
        self._allocations = Block()
        self._memory = self._allocated(Builder.at_end(self._allocations, kernel.location))
        body = Block()
        self._body = body
        self._build = Builder.at_end(body, kernel.location)
        self._threads = Threads.of(self._build, plan)

    def run(self) -> None:
        """Replace the kernel's body."""
        kernel, old = self._kernel, list(self._kernel.body.entry)
        self._load(self._build)
        inner = self._if_there(self._build)
        self._passes(inner, self._compute)
        self._synchronize(inner)
        for transfer in self._items.stores:
            self._store(inner, transfer)
        for op in reversed(old):
            op.drop_all()
            op.detach()
        build = Builder.at_end(kernel.body.entry, kernel.location)
        for op in list(self._allocations):
            op.detach()
            build(op)
        build(team.Spmd(Region(self._body)))

    def _allocated(self, build: Builder) -> dict[Operation, Value]:
        """The memory of the slabs: what is the block's in front of what is the crews'."""
        plan, slabs = self._plan, self._plan.slabs
        found: dict[Operation, Value] = {}
        for op, slab in slabs.of.items():
            type_ = slab.memory(plan.items, plan.crews, slabs.crew_bytes)
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

    def _passes(self, build: Builder, body: Callable[[Builder, Value], None]) -> None:
        """What is done for each item of the chunk, by its slot."""
        plan = self._plan
        if plan.passes == 1:
            body(build, self._threads.team)
            return
        loop = emit.open_loop(build, build.index(0), build.index(plan.passes))
        loop.op.unroll = False
        body(loop.body, self._threads.slot(loop.body, plan, loop.index))

    # Memory

    def _slot(self, op: Operation, slot: Value) -> Slot:
        """The place of an item in the slab of an operation."""
        slab = self._plan.slabs.of[op]
        return Slot(slab, self._memory[op], () if slab.is_fixed else (slot, self._threads.crew))

    def _whole_chunk(self, build: Builder, transfers: Sequence[Transfer], views: Mapping[Value, Value]) -> Value:
        """Whether rows may be moved for all items of the chunk at once: all are there, and memory is aligned.

        Gaps behind the last item may be read if another item follows.
        """
        behind = any(transfer.has_gaps for transfer in transfers)
        end = emit.add(build, self._threads.first, build.index(self._plan.items - 1 + behind))
        tests: list[Value | None] = [emit.not_less(build, self._threads.last, end)]
        for transfer in transfers:
            memory = self._global_row(build, transfer, views, self._plan.items * transfer.apart)
            tests.append(aligned(build, memory, PIECE // transfer.element.bytes))
        found = every(build, tests)
        assert found is not None
        return found

    def _load(self, build: Builder) -> None:
        """Everything that items read, and wait for it."""
        threads = self._threads
        loads = [t for t in self._items.loads if t.op in self._memory]
        fixed = [transfer for transfer in loads if transfer.is_fixed]
        rows = [transfer for transfer in loads if transfer in self._plan.rows]
        others = [transfer for transfer in loads if transfer not in rows and not transfer.is_fixed]
        views = of_item(build, _addresses(fixed), threads.last)
        for transfer in fixed:
            self._move(build, transfer, views, None, threads.thread, self._plan.threads, wide=True)
        inner = self._if_there(build)
        if rows:
            self._move_rows(inner, rows)
        if others:
            self._move_items(inner, others, wide=True)
        build(gpu.CommitCopies())
        build(gpu.AwaitCopies(0))
        self._synchronize(build, whole_block=bool(fixed))

    def _store(self, build: Builder, transfer: Transfer) -> None:
        """The results of all items of the chunk, each one's behind that of the store before."""
        if transfer is not self._items.stores[0]:
            self._synchronize(build)
        if transfer in self._plan.rows:
            self._move_rows(build, [transfer])
        else:
            self._move_items(build, [transfer], wide=True)

    def _move_rows(self, build: Builder, transfers: Sequence[Transfer]) -> None:
        """All items of the chunk at once; one by one if some are missing or memory is not aligned."""
        views = of_item(build, _addresses(transfers), self._threads.first)

        def at_once(at: Builder) -> None:
            for transfer in transfers:
                self._move_row(at, transfer, views)

        whole = self._whole_chunk(build, transfers, views)
        emit.if_else(build, whole, at_once, lambda at: self._move_items(at, transfers, wide=False))

    def _move_row(self, build: Builder, transfer: Transfer, views: Mapping[Value, Value]) -> None:
        """All items of the chunk, which lie behind each other, by all threads of the crew."""
        piece = PIECE // transfer.element.bytes
        # nothing behind the last item but what fills a piece
        size = -(-((self._plan.items - 1) * transfer.apart + transfer.reach) // piece) * piece
        outside = self._global_row(build, transfer, views, size)
        zero = build.index(0)
        inside = self._memory[transfer.op]
        start = [*(zero for _ in transfer.shape), zero, self._threads.crew]
        inside = row(build, inside, start, size)
        source, target = (outside, inside) if isinstance(transfer.op, tile.Load) else (inside, outside)
        crew = self._plan.crew
        copying = Copying(source, target, (size,), (0,), self._threads.lane, crew, isinstance(transfer.op, tile.Load))
        copying.emit(build, piece)

    def _global_row(self, build: Builder, transfer: Transfer, views: Mapping[Value, Value], size: int) -> Value:
        op = transfer.op
        memory, *indices = (views.get(value, value) for value in (op.memref, *op.indices))
        return row(build, memory, indices, size)

    def _move_items(self, build: Builder, transfers: Sequence[Transfer], wide: bool) -> None:
        """Items one by one, each by its team."""

        def one(at: Builder, slot: Value) -> None:
            threads = self._threads
            views = of_item(at, _addresses(transfers), threads.item(at, slot))
            works = threads.works
            if not isinstance(transfers[0].op, tile.Load):
                there = emit.not_less(at, threads.last, emit.add(at, threads.first, slot))
                works = there if works is None else emit.both(at, works, there)
            inner = at if works is None else emit.open_if(at, works)
            for transfer in transfers:
                self._move(inner, transfer, views, slot, threads.rank, self._plan.team, wide=wide)

        self._passes(build, one)

    def _move(
        self,
        build: Builder,
        transfer: Transfer,
        views: Mapping[Value, Value],
        slot: Value | None,
        rank: Value,
        threads: int,
        *,
        wide: bool,
    ) -> None:
        """One item, or what is the same for all, between global memory and its slab by so many threads."""
        op, shape, order = transfer.op, transfer.shape, transfer.order
        place = [] if slot is None else [slot, self._threads.crew]
        zeros = [build.index(0)] * len(shape)
        if transfer.is_dense and self._plan.slabs.of[op].strides == dense_strides(shape, order):
            size = prod(shape)
            inside = row(build, self._memory[op], [*zeros, *place], size)
            outside = self._global_row(build, transfer, views, size)
            shape, order = (size,), (0,)
        else:
            inside = _box_of(build, self._memory[op], [*zeros, *place], shape)
            memory, *indices = (views.get(value, value) for value in (op.memref, *op.indices))
            outside = _box_of(build, memory, indices, shape)
        source, target = (outside, inside) if isinstance(op, tile.Load) else (inside, outside)
        copying = Copying(source, target, shape, order, rank, threads, isinstance(op, tile.Load))
        width = copying.width if wide and self._plan.slabs.of[op].pitch % PIECE == 0 else 1
        if width == 1:
            copying.emit(build, 1)
            return
        condition = aligned(build, outside, width)
        either(build, condition, lambda at: copying.emit(at, width), lambda at: copying.emit(at, 1))

    # Tiles

    def _compute(self, build: Builder, slot: Value) -> None:
        """What the program does with an item, in its order."""
        threads, plan = self._threads, self._plan
        computed = [op for op in self._items.operations if has_tile(op) and op not in self._items.transfers]
        scalars = [value for op in computed for value in op.operands if not isinstance(value.type, TileType)]
        values: dict[Value, Value] = dict(of_item(build, scalars, threads.item(build, slot)))
        boxes = {
            shape: Box.of(build, tiling, threads.rank, plan.team, threads.works)
            for shape, tiling in plan.tilings.items()
        }
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
            return self._slot(op, slot).read_box(build, boxes[value.type.shape])

        def write(op: Operation, value: Value) -> None:
            # what is read here may lie where others are about to write
            found = held(value)
            if state.reads or state.writes:
                self._synchronize(build)
            state.reads, state.writes = False, True
            box = boxes[tile_type(value).shape]
            inner = build if box.writes is None else emit.open_if(build, box.writes)
            self._slot(op, slot).write(inner, box, found)

        def factor(value: Value) -> Slot:
            if state.writes:
                self._synchronize(build)
                state.writes = False
            state.reads = True
            op = value.defining_op
            assert op is not None
            return self._slot(op, slot)

        for op in self._items.operations:
            build.location = op.location
            match op:
                case tile.Load():
                    continue
                case tile.Store():
                    write(op, op.value)
                    continue
                case tile.Mma():
                    box = boxes[tile_type(op.out).shape]
                    start = held(op.acc)
                    multiply = unit_product if box.tiling.unit else product
                    values[op.out] = multiply(build, op, box, (factor(op.lhs), factor(op.rhs)), start)
                case _ if has_tile(op):
                    values[op.results[0]] = _registers(build, op, held, boxes[tile_type(op.results[0]).shape])
                case _:
                    continue
            if op in self._memory:
                write(op, op.results[0])
                del values[op.results[0]]


class _State:
    """What the threads of a crew have done to slabs since they waited for each other."""

    reads = False
    writes = False


def _registers(build: Builder, op: Operation, held: Callable[[Value], Value], box: Box) -> Value:
    """An operation on the registers of tiles instead of all their elements."""
    type_ = FragmentType(box.tiling.registers, tile_type(op.results[0]).element)
    if isinstance(op, tile.Splat):
        return build(lane.Fill(held(op.value), result_types=[type_])).out
    new: Any = type(op).of_parts([held(value) for value in op.operands], [type_], dict(op.attributes))
    new.places = op.places
    return build(new).results[0]


def _addresses(transfers: Sequence[Transfer]) -> list[Value]:
    """The values that say where tiles lie."""
    return [value for t in transfers for value in (t.op.memref, *t.op.indices)]


def _box_of(build: Builder, memory: Value, indices: Sequence[Value], shape: tuple[int, ...]) -> Value:
    """The box at `indices`; modes behind those of the shape are dropped."""
    type_ = emit.memref_type(memory)
    result = MemrefType(type_.element, shape, type_.strides[: len(shape)], type_.space)
    sizes = (*shape, *(0,) * (type_.order - len(shape)))
    starts = (None,) * type_.order
    return build(memref.Subview(memory, list(indices), [], starts, sizes, result_types=[result])).out
