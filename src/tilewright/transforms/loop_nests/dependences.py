"""Which iterations of a nest depend on which: for pairs of references the directions and distances between iterations.

Exact where bounds and subscripts are sums of loop variables and fixed values (`integer_systems`); else a dependence is
reported that may not be, with `exact` false.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

from tilewright.ir.core import Value
from tilewright.ir.interfaces import root_of
from tilewright.transforms.aliasing import roots_may_overlap
from tilewright.transforms.emit import memref_type
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.loop_nests.integer_systems import Feasibility, IntegerSystem
from tilewright.transforms.loop_nests.nests import Loop, Nest, Reference, place_of, variables_of


class Direction(Enum):
    """How the later iteration's variable compares with the earlier one's: the earlier is less, equal, greater."""

    LESS = "<"
    EQUAL = "="
    GREATER = ">"


class Dependence(Struct, frozen=True):
    """The sink touches, in a later iteration or further on in the text, an element that the source touched.

    `directions` is one for each loop around both, outermost first; `distances` are the differences of their variables
    where they are the same for all such pairs, in multiples of 1, not of the step.
    """

    source: Reference
    sink: Reference
    directions: tuple[Direction, ...]
    distances: tuple[int | None, ...]
    exact: bool

    @property
    def carrier(self) -> int | None:
        """The number of the outermost loop whose iterations it orders; None if it is within one iteration of all."""
        return next((k for k, one in enumerate(self.directions) if one is not Direction.EQUAL), None)


def dependences(nest: Nest) -> list[Dependence]:
    """All of a nest; two reads never depend on each other. The nest is known (`Nest.is_known`)."""
    found: list[Dependence] = []
    for source in nest.references:
        for sink in nest.references:
            if source.writes or sink.writes:
                found += between(nest, source, sink)
    return found


def common_loops(source: Reference, sink: Reference) -> int:
    """How many loops are around both."""
    pairs = zip(source.loops, sink.loops, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a.op is not b.op), min(len(source.loops), len(sink.loops)))


def between(nest: Nest, source: Reference, sink: Reference) -> list[Dependence]:
    """The dependences of one reference on another, one for each vector of directions."""
    common = common_loops(source, sink)
    if not common and source.order >= sink.order:
        # runs once and later: cheaper to see than which elements these are
        return []
    system = _Pairs(nest, source, sink)
    if not system.may_touch:
        return []
    found: list[Dependence] = []
    system.refine(common, (), found)
    return found


class _Side(Enum):
    SOURCE = "source"
    SINK = "sink"


class _Pairs:
    """Pairs of iterations, one of the source and one of the sink, that touch one element."""

    def __init__(self, nest: Nest, source: Reference, sink: Reference) -> None:
        self.nest, self.source, self.sink = nest, source, sink
        self.system = IntegerSystem()
        self.exact = True
        self.may_touch = self._same_element()
        if self.may_touch:
            for side, reference in ((_Side.SOURCE, source), (_Side.SINK, sink)):
                for loop in reference.loops:
                    self._within(loop, side, reference.loops)
            self.may_touch = self.system.feasibility() is not Feasibility.NONE

    def refine(self, common: int, directions: tuple[Direction, ...], found: list[Dependence]) -> None:
        """Add the dependences whose vectors begin with `directions`."""
        if self._feasibility(directions) is Feasibility.NONE:
            return
        if len(directions) < common:
            carried = any(one is not Direction.EQUAL for one in directions)
            for one in Direction:
                if carried or one is not Direction.GREATER:
                    self.refine(common, (*directions, one), found)
            return
        if all(one is Direction.EQUAL for one in directions) and self.source.order >= self.sink.order:
            return
        exact = self.exact and self._feasibility(directions) is Feasibility.SOME
        distances = tuple(
            0 if one is Direction.EQUAL else self._distance(loop)
            for one, loop in zip(directions, self.source.loops, strict=False)
        )
        found.append(Dependence(self.source, self.sink, directions, distances, exact))

    def _feasibility(self, directions: Sequence[Direction]) -> Feasibility:
        system = self.system.copied()
        for one, loop in zip(directions, self.source.loops, strict=False):
            earlier, later = (loop.variable, _Side.SOURCE), (loop.variable, _Side.SINK)
            match one:
                case Direction.EQUAL:
                    system.is_zero([(earlier, 1), (later, -1)])
                case Direction.LESS:
                    system.is_not_negative([(later, 1), (earlier, -1)], -1)
                case Direction.GREATER:
                    system.is_not_negative([(earlier, 1), (later, -1)], -1)
        return system.feasibility()

    def _distance(self, loop: Loop) -> int | None:
        """How much greater a variable is for the sink, if a pair of subscripts alone says so."""
        for here, there in self._subscripts():
            mine, others = dict(here.terms), dict(there.terms)
            factor = mine.get(loop.variable)
            if factor is None or mine != others or len(variables_of(self.source.loops) & mine.keys()) != 1:
                continue
            if self._is_affine(here, self.source.loops):
                return (here.constant - there.constant) // factor
        return None

    def _subscripts(self) -> list[tuple[Linear, Linear]]:
        """Pairs of subscripts that are equal if one element is meant; none if nothing is known of them."""
        first, second = self.source.place, self.sink.place
        if first.base is second.base:
            return list(zip(first.subscripts, second.subscripts, strict=True))
        ends = [_at_root(reference) for reference in (self.source, self.sink)]
        if ends[0][0] is not ends[1][0]:
            return []
        return list(zip(ends[0][1], ends[1][1], strict=True))

    def _same_element(self) -> bool:
        """Demand equal subscripts; whether the two may touch one element at all, as far as memory is concerned."""
        first, second = self.source.place, self.sink.place
        roots = root_of(first.base), root_of(second.base)
        if roots[0] is not roots[1]:
            self.exact = False
            return memref_type(roots[0]).space is memref_type(roots[1]).space and roots_may_overlap(*roots)
        if not self.nest.fixes(roots[0]):
            self.exact = False
            return True
        pairs = self._subscripts()
        self.exact = bool(pairs) or not first.subscripts
        if any(self._never_equal(here, there) for here, there in pairs):
            return False
        for here, there in pairs:
            if not (self._is_affine(here, self.source.loops) and self._is_affine(there, self.sink.loops)):
                self.exact = False
                continue
            terms = [*self._terms(here, _Side.SOURCE), *((v, -c) for v, c in self._terms(there, _Side.SINK))]
            self.system.is_zero(terms, here.constant - there.constant)
        return True

    def _never_equal(self, here: Linear, there: Linear) -> bool:
        """Whether two subscripts differ by what no steps of their loops make up for: cheaper to see than to solve."""
        if dict(here.terms) != dict(there.terms):
            return False
        common = self.source.loops[: common_loops(self.source, self.sink)]
        steps = {loop.variable: loop.step for loop in common if all(map(self._is_fixed, loop.lowers))}
        unit = 0
        for value, factor in here.terms:
            step = 0 if self.nest.fixes(value) else steps.get(value)
            if step is None:
                return False
            unit = math.gcd(unit, factor * step)
        distance = here.constant - there.constant
        return distance % unit != 0 if unit else distance != 0

    def _is_fixed(self, form: Linear) -> bool:
        return all(map(self.nest.fixes, form.values))

    def _within(self, loop: Loop, side: _Side, loops: Sequence[Loop]) -> None:
        """Demand that a variable is one that the loop takes."""
        variable = ((loop.variable, side), 1)
        lowers = [form for form in loop.lowers if self._is_affine(form, loops)]
        uppers = [form for form in loop.uppers if self._is_affine(form, loops)]
        if len(lowers) < len(loop.lowers) or len(uppers) < len(loop.uppers):
            self.exact = False
        if loop.step is None:
            self.exact = False
            return
        for form in lowers:
            self.system.is_not_negative([variable, *((v, -c) for v, c in self._terms(form, side))], -form.constant)
        for form in uppers:
            self.system.is_not_negative([*self._terms(form, side), ((loop.variable, side), -1)], form.constant - 1)
        if loop.step > 1 and len(loop.lowers) == 1 and lowers:
            trips = ((loop.variable, side, "trips"), -loop.step)
            (form,) = lowers
            self.system.is_zero([variable, trips, *((v, -c) for v, c in self._terms(form, side))], -form.constant)
        elif loop.step > 1:
            self.exact = False

    def _is_affine(self, form: Linear, loops: Sequence[Loop]) -> bool:
        return self.nest.is_affine(form, variables_of(loops))

    def _terms(self, form: Linear, side: _Side) -> list[tuple[object, int]]:
        """The variables of one side, or what is fixed in the nest and so the same for both."""
        return [(v if self.nest.fixes(v) else (v, side), c) for v, c in form.terms]


def _at_root(reference: Reference) -> tuple[Value, tuple[Linear, ...]]:
    box = reference.op.box()
    place = place_of(box.memref, box.indices)
    return place.base, place.subscripts
