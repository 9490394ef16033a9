"""A loop whose factors the machine copies by itself: one thread issues copies of boxes, barriers count what has
arrived.

before:  %sum = scf.for %k .. (%acc = %zero) { %a = tile.load .. %b = tile.load .. yield (tile.mma %a, %b, %acc) }
after:   gpu.open_barriers %full  ..  gpu.expect %full, 0  gpu.copy_tensor %a[..], %s, 0, %full, 0  ..
         %left = scf.for %k .. (%acc = %zero, %turn = 0) {
           gpu.await_phase %full, %stage, %parity
           %begun = gpu.mma %s, %stage, .., %acc   %next = gpu.await_mma %begun {pending = 1}   team.barrier
           scf.if %more { gpu.expect %full, %before  gpu.copy_tensor %a[..], %s, %before, %full, %before .. }
         }
         %sum = gpu.await_mma %left   team.barrier   gpu.close_barriers %full

A product goes on while the next one is begun. The barrier of an iteration says that all threads have awaited the
product of the iteration before, so its stage may be loaded. Iterations count their turns, which go twice round the
stages: the parity of a stage's phase is whether it is the second time.

Where blocks go on from tile to tile, the ring does: barriers are opened once, turns are counted on, and the first boxes
of the next tile are prefetched in the last iterations of this one, as if its own went on. What becomes of its
accumulators runs meanwhile. Of fewer iterations than there are stages, or in clusters, they are copied behind the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from tilewright.dialects import gpu_clusters as clusters
from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf, team, tile
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import Alloca
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead, Around
from tilewright.transforms.schedule.products.cluster_ring import ClusterRing
from tilewright.transforms.schedule.products.iterations import (
    at_iteration,
    carried,
    carry,
    finish,
    hand_on,
    handed_on,
    is_iteration,
    stage_of,
)
from tilewright.transforms.schedule.products.loops import is_reading
from tilewright.transforms.schedule.products.sources import Source
from tilewright.transforms.schedule.products.staging import Staging

_NOTHING: Final[Mapping[Value, Value]] = {}
_NEVER: Final = (1 << 63) - 1
"""An index that no iteration has."""


class Multiply(Protocol):
    """Begins a product of stages of both factors; the accumulators, which nobody has awaited."""

    def __call__(
        self,
        build: Builder,
        op: tile.Mma,
        stages: tuple[Value, Value],
        known: Mapping[Value, Value] = ...,
        half: int | None = ...,
    ) -> Value: ...


class NextTile(Struct, frozen=True):
    """The tile behind this one: what stands for values that say where its factors lie, how far its iterations lie
    behind those of this one. From index `begin` on it is prefetched, on a `condition` beside that if there is one.
    """

    known: Mapping[Value, Value]
    distance: Value
    begin: Value
    condition: Value | None = None


class TensorRing(Struct, frozen=True):
    """A loop with one product, both of whose factors run ahead; `barriers` is the memory of one for each stage.

    If threads read the rows (`reads`), a product is two: registers of one half are read while the other half goes on.
    `cluster` is there where blocks fill each other's stages. If it `goes_on`, it prefetches the next tile's.
    """

    loop: scf.For
    ahead: Ahead
    sources: Sequence[tuple[Staging, Source]]
    barriers: Value
    step: int
    reads: bool = False
    cluster: ClusterRing | None = None
    goes_on: bool = False

    @property
    def _depth(self) -> int:
        """How many iterations lie between what is prefetched and what is multiplied."""
        return self.ahead.stages - 1 - (0 if self.cluster is None else self.cluster.lag)

    def place(self, multiply: Multiply) -> None:
        """Ask for the first stages before the loop, and in it for the one that is needed some iterations on."""
        loop, count, around = self.loop, self.ahead.stages, self.ahead.around
        (op,) = self.ahead.products
        build = Builder.before_op(loop if around is None else around.loop)
        if not is_first(loop if around is None else around.loop):
            # what this thread has written where boxes are read, or accessed where they go, comes first
            build(gpu.FenceAsync(everywhere=True))
            build(team.Barrier(fence_local=True, fence_global=True))
        build(tensors.OpenBarriers(self.barriers, arrivals=1))
        if self.cluster is None:
            build(team.Barrier(fence_local=True))
        else:
            self.cluster.open(build)
        if around is None:
            self._first(build, None, _NOTHING)
            turn = carried(build, loop, 2 * count, "turn")
        else:
            lower = emit.to_index(build, around.loop.lower)
            self._first_of_tile(build, around, lower, lower, None, None)
            # from now on its iterations follow each other
            around.loop.parallel = False
            first = carry(around.loop, build.index(0), "turn")
            turn = carried(Builder.before_op(loop), loop, 2 * count, "turn", first)
        body = loop.body.entry
        assert body.first is not None
        at = Builder(body, body.first, loop.location)
        again = at(Cmp(Predicate.GE, turn, at.index(count))).out
        stage = emit.select(at, again, emit.sub(at, turn, at.index(count)), turn)
        parity = emit.select(at, again, at.index(1), at.index(0))
        at(tensors.AwaitPhase(self.barriers, stage, parity))
        assert loop.block is not None
        following: NextTile | None = None
        if around is not None:
            following = self._next_tile(Builder.before_op(loop), Builder(loop.block, loop.next, loop.location), around)
        behind = Builder(loop.block, loop.next, loop.location)
        self._multiply(op, (stage, parity), multiply, behind, following)
        behind(team.Barrier(fence_local=True))
        if self.cluster is not None:
            self.cluster.release_last(behind, loop, loop.outs[-1])
        if around is not None:
            behind = Builder(build.block, around.loop.next, loop.location)
        if self.cluster is not None:
            self.cluster.close(behind, (loop if around is None else around.loop).outs[-1])
        behind(tensors.CloseBarriers(self.barriers))

    def _next_tile(self, before: Builder, build: Builder, around: Around) -> NextTile | None:
        """Ask for the first stages of the next tile, now that all of this one have been read, unless the loop does that
        with what is returned.

        Where they lie is computed `before` the loop.
        """
        last = self.loop.outs[-1]
        step = before.index(1) if around.loop.step is None else emit.to_index(before, around.loop.step)
        present = emit.to_index(before, around.loop.index)
        following = emit.add(before, present, step)
        known = self._known_of(before, around, following)
        found: NextTile | None = None
        if self.goes_on and self.cluster is None:
            lower, upper = (emit.to_index(before, bound) for bound in (self.loop.lower, self.loop.upper))
            count = self._trips(before, lower, upper)
            end = emit.add(before, lower, emit.mul(before, count, before.index(self.step)))
            few = emit.less(before, count, before.index(self._depth))
            first = emit.to_index(before, known.get(self.loop.lower, self.loop.lower))
            is_asked: Value | None = emit.not_less(before, count, before.index(self._depth))
            is_there = is_iteration(before, around.loop, following, present)
            assert is_there is not False, "one tile has no loop around it"
            is_asked = is_asked if is_there is True else emit.both(before, is_asked, is_there)
            distance = emit.sub(before, first, end)
            if emit.integer_of(self.loop.lower) is not None:
                # one test in each iteration; where blocks share terms there are no registers left for that
                end, is_asked = emit.select(before, is_asked, end, before.index(_NEVER)), None
            found = NextTile(known, distance, end, is_asked)
            build = emit.open_if(build, few)
        self._first_of_tile(build, around, following, present, last, known)
        hand_on(around.loop, last)
        return found

    def _first_of_tile(
        self,
        build: Builder,
        around: Around,
        index: Value,
        present: Value,
        turn: Value | None,
        known: Mapping[Value, Value] | None,
    ) -> None:
        """Ask for the first stages of the tile of an index if there is one, from that turn on."""
        there = at_iteration(build, around.loop, index, present)
        if there is not None:
            self._first(there, turn, self._known_of(there, around, index) if known is None else known)

    @staticmethod
    def _known_of(build: Builder, around: Around, index: Value) -> Mapping[Value, Value]:
        """What stands for the values of the tile of an index that say where its factors lie."""
        type_ = emit.scalar_type(around.loop.index.type)
        known: dict[Value, Value] = {around.loop.index: emit.cast(build, index, type_)}
        for op in around.slices:
            build(op.clone(known))
        return known

    def _first(self, build: Builder, turn: Value | None, known: Mapping[Value, Value]) -> None:
        """Fill the stages of the first iterations, from a turn or 0 on; all before it have been read.

        Each by another warp: issuing copies takes one longer than all that others do meanwhile.
        """
        lower = emit.to_index(build, known.get(self.loop.lower, self.loop.lower))
        upper = known.get(self.loop.upper, self.loop.upper)
        # asked in other words than in front of all: ptxas would keep a register of what is the same until here
        trips = None if turn is None else self._trips(build, lower, emit.to_index(build, upper))
        for number in range(self._depth):
            index = emit.add(build, lower, build.index(number * self.step))
            if turn is None or trips is None:
                self._load(build, index, lower, (build.index(number), None), known, number)
                continue
            following = emit.add(build, turn, build.index(number))
            stage = stage_of(build, following, self.ahead.stages)
            parity = None if self.cluster is None else self.cluster.parity_of_first(build, following)
            there = emit.open_if(build, emit.less(build, build.index(number), trips))
            self._ask(there, index, (stage, parity), known, number)

    def _trips(self, build: Builder, lower: Value, upper: Value) -> Value:
        """How many iterations there are between two bounds, or no more than none."""
        terms = emit.add(build, emit.sub(build, upper, lower), build.index(self.step - 1))
        return emit.quotient(build, terms, self.step)

    def _multiply(
        self,
        op: tile.Mma,
        turn: tuple[Value, Value],
        multiply: Multiply,
        behind: Builder,
        next_tile: NextTile | None,
    ) -> None:
        """The product of a stage, in a phase of a parity, awaited an iteration later if it is handed on to the next one
        and nowhere else."""
        stage, parity = turn
        place = handed_on(self.loop, op)
        build = Builder.before_op(op)
        pending = int(place is not None)
        begun = multiply(build, op, (stage, stage), half=0 if self.reads else None)
        found = build(gpu.AwaitMma(begun, pending=pending)).out
        build(team.Barrier(fence_local=True))
        self._following(build, stage, parity, next_tile)
        if self.reads:
            begun = multiply(build, op, (stage, stage), {op.acc: found}, half=1)
            found = build(gpu.AwaitMma(begun, pending=pending)).out
        finish(op, found)
        if place is not None:
            await_behind(behind, self.loop.outs[place])

    def _following(self, build: Builder, read: Value, parity: Value, next_tile: NextTile | None) -> None:
        """Ask for the stage that was read in the iteration before, for the iteration that will read it: of this tile or
        of the next one."""
        ahead = self.ahead.stages - 1
        stage = emit.select(
            build, emit.equals_zero(build, read), build.index(ahead), emit.sub(build, read, build.index(1))
        )
        present, released = emit.to_index(build, self.loop.index), None
        if self.cluster is not None:
            self.cluster.release(build, self.loop, stage)
            stage, released = self.cluster.next(build, read, parity)
        distance = self._depth * self.step
        following = emit.add(build, present, build.index(distance))
        there = self._there(build, present, following, distance)
        if there is not None:
            self._ask(there, following, (stage, released), _NOTHING, 0)
        if next_tile is None:
            return
        is_asked = emit.not_less(build, following, next_tile.begin)
        if next_tile.condition is not None:
            is_asked = emit.both(build, next_tile.condition, is_asked)
        there = emit.open_if(build, is_asked)
        index = emit.add(there, following, next_tile.distance)
        self._load(there, index, index, (stage, None), next_tile.known)

    def _there(self, build: Builder, present: Value, following: Value, distance: int) -> Builder | None:
        """Where code runs if there is the iteration some iterations on."""
        first, upper = emit.integer_of(self.loop.lower), self.loop.upper
        if first is None or first < 0 or emit.integer_of(upper) is not None or upper.type is not INDEX:
            return at_iteration(build, self.loop, following, present)
        # in other words, so that no sum can wrap: the bound is positive here
        before = Builder.before_op(self.loop)
        last = emit.sub(before, upper, before.index(distance))
        return emit.open_if(build, emit.less(build, present, last))

    def _load(
        self,
        build: Builder,
        index: Value,
        present: Value,
        at: tuple[Value, Value | None],
        tile_of: Mapping[Value, Value],
        warp: int = 0,
    ) -> None:
        """Let a warp issue the copies of the boxes of an iteration if there is one, of a tile whose values `tile_of`
        says.

        They go to the stage `at`, which other blocks have released in a phase of that parity.
        """
        upper = tile_of.get(self.loop.upper, self.loop.upper)
        there = at_iteration(build, self.loop, index, present, upper)
        if there is not None:
            self._ask(there, index, at, tile_of, warp)

    def _ask(
        self, there: Builder, index: Value, at: tuple[Value, Value | None], tile_of: Mapping[Value, Value], warp: int
    ) -> None:
        """Let a warp issue the copies of the boxes of an iteration that there is."""
        known, (stage, released) = self._places(there, index, tile_of), at
        total = sum(tensors.bytes_of_stage(gpu.memref_of(staging.buffer)) for staging, _ in self.sources)
        if self.cluster is not None and released is not None:
            there(tensors.AwaitReaders(self.cluster.released, stage, released, warp))
        there(tensors.Expect(self.barriers, stage, total, warp))
        for staging, source in self.sources:
            box = staging.box(source, known)
            modes, side = (box.near, box.far), staging.outer_dim
            asked = (box.view, box.indices, staging.buffer, stage, self.barriers, stage, modes)
            if self.cluster is not None and side in self.cluster.shared:
                there(clusters.MulticastTensor(*asked, side, warp))
            else:
                there(tensors.CopyTensor(*asked, warp))

    def _places(self, build: Builder, index: Value, tile_of: Mapping[Value, Value]) -> Mapping[Value, Value]:
        """What stands for the values of an iteration that say where its factors lie."""
        type_ = emit.scalar_type(self.loop.index.type)
        known: dict[Value, Value] = {**tile_of, self.loop.index: emit.cast(build, index, type_)}
        for op in self.ahead.slices:
            build(op.clone(known))
        return known


def await_behind(behind: Builder, total: Value) -> None:
    """Await accumulators that leave a loop on their way, for all who use them.

    The first behind the loop: where a branch lies between, ptxas waits for each product (C7514).
    """
    last = gpu.AwaitMma(total)
    total.replace_all_uses_with(behind(last).out)
    last.set_operand(0, total)


def is_first(op: Operation) -> bool:
    """Whether nothing that the kernel does in front of an operation writes or orders memory, or waits."""
    for at in (op, *op.ancestors()):
        if isinstance(at, Kernel):
            break
        if at is not op and not isinstance(at, scf.If):
            return False
        before = at.previous
        while before is not None:
            if not isinstance(before, Alloca) and not is_reading(before):
                return False
            before = before.previous
    return True
