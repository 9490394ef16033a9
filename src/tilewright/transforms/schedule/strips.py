"""Some registers at a time: what is computed for a store or a reduction, where threads have no room for all of it.

before:  %c = tile.load %C ..    %d = arith.add %accumulators, %c    tile.store %d, %D ..          (128 registers of
each) after:   %c0 = lane.load %C ..   %d0 = arith.add %s0, %c0    lane.store %d0, %D ..         (16 registers of each,
         %c1 = lane.load %C ..   %d1 = arith.add %s1, %c1    lane.store %d1, %D ..          eight times)

What is loaded late must not have been stored by then: it is the box that is stored, of which each thread has its own
elements, or surely no byte of it. What a reduction needs may go to shared memory on the way (`gpu.spill`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from msgspec import Struct

from tilewright.dialects import gpu, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import FragmentType, TileType
from tilewright.transforms.aliasing import accesses, may_overlap
from tilewright.transforms.schedule.accesses import Access, Part, of_access
from tilewright.transforms.schedule.moves import in_memory_order
from tilewright.transforms.schedule.recompute_tiles import is_quiet, registers_of_thread
from tilewright.transforms.schedule.threads import Threads, copies
from tilewright.transforms.tile_values import layout_of, tile_type

_ROOM: Final = 160
"""Words of a thread that tiles may fill which are there at once."""
_MOST: Final = 16
"""Registers of a tile that are computed at a time."""

Registers = Callable[[Builder, Value, Sequence[int]], Value]
"""Some registers of what a tile became."""
End = Callable[[Builder, Part, Value], None]
"""Takes a part of what is computed."""


class Strip(Struct, frozen=True):
    """What is computed for its `ends` alone, in the order of the program: a store, or a reduction behind spills."""

    ends: tuple[Operation, ...]
    ops: tuple[Operation, ...]

    @property
    def last(self) -> Operation:
        """Where the strip stands."""
        return self.ends[-1]

    @property
    def loads(self) -> list[tile.Load]:
        """Those among the operations."""
        return [op for op in self.ops if isinstance(op, tile.Load)]


def strips(
    ops: Sequence[Operation], threads: int, in_parts: Callable[[tile.Reduce | ReduceBy], bool]
) -> Iterator[Strip]:
    """What of a block is computed a part at a time; `in_parts` tells which reductions can be."""
    room = min(_ROOM, registers_of_thread(threads) * 5 // 4)
    taken: set[Operation] = set()
    places = {op: number for number, op in enumerate(ops)}
    for number, op in enumerate(ops):
        if isinstance(op, tile.Reduce | ReduceBy) and in_parts(op):
            spills = _spills(op, ops[:number])
            found = _strip((*spills, op), places)
            if spills or (found.ops and _words(found) > room):
                taken.update(spills)
                yield found
    for op in ops:
        if isinstance(op, gpu.Spill) and op not in taken:
            yield _strip((op,), places)
        elif isinstance(op, tile.Store) and not copies(layout_of(op.value)):
            found = _strip((op,), places)
            if _waits(found) or (found.loads and _words(found) > room):
                yield found


def _waits(strip: Strip) -> bool:
    """Whether something comes from shared memory, where threads keep it for want of registers."""
    return any(isinstance(v.defining_op, gpu.Spill) for op in (*strip.ops, *strip.ends) for v in op.operands)


def _spills(reduction: Operation, before: Sequence[Operation]) -> list[gpu.Spill]:
    """Those behind the reduction in front of this one, of tiles in the same layout, that nothing here needs yet."""
    layout, found = layout_of(reduction.operands[0]), list[gpu.Spill]()
    for op in reversed(before):
        if isinstance(op, tile.Reduce | ReduceBy):
            break
        if isinstance(op, gpu.Spill) and layout_of(op.tile) == layout and not _is_needed(op.out, before):
            found.append(op)
    return found[::-1]


def _is_needed(value: Value, ops: Sequence[Operation]) -> bool:
    return any(user in ops or any(parent in ops for parent in user.ancestors()) for user in value.uses)


def _strip(ends: tuple[Operation, ...], places: Mapping[Operation, int]) -> Strip:
    return Strip(ends, tuple(reversed(list(_for_alone(ends, places)))))


def _for_alone(ends: tuple[Operation, ...], places: Mapping[Operation, int]) -> Iterator[Operation]:
    """Loads and elementwise operations of which nothing but the ends needs anything, the last first.

    `places` are those of the operations of the block. None is looked at but what the ends are computed of.
    """
    found: set[Operation] = set(ends)
    waiting: list[tuple[int, Operation]] = []
    seen: set[Operation] = set()

    def wait_for(user: Operation) -> None:
        for op in {value.defining_op for value in user.operands} - seen:
            if op is not None and places.get(op, places[ends[-1]]) < places[ends[-1]]:
                seen.add(op)
                heappush(waiting, (-places[op], op))

    for end in ends:
        wait_for(end)
    while waiting:
        _, op = heappop(waiting)
        users = {user for value in op.results for user in value.uses}
        if found.issuperset(users) and _may_be_in_parts(op, ends[-1]):
            found.add(op)
            wait_for(op)
            yield op


def _may_be_in_parts(op: Operation, end: Operation) -> bool:
    if isinstance(op, tile.Load):
        return not copies(layout_of(op.out)) and _may_be_late(op, end)
    return isinstance(op, Elementwise) and isinstance(op.results[0].type, TileType)


def _may_be_late(load: tile.Load, end: Operation) -> bool:
    """Whether what is loaded is the same just before its part of the tile is needed.

    Who writes the memory of the store next waits for all threads at a barrier behind it; who writes other memory may
    have waited in front of it.
    """
    if not isinstance(end, tile.Store):
        return is_quiet(load, end)
    if load.memref is end.memref and list(load.indices) == list(end.indices):
        return is_quiet(load, end, barriers=True)
    apart = not any(may_overlap(a, b) for a in accesses(load) for b in accesses(end))
    return apart and is_quiet(load, end)


def _words(found: Strip) -> int:
    """Of a thread, if all that is loaded or comes from elsewhere were there at once."""
    ops = (*found.ops, *found.ends)
    values = {value for op in ops for value in op.operands if isinstance(value.type, TileType)}
    held = [value for value in values if value.defining_op not in found.ops or isinstance(value.defining_op, tile.Load)]
    return sum(layout_of(v).count(Owner.REG) * max(tile_type(v).element.bytes // 4, 1) for v in held)


def lower_strip(
    build: Builder,
    threads: Threads,
    strip: Strip,
    new: Callable[[Value], Value],
    registers: Registers,
    ends: Mapping[Operation, End],
) -> None:
    """All parts one after the other; `new` says what values became that are there already, `ends` what takes parts
    but for stores."""

    def access(op: tile.Load | tile.Store, layout: Layout) -> Access:
        return of_access(op, new(op.memref), [new(i) for i in op.indices], layout).ready(build, threads)

    layout = layout_of(_value(strip.last))
    loads = {op: access(op, layout) for op in strip.loads}
    stores = {op: access(op, layout) for op in strip.ends if isinstance(op, tile.Store)}
    for part in _parts(layout, [*loads.values(), *stores.values()]):
        values: dict[Value, Value] = {}

        def of_part(value: Value, part: Part = part, values: dict[Value, Value] = values) -> Value:
            if value not in values:
                whole = isinstance(value.type, TileType)
                values[value] = registers(build, value, part.registers) if whole else new(value)
            return values[value]

        for op in strip.ops:
            build.location = op.location
            (result,) = op.results
            if isinstance(op, tile.Load):
                values[result] = loads[op].load(build, part)
            else:
                type_ = FragmentType(len(part.registers), tile_type(result).element)
                found = type(op).of_parts([of_part(value) for value in op.operands], [type_], dict(op.attributes))
                found.places = op.places
                values[result] = build(found).results[0]
        for op in strip.ends:
            build.location = op.location
            if isinstance(op, tile.Store):
                stores[op].store(build, part, of_part(op.value))
            else:
                ends[op](build, part, of_part(op.operands[0]))


def _value(end: Operation) -> Value:
    """The tile that an end takes."""
    return end.value if isinstance(end, tile.Store) else end.operands[0]


def _parts(layout: Layout, accesses: Sequence[Access]) -> list[Part]:
    """So many registers that neighbours in any memory stay together."""
    together = {digit for access in accesses for digit in in_memory_order(layout, access.type).of(Owner.REG)[:1]}
    own: list[Digit] = []
    outer: list[Digit] = []
    count = layout.count(Owner.REG)
    for digit in sorted(layout.of(Owner.REG), key=lambda digit: -digit.stride):
        most = digit.extent if digit in together else max(_MOST * digit.extent // count, 1)
        kept = max(extent for extent in range(1, digit.extent + 1) if digit.extent % extent == 0 and extent <= most)
        count = count // digit.extent * kept
        own.append(Digit(digit.owner, kept, digit.dim, digit.stride))
        outer.append(Digit(digit.owner, digit.extent // kept, digit.dim, digit.stride * kept))
    return Part.all_of(layout, own, outer)
