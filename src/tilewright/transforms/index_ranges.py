"""Indices as sums of values, the ranges that they run through in loops, and where a test of them may stand.

An access that every iteration of a loop performs is tested in front of the loop: at the ends of its range. That finds
what a test in every iteration finds, since an index that is a sum of multiples has its extremes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.dialects import arith, scf, team, tl
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Block, BlockArgument, Operation, Value
from tilewright.ir.types import INDEX, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.emit import Length

_DEPTH: Final = 32
_MOST_MULTIPLE: Final = 1 << 20
MOST_DISTANCE: Final = 1 << 40
"""How far the first and the last value of a loop variable may be apart: more elements than any memory has."""


class Linear(Struct, frozen=True):
    """`constant + sum factor * value`; values are integers of any type, each once and with a factor that is not 0."""

    constant: int = 0
    terms: tuple[tuple[Value, int], ...] = ()

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """The sum with a multiple of another one."""
        found = dict(self.terms)
        for value, times in other.terms:
            found[value] = found.get(value, 0) + factor * times
        terms = tuple((value, times) for value, times in found.items() if times)
        return Linear(self.constant + factor * other.constant, terms)

    @property
    def values(self) -> Iterator[Value]:
        """What it is computed from."""
        return (value for value, _ in self.terms)

    def emitted(self, build: Builder) -> Length:
        """The number, as an index."""
        total: Length | None = None
        for value, times in self.terms:
            term = emit.mul(build, emit.cast(build, value, INDEX), build.index(times))
            total = term if total is None else emit.add(build, emit.as_value(build, total), term)
        if total is None:
            return self.constant
        return emit.add(build, emit.as_value(build, total), build.index(self.constant))


def linear(value: Value) -> Linear:
    """An integer as a sum. Narrow types, which wrap, are taken as they are."""
    return _linear(value, _DEPTH, {})


def _linear(value: Value, depth: int, known: dict[tuple[Value, int], Linear]) -> Linear:
    """`known` are those of this sum so far: ways to an operand may be twice as many with each operation in between."""
    op = value.defining_op
    if isinstance(op, arith.Constant) and isinstance(op.value, int):
        return Linear(op.value)
    if not isinstance(op, arith.Add | arith.Sub | arith.Mul | arith.Cast) or value.type is not INDEX or not depth:
        return Linear(0, ((value, 1),))
    found = known.get((value, depth))
    if found is None:
        found = known[value, depth] = _computed(op, value, depth - 1, known)
    return found


def _computed(
    op: arith.Add | arith.Sub | arith.Mul | arith.Cast, value: Value, depth: int, known: dict[tuple[Value, int], Linear]
) -> Linear:
    itself = Linear(0, ((value, 1),))
    match op:
        case arith.Cast():
            is_given = isinstance(op.value, BlockArgument) and _is_integer(op.value)
            return Linear(0, ((op.value, 1),)) if is_given else itself
        case arith.Add() | arith.Sub():
            sign = 1 if isinstance(op, arith.Add) else -1
            return _linear(op.lhs, depth, known).plus(_linear(op.rhs, depth, known), sign)
        case arith.Mul():
            return _multiple(_linear(op.lhs, depth, known), _linear(op.rhs, depth, known)) or itself


def _is_integer(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_integer


def _multiple(x: Linear, y: Linear) -> Linear | None:
    """The product, if one of the two is a number, and no large one."""
    if y.terms:
        x, y = y, x
    return None if y.terms or abs(y.constant) > _MOST_MULTIPLE else Linear().plus(x, y.constant)


class Range(Struct, frozen=True):
    """All integers from `low` to `high`, both included."""

    low: Linear
    high: Linear

    @staticmethod
    def of(index: Value, length: int = 1) -> Range:
        """`length` positions from an index on."""
        low = linear(index)
        return Range(low, low.plus(Linear(length - 1)))

    @property
    def values(self) -> Iterator[Value]:
        """What its ends are computed from."""
        yield from self.low.values
        yield from self.high.values


class Trips(Struct, frozen=True):
    """The values of a loop variable: from `first` to `last`, none unless `lower < upper`."""

    variable: Value
    first: Linear
    last: Linear
    lower: Linear
    upper: Linear


class Moment(Struct, frozen=True):
    """When an access happens: in front of `op`, for indices in `ranges`.

    `runs` are loops around the access and in the way to `op`; nothing happens unless they run. `distances` have to be
    small for the ranges to be what is accessed.
    """

    op: Operation
    ranges: tuple[Range, ...]
    runs: tuple[tuple[Linear, Linear], ...] = ()
    distances: tuple[Linear, ...] = ()

    @property
    def values(self) -> Iterator[Value]:
        """What a test of it needs."""
        for part in self.ranges:
            yield from part.values
        for lower, upper in self.runs:
            yield from lower.values
            yield from upper.values
        for distance in self.distances:
            yield from distance.values


def home_of(value: Value) -> Operation | None:
    """The operation that defines a value, or in whose region it is an argument."""
    return value.block.parent_op if isinstance(value, BlockArgument) else value.defining_op


def _is_inside(value: Value, op: Operation) -> bool:
    home = home_of(value)
    return home is not None and op.is_ancestor_of(home)


class Hoisting(Struct, frozen=True):
    """Finds the outermost place for a test. It keeps what it has put in front of loops."""

    _lasts: dict[tuple[Operation, int], Linear] = field(default_factory=dict[tuple[Operation, int], Linear])

    def outermost(
        self, op: Operation, ranges: Sequence[Range], fixed: Sequence[Value], together: bool = False
    ) -> Moment:
        """The access that `op` performs, as far out as it can be told there. `fixed` values have to be there too.

        `together`: the sum of the indices, each with a factor that is not negative, has its extremes at their ends.
        """
        moment = Moment(op, tuple(ranges))
        while (outer := self._outside(moment, fixed, together)) is not None:
            moment = outer
        return moment

    def _outside(self, moment: Moment, fixed: Sequence[Value], together: bool) -> Moment | None:
        """The same in front of the loop around; None if there is none, or if it cannot be told there."""
        loop = moment.op.parent_op
        if loop is None or isinstance(loop, Kernel) or any(_is_inside(value, loop) for value in fixed):
            return None
        trips = self._trips(loop)
        if trips is None:
            return None
        for one in trips:
            if any(_is_inside(value, loop) for end in (one.lower, one.upper) for value in end.values):
                return None
            crossed = _across(moment, one, together)
            if crossed is None:
                return None
            moment = crossed
        if any(_is_inside(value, loop) for value in moment.values):
            return None
        return replace(moment, op=loop)

    def _trips(self, loop: Operation) -> list[Trips] | None:
        """The variables of what surely runs its body; None for anything else."""
        match loop:
            case scf.While() | team.Spmd():
                return []
            case scf.For():
                step = 1 if loop.step is None else emit.integer_of(loop.step)
                if step is None or step <= 0:
                    return None
                return [self._of_variable(loop, loop.index, loop.lower, loop.upper, step)]
            case tl.Foreach() | tl.ForeachTile():
                steps = loop.tile_shape if isinstance(loop, tl.ForeachTile) else (1,) * len(loop.lowers)
                variables = loop.body.entry.arguments[: len(loop.lowers)]
                bounds = zip(variables, loop.lowers, loop.uppers, steps, strict=True)
                return [self._of_variable(loop, *parts) for parts in bounds]
            case _:
                return None

    def _of_variable(self, loop: Operation, variable: Value, lower: Value, upper: Value, step: int) -> Trips:
        first, end = linear(lower), linear(upper)
        last = end.plus(Linear(-1))
        if step != 1:
            last = self._last(loop, variable, first, last, step)
        return Trips(variable, first, last, first, end)

    def _last(self, loop: Operation, variable: Value, first: Linear, most: Linear, step: int) -> Linear:
        """The last value of the variable of a loop with a step; in front of the loop if it has to be computed."""
        if not (first.terms or most.terms):
            return Linear(first.constant + (most.constant - first.constant) // step * step)
        assert isinstance(variable, BlockArgument)
        key = (loop, variable.index)
        if key not in self._lasts:
            build = Builder.before_op(loop)
            begin = emit.as_value(build, first.emitted(build))
            way = emit.sub(build, emit.as_value(build, most.emitted(build)), begin)
            whole = emit.sub(build, way, emit.rem(build, way, build.index(step)))
            self._lasts[key] = Linear(0, ((emit.add(build, begin, whole), 1),))
        return self._lasts[key]


def _across(moment: Moment, trips: Trips, together: bool) -> Moment | None:
    """What a loop variable's range makes of the access."""
    factors = [dict(part.low.terms).get(trips.variable, 0) for part in moment.ranges]
    if factors != [dict(part.high.terms).get(trips.variable, 0) for part in moment.ranges]:
        return None
    used = [factor for factor in factors if factor]
    if together and used and min(used) < 0 < max(used):
        return None
    if any(trips.variable in end.values for pair in moment.runs for end in pair):
        return None
    if any(trips.variable in distance.values for distance in moment.distances):
        return None
    runs, distances = moment.runs, moment.distances
    if trips.lower.terms or trips.upper.terms or trips.lower.constant >= trips.upper.constant:
        runs = (*runs, (trips.lower, trips.upper))
    distance = trips.last.plus(trips.first, -1)
    if used and (distance.terms or distance.constant > MOST_DISTANCE):
        distances = (*distances, distance)
    ranges = tuple(
        _replaced(part, trips, factor) if factor else part for part, factor in zip(moment.ranges, factors, strict=True)
    )
    return replace(moment, ranges=ranges, runs=runs, distances=distances)


def _replaced(part: Range, trips: Trips, factor: int) -> Range:
    least, most = (trips.first, trips.last) if factor > 0 else (trips.last, trips.first)
    own = Linear(0, ((trips.variable, factor),))
    return Range(part.low.plus(own, -1).plus(least, factor), part.high.plus(own, -1).plus(most, factor))


class Places:
    """Where in a block tests are inserted: as early as what they need is there, in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[Block, dict[Operation, int]] = {}
        self._ops: dict[Block, list[Operation]] = {}

    def before(self, op: Operation, values: Sequence[Value]) -> Builder:
        """A builder in front of `op`, or earlier in its block, where all values are known."""
        block = op.block
        assert block is not None
        if block not in self._numbers:
            self._ops[block] = list(block)
            self._numbers[block] = {other: number for number, other in enumerate(block)}
        numbers, latest = self._numbers[block], -1
        for value in values:
            home = value.defining_op
            while home is not None and home.block is not block:
                home = home.parent_op
            if home is None:
                continue
            if home not in numbers:
                return Builder(block, op)
            latest = max(latest, numbers[home])
        return Builder(block, self._ops[block][latest + 1])
