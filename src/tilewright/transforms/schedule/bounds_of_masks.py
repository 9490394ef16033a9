"""When a mask may have elements that are true, or false: a test of numbers, told from how it is compared.

Integers of a tile are linear in scalars, which all elements have in common, and lie between two bounds beside them. So
`iota + key <= query` may be false somewhere only if `query - key` is less than what the tile is long. Sums that may
wrap are tested for it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.dialects import arith, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import BOOL, TileType
from tilewright.transforms import emit
from tilewright.transforms.tile_values import tile_type

_NARROW: Final = 32
"""Bits of numbers of which sums fit in an index."""
_MOST: Final = 1 << 24
"""What scalars are multiplied by at most."""


class Line(Struct, frozen=True):
    """Numbers between `low` and `high` beside the sum of `terms`: scalars of at most 32 bits, times a number each."""

    terms: tuple[tuple[Value, int], ...]
    low: int
    high: int

    def plus(self, other: Line, sign: int = 1) -> Line:
        """The sum with another one, times a sign."""
        found = dict(self.terms)
        for value, factor in other.terms:
            found[value] = found.get(value, 0) + sign * factor
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        terms = tuple((value, factor) for value, factor in found.items() if factor)
        return Line(terms, self.low + low, self.high + high)

    def times(self, factor: int) -> Line:
        """A multiple."""
        terms = tuple((value, factor * each) for value, each in self.terms if factor)
        low, high = sorted((factor * self.low, factor * self.high))
        return Line(terms, low, high)

    @property
    def is_small(self) -> bool:
        """Whether an index holds the sum."""
        return sum(abs(factor) for _, factor in self.terms) <= _MOST and max(abs(self.low), abs(self.high)) < 1 << 62


class Reaches(Struct, frozen=True):
    """Whether the sum of terms, of which there are some, is a number at least."""

    terms: tuple[tuple[Value, int], ...]
    least: int


class Is(Struct, frozen=True):
    """Whether a bool is true, or false."""

    value: Value
    wanted: bool


class Several(Struct, frozen=True):
    """Whether all of some tests hold, or any."""

    tests: tuple[Test, ...]
    all: bool


Test: TypeAlias = "Reaches | Is | Several"
_NEVER: Final = Several((), all=False)
_ALWAYS: Final = Several((), all=True)
_NEGATED: Final = {
    Predicate.GT: Predicate.LE,
    Predicate.GE: Predicate.LT,
    Predicate.LT: Predicate.GE,
    Predicate.LE: Predicate.GT,
    Predicate.EQ: Predicate.NE,
    Predicate.NE: Predicate.EQ,
}


def may_have(mask: Value, wanted: bool) -> Test | None:
    """A test that holds where an element of a tile of bools is as wanted; None if nothing is known."""
    op = mask.defining_op
    match op:
        case arith.Cmp():
            return _compared(op, wanted)
        case arith.Or() | arith.And():
            tests = [may_have(each, wanted) for each in (op.lhs, op.rhs)]
            known = [test for test in tests if test is not None]
            # both are as wanted where and is true, and where or is false: one test will do
            if isinstance(op, arith.And) == wanted:
                return several(known, all=True) if known else None
            return several(known, all=False) if len(known) == len(tests) else None
        case arith.Not():
            return may_have(op.value, not wanted)
        case MovesElements() if len(op.operands) == 1:
            return may_have(op.operands[0], wanted)
        case tile.Splat():
            return Is(op.value, wanted)
        case arith.Constant():
            return _ALWAYS if op.value == wanted else _NEVER
        case _:
            return None


def several(tests: Sequence[Test], *, all: bool) -> Test:
    """All of some tests, or any; without those whose answer is known."""
    left: list[Test] = []
    for test in tests:
        if test == (_NEVER if all else _ALWAYS):
            return test
        if test != (_ALWAYS if all else _NEVER) and test not in left:
            left.append(test)
    return left[0] if len(left) == 1 else Several(tuple(left), all)


def emitted(build: Builder, test: Test) -> Value | bool:
    """A test in the program, or its answer."""
    match test:
        case Reaches(terms=((value, -1),)):
            return emit.not_less(build, build.index(-test.least), emit.to_index(build, value))
        case Reaches():
            terms = (emit.mul(build, emit.to_index(build, value), build.index(factor)) for value, factor in test.terms)
            total = reduce(lambda a, b: emit.add(build, a, b), terms)
            return emit.not_less(build, total, build.index(test.least))
        case Is():
            return test.value if test.wanted else build(arith.Not(test.value)).out
        case Several():
            found: Value | None = None
            for each in test.tests:
                value = emitted(build, each)
                assert not isinstance(value, bool), "tests with an answer are left out"
                combined = emit.both if test.all else emit.either
                found = value if found is None else combined(build, found, value)
            return test.all if found is None else found


def _reaches(line: Line, least: int) -> Test:
    """Whether any number of a line is so large."""
    ranges = [(-(factor << _bits(value) - 1), (factor << _bits(value) - 1) - factor) for value, factor in line.terms]
    if line.high + sum(map(max, ranges)) < least:
        return _NEVER
    return _ALWAYS if line.high + sum(map(min, ranges)) >= least else Reaches(line.terms, least - line.high)


def _compared(op: arith.Cmp, wanted: bool) -> Test | None:
    wraps: list[Test] = []
    lines = [_line(each, wraps) for each in (op.lhs, op.rhs)]
    if not isinstance(op.lhs.type, TileType) or lines[0] is None or lines[1] is None:
        return None
    apart = lines[0].plus(lines[1], -1)
    if not apart.is_small:
        return None
    back = apart.times(-1)
    match op.predicate if wanted else _NEGATED[op.predicate]:
        case Predicate.GT:
            test = _reaches(apart, 1)
        case Predicate.GE:
            test = _reaches(apart, 0)
        case Predicate.LT:
            test = _reaches(back, 1)
        case Predicate.LE:
            test = _reaches(back, 0)
        case Predicate.EQ:
            test = several([_reaches(apart, 0), _reaches(back, 0)], all=True)
        case Predicate.NE:
            test = several([_reaches(apart, 1), _reaches(back, 1)], all=False)
    return several([test, *wraps], all=False)


def _line(value: Value, wraps: list[Test]) -> Line | None:
    """The integers of a tile; None if they are not known. Where sums may wrap is added to `wraps`."""
    op = value.defining_op
    match op:
        case tile.Iota():
            return Line((), 0, tile_type(value).shape[op.dim] - 1)
        case tile.Splat() if _bits(op.value) in range(2, _NARROW + 1):
            return Line(((op.value, 1),), 0, 0)
        case arith.Constant() if isinstance(op.value, int) and not isinstance(op.value, bool):
            return Line((), op.value, op.value)
        case MovesElements() if len(op.operands) == 1:
            return _line(op.operands[0], wraps)
        case arith.Cast() if 1 < _bits(op.value) <= _bits(value):
            return _line(op.value, wraps)
        case arith.Add() | arith.Sub() | arith.Mul():
            return _combined(op, wraps)
        case _:
            return None


def _combined(op: arith.Add | arith.Sub | arith.Mul, wraps: list[Test]) -> Line | None:
    lines = [_line(each, wraps) for each in (op.lhs, op.rhs)]
    if lines[0] is None or lines[1] is None:
        return None
    a, b = lines[0], lines[1]
    match op:
        case arith.Add():
            found = a.plus(b)
        case arith.Sub():
            found = a.plus(b, -1)
        case _:
            a, b = (b, a) if a.terms else (a, b)
            if a.terms or a.low != a.high:
                return None
            found = b.times(a.low)
    if not found.is_small:
        return None
    bits = _bits(op.out)
    if bits <= _NARROW:
        wraps += [_reaches(found, 1 << (bits - 1)), _reaches(found.times(-1), (1 << (bits - 1)) + 1)]
    return found


def _bits(value: Value) -> int:
    """Of an integer or the integers of a tile, 0 for anything else."""
    element = emit.scalar_type(value.type)
    return element.bits if element.is_integer and element is not BOOL else 0
