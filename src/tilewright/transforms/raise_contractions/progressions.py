"""Positions along one mode: what loops, tiles and unrolled statements run through, put together piece by piece.

All rules are exact: what they give has every position as often as what they were given.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects.arith import Rem
from tilewright.ir.core import Value
from tilewright.transforms.emit import integer_of
from tilewright.transforms.facts import divisor
from tilewright.transforms.index_ranges import Linear, linear
from tilewright.transforms.loop_nests.nests import Loop

ONE = Linear(1)


class Progression(Struct, frozen=True):
    """`first`, `first + step`, .. below all of `ends`, where `first` is the largest of `firsts`."""

    firsts: tuple[Linear, ...]
    ends: tuple[Linear, ...]
    step: int = 1

    @staticmethod
    def at(position: Linear) -> Progression:
        """One position."""
        return Progression((position,), (position.plus(ONE),))

    @property
    def is_point(self) -> bool:
        """Whether it surely is one position."""
        return len(self.firsts) == 1 and constant(self.ends[0].plus(self.firsts[0], -1)) == 1 and len(self.ends) == 1

    def moved(self, by: Linear) -> Progression:
        """Each position further on."""
        return Progression(tuple(f.plus(by) for f in self.firsts), tuple(e.plus(by) for e in self.ends), self.step)

    def knows(self, variable: Value) -> bool:
        """Whether it depends on a variable."""
        return any(factor_of(form, variable) for form in (*self.firsts, *self.ends))

    def equals(self, other: Progression) -> bool:
        """Whether it surely has the same positions."""
        return self.step == other.step and same(self.firsts, other.firsts) and same(self.ends, other.ends)


def constant(form: Linear) -> int | None:
    """The number that a sum is."""
    return None if form.terms else form.constant


def factor_of(form: Linear, variable: Value) -> int:
    """The factor of a value in a sum, 0 if it is not there."""
    return dict(form.terms).get(variable, 0)


def equal(one: Linear, other: Linear) -> bool:
    """Whether two sums are the same."""
    return constant(one.plus(other, -1)) == 0


def same(some: Sequence[Linear], others: Sequence[Linear]) -> bool:
    """Whether two lists have the same sums, in any order."""
    return all(any(equal(x, y) for y in others) for x in some) and all(any(equal(x, y) for y in some) for x in others)


def without_larger(ends: Sequence[Linear]) -> tuple[Linear, ...]:
    """The sums among which the smallest is, without those that surely are not below another."""
    kept: list[Linear] = []
    for one in ends:
        if any((d := constant(one.plus(other, -1))) is not None and d >= 0 for other in kept):
            continue
        kept = [k for k in kept if (d := constant(k.plus(one, -1))) is None or d < 0]
        kept.append(one)
    return tuple(kept)


def over(loop: Loop, inner: Progression) -> Progression | None:
    """What all iterations of a loop run through together, each `inner`; None if that is no progression."""
    x = loop.variable
    if loop.step is None or len(inner.firsts) != 1 or (len(loop.lowers) != 1 and loop.step != 1):
        return None
    (first,) = inner.firsts
    factor = factor_of(first, x)
    rest = first.plus(Linear(0, ((x, factor),)), -1)
    if inner.is_point:
        return _of_points(loop, factor, rest)
    return _of_tiles(loop, inner, factor, rest) if factor > 0 and len(loop.lowers) == 1 else None


def _of_points(loop: Loop, factor: int, rest: Linear) -> Progression | None:
    assert loop.step is not None
    if factor > 0:
        firsts = tuple(rest.plus(lower, factor) for lower in loop.lowers)
        return Progression(firsts, tuple(rest.plus(upper, factor) for upper in loop.uppers), factor * loop.step)
    if factor * loop.step == -1:
        ends = tuple(rest.plus(lower, -1).plus(ONE) for lower in loop.lowers)
        return Progression(tuple(rest.plus(upper, -1).plus(ONE) for upper in loop.uppers), ends)
    return None


def _of_tiles(loop: Loop, inner: Progression, factor: int, rest: Linear) -> Progression | None:
    """Tiles, each of which begins where the one before it ends."""
    assert loop.step is not None
    width = factor * loop.step
    own = [end for end in inner.ends if factor_of(end, loop.variable)]
    fixed = [end for end in inner.ends if not factor_of(end, loop.variable)]
    if not own or width % inner.step:
        return None
    if any(constant(end.plus(inner.firsts[0], -1)) != width for end in own):
        return None
    (lower,) = loop.lowers
    ends = list(fixed)
    for upper in loop.uppers:
        last = rest.plus(upper, factor)
        whole = _rounded_up(upper.plus(lower, -1), loop.step)
        if whole is not None:
            ends.append(rest.plus(lower.plus(whole), factor))
        elif not any((d := constant(end.plus(last, -1))) is not None and d <= 0 for end in fixed):
            return None
    return Progression((rest.plus(lower, factor),), without_larger(ends), inner.step)


def _rounded_up(length: Linear, step: int) -> Linear | None:
    """The next multiple of a step; None if the sum is not known to be one and is no number."""
    if not length.terms:
        return Linear(max(0, -(-length.constant // step)) * step)
    rest = _without_remainders(length, step)
    if rest.constant % step or any(factor * divisor(value) % step for value, factor in rest.terms):
        return None
    return length


def _without_remainders(length: Linear, step: int) -> Linear:
    """The sum without each `x - x rem n` whose n is a multiple of a step."""
    for value, factor in length.terms:
        op = value.defining_op
        if isinstance(op, Rem) and (by := integer_of(op.rhs)) and by % step == 0:
            return _without_remainders(
                length.plus(linear(op.lhs), factor).plus(Linear(0, ((value, factor),)), -1), step
            )
    return length


class Joined(Struct, frozen=True):
    """Two progressions as one, provided that none of `conditions` is negative."""

    whole: Progression
    conditions: tuple[Linear, ...] = ()


def joined(one: Progression, other: Progression, stride: int = 1) -> Joined | None:
    """Both together, where the other goes on at the end of the first; None if it does not.

    Two positions are joined if they are `stride` apart.
    """
    if len(one.firsts) != 1 or len(other.firsts) != 1 or len(one.ends) != 1:
        return None
    first, begin = one.firsts[0], other.firsts[0]
    distance = constant(begin.plus(first, -1))
    step = one.step
    if one.is_point and distance is not None and distance == (stride if other.is_point else other.step):
        # a position by itself has any step
        step = distance
    elif not equal(_end(one), begin) or (step != 1 and distance is None):
        return None
    if not other.is_point and other.step != step:
        return None
    ends = (begin.plus(Linear(step)),) if other.is_point else other.ends
    # an empty part would end before it begins
    lengths = [begin.plus(first, -1), *(end.plus(begin, -1) for end in ends)]
    if any(length < 0 for one in lengths if (length := constant(one)) is not None):
        return None
    return Joined(Progression((first,), ends, step), tuple(one for one in lengths if one.terms))


def _end(one: Progression) -> Linear:
    """The position behind the last, where that is known, else the end."""
    length = constant(one.ends[0].plus(one.firsts[0], -1))
    return one.ends[0] if length is None else one.firsts[0].plus(Linear(-(-length // one.step) * one.step))
