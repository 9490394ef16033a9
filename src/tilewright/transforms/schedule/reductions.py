"""Reductions along a dimension: in the registers of a thread, then between lanes, then once through shared memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import lane, team
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.memref import Alloca
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import AddressSpace, FragmentType, MemrefType, memref
from tilewright.transforms import emit
from tilewright.transforms.schedule.threads import Threads, copies, register_steps

_AT_ONCE: Final = 8
"""Registers of a line that are combined by a tree."""


Combine = Callable[[Builder, Value, Value], Value]
"""Emits a commutative operation on two fragments or numbers."""


class Reduction(Struct, frozen=True):
    """Of a tile in a layout along `dim`."""

    layout: Layout
    dim: int
    combine: Combine

    def lower(self, build: Builder, threads: Threads, shared: Builder, value: Value, again: bool) -> Value:
        """The fragment of the result in `layout.reduce_dim(dim)`; `again` if the code may run more than once."""
        return self.across(build, threads, shared, self.in_registers(build, value), again)

    def across(self, build: Builder, threads: Threads, shared: Builder, value: Value, again: bool) -> Value:
        """The same of what each thread has made of its registers."""
        for place in self.layout.along(self.dim):
            if place.digit.owner is Owner.LANE:
                value = _between(build, value, place.weight, place.digit.extent, self.combine)
        warps = 1
        for place in self.layout.along(self.dim):
            warps *= place.digit.extent if place.digit.owner is Owner.WARP else 1
        return value if warps == 1 else self._between_warps(build, threads, shared, value, warps, again)

    def in_registers(self, build: Builder, value: Value) -> Value:
        """What a thread makes of its own: halves of the registers that hold one line are combined until one is left of
        each; an odd one waits."""
        coordinates = self.layout.first_thread().tolist()
        found: dict[tuple[int, ...], list[int]] = {}
        for register, at in enumerate(coordinates):
            found.setdefault(tuple(c for k, c in enumerate(at) if k != self.dim), []).append(register)
        groups = list(found.values())
        if fragment_of(value).size > len(groups):
            # registers of one line behind each other, so that each step takes what the step before left
            value = picked(build, [value], [group[k] for k in range(len(groups[0])) for group in groups])
        lines, size = len(groups), fragment_of(value).size
        if size > _AT_ONCE * lines:
            # one part after the other: few of them need to be there at once
            step, rest = _AT_ONCE * lines, value
            value = picked(build, [rest], range(step))
            for first in range(step, size - size % step, step):
                value = self.combine(build, value, picked(build, [rest], range(first, first + step)))
            if size % step:
                value = picked(build, [value, rest], [*range(step), *range(step + size - size % step, step + size)])
        return self._halved(build, value, lines, lines)

    def _halved(self, build: Builder, value: Value, lines: int, most: int) -> Value:
        """Until there are no more than `most` registers."""
        while (size := fragment_of(value).size) > most:
            half = size // lines // 2 * lines
            first, second, odd = (range(k * half, min((k + 1) * half, size)) for k in range(3))
            total = self.combine(build, picked(build, [value], first), picked(build, [value], second))
            rest = picked(build, [value], odd) if odd else None
            value = total if rest is None else picked(build, [total, rest], range(size - half))
        return value

    def has_one_line(self) -> bool:
        """Whether all registers of a thread are combined with each other."""
        return self.layout.reduce_dim(self.dim).count(Owner.REG) == 1

    def more(self, build: Builder, before: Value | None, value: Value) -> Value:
        """What some registers of one line make with those `before` them, which may be several registers."""
        value = self._halved(build, value, 1, _AT_ONCE)
        return value if before is None else self.combine(build, before, value)

    def last(self, build: Builder, value: Value) -> Value:
        """The one register of what `more` has made of all."""
        return self._halved(build, value, 1, 1)

    def _between_warps(
        self, build: Builder, threads: Threads, shared: Builder, value: Value, warps: int, again: bool
    ) -> Value:
        """Every warp writes what it has of a line; then each reads what all of them have, lane by lane."""
        left = self.layout.reduce_dim(self.dim)
        type_ = fragment_of(value)
        buffer = shared(
            Alloca(result_types=[memref(type_.element, (warps, *left.shape), space=AddressSpace.LOCAL)])
        ).out
        at = [threads.coordinate(left, k) for k in range(len(left.shape))]
        steps = register_steps(left, 1)
        if again:
            build(team.Barrier(fence_local=True))
        holders = [place for place in copies(left) if place.digit.owner is Owner.LANE]
        holders += [place for place in copies(self.layout) if place.digit.owner is Owner.WARP]
        first = threads.is_first(holders)
        writer = build if first is None else emit.open_if(build, first)
        writer(lane.Store(value, buffer, [self._part(threads), *at], steps))
        build(team.Barrier(fence_local=True))
        return self._collected(build, threads, buffer, at, left, warps)

    def _collected(
        self, build: Builder, threads: Threads, buffer: Value, at: list[Value], left: Layout, warps: int
    ) -> Value:
        """What all warps have, shared out to lanes that hold copies of the result, several a lane if these are few."""
        slot, flips, lanes = threads.head.index(0), list[tuple[int, int]](), 1
        for place in copies(left):
            # several lanes share out what a power of two divides
            extent = min(place.digit.extent, (warps & -warps) // lanes)
            if place.digit.owner is Owner.LANE and extent > 1:
                bits = threads.bits(Owner.LANE, place.weight, extent)
                slot = emit.add(threads.head, slot, emit.mul(threads.head, bits, threads.head.index(lanes)))
                flips.append((place.weight, extent))
                lanes *= extent
        rounds, size = warps // lanes, left.count(Owner.REG)
        assert isinstance(buffer.type, MemrefType)
        rows = FragmentType(rounds * size, buffer.type.element)
        steps = ((rounds, 0, lanes), *register_steps(left, 1))
        read = build(lane.Load(buffer, [slot, *at], steps, result_types=[rows])).out
        value = picked(build, [read], range(0, rows.size, rounds))
        for k in range(1, rounds):
            value = self.combine(build, value, picked(build, [read], range(k, rows.size, rounds)))
        for weight, extent in flips:
            value = _between(build, value, weight, extent, self.combine)
        return value

    def _part(self, threads: Threads) -> Value:
        """Which of the warps that share a line this one is."""
        build, total, weight = threads.head, threads.head.index(0), 1
        for place in self.layout.along(self.dim):
            if place.digit.owner is Owner.WARP:
                total = emit.add(build, total, emit.mul(build, threads.digit(place), build.index(weight)))
                weight *= place.digit.extent
        return total


def between_lanes(build: Builder, value: Value, layout: Layout, combine: Combine) -> Value:
    """What lanes that hold copies of each element make of what each of them has of it."""
    for place in copies(layout):
        if place.digit.owner is Owner.LANE:
            value = _between(build, value, place.weight, place.digit.extent, combine)
    return value


def _between(build: Builder, value: Value, first: int, extent: int, combine: Combine) -> Value:
    """The same of lanes that differ in one digit."""
    step = first
    while step < first * extent:
        value = combine(build, value, build(lane.Flip(value, step)).out)
        step *= 2
    return value


def picked(build: Builder, values: Sequence[Value], registers: Sequence[int]) -> Value:
    """Registers of fragments that are numbered one behind the other; the only fragment itself for all in order."""
    if len(values) == 1 and list(registers) == list(range(fragment_of(values[0]).size)):
        return values[0]
    return build(lane.Pick(list(values), tuple(registers))).out
