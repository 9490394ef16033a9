"""Where in a tile a thread is: its part of the coordinates, computed once for each layout."""

from __future__ import annotations

from msgspec import Struct, field

from tilewright.dialects import team
from tilewright.dialects.arith import And, Cmp, Div, Predicate, Shr
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import Steps
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout, Owner, Place
from tilewright.transforms import emit
from tilewright.transforms.schedule.spreading import Teams


def register_steps(layout: Layout, first_mode: int = 0) -> Steps:
    """The digits of a register's number as accesses of the lane level write them."""
    return tuple((d.extent, first_mode + d.dim, d.stride) for d in layout.of(Owner.REG) if d.dim is not None)


class Threads(Struct):
    """Numbers of a thread as values at the head of the kernel's code, from where all of it sees them.

    Extents and weights of lanes' digits are powers of two, those of registers and warps may be any.
    """

    head: Builder
    teams: Teams
    numbers: dict[Owner, Value] = field(default_factory=dict[Owner, Value])
    digits: dict[tuple[Owner, int, int], Value] = field(default_factory=dict[tuple[Owner, int, int], Value])
    coordinates: dict[tuple[Layout, int], Value] = field(default_factory=dict[tuple[Layout, int], Value])
    firsts: dict[int, Value] = field(default_factory=dict[int, Value])
    warps: dict[int, Value] = field(default_factory=dict[int, Value])
    first_lane: Value | None = None

    def coordinate(self, layout: Layout, dim: int) -> Value:
        """The coordinate of the first register along a dimension."""
        found = self.coordinates.get((layout, dim))
        if found is None:
            found = self.head.index(0)
            for place in layout.along(dim):
                if place.digit.owner is not Owner.REG:
                    step = emit.mul(self.head, self.digit(place), self.head.index(place.digit.stride))
                    found = emit.add(self.head, found, step)
            self.coordinates[layout, dim] = found
        return found

    def digit(self, place: Place) -> Value:
        """A digit of a lane's or warp's number."""
        return self.bits(place.digit.owner, place.weight, place.digit.extent)

    def bits(self, owner: Owner, weight: int, extent: int) -> Value:
        """`number // weight % extent` of the number of the lane or warp."""
        key = (owner, weight, extent)
        found = self.digits.get(key)
        if found is None:
            number = self._divided(self.number(owner), weight)
            if weight * extent < (self.teams.lanes if owner is Owner.LANE else self.teams.warps):
                number = self._remainder(number, extent)
            found = self.digits[key] = number
        return found

    def _divided(self, number: Value, divisor: int) -> Value:
        if divisor & (divisor - 1):
            return self.head(Div(number, self.head.index(divisor))).out
        return number if divisor == 1 else self.head(Shr(number, self.head.index(divisor.bit_length() - 1))).out

    def _remainder(self, number: Value, divisor: int) -> Value:
        if divisor & (divisor - 1):
            return emit.rem(self.head, number, self.head.index(divisor))
        return self.head(And(number, self.head.index(divisor - 1))).out

    def number(self, owner: Owner) -> Value:
        """The lane in its warp, or the warp in its block."""
        found = self.numbers.get(owner)
        if found is None:
            op = team.SubgroupLocalId() if owner is Owner.LANE else team.SubgroupLinearId()
            found = self.numbers[owner] = emit.to_index(self.head, self.head(op).out)
        return found

    def is_first(self, places: list[Place]) -> Value | None:
        """Whether all these digits are 0; None if there are none."""
        condition: Value | None = None
        for place in places:
            is_zero = emit.equals_zero(self.head, self.digit(place))
            condition = is_zero if condition is None else emit.both(self.head, condition, is_zero)
        return condition

    def is_first_thread(self) -> Value:
        """As `is_elected`, the same value each time."""
        return self.is_first_of(0)

    def is_first_of(self, warp: int) -> Value:
        """Whether this is the first thread of a warp."""
        if warp not in self.firsts:
            self.firsts[warp] = emit.both(self.head, self.is_first_lane(), self.is_of_warp(warp))
        return self.firsts[warp]

    def is_of_warp(self, warp: int) -> Value:
        """Whether this is a thread of a warp."""
        if warp not in self.warps:
            self.warps[warp] = self.head(Cmp(Predicate.EQ, self.number(Owner.WARP), self.head.index(warp))).out
        return self.warps[warp]

    def is_first_lane(self) -> Value:
        """Whether this is the first thread of its warp."""
        if self.first_lane is None:
            self.first_lane = emit.equals_zero(self.head, self.number(Owner.LANE))
        return self.first_lane

    def is_elected(self) -> Value:
        """Whether this is the one thread that acts for all."""
        zeros = [emit.equals_zero(self.head, self.number(owner)) for owner in (Owner.LANE, Owner.WARP)]
        return emit.both(self.head, *zeros)


def copies(layout: Layout) -> list[Place]:
    """The digits of lanes and warps that hold the same elements."""
    return [place for place in layout.along(None) if place.digit.owner is not Owner.REG]
