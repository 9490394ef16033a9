"""One iteration of a loop with several products: what begins first, where accumulators are awaited, what goes on
meanwhile.

Products that need nothing that is computed begin at once, then the last product of the iteration before. Accumulators
are awaited where they are used first; those that were begun later go on. Products of what is computed are awaited at
once. ptxas moves waits in front of what threads compute, up to the last product that is begun: then all products are
over before that begins, unless the loop is a pipeline (`pipelining.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import scf, tile
from tilewright.dialects.arith import And, Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead, late_product, needs_nothing
from tilewright.transforms.schedule.products.beside import Beside
from tilewright.transforms.schedule.products.decided import decided, inlined
from tilewright.transforms.schedule.products.put_off import PutOff
from tilewright.transforms.schedule.products.sources import Source, is_source
from tilewright.transforms.schedule.products.staging import Staging

_NOTHING: Final[Mapping[Beside, Value]] = {}
_NONE: Final = PutOff()


class Ring(Struct, frozen=True):
    """Stages of the factors of products that run ahead: of one, or of several that multiply the same tiles.

    Of each stage there are two barriers in memory: one for what arrives there, one for warps that have read it. What is
    loaded `beside` them has memory of as many stages.
    """

    ops: tuple[tile.Mma, ...]
    sources: Sequence[tuple[Staging, Source]]
    barriers: Value
    readers: Value
    beside: Mapping[Beside, Value] = _NOTHING


class Rings(Protocol):
    """A loop and the rings of its products."""

    @property
    def loop(self) -> scf.For: ...
    @property
    def ahead(self) -> Ahead: ...
    def ring_of(self, op: tile.Mma) -> Ring | None:
        """Where factors of a product run ahead."""
        ...

    def in_turn(self, build: Builder) -> AbstractContextManager[None]:
        """What groups of warps do one after the other, if they take turns."""
        ...

    def await_factors(self, build: Builder, op: tile.Mma, turn: Value) -> None:
        """Wait until the factors that a product of a turn has of its ring have arrived."""
        ...

    def begin(self, build: Builder, op: tile.Mma, turn: Value, known: Mapping[Value, Value]) -> Value:
        """Begin a product whose factors of a turn have arrived."""
        ...

    def copy(self, build: Builder, index: Value, turn: Value) -> None:
        """Ask for what iterations to come need, where those before a turn have read, or nobody has."""
        ...

    def read(self, build: Builder, op: tile.Mma, turn: Value) -> None:
        """Say that this warp has awaited the product of a turn."""
        ...


class Iteration:
    """One iteration of the loop: `known` says what stands for its index and for what the loop carries.

    The product `late` of the iteration before goes on beside it, with what is `waiting` for its operands; `handed` is
    what the loop carries for its accumulators. What is `put_off` is computed behind the products that are begun first:
    here for the iteration before, whose values `waiting` has, and in the next one for this one.
    """

    def __init__(
        self,
        rings: Rings,
        build: Builder,
        known: dict[Value, Value],
        turn: Value,
        late: tile.Mma | None = None,
        waiting: Mapping[Value, Value] | None = None,
        handed: Value | None = None,
        put_off: PutOff = _NONE,
    ) -> None:
        self._rings, self._build, self._known, self._turn = rings, build, known, turn
        self._late, self._waiting, self._handed, self._put_off = late, dict(waiting or {}), handed, put_off
        self._begun: list[tuple[Value, Value]] = []
        """Of each product that has been begun what it gives in the program, and its accumulators on their way."""
        self._there = set[Value]()
        self._arrived: list[Ring] = []
        self._read = set[Operation]()
        self._last = late_product(rings.loop, rings.ahead.products)

    def new(self, value: Value) -> Value:
        """What stands for a value of the loop."""
        return self._known.get(value, value)

    def run(self, but: tile.Mma | None = None, *, asks: bool = True) -> None:
        """Emit all but one product. If it `asks`, it issues the copies of what iterations to come multiply."""
        rings, body = self._rings, list(self._rings.loop.body.entry)[:-1]
        products = frozenset(rings.ahead.products)
        first = [
            op for op in rings.ahead.products if op is not but and needs_nothing(op, rings.loop, rings.ahead.ahead)
        ]
        build, late, before = self._build, self._late, turn_before(self._build, self._turn, 2 * rings.ahead.stages)
        early = [(op, self._turn) for op in first]
        if late is not None:
            early.append((late, before))
        takes_turns = rings.ahead.turns > 1
        for op, turn in early if takes_turns else ():
            # the others wait for the turn to be passed on, not for factors
            self._await_factors(op, turn)
        with rings.in_turn(build):
            for op, turn in early:
                if not takes_turns:
                    self._await_factors(op, turn)
                if op is late:
                    self._scale(build)
                if op is late and self._handed is not None:
                    self._begun.append((self._handed, rings.begin(build, op, turn, self._waiting)))
                else:
                    self._begun.append((op.out, self._begin(op)))
        if late is not None:
            for op in self._put_off.lines:
                build(op.clone(self._waiting))
            self._known.update(self._put_off.handed_on(rings.loop, self._waiting))
        if asks:
            rings.copy(build, self._known[rings.loop.index], self._turn)
        last = _only_for(but, body)
        for op in body:
            if op is but or op in last or op in first or op in self._put_off.ops or is_source(op, products):
                continue
            self._await_for(op)
            if isinstance(op, tile.Mma) and op in products:
                self._await_all()
                self._await_factors(op, self._turn)
                self._begun.append((op.out, self._begin(op)))
                self._await_all()
            else:
                self._compute(op)
        self._await_all()
        for op in last:
            # registers that the last product of the iteration before reads are free now
            self._build(op.clone(self._known))

    def _compute(self, op: Operation) -> None:
        """Write an operation, of a branch that is decided what it does."""
        loop = self._rings.loop
        region = decided(op, loop, self._known[loop.index]) if isinstance(op, scf.If) else None
        if isinstance(op, scf.If) and region is not None:
            inlined(self._build, op, region, self._known)
        else:
            self._build(op.clone(self._known))

    def _scale(self, build: Builder) -> None:
        """Compute what the late product adds to. Its accumulators have been awaited; they are tied to the products that
        go on, in front of which LLVM would compute it, as it does behind the last iteration."""
        if self._put_off.sums and self._handed is not None:
            sums = self._waiting[self._handed]
            self._waiting[self._handed] = build(gpu.AwaitMma(sums, pending=len(self._begun), others=True)).out
        for op in self._put_off.sums:
            build(op.clone(self._waiting))

    def _await_factors(self, op: tile.Mma, turn: Value) -> None:
        """Wait for what a product has of its ring, unless another one that has it too has waited."""
        ring = self._rings.ring_of(op)
        is_there = any(each is ring for each in self._arrived)
        if op is self._late:
            is_there = ring is not None and len(ring.ops) > 1
        if ring is not None and not is_there:
            self._arrived.append(ring)
            self._rings.await_factors(self._build, op, turn)

    def _await_for(self, op: Operation) -> None:
        """Wait for the accumulators that an operation uses."""
        used = {value for inner in op.walk() for value in inner.operands}
        for value, _ in self._begun:
            if value in used:
                self._await_for_value(value)

    def _await_for_value(self, value: Value) -> None:
        if value not in self._there:
            self._await(value)

    def _await_all(self) -> None:
        for value, _ in self._begun:
            self._await_for_value(value)

    def _await(self, value: Value) -> None:
        """Wait for accumulators; what has been begun later may go on."""
        build = self._build
        number = next(k for k, (found, _) in enumerate(self._begun) if found is value)
        pending = len(self._begun) - number - 1
        self._there.add(value)
        if value is self._handed:
            self._end_block()
        self._known[value] = build(gpu.AwaitMma(self._begun[number][1], pending=pending, others=pending > 0)).out
        self._say_read(value)

    def _end_block(self) -> None:
        """Let ptxas leave the wait for the late product behind what threads have computed, if they scale its sums.

        It moves waits to the front of a basic block. One ends where a branch begins, if only no iteration takes it:
        behind the last one there would be factors to wait for once more.
        """
        rings, build = self._rings, self._build
        if self._late is not None and self._late.acc is not self._handed and rings.ring_of(self._late) is not None:
            index = self._known[rings.loop.index]
            is_behind = build(Cmp(Predicate.GE, index, rings.loop.upper)).out
            never = emit.open_if(build, is_behind)
            rings.await_factors(never, self._late, turn_before(never, self._turn, 2 * rings.ahead.stages))

    def _begin(self, op: tile.Mma) -> Value:
        """Begin a product of this iteration."""
        return self._rings.begin(self._build, op, self._turn, self._known)

    def _say_read(self, value: Value) -> None:
        """Stages of the product whose accumulators have been awaited may be copied to."""
        build, rings = self._build, self._rings
        if value is self._handed and self._late is not None:
            rings.read(build, self._late, turn_before(build, self._turn, 2 * rings.ahead.stages))
        elif isinstance(op := value.defining_op, tile.Mma):
            self._read.add(op)
            ring = rings.ring_of(op)
            # the last product of the loop reads what there is for others too, an iteration later
            if ring is not None and self._last not in ring.ops and self._read.issuperset(ring.ops):
                rings.read(build, op, self._turn)


def _only_for(late: tile.Mma | None, body: Sequence[Operation]) -> list[Operation]:
    """The last operation that computes a factor of a product in registers, and nothing else."""
    if late is None:
        return []
    makers = [value.defining_op for value in (late.lhs, late.rhs) if list(value.uses) == [late]]
    return [op for op in body if op in makers and PURE in op.definition.traits and not isinstance(op, tile.Permute)]


def turn_behind(build: Builder, turn: Value, count: int) -> Value:
    """The next one of so many, which go round."""
    following = emit.add(build, turn, build.index(1))
    if is_power_of_two(count):
        return build(And(following, build.index(count - 1))).out
    is_last = build(Cmp(Predicate.EQ, turn, build.index(count - 1))).out
    return emit.select(build, is_last, build.index(0), following)


def turn_before(build: Builder, turn: Value, count: int) -> Value:
    """The one before of so many, which go round."""
    if is_power_of_two(count):
        return build(And(emit.add(build, turn, build.index(count - 1)), build.index(count - 1))).out
    is_first = emit.equals_zero(build, turn)
    return emit.select(build, is_first, build.index(count - 1), emit.sub(build, turn, build.index(1)))


def stage_of(build: Builder, turn: Value, stages: int) -> tuple[Value, Value]:
    """Stage and parity of a turn, which goes twice round the stages."""
    again = build(Cmp(Predicate.GE, turn, build.index(stages))).out
    parity = emit.select(build, again, build.index(1), build.index(0))
    if is_power_of_two(stages):
        return build(And(turn, build.index(stages - 1))).out, parity
    return emit.select(build, again, emit.sub(build, turn, build.index(stages)), turn), parity


def is_power_of_two(count: int) -> bool:
    """Whether numbers that go round below `count` are those of some bits."""
    return count & (count - 1) == 0
