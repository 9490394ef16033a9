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
awaits these, once it has begun the products of an iteration, and issues the copies to the stages that the iteration
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
from tilewright.transforms.schedule.products.around import Around, at_tile
from tilewright.transforms.schedule.products.iterations import carry, hand_on
from tilewright.transforms.schedule.products.overlapping import Iteration, turn_before, turn_behind
from tilewright.transforms.schedule.products.pipelining import pipelined
from tilewright.transforms.schedule.products.put_off import PutOff
from tilewright.transforms.schedule.products.ring_stages import RingStages
from tilewright.transforms.schedule.products.sources import Source
from tilewright.transforms.schedule.products.staging import Staging

Multiply = Callable[[Builder, tile.Mma, tuple[Value, Value], Mapping[Value, Value]], Value]
"""Begins a product of stages of both factors, of what stands for its operands; the accumulators, which nobody has
awaited."""

_Emit = Callable[[Builder], list[Value]]


class Stay(Struct, frozen=True):
    """Factors that are the same in all iterations of a loop; a barrier counts what arrives. If the loop stands in one
    over tiles, there are others for each tile.

    Some of the products `ops` multiply each.
    """

    ops: tuple[tile.Mma, ...]
    sources: Sequence[tuple[Staging, Source]]
    barriers: Value


