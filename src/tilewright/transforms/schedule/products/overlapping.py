"""One iteration of a loop with several products: what begins first, where sums are awaited, what goes on meanwhile.

Products that need nothing that is computed begin at once, then the last product of the iteration before. Sums are
awaited where they are used first; those that were begun later go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import scf, tile
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead
from tilewright.transforms.schedule.products.sources import Source, is_factor
from tilewright.transforms.schedule.products.staging import Staging


class Ring(Struct, frozen=True):
    """Stages of the factors of one product that run ahead, and the memory of a barrier for each stage."""

    op: tile.Mma
    sources: Sequence[tuple[Staging, Source]]
    barriers: Value


class Rings(Protocol):
    """A loop and the rings of its products."""

    @property
    def loop(self) -> scf.For: ...
    @property
    def ahead(self) -> Ahead: ...
    @property
    def rings(self) -> Mapping[tile.Mma, Ring]: ...

    def begin(self, build: Builder, op: tile.Mma, turn: Value, known: Mapping[Value, Value]) -> Value:
        """Begin a product whose factors of a turn have arrived."""
        ...

    def last(self, build: Builder, turn: Value) -> Builder:
        """Where the last warp to have awaited the products of a turn asks for what goes to their stages."""
        ...

    def copy(self, build: Builder, index: Value, turn: Value, rings: Mapping[tile.Mma, Ring], behind: int) -> None:
        """Ask for the stages that were read at a turn, for iterations to come."""
        ...


class Iteration:
    """One iteration of the loop: `known` says what stands for its index and for what the loop carries.

    The product `late` of the iteration before goes on beside it, with what is `waiting` for its operands; `handed` is
    what the loop carries for its sums.
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
    ) -> None:
        self._rings, self._build, self._known, self._turn = rings, build, known, turn
        self._late, self._waiting, self._handed = late, waiting or {}, handed
        self._begun: list[tuple[Value, Value]] = []
        """Of each product that has been begun what it gives in the program, and its sums on their way."""
        self._there = set[Value]()
        self._left = set(rings.ahead.products)
        """Those that have not been begun, and read their stages later."""
        self._is_copied = False
        """Whether the stages that have been read have been asked for."""

    def new(self, value: Value) -> Value:
        """What stands for a value of the loop."""
        return self._known.get(value, value)

    def run(self, but: tile.Mma | None = None) -> None:
        """Emit all but one product."""
        rings, body = self._rings, list(self._rings.loop.body.entry)[:-1]
        products = frozenset(rings.ahead.products)
        self._left -= {but}
        first = [op for op in rings.ahead.products if op is not but and self._needs_nothing(op)]
        for op in first:
            self._begun.append((op.out, self._begin(op)))
        if self._late is not None and self._handed is not None:
            before = turn_before(self._build, self._turn, 2 * rings.ahead.stages)
            self._begun.append((self._handed, rings.begin(self._build, self._late, before, self._waiting)))
        last = _only_for(but, body)
        for op in body:
            if op is but or op in last or op in first or _is_source(op, products):
                continue
            self._await_for(op)
            if isinstance(op, tile.Mma) and op in products:
                self._await_all()
                self._known[op.out] = self._build(gpu.AwaitMma(self._begin(op))).out
                self._copy_if_read()
            else:
                self._build(op.clone(self._known))
        self._await_all()
        for op in last:
            # registers that a product on its way reads are free now
            self._build(op.clone(self._known))

    def _needs_nothing(self, op: tile.Mma) -> bool:
        """Whether a product can be begun before anything is computed."""
        rings = self._rings
        factors = [value for side, value in enumerate((op.lhs, op.rhs)) if (op, side) not in rings.ahead.ahead]
        return not any(_is_of(value, rings.loop) for value in (op.acc, *factors))

    def _await_for(self, op: Operation) -> None:
        """Wait for the sums that an operation uses."""
        used = {value for inner in op.walk() for value in inner.operands}
        for value, _ in self._begun:
            if value in used and value not in self._there:
                self._await(value)

    def _await_all(self) -> None:
        for value, _ in self._begun:
            if value not in self._there:
                self._await(value)

    def _await(self, value: Value) -> None:
        """Wait for sums; what has been begun later may go on."""
        build = self._build
        number = next(k for k, (found, _) in enumerate(self._begun) if found is value)
        if value is self._handed:
            # the copies that follow are for all that has been read
            for other, _ in self._begun[:number]:
                if other not in self._there:
                    self._await(other)
        pending = len(self._begun) - number - 1
        self._there.add(value)
        self._known[value] = build(gpu.AwaitMma(self._begun[number][1], pending=pending, others=pending > 0)).out
        self._copy_if_read()

    def _begin(self, op: tile.Mma) -> Value:
        """Begin a product of this iteration."""
        self._left.remove(op)
        return self._rings.begin(self._build, op, self._turn, self._known)

    def _copy_if_read(self) -> None:
        """Ask for what goes to the stages once all products that read them, and the late one, have been awaited."""
        build, rings, late = self._build, self._rings, self._late
        if late is None or self._left or self._handed not in self._there or self._is_copied:
            return
        self._is_copied = True
        index, there = self._known[rings.loop.index], rings.last(build, self._turn)
        rings.copy(there, index, self._turn, {op: ring for op, ring in rings.rings.items() if op is not late}, 0)
        if late in rings.rings:
            before = turn_before(there, self._turn, 2 * rings.ahead.stages)
            rings.copy(there, index, before, {late: rings.rings[late]}, 1)


def _is_of(value: Value, loop: scf.For) -> bool:
    """Whether a value is computed or carried by the loop."""
    if isinstance(value, BlockArgument):
        return value.block is loop.body.entry
    return value.defining_op is not None and value.defining_op.block is loop.body.entry


def _is_source(op: Operation, products: frozenset[tile.Mma]) -> bool:
    """Whether an operation loads or turns nothing but factors."""
    return isinstance(op, tile.Load | tile.Permute) and is_factor(op.results[0], products)


def _only_for(late: tile.Mma | None, body: Sequence[Operation]) -> list[Operation]:
    """The last operation that computes a factor of a product in registers, and nothing else."""
    if late is None:
        return []
    makers = [value.defining_op for value in (late.lhs, late.rhs) if list(value.uses) == [late]]
    return [op for op in body if op in makers and PURE in op.definition.traits and not isinstance(op, tile.Permute)]


def turn_behind(build: Builder, turn: Value, count: int) -> Value:
    """The next one of so many, which go round."""
    is_last = build(Cmp(Predicate.EQ, turn, build.index(count - 1))).out
    return emit.select(build, is_last, build.index(0), emit.add(build, turn, build.index(1)))


def turn_before(build: Builder, turn: Value, count: int) -> Value:
    """The one before of so many, which go round."""
    is_first = emit.equals_zero(build, turn)
    return emit.select(build, is_first, build.index(count - 1), emit.sub(build, turn, build.index(1)))
