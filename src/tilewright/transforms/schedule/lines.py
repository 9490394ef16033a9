"""Lines of tiles combined in the order of their elements: reductions and scans along a dimension.

The coordinate along the dimension is written in digits of registers, lanes and warps. What the lowest digit counts is
combined first, by whoever holds it; the digits above it count the blocks that this makes. So elements keep their order
in every layout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects import lane, team
from tilewright.dialects.arith import Cmp, Or, Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout, Owner, Place
from tilewright.ir.types import AddressSpace, FragmentType, ScalarType, memref
from tilewright.transforms import emit
from tilewright.transforms.schedule.conversions import Buffers
from tilewright.transforms.schedule.fragments import either, splat
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads, copies, register_steps

Row = tuple[Value, ...]
"""A fragment of each tile that is combined."""

Combine = Callable[[Builder, Row, Row], Row]
"""Emits the combination of what comes first with what follows."""


class Before(Struct, frozen=True):
    """What comes before each element, and the bools that say where there is anything."""

    row: Row
    there: Value


class Lines(Struct, frozen=True):
    """Lines along `dim`, from the high coordinates down if `reverse`.

    `combine` is associative.
    """

    build: Builder
    threads: Threads
    dim: int
    combine: Combine
    buffer: Buffers
    reverse: bool = False

    def reduced(self, layout: Layout, row: Row) -> Row:
        """All elements of each line, in `layout.reduce_dim(dim)`."""
        while layout.shape[self.dim] > 1:
            place = layout.along(self.dim)[0]
            match place.digit.owner:
                case Owner.REG:
                    row = self._joined(self._by_digit(layout, row))
                case Owner.LANE:
                    row, _ = self._between_lanes(place, row)
                case _:
                    row = self._joined(self._of_all_warps(layout, row))
            layout = layout.coarsen(self.dim, place.digit.extent)
        return row

    def scanned(self, layout: Layout, row: Row, starts: Row = ()) -> Row:
        """Each element combined with all before it, and those with the scalars `starts`, if there are any."""
        left, own = layout, row
        digits = layout.along(self.dim)
        if digits and digits[0].digit.owner is Owner.REG:
            running = self._running(self._by_digit(layout, row))
            own = self._side_by_side(layout, running)
            left, row = layout.coarsen(self.dim, digits[0].digit.extent), running[-1]
        before = self._before(left, row)
        if starts:
            size = fragment_of(row[0]).size
            first = tuple(splat(self.build, start, size) for start in starts)
            if before is not None:
                first = self._either(before.there, self.combine(self.build, first, before.row), first)
            return self.combine(self.build, self._spread(left, layout, first), own)
        if before is None:
            return own
        (there,) = self._spread(left, layout, (before.there,))
        return self._either(there, self.combine(self.build, self._spread(left, layout, before.row), own), own)

    def _before(self, layout: Layout, row: Row) -> Before | None:
        """What comes before each element; None where every line has only one."""
        if layout.shape[self.dim] == 1:
            return None
        place = layout.along(self.dim)[0]
        match place.digit.owner:
            case Owner.REG:
                running = self._running(self._by_digit(layout, row))
                own, row = self._before_registers(layout, running), running[-1]
            case Owner.LANE:
                row, own = self._between_lanes(place, row)
            case _:
                running = self._running(self._of_all_warps(layout, row))
                own, row = self._before_warp(place, running), running[-1]
        left = layout.coarsen(self.dim, place.digit.extent)
        above = self._before(left, row)
        if above is None:
            return own
        above = Before(self._spread(left, layout, above.row), self._spread(left, layout, (above.there,))[0])
        return self._further(above, own)

    def _further(self, first: Before, then: Before) -> Before:
        """What comes before from further away, and what comes behind that."""
        both = self._either(then.there, self.combine(self.build, first.row, then.row), first.row)
        return Before(self._either(first.there, both, then.row), self.build(Or(first.there, then.there)).out)

    def _either(self, condition: Value, on_true: Row, on_false: Row) -> Row:
        return tuple(either(self.build, condition, x, y) for x, y in zip(on_true, on_false, strict=True))

    def _running(self, parts: Sequence[Row]) -> list[Row]:
        found = [parts[0]]
        for part in parts[1:]:
            found.append(self.combine(self.build, found[-1], part))
        return found

    def _joined(self, parts: Sequence[Row]) -> Row:
        """All of them, by a tree."""
        while len(parts) > 1:
            pairs = [self.combine(self.build, *pair) for pair in zip(parts[::2], parts[1::2], strict=False)]
            parts = [*pairs, *parts[2 * len(pairs) :]]
        return parts[0]

    def _in_order(self, extent: int) -> Sequence[int]:
        return range(extent - 1, -1, -1) if self.reverse else range(extent)

    # Registers

    def _by_digit(self, layout: Layout, row: Row) -> list[Row]:
        """The registers for each value of the lowest digit, which is one of registers."""
        extent = layout.along(self.dim)[0].digit.extent
        numbers = {at: number for number, at in enumerate(layout.registers())}
        blocks = layout.coarsen(self.dim, extent).registers()
        found: list[Row] = []
        for k in self._in_order(extent):
            registers = [numbers[self._scaled(at, lambda c, k=k: c * extent + k)] for at in blocks]
            found.append(tuple(picked(self.build, [value], registers) for value in row))
        return found

    def _side_by_side(self, layout: Layout, parts: Sequence[Row]) -> Row:
        """The registers of a layout from those for each value of its lowest digit."""
        extent = layout.along(self.dim)[0].digit.extent
        blocks = layout.coarsen(self.dim, extent).registers()
        numbers = {at: number for number, at in enumerate(blocks)}
        ranks = {digit: number for number, digit in enumerate(self._in_order(extent))}
        registers = [
            ranks[at[self.dim] % extent] * len(blocks) + numbers[self._scaled(at, lambda c: c // extent)]
            for at in layout.registers()
        ]
        return tuple(picked(self.build, values, registers) for values in zip(*parts, strict=True))

    def _spread(self, blocks: Layout, layout: Layout, row: Row) -> Row:
        """What there is of each block, for each register that holds elements of it."""
        extent = layout.shape[self.dim] // blocks.shape[self.dim]
        numbers = {at: number for number, at in enumerate(blocks.registers())}
        registers = [numbers[self._scaled(at, lambda c: c // extent)] for at in layout.registers()]
        return tuple(picked(self.build, [value], registers) for value in row)

    def _scaled(self, at: tuple[int, ...], change: Callable[[int], int]) -> tuple[int, ...]:
        return tuple(change(c) if k == self.dim else c for k, c in enumerate(at))

    def _before_registers(self, layout: Layout, running: Sequence[Row]) -> Before:
        """Nothing is before the first."""
        size = fragment_of(running[0][0]).size
        no, yes = (splat(self.build, self.build.boolean(truth), size) for truth in (False, True))
        (there,) = self._side_by_side(layout, [(no,), *[(yes,)] * (len(running) - 1)])
        return Before(self._side_by_side(layout, [running[0], *running[:-1]]), there)

    # Lanes

    def _between_lanes(self, place: Place, row: Row) -> tuple[Row, Before]:
        """Blocks of lanes grow by one bit of their number at a time; all lanes of a block know what it makes."""
        build, before = self.build, None
        step = place.weight
        while step < place.weight * place.digit.extent:
            bit = self.threads.bits(Owner.LANE, step, 2)
            is_second = self.threads.head(Cmp(self._second, bit, self.threads.head.index(0))).out
            other: Row = tuple(build(lane.Flip(value, step)).out for value in row)
            found = Before(other, splat(build, is_second, fragment_of(row[0]).size))
            before = found if before is None else self._further(found, before)
            row = self.combine(build, self._either(is_second, other, row), self._either(is_second, row, other))
            step *= 2
        assert before is not None
        return row, before

    @property
    def _second(self) -> Predicate:
        """How a bit compares with 0 of the half of a block that follows the other."""
        return Predicate.EQ if self.reverse else Predicate.NE

    # Warps

    def _of_all_warps(self, layout: Layout, row: Row) -> list[Row]:
        """What each value of the lowest digit, which is one of warps, holds: through shared memory."""
        build, threads = self.build, self.threads
        numbers: dict[ScalarType, int] = {}
        slots = [(element, _next(numbers, element)) for element in (fragment_of(value).element for value in row)]
        buffers = {element: self._buffer(layout, element, count) for element, count in numbers.items()}
        if any(used for _, used in buffers.values()):
            build(team.Barrier(fence_local=True))
        first = threads.is_first(copies(layout))
        writer = build if first is None else emit.open_if(build, first)
        at = [threads.coordinate(layout, k) for k in range(len(layout.shape))]
        for value, (element, slot) in zip(row, slots, strict=True):
            writer(lane.Store(value, buffers[element][0], [*at, writer.index(slot)], register_steps(layout)))
        build(team.Barrier(fence_local=True))
        values = [self._read(layout, buffers[element][0], slot) for element, slot in slots]
        extent = layout.along(self.dim)[0].digit.extent
        size = fragment_of(values[0]).size
        return [
            tuple(picked(build, [value], range(k, size, extent)) for value in values) for k in self._in_order(extent)
        ]

    def _buffer(self, layout: Layout, element: ScalarType, count: int) -> tuple[Value, bool]:
        return self.buffer(memref(element, (*layout.shape, count), space=AddressSpace.LOCAL))

    def _read(self, layout: Layout, buffer: Value, slot: int) -> Value:
        """What all warps have written of a thread's lines, by their numbers first."""
        extent = layout.along(self.dim)[0].digit.extent
        left, head = layout.coarsen(self.dim, extent), self.threads.head
        at = [self.threads.coordinate(left, k) for k in range(len(left.shape))]
        at[self.dim] = emit.mul(head, at[self.dim], head.index(extent))
        steps = [(e, k, stride * extent if k == self.dim else stride) for e, k, stride in register_steps(left)]
        out = FragmentType(extent * left.count(Owner.REG), emit.memref_type(buffer).element)
        where = [*at, self.build.index(slot)]
        return self.build(lane.Load(buffer, where, ((extent, self.dim, 1), *steps), result_types=[out])).out

    def _before_warp(self, place: Place, running: Sequence[Row]) -> Before:
        """What the warps before this one make."""
        head, digit, last = self.threads.head, self.threads.digit(place), place.digit.extent - 1
        if self.reverse:
            digit = emit.sub(head, head.index(last), digit)
        found = running[0]
        for number in range(2, place.digit.extent):
            found = self._either(emit.not_less(head, digit, head.index(number)), running[number - 1], found)
        is_later = emit.not_less(head, digit, head.index(1))
        return Before(found, splat(self.build, is_later, fragment_of(found[0]).size))


def _next(numbers: dict[ScalarType, int], element: ScalarType) -> int:
    """How many there were of an element type before this one."""
    found = numbers.get(element, 0)
    numbers[element] = found + 1
    return found