class TensorRings(RingStages, frozen=True):
    """A loop with products whose factors are loaded in it, the same in all iterations or in registers."""

    multiply: Multiply
    warps: int
    bring: Callable[[Builder], None]
    """Lets threads bring the factors that are the same in all iterations, but for those that `stay` has."""
    stay: Stay | None = None
    later: PutOff = PutOff()
    """What each iteration leaves to the next one."""

    def place(self) -> None:
        """Write the loop anew, with copies in front of it and in it."""
        loop, around = self.loop, self.ahead.around
        outer = loop if around is None else around.loop
        build = Builder.before_op(outer)
        if not _is_first(outer):
            # what this thread has written where boxes are read, or accessed where they go, comes first
            build(gpu.FenceAsync(everywhere=True))
            build(team.Barrier(fence_local=True, fence_global=True))
        for ring in self.rings:
            build(tensors.OpenBarriers(ring.barriers, arrivals=1))
            build(tensors.OpenBarriers(ring.readers, arrivals=self.warps))
        if self.stay is not None:
            build(tensors.OpenBarriers(self.stay.barriers, arrivals=1))
        build(team.Barrier(fence_local=True))
        found, behind = self._iterations(build) if around is None else self._tiles(build, around)
        for out, value in zip(loop.outs, found, strict=True):
            value.name = value.name or out.name
            out.replace_all_uses_with(value)
        behind(team.Barrier(fence_local=True))
        for ring in self.rings:
            behind(tensors.CloseBarriers(ring.barriers))
            behind(tensors.CloseBarriers(ring.readers))
        if self.stay is not None:
            behind(tensors.CloseBarriers(self.stay.barriers))
        loop.drop_all()
        loop.erase()

    def _iterations(self, build: Builder) -> tuple[Sequence[Value], Builder]:
        """The loop by itself; what it gives, and where the code behind it goes."""
        late = self.late
        if self.ahead.overlap:
            return self._if_any(build, partial(pipelined, self), self._inits), build
        if late is None:
            return self._without(build), build
        zero = build.index(0)
        return self._if_any(build, lambda inside: self._rotated(inside, late, zero)[:-1], self._inits), build

    def _inits(self, _: Builder) -> list[Value]:
        """What the loop gives if it has no iteration."""
        return list(self.loop.inits)

    def start(self, build: Builder) -> None:
        """Ask for the first stages, and bring what is the same in all iterations."""
        zero = build.index(0)
        if self.stay is not None:
            self.ask(build, self.stay.sources, {}, self.stay.barriers, zero, {})
        self.fill(build, {}, None)
        # these arrive while the others are on their way
        self.bring(build)
        if self.stay is not None:
            build(tensors.AwaitPhase(self.stay.barriers, zero, zero))

    # From tile to tile

    def _tiles(self, build: Builder, around: Around) -> tuple[Sequence[Value], Builder]:
        """The loop in one over tiles: turns go on, and what a tile begins with is prefetched at the end of the last
        one.

        What the loop gives in each tile, and where the code behind the outer one goes.
        """
        late, outer = self.late, around.loop
        assert late is not None, "choose-products has asked"
        if self.ahead.turns > 1:
            build(turns.OpenTurns(self.ahead.turns))
        lower = emit.to_index(build, outer.lower)
        self._ask(build, around, lower, lower, None)
        turn = carry(outer, build.index(0), "turn")
        at = Builder.before_op(self.loop)
        parity = carry(outer, build.index(0), "parity")
        if self.stay is not None:
            at(tensors.AwaitPhase(self.stay.barriers, at.index(0), parity))
        *found, last = self._if_any(
            at, lambda inside: self._rotated(inside, late, turn), lambda beside: self._without_any(beside, turn)
        )
        hand_on(outer, last)
        hand_on(outer, emit.sub(at, at.index(1), parity))
        assert outer.block is not None
        behind = Builder(outer.block, outer.next, self.loop.location)
        if self.ahead.turns > 1:
            behind(turns.CloseTurns(self.ahead.turns))
        return found, behind

    def _without_any(self, build: Builder, turn: Value) -> list[Value]:
        """What a tile without iterations gives, and the turn behind it."""
        self._ask_next(build, turn)
        return [*self.loop.inits, turn]

    def _ask_next(self, build: Builder, turn: Value) -> None:
        """Ask for what the next tile begins with, from a turn on."""
        around = self.ahead.around
        assert around is not None
        present = emit.to_index(build, around.loop.index)
        step = build.index(1) if around.loop.step is None else emit.to_index(build, around.loop.step)
        self._ask(build, around, emit.add(build, present, step), present, turn)

    def _ask(self, build: Builder, around: Around, index: Value, present: Value, turn: Value | None) -> None:
        """Ask for what a tile begins with if there is one, from a turn on; without one it is the first."""
        found = at_tile(build, around, index, present)
        if found is None:
            return
        there, known = found
        if self.stay is not None:
            self._ask_stay(there, self.stay, known, turn)
        self.fill(there, known, turn)

    def _ask_stay(self, build: Builder, stay: Stay, known: Mapping[Value, Value], turn: Value | None) -> None:
        """Ask for what is the same in a tile, behind the products of the last iteration of the one before."""
        if turn is not None:
            read = {ring.readers: None for op in stay.ops if (ring := self.ring_of(op)) is not None}
            before = self.place_of(build, turn_before(build, turn, 2 * self.stages))
            for readers in read:
                build(tensors.AwaitReaders(readers, *before))
        zero = build.index(0)
        self.ask(build, stay.sources, known, stay.barriers, zero, {})

    @property
    def _end(self) -> scf.Yield:
        end = self.loop.body.entry.last
        assert isinstance(end, scf.Yield), "a loop with accumulators carries them"
        return end

    # The loop

    def _without(self, build: Builder) -> list[Value]:
        """Iterations that end with all of their products awaited."""
        self.start(build)
        loop = emit.open_loop(
            build, self.loop.lower, self.loop.upper, self.loop.step, [*self.loop.inits, build.index(0)]
        )
        loop.op.unroll = False
        known: dict[Value, Value] = dict(zip(self.loop.carried, loop.carried, strict=False))
        known[self.loop.index] = loop.index
        iteration = Iteration(self, loop.body, known, loop.carried[-1])
        iteration.run()
        found = [iteration.new(value) for value in self._end.operands]
        return loop.finish([*found, turn_behind(loop.body, loop.carried[-1], 2 * self.stages)])[:-1]

    def _if_any(self, build: Builder, some: _Emit, none: _Emit) -> list[Value]:
        """What `some` iterations give if there are any, else what `none` gives."""
        loop, lower, upper = self.loop, emit.integer_of(self.loop.lower), emit.integer_of(self.loop.upper)
        if lower is not None and upper is not None and lower < upper:
            return some(build)
        (then, first), (orelse, second) = new_region(), new_region()
        inside, beside = (Builder.at_end(block, loop.location) for block in (first, second))
        found, others = some(inside), none(beside)
        inside(scf.Yield(found))
        beside(scf.Yield(others))
        types = [value.type for value in others]
        branch = build(scf.If(emit.less(build, loop.lower, loop.upper), then, orelse, result_types=types))
        return list(branch.outs)

    def _rotated(self, build: Builder, late: tile.Mma, start: Value) -> list[Value]:
        """The first iteration without its last product, the others each with that of the one before, and the last.

        The turn behind them comes last.
        """
        old, place, goes_on = self.loop, list(self._end.operands).index(late.out), self.ahead.around is not None
        if not goes_on:
            self.start(build)
        known: dict[Value, Value] = {**dict(zip(old.carried, old.inits, strict=True)), old.index: old.lower}
        if self.ahead.turns > 1 and not goes_on:
            build(turns.OpenTurns(self.ahead.turns))
        given, later = old.carried[place], self.later
        first = Iteration(self, build, known, start, put_off=later)
        first.run(but=late, asks=False)
        # what the product needs, beside its factors in memory
        sums = given if later.sums else late.acc
        needs = [value for value in (late.lhs, late.rhs) if self._is_held(late, value)]
        handed = list(self._end.operands)
        handed[place] = sums
        for each in later.places:
            handed[each] = old.carried[each]
        needs += [value for value in later.needs if value not in handed]
        handed += needs
        inits = [first.new(value) for value in handed]
        second, count = self._second(build), 2 * self.stages
        following = turn_behind(build, start, count) if goes_on else build.index(1 % count)
        loop = emit.open_loop(build, second, old.upper, old.step, [*inits, following])
        loop.op.unroll = False
        *carried, turn = loop.carried
        known = {**dict(zip(old.carried, carried, strict=False)), old.index: loop.index}
        waiting = dict(zip(handed, carried, strict=True))
        iteration = Iteration(self, loop.body, known, turn, late, waiting, given, later)
        iteration.run(but=late)
        values = [iteration.new(value) for value in handed]
        *outs, turn = loop.finish([*values, turn_behind(loop.body, turn, count)])
        waiting = dict(zip(handed, outs, strict=True))
        before = turn_before(build, turn, count)
        ring = self.ring_of(late)
        if ring is not None and len(ring.ops) == 1:
            # others have waited for what they multiply too
            self.await_factors(build, late, before)
        for op in later.ops:
            build(op.clone(waiting))
        with self.in_turn(build):
            begun = self.begin(build, late, before, waiting)
        if goes_on:
            self._ask_next(build, turn)
        elif self.ahead.turns > 1:
            build(turns.CloseTurns(self.ahead.turns))
        for each in later.places:
            outs[each] = waiting[self._end.operands[each]]
        outs[place] = build(gpu.AwaitMma(begun)).out
        if goes_on:
            self.read(build, late, before)
        return [*outs[: len(old.carried)], turn]

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

    @contextmanager
    def in_turn(self, build: Builder) -> Generator[None]:
        """What groups of warps do one after the other, if they take turns."""
        if self.ahead.turns > 1:
            build(turns.AwaitTurn(self.ahead.turns))
        yield
        if self.ahead.turns > 1:
            build(turns.PassTurn(self.ahead.turns))

    def begin(self, build: Builder, op: tile.Mma, turn: Value, known: Mapping[Value, Value]) -> Value:
        """Begin a product whose factors of a turn have arrived."""
        stage, zero = build.index(0), build.index(0)
        if self.ring_of(op) is not None:
            stage, _ = self.place_of(build, turn)
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
