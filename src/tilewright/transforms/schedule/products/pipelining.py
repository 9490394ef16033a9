"""Software pipelining of a loop with several products: the first one of each iteration is begun in the one before.

before:  scf.for %k .. (%dv = .., %dk = ..) { %s = mma %q, ..  %d = mma %g, ..   %p = exp2 %s ..  %v = mma %p, .., %dv
           %t = .. %p .. %d ..   %w = mma %t, .., %dk   yield %v, %w }
after:   %s = mma %q, ..   scf.for %k .. (%dv = .., %dk = .., %s = %s) {
           (begin %d)   await %s, %dv        %p = exp2 %s ..   (begin %v, %s of the next iteration)
           await %d, %dk      %t = .. %p .. %d ..   (begin %w)   yield (what goes on) }
         (the last iteration, which begins none for a next one)

ptxas moves waits for accumulators up to the last product that is begun. Here each wait stands behind one, and behind
each there are products that go on while threads compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import scf
from tilewright.dialects.arith import Div, Mul
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.overlapping import Ring, Rings, turn_before, turn_behind
from tilewright.transforms.schedule.products.pipeline_plan import (
    Await,
    Begin,
    Compute,
    Copy,
    Going,
    Of,
    PipelinePlan,
    Step,
    carried_of,
    plan_pipeline,
)


class Filled(Rings, Protocol):
    """A loop and its rings, of which the first stages are filled in front of it."""

    @property
    def step(self) -> int: ...
    @property
    def rings(self) -> Sequence[Ring]: ...
    def place_of(self, build: Builder, turn: Value) -> tuple[Value, Value]:
        """Stage and parity of a turn."""
        ...

    def start(self, build: Builder) -> None:
        """Ask for the first stages, and bring what is the same in all iterations."""
        ...


def pipelined(rings: Filled, build: Builder) -> list[Value]:
    """The iterations of a loop that has some; what it hands on."""
    old, count = rings.loop, 2 * rings.ahead.stages
    plan = plan_pipeline(old, rings.ahead)
    rings.start(build)
    zero = build.index(0)
    rings.await_factors(build, plan.early, zero)
    # awaited: waits of the first iteration count products that it has not begun
    first = build(gpu.AwaitMma(rings.begin(build, plan.early, zero, {}))).out
    ring = rings.ring_of(plan.early)
    if ring is not None and len(ring.ops) == 1:
        rings.read(build, plan.early, zero)
    last = _last_index(build, old, rings.step)
    loop = emit.open_loop(build, old.lower, last, old.step, [*old.inits, first, zero])
    loop.op.unroll = False
    *carried, accumulators, turn = loop.carried
    steady = _Iteration(rings, plan, loop.body, [loop.index, *carried], turn, accumulators, has_next=True)
    steady.run(plan.steady)
    outs = loop.finish([*steady.outs, steady.following, turn_behind(loop.body, turn, count)])
    *outs, accumulators, turn = outs
    final = _Iteration(rings, plan, build, [last, *outs], turn, accumulators, has_next=False)
    final.run(plan.last)
    final.await_all()
    return final.outs


def _last_index(build: Builder, loop: scf.For, step: int) -> Value:
    """Of a loop that has an iteration."""
    lower, upper = emit.to_index(build, loop.lower), emit.to_index(build, loop.upper)
    behind = emit.sub(build, emit.sub(build, upper, lower), build.index(1))
    if step > 1:
        behind = build(Mul(build(Div(behind, build.index(step))).out, build.index(step))).out
    return emit.cast(build, emit.add(build, lower, behind), emit.scalar_type(loop.index.type))


class _Iteration:
    """One iteration: `given` are its index and what the loop carries, which may be on its way.

    `following` are the accumulators of the first product: of this iteration, then, once it is begun, of the next one.
    If there is none (`has_next`), nothing is copied over what has been read.
    """

    def __init__(
        self,
        rings: Filled,
        plan: PipelinePlan,
        build: Builder,
        given: Sequence[Value],
        turn: Value,
        accumulators: Value,
        *,
        has_next: bool,
    ) -> None:
        self._has_next = has_next
        self._rings, self._plan, self._build, self._turn, self.following = rings, plan, build, turn, accumulators
        loop = rings.loop
        self._known: dict[Value, Value] = dict(zip([loop.index, *loop.carried], given, strict=True))
        self._accumulators: dict[Going, Value] = {each: self._known[carried_of(loop, each.op)] for each in plan.handed}
        self._known[plan.early.out] = accumulators
        self._arrived: list[tuple[Ring, Of]] = []

    @property
    def outs(self) -> list[Value]:
        """What the loop hands on, some of it on its way."""
        end = self._rings.loop.body.entry.last
        assert end is not None
        return [self._known.get(value, value) for value in end.operands]

    def run(self, steps: Sequence[Step]) -> None:
        """Emit the steps."""
        for step in steps:
            match step:
                case Begin():
                    self._begin(step)
                case Await():
                    self._await(step.products, step.pending)
                case Copy():
                    self._rings.copy(self._build, self._known[self._rings.loop.index], self._turn)
                case Compute():
                    self._compute(step.op)

    def _compute(self, op: Operation) -> None:
        """What threads do; what is loaded beside factors they read from the stage of this iteration."""
        build, rings = self._build, self._rings
        for ring in rings.rings:
            for each, buffer in ring.beside.items():
                if each.load is op:
                    self._known[each.load.out] = each.read(build, buffer, rings.place_of(build, self._turn)[0])
                    return
        build(op.clone(self._known))

    def await_all(self) -> None:
        """Wait for what goes on."""
        for each in self._plan.adders:
            self._known[each.out] = self._build(gpu.AwaitMma(self._known[each.out])).out

    def _begin(self, step: Begin) -> None:
        build, rings, op = self._build, self._rings, step.op
        turn = self._turn
        if step.of is Of.NEXT:
            turn = turn_behind(build, turn, 2 * rings.ahead.stages)
        ring = rings.ring_of(op)
        # what the first product multiplies has been awaited an iteration before
        has_arrived = step.of is Of.THIS and ring is not None and self._plan.early in ring.ops
        if ring is not None and not has_arrived and (ring, step.of) not in self._arrived:
            self._arrived.append((ring, step.of))
            rings.await_factors(build, op, turn)
        accumulators = self._accumulators[Going(op, step.of)] = rings.begin(build, op, turn, self._known)
        if step.of is Of.THIS:
            self._known[op.out] = accumulators

    def _await(self, products: Sequence[Going], pending: int) -> None:
        build = self._build
        for each in reversed(products):
            found = build(gpu.AwaitMma(self._accumulators[each], pending=pending, others=pending > 0)).out
            if each.of is Of.NEXT:
                self.following = found
            else:
                stands_for = carried_of(self._rings.loop, each.op) if each.of is Of.BEFORE else each.op.out
                self._known[stands_for] = found
        for each in products if self._has_next else ():
            self._release(each)

    def _release(self, going: Going) -> None:
        """Say that a stage has been read if this product is the last that reads it."""
        rings, build, turn, count = self._rings, self._build, self._turn, 2 * self._rings.ahead.stages
        ring = rings.ring_of(going.op)
        if ring is None or going != self._plan.last_of(ring.ops):
            return
        if going.of is Of.NEXT:
            turn = turn_behind(build, turn, count)
        elif going.of is Of.BEFORE:
            # the first iteration follows none
            index = emit.to_index(build, self._known[rings.loop.index])
            build = emit.open_if(build, emit.less(build, emit.to_index(build, rings.loop.lower), index))
            turn = turn_before(build, turn, count)
        rings.read(build, going.op, turn)
