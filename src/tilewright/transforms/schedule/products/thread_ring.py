"""A loop whose factors all threads copy to shared memory some iterations ahead.

before:  %sum = scf.for %k .. (%acc = %zero) { %a = tile.load .. %b = tile.load .. yield (tile.mma %a, %b, %acc) }
after:   %s = memref.alloca -> memref<f16x64x128x3,..,local>  ..  gpu.copy_async .. %s[0, 0, 0]  gpu.commit_copies  ..
         %sum = scf.for %k .. (%acc = %zero, %stage = 0) {
           gpu.await_copies {pending = 1}  team.barrier
           scf.if %more { gpu.copy_async %a[..], %s[0, 0, %before] .. }  gpu.commit_copies
           %next = gpu.mma %s, %stage, .., %acc ..
         }

The barrier of an iteration says two things at once: all threads have waited for their part of its stage, and all have
read the stage that is loaded next, which is that of the iteration before.

Warps that multiply from registers read ahead of that barrier, too, so that their instructions follow each other:

         gpu.await_copies  team.barrier  %x, %y = gpu.read_parts %s, 0, 0 ..
         %sum = scf.for %k .. (%acc = %zero, %stage = 0, %a = %x, %b = %y) {
           scf.if %more { gpu.copy_async %a[..], %s[0, 0, %before] .. }  gpu.commit_copies
           %c, %d = gpu.read_parts %s, %stage, 8 ..          %first = gpu.mma_parts %a, %b, %acc
           gpu.await_copies {pending = 1}  team.barrier
           %e, %f = gpu.read_parts %s, %following, 0 ..      %next = gpu.mma_parts %c, %d, %first
         }

Where blocks go on from tile to tile, what stands in front of the loop stands in front of the loop over tiles, and once
more behind the loop, for the next tile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Protocol

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import scf, team, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Value
from tilewright.ir.types import BOOL, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead
from tilewright.transforms.schedule.products.around import Around, at_tile
from tilewright.transforms.schedule.products.iterations import (
    at_iteration,
    carried,
    carry,
    finish,
    hand_on,
    is_iteration,
    step_of,
)
from tilewright.transforms.schedule.products.overlapping import turn_behind
from tilewright.transforms.schedule.products.parts import Multiplication, Parts, Stages
from tilewright.transforms.schedule.products.plan import ProductPlan
from tilewright.transforms.schedule.products.sources import Source
from tilewright.transforms.schedule.products.staging import Staging

NOTHING: Final[Mapping[Value, Value]] = {}


class Placement(Protocol):
    """The products of a kernel, and the memory of their factors."""

    def run_ahead(self, ahead: Ahead) -> list[tuple[Staging, Source]]:
        """The factors that a loop loads ahead: how they get to their places, and from where."""
        ...

    def plan(self, op: tile.Mma) -> ProductPlan:
        """How a product is computed."""
        ...

    def in_memory(self, op: tile.Mma) -> list[int]:
        """The sides of the factors that lie in shared memory."""
        ...

    def memory_of(self, op: tile.Mma, side: int) -> Value:
        """Where a factor lies."""
        ...

    def bring(self, build: Builder, op: tile.Mma, side: int) -> None:
        """Bring a factor to the only stage of its memory, from its load if that may be done here."""
        ...

    def put(self, build: Builder, op: tile.Mma, side: int) -> None:
        """Write a factor that is there to the only stage of its memory."""
        ...

    def show(self, build: Builder, ops: Sequence[tile.Mma]) -> None:
        """Let instructions that read factors from memory by themselves see what this thread has written there."""
        ...

    def multiply(
        self, build: Builder, op: tile.Mma, stages: tuple[Value, Value], meanwhile: Callable[[Builder], None]
    ) -> None:
        """Multiply a stage of either factor; a unit that works by itself leaves time for copies meanwhile."""
        ...


class ThreadRing:
    """A loop while its factors run ahead."""

    def __init__(self, placement: Placement, loop: scf.For, ahead: Ahead) -> None:
        self._placement, self._loop, self._ahead = placement, loop, ahead
        self._sources = placement.run_ahead(ahead)
        self._step = step_of(loop)

    def place(self, *, first: bool = True) -> None:
        """Load the `first` stages before the loop, if nobody else does, and in it the one that is needed some
        iterations on."""
        ahead = self._ahead
        if first:
            build = Builder.before_op(self._loop)
            build(team.Barrier(fence_local=True))
            # what all iterations share arrives with the first stage
            for op in ahead.products:
                for side in range(2):
                    if (op, side) in ahead.once:
                        self._placement.bring(build, op, side)
            self.fill(build, {})
        if self._reads_ahead:
            self._multiply_ahead(ahead.products[0])
        else:
            self._multiply()

    def fill(self, build: Builder, known: Mapping[Value, Value]) -> None:
        """Begin to load all stages but one for the first iterations of a tile, of which `known` says what stands for
        values in front of the loop; all that they held before has been read."""
        lower, upper = (known.get(bound, bound) for bound in (self._loop.lower, self._loop.upper))
        first = _wide(build, lower)
        for number in range(self._ahead.stages - 1):
            index, stage = emit.add(build, first, build.index(number * self._step)), build.index(number)
            there = at_iteration(build, self._loop, index, first, upper)
            if there is not None:
                self._begin(there, index, stage, known=known)
            build(gpu.CommitCopies())

    def fill_between(self, around: Around) -> None:
        """Begin to load the first stages of a tile behind the loop of the one before, and of the first tile in front of
        all: what becomes of accumulators runs meanwhile."""
        loop, tiles = self._loop, around.loop
        assert loop.block is not None
        before, behind = Builder.before_op(tiles), Builder(loop.block, loop.next, loop.location)
        lower = _wide(before, tiles.lower)
        self._fill_tile(before, around, lower, lower)
        present = _wide(behind, tiles.index)
        step = behind.index(1) if tiles.step is None else _wide(behind, tiles.step)
        self._fill_tile(behind, around, emit.add(behind, present, step), present)
        # from now on its iterations follow each other
        tiles.parallel = False

    def _fill_tile(self, build: Builder, around: Around, index: Value, present: Value) -> None:
        """Do so for the tile of an index, if there is one, when all have read the stages of the one before."""
        build(team.Barrier(fence_local=True))
        found = at_tile(build, around, index, present)
        if found is None:
            return
        there, known = found
        self.fill(there, known)

    @property
    def _reads_ahead(self) -> bool:
        """Whether the first parts of a stage are read while the last ones of that before are multiplied."""
        op, *others = self._ahead.products
        is_there = all((op, side) in self._ahead.ahead | self._ahead.once for side in range(2))
        return not others and is_there and not self._placement.plan(op).instruction.reads_memory

    def _await(self, build: Builder) -> None:
        """Wait for the stage that is read next."""
        build(gpu.AwaitCopies(self._ahead.stages - 2))
        self._placement.show(build, self._ahead.products)
        build(team.Barrier(fence_local=True))

    def _stages(self, build: Builder, op: tile.Mma, read: Value) -> Stages:
        """Of the factors of a product; those that are the same in all iterations have one."""
        lhs, rhs = (read if (op, side) in self._ahead.ahead else build.index(0) for side in range(2))
        return lhs, rhs

    def _multiply(self) -> None:
        """Multiply a stage when it is there."""
        loop, ahead = self._loop, self._ahead
        read = carried(Builder.before_op(loop), loop, ahead.stages, "stage")
        body = loop.body.entry
        assert body.first is not None
        self._await(Builder(body, body.first, loop.location))
        for op in ahead.products:
            first = op is ahead.products[0]
            copies = partial(self._following, read=read) if first else _nothing
            now = [side for side in self._placement.in_memory(op) if (op, side) not in ahead.ahead | ahead.once]
            build = Builder.before_op(op)
            for side in now:
                # those of the iteration before have been read: all threads have been at the barrier since
                self._placement.put(build, op, side)
            if now:
                self._placement.show(build, [op])
                build(team.Barrier(fence_local=True))
            self._placement.multiply(build, op, self._stages(build, op, read), copies)

    def _multiply_ahead(self, op: tile.Mma) -> None:
        """Multiply what has been read of a stage, and read of the next one before the last of it is multiplied."""
        loop, placement = self._loop, self._placement
        product = Multiplication(placement.plan(op), (placement.memory_of(op, 0), placement.memory_of(op, 1)))
        build = Builder.before_op(loop)
        first = self._first(build, op, product)
        read = carried(build, loop, self._ahead.stages, "stage")
        parts = carry(loop, first[0], "lhs"), carry(loop, first[1], "rhs")
        build = Builder.before_op(op)
        self._following(build, read)
        total, last = product.all_but_last(build, self._stages(build, op, read), op.acc, parts)
        self._await(build)
        behind = self._behind(build, read)
        for value in product.read(build, self._stages(build, op, behind), build.index(0)):
            hand_on(loop, value)
        finish(op, product.multiply(build, total, last))

    def _first(self, build: Builder, op: tile.Mma, product: Multiplication) -> Parts:
        """What the first iteration multiplies first, if there is one."""
        loop, zero = self._loop, build.index(0)
        self._await(build)
        lower = _wide(build, loop.lower)
        there = is_iteration(build, loop, lower, lower)
        if there is True:
            return product.read(build, self._stages(build, op, zero), zero)
        (then, first), (orelse, second) = new_region(), new_region()
        at = Builder.at_end(first, build.location)
        read = product.read(at, self._stages(at, op, zero), zero)
        at(scf.Yield(list(read)))
        at = Builder.at_end(second, build.location)
        at(scf.Yield([at.zero(each.type) for each in read]))
        condition = build.constant(False, BOOL) if there is False else there
        lhs, rhs = build(scf.If(condition, then, orelse, result_types=[each.type for each in read])).outs
        return lhs, rhs

    def _behind(self, build: Builder, read: Value) -> Value:
        """The stage that the next iteration reads; without one that of this iteration again."""
        loop, present = self._loop, _wide(build, self._loop.index)
        more = is_iteration(build, loop, emit.add(build, present, build.index(self._step)), present)
        assert isinstance(more, Value), "the index of a loop is not known"
        return emit.select(build, more, turn_behind(build, read, self._ahead.stages), read)

    def _following(self, build: Builder, read: Value) -> None:
        """Begin to load the stage that has been read last, for the iteration that will read it, if there is one."""
        last = build.index(self._ahead.stages - 1)
        stage = emit.select(build, emit.equals_zero(build, read), last, emit.sub(build, read, build.index(1)))
        present = _wide(build, self._loop.index)
        index = emit.add(build, present, build.index((self._ahead.stages - 1) * self._step))
        there = at_iteration(build, self._loop, index, present)
        if there is not None:
            self._begin(there, index, stage, often=True)
        build(gpu.CommitCopies())

    def _begin(
        self, build: Builder, index: Value, stage: Value, *, known: Mapping[Value, Value] = NOTHING, often: bool = False
    ) -> None:
        """Begin to load the factors of an iteration."""
        type_ = self._loop.index.type
        assert isinstance(type_, ScalarType)
        known = {**known, self._loop.index: emit.cast(build, index, type_)}
        for op in self._ahead.slices:
            build(op.clone(known))
        for staging, source in self._sources:
            staging.load(build, stage, source, known, often=often)


def _nothing(build: Builder) -> None:
    """What is done meanwhile if there is nothing to do."""


def _wide(build: Builder, value: Value) -> Value:
    return emit.to_index(build, value)
