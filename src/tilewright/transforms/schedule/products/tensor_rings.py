"""A loop with several products whose factors the machine copies by itself, or that threads have in registers.

before:  %o = scf.for %k .. (%m = .., %acc = ..) {
           %s = tile.mma %q, (tile.load ..), %zero  ..  %p = .. %s ..  %rest = .. %acc ..
           yield .., (tile.mma %p, (tile.load ..), %rest)
         }
after:   (the first iteration, without its last product)
         %left = scf.for %k .. (%m = .., %before = %rest, %factor = %p, %turn = 1) {
           gpu.await_phase ..  %s = gpu.mma ..      gpu.await_phase ..  %o = gpu.mma %factor, .., %before
           (copies)  gpu.await_mma %s {pending = 1, others}  gpu.arrive ..  %acc = gpu.await_mma %o  gpu.arrive ..
           yield .., %rest, %p, ..
         }
         %o = gpu.mma ..  gpu.await_mma

What the loop only hands on is multiplied an iteration later, beside products that need nothing of the iteration before:
while threads wait for neither, they compute the next factor. Each product has a ring of stages, a barrier for each that
counts what has arrived there, and one at which each warp arrives that has awaited the product of the stage. One thread
awaits these, once it has begun the products of an iteration, and asks for what goes to the stages that the iteration
before has read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import gpu_turns as turns
from tilewright.dialects import scf, team, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.memref import Alloca
from tilewright.ir.core import Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead, late_product
from tilewright.transforms.schedule.products.iterations import at_iteration
from tilewright.transforms.schedule.products.overlapping import Iteration, Ring, stage_of, turn_before, turn_behind
from tilewright.transforms.schedule.products.pipelining import pipelined

Multiply = Callable[[Builder, tile.Mma, tuple[Value, Value], Mapping[Value, Value]], Value]
"""Begins a product of stages of both factors, of what stands for its operands; the sums, which nobody has awaited."""


class TensorRings(Struct, frozen=True):
    """A loop with products whose factors are loaded in it, the same in all iterations or in registers."""

    loop: scf.For
    ahead: Ahead
    rings: Sequence[Ring]
    step: int
    multiply: Multiply
    warps: int
    bring: Callable[[Builder], None]
    """Brings the factors that are the same in all iterations."""

    def place(self) -> None:
        """Write the loop anew, with copies in front of it and in it."""
        loop, late = self.loop, self._late
        build = Builder.before_op(loop)
        if not _is_first(loop):
            # what this thread has written where boxes are read, or accessed where they go, comes first
            build(gpu.FenceAsync(everywhere=True))
            build(team.Barrier(fence_local=True, fence_global=True))
        for ring in self.rings:
            build(tensors.OpenBarriers(ring.barriers, arrivals=1))
            build(tensors.OpenBarriers(ring.readers, arrivals=self.warps))
        build(team.Barrier(fence_local=True))
        if self.ahead.overlap:
            found = self._if_any(build, partial(pipelined, self))
        elif late is None:
            found = self._without(build)
        else:
            found = self._if_any(build, lambda inside: self._rotated(inside, late))
        for out, value in zip(loop.outs, found, strict=True):
            value.name = value.name or out.name
            out.replace_all_uses_with(value)
        build(team.Barrier(fence_local=True))
        for ring in self.rings:
            build(tensors.CloseBarriers(ring.barriers))
            build(tensors.CloseBarriers(ring.readers))
        loop.drop_all()
        loop.erase()

    @property
    def _end(self) -> scf.Yield:
        end = self.loop.body.entry.last
        assert isinstance(end, scf.Yield), "a loop with sums carries them"
        return end

    @property
    def _late(self) -> tile.Mma | None:
        """The last product if its sums are nothing but handed on."""
        return late_product(self.loop, self.ahead.products)

    @property
    def _stages(self) -> int:
        return self.ahead.stages

    # The loop

    def _without(self, build: Builder) -> list[Value]:
        """Iterations that end with all of their products awaited."""
        self.fill(build)
        loop = emit.open_loop(
            build, self.loop.lower, self.loop.upper, self.loop.step, [*self.loop.inits, build.index(0)]
        )
        loop.op.unroll = False
        known: dict[Value, Value] = dict(zip(self.loop.carried, loop.carried, strict=False))
        known[self.loop.index] = loop.index
        iteration = Iteration(self, loop.body, known, loop.carried[-1])
        iteration.run()
        found = [iteration.new(value) for value in self._end.operands]
        return loop.finish([*found, turn_behind(loop.body, loop.carried[-1], 2 * self._stages)])[:-1]

    def _if_any(self, build: Builder, some: Callable[[Builder], list[Value]]) -> list[Value]:
        """The iterations if there are any, else what the loop begins with."""
        loop, lower, upper = self.loop, emit.integer_of(self.loop.lower), emit.integer_of(self.loop.upper)
        if lower is not None and upper is not None and lower < upper:
            return some(build)
        (then, first), (orelse, second) = new_region(), new_region()
        branch = build(
            scf.If(emit.less(build, loop.lower, loop.upper), then, orelse, result_types=[v.type for v in loop.outs])
        )
        inside = Builder.at_end(first, loop.location)
        inside(scf.Yield(some(inside)))
        Builder.at_end(second, loop.location)(scf.Yield(list(loop.inits)))
        return list(branch.outs)

    def _rotated(self, build: Builder, late: tile.Mma) -> list[Value]:
        """The first iteration without its last product, the others each with that of the one before, and the last."""
        old, place = self.loop, list(self._end.operands).index(late.out)
        self.fill(build)
        known: dict[Value, Value] = {**dict(zip(old.carried, old.inits, strict=True)), old.index: old.lower}
        zero = build.index(0)
        if self.ahead.turns > 1:
            build(turns.OpenTurns(self.ahead.turns))
        first = Iteration(self, build, known, zero)
        first.run(but=late)
        # what the product needs, beside its factors in memory
        needs = [late.acc, *(value for value in (late.lhs, late.rhs) if self._is_held(late, value))]
        handed = [*self._end.operands[:place], needs[0], *self._end.operands[place + 1 :], *needs[1:]]
        inits = [first.new(value) for value in handed]
        second, count = self._second(build), 2 * self._stages
        loop = emit.open_loop(build, second, old.upper, old.step, [*inits, build.index(1 % count)])
        loop.op.unroll = False
        *carried, turn = loop.carried
        known = {**dict(zip(old.carried, carried, strict=False)), old.index: loop.index}
        waiting = {needs[0]: carried[place], **dict(zip(needs[1:], carried[len(old.carried) :], strict=True))}
        iteration = Iteration(self, loop.body, known, turn, late, waiting, old.carried[place])
        iteration.run(but=late)
        values = [iteration.new(value) for value in handed]
        *outs, turn = loop.finish([*values, turn_behind(loop.body, turn, count)])
        waiting = {needs[0]: outs[place], **dict(zip(needs[1:], outs[len(old.carried) :], strict=True))}
        before = turn_before(build, turn, count)
        ring = self.ring_of(late)
        if ring is not None and len(ring.ops) == 1:
            # others have waited for what they multiply too
            self.await_factors(build, late, before)
        with self.in_turn(build):
            begun = self.begin(build, late, before, waiting)
        if self.ahead.turns > 1:
            build(turns.CloseTurns(self.ahead.turns))
        outs[place] = build(gpu.AwaitMma(begun)).out
        return outs[: len(old.carried)]

    def _is_held(self, op: tile.Mma, value: Value) -> bool:
        """Whether a factor is in registers."""
        side = 0 if value is op.lhs else 1
        return (op, side) not in self.ahead.ahead | self.ahead.once

    def _second(self, build: Builder) -> Value:
        """The index of the second iteration, or that behind the last if there is none."""
        loop, lower = self.loop, emit.integer_of(self.loop.lower)
        type_ = emit.scalar_type(loop.index.type)
        if lower is not None and abs(lower) + self.step < 1 << 31:
            return build.constant(lower + self.step, type_)
        present, upper = emit.to_index(build, loop.lower), emit.to_index(build, loop.upper)
        following = emit.add(build, present, build.index(self.step))
        more = emit.less(build, following, upper)
        if type_ is INDEX:
            # what lies beyond the largest index has wrapped
            more = emit.both(build, more, emit.less(build, present, following))
        return emit.cast(build, emit.select(build, more, following, upper), type_)

    # Rings

    def ring_of(self, op: tile.Mma) -> Ring | None:
        """Where factors of a product run ahead."""
        return next((ring for ring in self.rings if op in ring.ops), None)

    def _behind(self, ring: Ring) -> int:
        """How many iterations lie between what an iteration asks for and what it is the stage of."""
        return 2 if any(self.ahead.is_late(self.loop, op) for op in ring.ops) else 1

    def fill(self, build: Builder) -> None:
        """Ask for the stages that iterations do not ask for."""
        lower = emit.to_index(build, self.loop.lower)
        for number in range(self._stages):
            index = emit.add(build, lower, build.index(number * self.step))
            for ring in self.rings:
                if number + self._behind(ring) < self._stages:
                    self._load(build, ring, index, lower, build.index(number), None)
        # these arrive while the others are on their way
        self.bring(build)

    def copy(self, build: Builder, index: Value, turn: Value) -> None:
        """Ask for what iterations to come need, where those before a turn have read, or nobody has."""
        present = emit.to_index(build, index)
        for ring in self.rings:
            before = turn
            for _ in range(self._behind(ring)):
                before = turn_before(build, before, 2 * self._stages)
            stage, parity = self._at(build, before)
            following = emit.add(build, present, build.index((self._stages - self._behind(ring)) * self.step))
            self._load(build, ring, following, present, stage, parity)

    def read(self, build: Builder, op: tile.Mma, turn: Value) -> None:
        """Say that this warp has awaited the product of a turn."""
        ring = self.ring_of(op)
        if ring is not None:
            stage, _ = self._at(build, turn)
            build(tensors.Arrive(ring.readers, stage))

    def _load(
        self, build: Builder, ring: Ring, index: Value, present: Value, stage: Value, parity: Value | None
    ) -> None:
        """Ask for the boxes of an iteration if there is one, behind the readers of a phase."""
        there = at_iteration(build, self.loop, index, present)
        if there is None:
            return
        known: dict[Value, Value] = {self.loop.index: emit.cast(there, index, emit.scalar_type(self.loop.index.type))}
        for op in self.ahead.slices:
            there(op.clone(known))
        total = sum(tensors.bytes_of_stage(gpu.memref_of(staging.buffer)) for staging, _ in ring.sources)
        if parity is not None:
            there(tensors.AwaitReaders(ring.readers, stage, parity))
        there(tensors.Expect(ring.barriers, stage, total))
        for staging, source in ring.sources:
            box = staging.box(source, known)
            modes = (box.near, box.far)
            there(tensors.CopyTensor(box.view, box.indices, staging.buffer, stage, ring.barriers, stage, modes))

    def _at(self, build: Builder, turn: Value) -> tuple[Value, Value]:
        """Stage and parity of a turn."""
        return stage_of(build, turn, self._stages)

    @contextmanager
    def in_turn(self, build: Builder) -> Generator[None]:
        """What groups of warps do one after the other, if they take turns."""
        if self.ahead.turns > 1:
            build(turns.AwaitTurn(self.ahead.turns))
        yield
        if self.ahead.turns > 1:
            build(turns.PassTurn(self.ahead.turns))

    def await_factors(self, build: Builder, op: tile.Mma, turn: Value) -> None:
        """Wait until the factors that a product of a turn has of its ring have arrived."""
        ring = self.ring_of(op)
        if ring is not None:
            build(tensors.AwaitPhase(ring.barriers, *self._at(build, turn)))

    def begin(self, build: Builder, op: tile.Mma, turn: Value, known: Mapping[Value, Value]) -> Value:
        """Begin a product whose factors of a turn have arrived."""
        stage, zero = build.index(0), build.index(0)
        if self.ring_of(op) is not None:
            stage, _ = self._at(build, turn)
        lhs, rhs = (stage if (op, side) in self.ahead.ahead else zero for side in range(2))
        return self.multiply(build, op, (lhs, rhs), known)


def _is_first(loop: scf.For) -> bool:
    """Whether nothing in front of a loop accesses shared memory or writes, but for barriers."""
    for at in (loop, *loop.ancestors()):
        if isinstance(at, scf.For | scf.While) and at is not loop:
            return False
        before = at.previous
        while before is not None:
            if not _is_quiet(before):
                return False
            before = before.previous
    return True


def _is_quiet(op: Operation) -> bool:
    """Whether an operation does nothing to memory but allocate it, or read what is global."""
    if isinstance(op, Alloca):
        return True
    effects = op.effects()
    return effects is not None and all(effect.kind in (EffectKind.READ, EffectKind.HINT) for effect in effects)
