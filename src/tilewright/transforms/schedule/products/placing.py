"""place-products: factors get places in shared memory, and products the instructions that compute them.

before:  %a = tile.load ..  %b = tile.load ..  %sum = tile.mma %a, %b, %acc
after:   %s = memref.alloca -> memref<f16x64x128x1,..,local>  ..  team.barrier  gpu.copy_async .. %s[0, 0, 0]  ..
         gpu.commit_copies  gpu.await_copies {pending = 0}  team.barrier  %sum = gpu.mma %s, 0, .., %acc ..

In a loop factors run ahead: by threads (`thread_ring.py`), or by the machine's unit for tensors (`tensor_ring.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import ClassVar, Final

from msgspec import Struct, field

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import scf, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.gpu_clusters import cluster_of, partners
from tilewright.dialects.memref import Alloca
from tilewright.ir.core import Block, Value
from tilewright.ir.layouts import Owner
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Maps
from tilewright.ir.types import I64, AddressSpace, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.known import runs_lanes, teams_of
from tilewright.transforms.schedule.products.ahead import Ahead, Side, late_product, not_copied
from tilewright.transforms.schedule.products.asked_maps import AskedMaps, surely
from tilewright.transforms.schedule.products.choice import Products, block_of, choose_products, products_of
from tilewright.transforms.schedule.products.cluster_ring import ClusterRing
from tilewright.transforms.schedule.products.factor_memory import Places
from tilewright.transforms.schedule.products.iterations import branched, finish, step_of
from tilewright.transforms.schedule.products.matrices import Matrix, matrix_of
from tilewright.transforms.schedule.products.overlapping import Ring
from tilewright.transforms.schedule.products.parts import Multiplication
from tilewright.transforms.schedule.products.plan import MOST_SUM_REGISTERS, WARP, ProductPlan
from tilewright.transforms.schedule.products.producer_ring import ProducerRing, Words
from tilewright.transforms.schedule.products.put_off import PutOff, put_off
from tilewright.transforms.schedule.products.shared_factors import ALIGNMENT
from tilewright.transforms.schedule.products.sources import Source, source_of
from tilewright.transforms.schedule.products.staging import Leaves, Staging
from tilewright.transforms.schedule.products.storing import Stored, await_stores
from tilewright.transforms.schedule.products.tensor_ring import TensorRing
from tilewright.transforms.schedule.products.tensor_rings import Stay, TensorRings
from tilewright.transforms.schedule.products.thread_ring import ThreadRing
from tilewright.transforms.schedule.products.whole_boxes import all_inside
from tilewright.transforms.schedule.recompute_tiles import is_quiet
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.tile_values import tile_type

_AS_THEY_ARE: Final[Mapping[Value, Value]] = {}
_LONG: Final = 128 * 256
"""Accumulators of a block whose steps take long."""
_HALF: Final = 2
"""Bytes of the types whose rings go on to the next tile in the last iterations of one, where each step is long.

f16 on an H200, K of 128, 256, 1024 and 4096: 256x128 has 1.00, 1.06, 1.02, 1.01 of the speed without; 192x128 lost 1 %.
"""


class PlaceProducts(Pass, frozen=True):
    """Place the products of kernels that go to the lane level."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    name: ClassVar[str] = "place-products"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if runs_lanes(kernel) and products_of(kernel):
                found = choose_products(kernel, block_of(kernel, self.policy), schedule_of(kernel))
                _Placement(kernel, found, teams_of(kernel).threads, dict(found.plans), dict(found.memory)).place()
                changed = True
        return changed


