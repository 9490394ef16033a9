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
        steps = tuple(int(n) for n in layout.table()[:, 0, 0, 0, dim])
        most = sum((digit.extent - 1) * digit.stride for digit in digits)
        return Positions(threads.coordinate(layout, dim), gcd(*(digit.stride for digit in digits)), most, steps)

    def picked(self, registers: tuple[int, ...]) -> Positions:
        """Of some of the registers."""
        return Positions(self.first, self.unit, self.most, tuple(self.steps[register] for register in registers))

    def surely(self, register: int, limit: int) -> bool | None:
        """Whether a register's coordinate is below a limit in every thread, or in none; None if that depends."""
        step = self.steps[register]
        if step + self.most < limit:
            return True
        return False if step >= limit else None

    def below(self, build: Builder, head: Builder, limit: int) -> Value:
        """For each register whether its coordinate is below a limit; comparisons are made at the `head`."""
        keys = [self._least(register, limit) for register in range(len(self.steps))]
        number = {key: k for k, key in enumerate(dict.fromkeys(keys))}
        parts: list[Value] = []
        for key in number:
            known = isinstance(key, bool)
            test = build.boolean(key) if known else self._is_less(head, key)
            parts.append(build(lane.Fill(test, result_types=[FragmentType(1, BOOL)])).out)
        return picked(build, parts, [number[key] for key in keys])

    def _least(self, register: int, limit: int) -> bool | int:
        """What is known, else which multiple of the unit is the first beyond the limit."""
        known = self.surely(register, limit)
        return -(-(limit - self.steps[register]) // self.unit) * self.unit if known is None else known

    def _is_less(self, head: Builder, limit: int) -> Value:
        first = emit.cast(head, self.first, I32)
        return head(Cmp(Predicate.LT, first, head.int32(limit))).out
