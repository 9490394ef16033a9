"""What an iteration of a pipelined loop does in which order: what it begins, what it waits for, what goes on meanwhile.

The first product is begun in the iteration before, in front of the first wait behind the operations that use its
accumulators there; if it is begun last, behind all others, so that what is computed of its accumulators may lie in
their registers. Products whose accumulators are only added up (`adders`) are awaited an iteration later. Waits are for
a product and all that were begun before it: what is on its way is a queue, whose order at the end of an iteration is
that at the beginning of the next one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import MovesElements
from tilewright.transforms.schedule.products.ahead import Ahead, adders_of, early_product, needs_nothing
from tilewright.transforms.schedule.products.sources import is_source

_ROUNDS: Final = 4
"""More than it takes until the order of what goes on is that of the iteration before."""


class Of(Enum):
    """Of which iteration a product is."""

    BEFORE = "before"
    THIS = "this"
    NEXT = "next"


class Going(Struct, frozen=True):
    """A product that goes on."""

    op: tile.Mma
    of: Of


class Begin(Struct, frozen=True):
    """Begin a product."""

    op: tile.Mma
    of: Of


class Await(Struct, frozen=True):
    """Wait for products, all but the last `pending` of those that have been begun."""

    products: tuple[Going, ...]
    pending: int


class Copy(Struct, frozen=True):
    """Ask for what iterations to come multiply."""


class Compute(Struct, frozen=True):
    """What threads do."""

    op: Operation


Step = Begin | Await | Copy | Compute


class PipelinePlan(Struct, frozen=True):
    """All iterations but the last one, the last one, and what goes on from one to the next."""

    steady: Sequence[Step]
    last: Sequence[Step]
    handed: Sequence[Going]
    early: tile.Mma
    adders: Sequence[tile.Mma]

    def last_of(self, products: Collection[tile.Mma]) -> Going:
        """Which of products of the same iteration is over last, and in which iteration."""
        waits = [each for step in self.steady if isinstance(step, Await) for each in step.products]
        found = [each for each in waits if each.op in products]
        late = [each for of in (Of.BEFORE, Of.THIS, Of.NEXT) if (each := _last(found, of)) is not None]
        return late[0]


def _last(found: Sequence[Going], of: Of) -> Going | None:
    return next((each for each in reversed(found) if each.of is of), None)


def plan_pipeline(loop: scf.For, ahead: Ahead) -> PipelinePlan:
    """The plan of a loop that has an early product."""
    early, adders = early_product(loop, ahead.products, ahead.ahead), adders_of(loop, ahead.products)
    assert early is not None, "the loop has been asked"
    plans = (_steady(loop, ahead, early, adders, first) for first in ((), adders))
    # the first one waits less; where it leaves nothing that goes on, products and threads would wait for each other
    steady = next((each for each in plans if each.handed), None) or _steady(loop, ahead, early, adders, ())
    handed = steady.handed
    last = _Planner(loop, ahead, early, adders, handed, has_next=False)
    loads = [each.load for each in ahead.beside]
    return PipelinePlan(_with_early(steady.steps, loads), _with_early(last.steps, loads), handed, early, adders)


def _with_early(steps: Sequence[Step], loads: Sequence[tile.Load]) -> Sequence[Step]:
    """The same with loads from shared memory in front of the products that begin before what is loaded is used: while
    these are begun, it arrives."""
    found = list(steps)
    for load in loads:
        place = next(k for k, each in enumerate(found) if isinstance(each, Compute) and each.op is load)
        used = next((k for k, each in enumerate(found) if _uses(each, load.out)), place)
        first = max((k for k in range(used) if isinstance(found[k], Begin)), default=place)
        while first and isinstance(found[first - 1], Begin):
            first -= 1
        if first < place:
            found.insert(first, found.pop(place))
    return found


def _uses(step: Step, value: Value) -> bool:
    """Whether a step computes with a value, or with what is moved of it."""
    if not isinstance(step, Compute) or isinstance(step.op, MovesElements):
        return False
    used = {each for inner in step.op.walk() for each in inner.operands}
    return not used.isdisjoint(_moved(value))


def _moved(value: Value) -> Iterator[Value]:
    """A value and what is moved of it."""
    yield value
    for user in value.uses:
        if isinstance(user, MovesElements):
            yield from _moved(user.results[0])


def _steady(
    loop: scf.For, ahead: Ahead, early: tile.Mma, adders: Sequence[tile.Mma], first: Sequence[tile.Mma]
) -> _Planner:
    """An iteration that hands on what it begins with, found by letting some products go on into the first one."""
    handed: Sequence[Going] = [Going(op, Of.BEFORE) for op in first]
    for _ in range(_ROUNDS):
        steady = _Planner(loop, ahead, early, adders, handed, has_next=True)
        if steady.handed == handed:
            return steady
        handed = steady.handed
    raise AssertionError("what goes on has one order")


class _Planner:
    """One iteration, which begins with what is `handed` on to it."""

    def __init__(
        self,
        loop: scf.For,
        ahead: Ahead,
        early: tile.Mma,
        adders: Sequence[tile.Mma],
        handed: Sequence[Going],
        *,
        has_next: bool,
    ) -> None:
        self._loop, self._products, self._early, self._adders = loop, frozenset(ahead.products), early, adders
        self._going, self._to_begin = list(handed), has_next
        self.steps: list[Step] = []
        self._body = [op for op in list(loop.body.entry)[:-1] if op is not early]
        first = [op for op in ahead.products if op is not early and needs_nothing(op, loop, ahead.ahead)]
        rest = [op for op in self._body if op not in first and not is_source(op, self._products)]
        self._is_last = ahead.last
        self._users = {op for op in rest if op.results} if ahead.last else set(early.out.uses)
        for op in first:
            self._begin(op, Of.THIS)
        if has_next:
            self.steps.append(Copy())
        for op in rest:
            self._add(op)
        self._begin_next()
        self._await([each for each in self._going if self._is_due(each)])
        self.handed: Sequence[Going] = [Going(each.op, Of.BEFORE) for each in self._going]

    def _is_due(self, going: Going) -> bool:
        """Whether the iteration waits for a product at the latest."""
        return going.of is not Of.THIS or going.op not in self._adders

    def _add(self, op: Operation) -> None:
        needed = self._needed(op)
        self._await([each for each in self._going if each in needed])
        if isinstance(op, tile.Mma) and op in self._products:
            self._begin(op, Of.THIS)
        else:
            self.steps.append(Compute(op))
        self._users -= set(op.walk())
        if self._is_last:
            # what has no results, stores, takes no registers
            self._begin_next()

    def _needed(self, op: Operation) -> list[Going]:
        """What is over before an operation begins."""
        used = {value for inner in op.walk() for value in inner.operands}
        before = {adder: carried_of(self._loop, adder) for adder in self._adders}
        found = [Going(each, Of.THIS) for each in self._products if each.out in used]
        # registers that the product of the iteration before reads are written again
        found += [
            Going(adder, Of.BEFORE)
            for adder, value in before.items()
            if op is adder or value in used or any(each.defining_op is op for each in (adder.lhs, adder.rhs))
        ]
        return found

    def _begin(self, op: tile.Mma, of: Of) -> None:
        self.steps.append(Begin(op, of))
        self._going.append(Going(op, of))

    def _begin_next(self) -> None:
        """Begin the first product of the next iteration, once nobody uses the accumulators of this one any more, or
        what is computed of them."""
        if self._to_begin and not self._users:
            self._to_begin = False
            self._begin(self._early, Of.NEXT)

    def _await(self, wanted: Sequence[Going]) -> None:
        if not wanted:
            return
        self._begin_next()
        count = max(map(self._going.index, wanted)) + 1
        over, self._going = tuple(self._going[:count]), self._going[count:]
        self.steps.append(Await(over, len(self._going)))


def carried_of(loop: scf.For, adder: tile.Mma) -> Value:
    """What stands in the loop for the accumulators that the iteration before has handed on."""
    end = loop.body.entry.last
    assert end is not None
    return loop.carried[list(end.operands).index(adder.out)]