class _Placement(Struct):
    """The products of one kernel, and the memory of their factors."""

    kernel: Kernel
    products: Products
    threads: int
    plans: dict[tile.Mma, ProductPlan]
    memory: dict[tile.Mma, Places]
    buffers: list[Value] = field(default_factory=list[Value])
    sources: dict[Side, Source] = field(default_factory=dict[Side, Source])
    aligned: set[Side] = field(default_factory=set[Side])
    """Those whose matrices begin, with all rows, at multiples of 16 bytes."""
    leaves: dict[Side, Leaves] = field(default_factory=dict[Side, Leaves])
    """Where boxes may leave their matrices, if not anywhere."""
    mapped: Block | None = None
    """The branch for launches with maps of factors and of the matrix that is stored: nothing else is asked in it."""

    def place(self) -> None:
        """Rewrite all products."""
        self.sources = self._quiet_sources()
        first = self.kernel.body.entry.first
        assert first is not None
        build = Builder.before_op(first)
        for type_ in self.products.buffers:
            self.buffers.append(build(Alloca(alignment=ALIGNMENT, result_types=[type_])).out)
        stored = self.products.stored
        is_repeated = isinstance(stored, Stored) and stored.store.parent_op in self.products.loops
        if isinstance(stored, Stored) and is_repeated:
            # iterations are copied
            self._store(build, stored)
        for loop, ahead in self.products.loops.items():
            if ahead.by_tensor:
                self._by_tensor(build, loop, ahead)
            else:
                self._by_threads(loop, ahead)
        if isinstance(stored, Stored) and not is_repeated:
            self._store(build, stored)
        in_loops = {op for ahead in self.products.loops.values() for op in ahead.products}
        for op in self.products.plans:
            if op not in in_loops:
                self._now(op)

    def _store(self, build: Builder, stored: Stored) -> None:
        """Let the machine store accumulators."""
        await_stores(self.kernel.body.entry if self.mapped is None else self.mapped)
        tests = self._asked.tests if self.mapped is None else surely
        stored.place(build(Alloca(alignment=ALIGNMENT, result_types=[stored.slabs])).out, tests)

    def _by_threads(self, loop: scf.For, ahead: Ahead) -> None:
        """A loop whose factors threads copy; where matrices do not begin at 16 bytes, or end in a box, another one with
        tests for each copy. Where a launch says how matrices begin, so that loops are short, a third one has tests
        along the terms, for boxes that leave matrices nowhere else."""
        build, sources = Builder.before_op(loop), self.run_ahead(ahead)
        found = [staging.tested_matrix(source) for staging, source in sources]
        matrices = [matrix for matrix in found if matrix is not None and not self._copies_elements]
        is_aligned = self._asked.tests(build, matrices) if matrices else None
        is_inside = all_inside(build, loop, ahead.slices, sources)
        is_told = schedule_of(self.kernel).maps in (Maps.DEMANDED, Maps.NONE) and is_inside is not None
        ends_behind = all_inside(build, loop, ahead.slices, sources, terms=False) if is_told else None
        if ahead.around is not None:
            ThreadRing(self, loop, ahead).fill_between(ahead.around)
        conditions = [each for each in (is_aligned, is_inside) if each is not None]
        ways = [(loop, ahead)]
        if conditions:
            condition = conditions[0] if len(conditions) == 1 else emit.both(build, *conditions)
            ways.append(self._twin(ahead, loop, loop, condition))
        self.aligned.update(compress(ahead.copied, [matrix in matrices for matrix in found]))
        if is_inside is not None:
            self.leaves |= dict.fromkeys(ahead.copied, Leaves.NOWHERE)
        if ends_behind is not None:
            second, its = ways[-1]
            ways.append(self._twin(its, second, second, ends_behind))
            self.leaves |= dict.fromkeys(its.copied, Leaves.BEHIND_TERMS)
        for each, its in ways:
            ThreadRing(self, each, its).place(first=ahead.around is None)

    @property
    def _copies_elements(self) -> bool:
        """Whether nothing is copied 16 bytes at a time that may begin elsewhere."""
        return schedule_of(self.kernel).maps is Maps.NONE

    @property
    def _asked(self) -> AskedMaps:
        """How the kernel finds out which maps a launch has."""
        return AskedMaps.of(self.kernel, self.products)

    def _place_twin(self, ahead: Ahead, loop: scf.For, outer: scf.For, condition: Value) -> None:
        """Let a loop, in another one or that itself, run only on a condition, else one in which threads copy."""
        ThreadRing(self, *self._twin(ahead, loop, outer, condition)).place()

    def _twin(self, ahead: Ahead, loop: scf.For, outer: scf.For, condition: Value) -> tuple[scf.For, Ahead]:
        """The other one of two loops, of which a condition chooses."""
        same = dict(zip(outer.walk(), branched(condition, outer).walk(), strict=True))
        twin = same[loop]
        assert isinstance(twin, scf.For)
        for op in ahead.products:
            other = same[op]
            assert isinstance(other, tile.Mma)
            self.plans[other], self.memory[other] = self.plans[op], self.memory[op]
        return twin, ahead.of_twin(same)

    def _by_tensor(self, build: Builder, loop: scf.For, ahead: Ahead) -> None:
        """A loop whose factors the machine copies; threads do in a second one, for matrices that have no map."""
        words = MemrefType(I64, (ahead.stages,), (1,), AddressSpace.LOCAL)
        sources = self.run_ahead(ahead)
        stay = self._staying(ahead)
        staying = [self._source(op, side) for op, side in stay]
        boxes = [staging.box(source, {}) for staging, source in (*sources, *staying)]
        boxes += [each.box({}) for each in ahead.beside]
        matrices = [found for box in boxes if isinstance(found := matrix_of(box.view, box.near), Matrix)]
        assert len(matrices) == len(boxes), "choose-products has asked"
        # a block that goes on from tile to tile asks once
        outer = loop if ahead.around is None else ahead.around.loop
        stored = self.products.stored
        schedule = schedule_of(self.kernel)
        # where blocks share terms ptxas has no register left for that: 256 x 128 spilled 20 bytes
        apart = schedule.maps is Maps.DEMANDED or schedule.stream or len(ahead.products) > 1
        together = isinstance(stored, Stored) and not apart and stored.is_asked_with(matrices, outer)
        asked = [*matrices, stored.matrix] if isinstance(stored, Stored) and together else matrices
        has_maps = self._asked.tests(Builder.before_op(outer), asked)
        if has_maps is not None:
            self._place_twin(ahead, loop, outer, has_maps)
            self.mapped = outer.block if together else None
        if len(ahead.products) == 1 and ahead.roles:
            opened = [build(Alloca(result_types=[words])).out for _ in range(2)]
            order = MemrefType(I64, (ahead.sides,), (1,), AddressSpace.LOCAL)
            opened += [build(Alloca(result_types=[order])).out] * (ahead.sides > 1)
            together = len(partners(cluster_of(loop), 0)) if ahead.shared else 1
            sharing = (ahead.shared, together)
            ring = ProducerRing(loop, ahead, sources, Words(*opened), step_of(loop), self.threads // WARP, *sharing)
            ring.place(self.begin)
            return
        if len(ahead.products) == 1:
            barriers = build(Alloca(result_types=[words])).out
            plan = self.plans[ahead.products[0]]
            goes_on = plan.layout.count(Owner.REG) == MOST_SUM_REGISTERS and plan.instruction.factor.bytes == _HALF
            cluster = self._cluster(build, loop, ahead, words)
            ring = TensorRing(loop, ahead, sources, barriers, step_of(loop), plan.rows.read, cluster, goes_on)
            ring.place(self.begin)
            return
        rings = [
            Ring(
                ops,
                [self._source(op, side) for op, side in ahead.copied if op in ops],
                *(build(Alloca(result_types=[words])).out for _ in range(2)),
                # there is one ring then
                beside={each: self.buffers[self.products.beside[each]] for each in ahead.beside},
            )
            for ops in ahead.together
        ]
        stays: Stay | None = None
        if stay:
            word = MemrefType(I64, (1,), (1,), AddressSpace.LOCAL)
            ops = tuple(dict.fromkeys(op for op, _ in stay))
            stays = Stay(ops, staying, build(Alloca(result_types=[word])).out)
        bring = partial(self._bring, [each for each in ahead.shared_by_all if each not in stay], ahead)
        late = late_product(loop, ahead.products) if ahead.turns > 1 else None
        later = PutOff() if late is None else put_off(loop, late, self.plans, ahead.ahead)
        TensorRings(loop, ahead, rings, step_of(loop), self.begin, self.threads // WARP, bring, stays, later).place()

    @staticmethod
    def _cluster(build: Builder, loop: scf.For, ahead: Ahead, words: MemrefType) -> ClusterRing | None:
        """What a ring needs that blocks of a cluster fill for each other."""
        if not ahead.shared:
            return None
        released = build(Alloca(result_types=[words])).out
        is_long = all(tile_type(op.out).size >= _LONG for op in ahead.products)
        return ClusterRing(released, len(partners(cluster_of(loop), 0)), ahead.shared, ahead.stages, is_long)

    def _staying(self, ahead: Ahead) -> list[Side]:
        """The factors that all iterations share and the machine copies too."""
        if ahead.around is not None:
            return list(ahead.shared_by_all)
        return [each for each in ahead.shared_by_all if self._is_copied(*each)]

    def _is_copied(self, op: tile.Mma, side: int) -> bool:
        source, plan = self.sources.get((op, side)), self.plans[op]
        return source is not None and not not_copied(source, (plan.lhs, plan.rhs)[side], side)

    def _bring(self, shared: Sequence[Side], ahead: Ahead, build: Builder) -> None:
        """Let threads bring what all iterations share."""
        if shared:
            for op, side in shared:
                self.bring(build, op, side)
            self.arrive(build, ahead.products)

    def _source(self, op: tile.Mma, side: int) -> tuple[Staging, Source]:
        """How a factor that runs ahead gets to its place, and from where."""
        source = self._source_of(op, (op.lhs, op.rhs)[side])
        assert source is not None, "factors that run ahead are loads"
        return self.staging(op, side), source

    def staging(self, op: tile.Mma, side: int) -> Staging:
        """How a factor of a product gets to its place."""
        plan, memory = self.plans[op], self.memory_of(op, side)
        is_aligned, leaves = (op, side) in self.aligned, self.leaves.get((op, side), Leaves.ANYWHERE)
        factor = (plan.lhs, plan.rhs)[side]
        return Staging(factor, side, memory, self.threads, is_aligned, leaves, by_element=self._copies_elements)

    def _quiet_sources(self) -> dict[Side, Source]:
        """Loads that may as well be done where their factor is brought to shared memory: nothing lies between."""
        homes = {op: loop for loop, ahead in self.products.loops.items() for op in ahead.products}
        found: dict[Side, Source] = {}
        for op in self.plans:
            for side, value in enumerate((op.lhs, op.rhs)):
                place, source = homes.get(op, op), self._source_of(op, value)
                if source is not None and source.load.block is place.block and is_quiet(source.load, place):
                    found[op, side] = source
        return found

    def plan(self, op: tile.Mma) -> ProductPlan:
        """How a product is computed."""
        return self.plans[op]

    def memory_of(self, op: tile.Mma, side: int) -> Value:
        """Where a factor lies."""
        number = self.memory[op][side]
        assert number is not None, "factors in registers have no place"
        return self.buffers[number]

    def in_memory(self, op: tile.Mma) -> list[int]:
        """The sides of the factors that lie in shared memory."""
        return [side for side, number in enumerate(self.memory[op]) if number is not None]

    def bring(self, build: Builder, op: tile.Mma, side: int) -> None:
        """Bring a factor to the only stage of its memory, from its load if that may be done here."""
        source = self.sources.get((op, side))
        if source is None:
            self.put(build, op, side)
        else:
            self.staging(op, side).load(build, build.index(0), source, {})

    def put(self, build: Builder, op: tile.Mma, side: int) -> None:
        """Write a factor that is there to the only stage of its memory."""
        self.staging(op, side).stage(build, build.index(0), (op.lhs, op.rhs)[side])

    def _now(self, op: tile.Mma) -> None:
        """Bring the factors of a product to shared memory where it stands."""
        build = Builder.before_op(op)
        build(team.Barrier(fence_local=True))
        for side in self.in_memory(op):
            self.bring(build, op, side)
        self.arrive(build, [op])
        zero = build.index(0)
        self.multiply(build, op, (zero, zero), _nothing)

    def arrive(self, build: Builder, ops: Sequence[tile.Mma]) -> None:
        """Wait until what has been brought is there for all threads."""
        build(gpu.CommitCopies())
        build(gpu.AwaitCopies(0))
        self.show(build, ops)
        build(team.Barrier(fence_local=True))

    def show(self, build: Builder, ops: Sequence[tile.Mma]) -> None:
        """Let instructions that read factors from memory by themselves see what this thread has written there."""
        if any(self.plans[op].instruction.reads_memory for op in ops):
            build(gpu.FenceAsync())

    def multiply(
        self, build: Builder, op: tile.Mma, stages: tuple[Value, Value], meanwhile: Callable[[Builder], None]
    ) -> None:
        """Multiply a stage of either factor; a unit that works by itself leaves time for copies meanwhile."""
        waits = self.plans[op].instruction.reads_memory
        if not waits:
            meanwhile(build)
        found = self.begin(build, op, stages)
        if waits:
            meanwhile(build)
            found = build(gpu.AwaitMma(found)).out
        finish(op, found)

    def begin(
        self,
        build: Builder,
        op: tile.Mma,
        stages: tuple[Value, Value],
        known: Mapping[Value, Value] = _AS_THEY_ARE,
        half: int | None = None,
    ) -> Value:
        """Multiply a stage of either factor; the accumulators, for which one may have to wait. `known` stand for
        operands.

        Where threads read the rows, it may be the first `half` along k, 0, or the second one, 1.
        """
        plan, memory, acc = self.plans[op], self.memory[op], known.get(op.acc, op.acc)
        lhs, rhs = (
            known.get(value, value) if number is None else self.buffers[number]
            for number, value in zip(memory, (op.lhs, op.rhs), strict=True)
        )
        first = 0
        if plan.rows.read:
            depth = plan.rows.depth if half is None else plan.rows.depth // 2
            first = depth * (half or 0)
            read = Multiplication(plan, (lhs, rhs)).read_rows(build, stages, first, depth)
            lhs, rhs = (lhs, read) if plan.swapped else (read, rhs)
        scales = (plan.lhs.outer_scale, plan.rhs.outer_scale, plan.lhs.depth_scale)
        along, warps = (plan.lhs.along_outer, plan.rhs.along_outer), (plan.lhs.warps, plan.rhs.warps)
        name, swapped = plan.instruction.name, plan.swapped
        return build(gpu.Mma(lhs, stages[0], rhs, stages[1], acc, name, warps, scales, along, swapped, first)).out

    def run_ahead(self, ahead: Ahead) -> list[tuple[Staging, Source]]:
        """The factors that a loop loads ahead: how they get to their places, and from where."""
        return [self._source(op, side) for op, side in ahead.copied]

    def _source_of(self, op: tile.Mma, value: Value) -> Source | None:
        return source_of(value, self.plans[op].instruction)


def _nothing(build: Builder) -> None:
    """What is done meanwhile if there is nothing to do."""
