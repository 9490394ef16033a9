"""Coordinates of a thread's registers along a dimension, and which of them are below a limit.

That is known of registers whose coordinates are on one side of the limit in every thread. Of the others, those with
neighbouring coordinates share a comparison if the thread's part of all is a multiple of some number.
"""

from __future__ import annotations

from math import gcd

from msgspec import Struct

from tilewright.dialects import lane
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import BOOL, I32, FragmentType
from tilewright.transforms import emit
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads


class Positions(Struct, frozen=True):
    """The thread's part `first` of coordinates is one of 0, `unit`, .. `most`; register r adds `steps[r]` to that."""

    first: Value
    unit: int
    most: int
    steps: tuple[int, ...]

    @staticmethod
    def of(threads: Threads, layout: Layout, dim: int) -> Positions:
        """Of a layout."""
        digits = [place.digit for place in layout.along(dim) if place.digit.owner is not Owner.REG]
        steps = tuple(int(n) for n in layout.first_thread()[:, dim])
        most = sum((digit.extent - 1) * digit.stride for digit in digits)
        unit = gcd(*(digit.stride for digit in digits)) or 1
        return Positions(threads.coordinate(layout, dim), unit, most, steps)

    def picked(self, registers: tuple[int, ...]) -> Positions:
        """Of some of the registers."""
        return Positions(self.first, self.unit, self.most, tuple(self.steps[register] for register in registers))

    def below(self, build: Builder, head: Builder, limit: int) -> Value:
        """For each register whether its coordinate is below a limit; comparisons are made at the `head`."""
        limits = [self._limit(step, limit) for step in self.steps]
        number = {first: k for k, first in enumerate(dict.fromkeys(limits))}
        tests = [self._is_less(build, head, first) for first in number]
        parts = [build(lane.Fill(test, result_types=[FragmentType(1, BOOL)])).out for test in tests]
        return picked(build, parts, [number[first] for first in limits])

    def _limit(self, step: int, limit: int) -> int:
        """That of the thread's part: a multiple of the unit, 0 for no thread, beyond the most for all."""
        left = limit - step
        return self.most + 1 if left > self.most else max(-(-left // self.unit) * self.unit, 0)

    def _is_less(self, build: Builder, head: Builder, limit: int) -> Value:
        if not 0 < limit <= self.most:
            return build.boolean(limit > 0)
        return head(Cmp(Predicate.LT, emit.cast(head, self.first, I32), head.int32(limit))).out
