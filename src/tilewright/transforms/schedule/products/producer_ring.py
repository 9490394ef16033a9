"""A loop with one product whose factors a producer warp copies (`assign_roles.py`).

before:  %sum = scf.for %k .. (%acc = %zero) { %a = tile.load .. %b = tile.load .. yield (tile.mma %a, %b, %acc) }
after:   gpu.open_barriers %full  gpu.open_barriers %read
         %left = scf.for %k .. (%acc = %zero, %turn = 0) {
           gpu.await_readers %read, %stage, 1 - %parity   gpu.expect %full, %stage   gpu.copy_tensor ..
           gpu.await_phase %full, %stage, %parity
           %begun = gpu.mma %s, %stage, .., %acc   %next = gpu.await_mma %begun {pending = 1}
           gpu.arrive %read, %before
         }
         %sum = gpu.await_mma %left   gpu.arrive %read, %last

As it stands the program issues the copies of a stage right before it waits for it. It is the producer's slice which
runs ahead, held up by nothing but the readers of the round before; those of the first round nobody waits for, since a
barrier that was opened is in a phase of the other parity. No barrier holds the warps of the work-group together.

In a cluster blocks copy shares of a stage for each other: a producer waits for the warps of all blocks that read what
it copies, which arrive at the barriers of each other (`gpu.release_by_warps`). All meet before the first copy, and a
block waits at its end for the last arrivals.

Where two work-groups of a block take tiles by turns (`sides`), the loops over terms follow each other: each side tells
the next one when it has begun its last product. So nobody waits for a stage more than a round before it is filled, for
which a parity would not do, and what one side does with its accumulators comes beside the products of the other one.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import gpu_clusters as clusters
from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import lane_roles, scf, team
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead
from tilewright.transforms.schedule.products.iterations import carried, carry, finish, hand_on, handed_on
from tilewright.transforms.schedule.products.overlapping import stage_of, turn_before, turn_behind
from tilewright.transforms.schedule.products.sources import Source
from tilewright.transforms.schedule.products.staging import Staging
from tilewright.transforms.schedule.products.tensor_ring import Multiply, await_behind, is_first


class Words(Struct, frozen=True):
    """Memory of barriers: for what arrives at stages and for those who have read them, one each; for sides that wait
    for their turns."""

    full: Value
    read: Value
    order: Value | None = None

    @property
    def all(self) -> Sequence[Value]:
        return [each for each in (self.full, self.read, self.order) if each is not None]


class ProducerRing(Struct, frozen=True):
    """A loop with one product, both of whose factors run ahead, by a work-group of so many `warps`.

    Blocks of a cluster copy the factors of the sides `shared` for each other, 0 is the left one: so many of them as are
    `partners` say what they have read to each other.
    """

    loop: scf.For
    ahead: Ahead
    sources: Sequence[tuple[Staging, Source]]
    words: Words
    step: int
    warps: int
    shared: frozenset[int] = frozenset()
    partners: int = 1

    def place(self, multiply: Multiply) -> None:
        """Ask for the stage of each iteration in it, and say when it has been read."""
        loop, around = self.loop, self.ahead.around
        outer = loop if around is None else around.loop
        build = Builder.before_op(outer)
        if not is_first(outer):
            # what this thread has written where boxes are read, or accessed where they go, comes first
            build(gpu.FenceAsync(everywhere=True))
            build(team.Barrier(fence_local=True, fence_global=True))
        for words in self.words.all:
            build(tensors.OpenBarriers(words, arrivals=self._arrivals(words)))
        build(clusters.ClusterBarrier() if self.shared else team.Barrier(fence_local=True))
        before = Builder.before_op(loop)
        first: Value | None = None
        if around is not None:
            # from now on its iterations follow each other
            around.loop.parallel = False
            first = carry(around.loop, build.index(0), "turn")
            hand_on(around.loop, self._turn_behind(before, first))
        turn = carried(before, loop, self._round, "turn", first)
        left = outer.outs[-1]
        assert loop.block is not None
        behind = Builder(loop.block, loop.next, loop.location)
        following: Value | None = None
        if self.words.order is not None:
            assert around is not None, "sides take tiles of a loop over them"
            following = self._await_side(before, around.loop, self.words.order)
        self._multiply(turn, multiply, behind, following)
        assert outer.block is not None
        at_end = behind if around is None else Builder(outer.block, outer.next, loop.location)
        if self.shared:
            self._drain(at_end, left)
        at_end(team.Barrier(fence_local=True))
        for words in self.words.all:
            at_end(tensors.CloseBarriers(words))

    def _arrivals(self, words: Value) -> int:
        """How many end a phase of a word: a producer warp, or all warps that read what one fills."""
        if words is self.words.full:
            return 1
        return self.warps * (self.partners if words is self.words.read else 1)

    def _drain(self, build: Builder, turn: Value) -> None:
        """Wait until nobody arrives at this block's barriers any more, as if all stages were filled once more from the
        turn on that would follow: a block that ended sooner would be missed."""
        for _ in range(self.ahead.stages):
            stage, parity = stage_of(build, turn, self.ahead.stages)
            build(tensors.AwaitPhase(self.words.read, stage, emit.sub(build, build.index(1), parity)))
            turn = turn_behind(build, turn, self._round)

    def _release(self, build: Builder, stage: Value) -> None:
        """Say to whoever fills it that a stage has been read."""
        if self.shared:
            build(clusters.ReleaseByWarps(self.words.read, stage))
        else:
            build(tensors.Arrive(self.words.read, stage))

    @property
    def _round(self) -> int:
        """Turns go twice round the stages."""
        return 2 * self.ahead.stages

    def _turn_behind(self, build: Builder, turn: Value) -> Value:
        """The turn behind all iterations from one on: of arithmetic alone, so that whoever leaves a tile to others
        knows it too."""
        lower, upper = (emit.to_index(build, bound) for bound in (self.loop.lower, self.loop.upper))
        terms = emit.add(build, emit.sub(build, upper, lower), build.index(self.step - 1))
        trips = emit.maximum(build, emit.quotient(build, terms, self.step), build.index(0))
        return emit.rem(build, emit.add(build, turn, trips), build.index(self._round))

    def _await_side(self, before: Builder, tiles: scf.For, words: Value) -> Value:
        """Let each tile's products begin behind those of the one before: a side waits for phases of its word, in which
        the other one arrives. The first tile's is none that anybody waits for. The side behind this one."""
        sides = lane_roles.SIDES
        tiles.attributes[lane_roles.ALTERNATES] = True
        number = carried(Builder.before_op(tiles), tiles, 2 * sides, "number")
        side, again = stage_of(before, number, sides)
        is_first_side = emit.equals_zero(before, side)
        parity = emit.select(before, is_first_side, emit.sub(before, before.index(1), again), again)
        before(tensors.AwaitPhase(words, side, parity))
        return emit.sub(before, before.index(sides - 1), side)

    def _multiply(self, turn: Value, multiply: Multiply, behind: Builder, following: Value | None) -> None:
        """The product of an iteration; if its accumulators are handed on to the next one and nowhere else, it is
        awaited there.

        The side that is `following` is told when the last one has begun.
        """
        (op,) = self.ahead.products
        place, build = handed_on(self.loop, op), Builder.before_op(op)
        stage, parity = stage_of(build, turn, self.ahead.stages)
        self._ask(build, stage, parity)
        build(tensors.AwaitPhase(self.words.full, stage, parity))
        found = build(gpu.AwaitMma(multiply(build, op, (stage, stage)), pending=int(place is not None))).out
        if place is None:
            self._release(build, stage)
        else:
            has_begun = build(Cmp(Predicate.NE, self.loop.index, self.loop.lower)).out
            before, _ = stage_of(build, turn_before(build, turn, self._round), self.ahead.stages)
            self._release(emit.open_if(build, has_begun), before)
        if following is not None:
            self._tell(build, behind, following)
        finish(op, found)
        if place is not None:
            await_behind(behind, self.loop.outs[place])
            self._last(behind)

    def _tell(self, build: Builder, behind: Builder, following: Value) -> None:
        """Tell a side that it may begin: in the last iteration, or behind the loop if there is none."""
        assert self.words.order is not None
        index, upper = emit.to_index(build, self.loop.index), emit.to_index(build, self.loop.upper)
        is_last = emit.not_less(build, build.index(self.step), emit.sub(build, upper, index))
        emit.open_if(build, is_last)(tensors.Arrive(self.words.order, following))
        if not self._has_iterations:
            is_empty = emit.not_less(behind, self.loop.lower, self.loop.upper)
            emit.open_if(behind, is_empty)(tensors.Arrive(self.words.order, following))

    @property
    def _has_iterations(self) -> bool:
        """Whether there surely are some."""
        lower, upper = emit.integer_of(self.loop.lower), emit.integer_of(self.loop.upper)
        return lower is not None and upper is not None and lower < upper

    def _last(self, behind: Builder) -> None:
        """Say that the stage of the last iteration has been read, if there was one."""
        if not self._has_iterations:
            behind = emit.open_if(behind, emit.less(behind, self.loop.lower, self.loop.upper))
        stage, _ = stage_of(behind, turn_before(behind, self.loop.outs[-1], self._round), self.ahead.stages)
        self._release(behind, stage)

    def _ask(self, build: Builder, stage: Value, parity: Value) -> None:
        """Ask for the boxes of this iteration, behind the readers of what lies where they go."""
        build(tensors.AwaitReaders(self.words.read, stage, emit.sub(build, build.index(1), parity)))
        total = sum(tensors.bytes_of_stage(gpu.memref_of(staging.buffer)) for staging, _ in self.sources)
        build(tensors.Expect(self.words.full, stage, total))
        for staging, source in self.sources:
            box = staging.box(source, {})
            modes, side = (box.near, box.far), staging.outer_dim
            asked = (box.view, box.indices, staging.buffer, stage, self.words.full, stage, modes)
            is_shared = side in self.shared
            build(clusters.MulticastTensor(*asked, side) if is_shared else tensors.CopyTensor(*asked))
