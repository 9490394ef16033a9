"""Stores of what is computed from tiles in memory, where registers have no room for all of these beside sums.

before:  %c = tile.load %C ..    %d = arith.add %sums, %c    tile.store %d, %D ..          (128 registers of each)
after:   %c0 = lane.load %C ..   %d0 = arith.add %s0, %c0    lane.store %d0, %D ..         (16 registers of each,
         %c1 = lane.load %C ..   %d1 = arith.add %s1, %c1    lane.store %d1, %D ..          eight times)

What is loaded late must not have been stored by then: it is the box that is stored, of which each thread has its own
elements, or surely no byte of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import FragmentType, TileType
from tilewright.transforms.aliasing import accesses, may_overlap
from tilewright.transforms.schedule.accesses import Access, Part, of_access
from tilewright.transforms.schedule.moves import in_memory_order
from tilewright.transforms.schedule.recompute_tiles import is_quiet
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads, copies
from tilewright.transforms.tile_values import layout_of, tile_type

_ROOM: Final = 160
"""Words of a thread that tiles may fill which are there at once."""
_MOST: Final = 16
"""Registers of a tile that are computed at a time."""


class Epilogue(Struct, frozen=True):
    """A store and what is computed for it alone, in the order of the program."""

    store: tile.Store
    ops: tuple[Operation, ...]

    @property
    def loads(self) -> list[tile.Load]:
        """Those among the operations."""
        return [op for op in self.ops if isinstance(op, tile.Load)]


def epilogues(ops: Sequence[Operation]) -> Iterator[Epilogue]:
    """The stores of a block whose tiles are computed a part at a time."""
    for number, op in enumerate(ops):
        if isinstance(op, tile.Store) and not copies(layout_of(op.value)):
            found = Epilogue(op, tuple(reversed(list(_for_alone(op, ops[:number])))))
            if found.loads and _words(found) > _ROOM:
                yield found


def _for_alone(store: tile.Store, before: Sequence[Operation]) -> Iterator[Operation]:
    """Loads and elementwise operations of which nothing but the store needs anything, the last first."""
    found: set[Operation] = {store}
    for op in reversed(before):
        if isinstance(op, tile.Load):
            may = not copies(layout_of(op.out)) and _may_be_late(op, store)
        else:
            may = isinstance(op, Elementwise) and isinstance(op.results[0].type, TileType)
        users = [user for value in op.results for user in value.uses]
        if may and users and found.issuperset(users):
            found.add(op)
            yield op


def _may_be_late(load: tile.Load, store: tile.Store) -> bool:
    """Whether what is loaded is the same just before its part of the tile is stored.

    Who writes the memory of the store next waits for all threads at a barrier behind it; who writes other memory may
    have waited in front of it.
    """
    if load.memref is store.memref and list(load.indices) == list(store.indices):
        return is_quiet(load, store, barriers=True)
    apart = not any(may_overlap(a, b) for a in accesses(load) for b in accesses(store))
    return apart and is_quiet(load, store)


def _words(found: Epilogue) -> int:
    """Of a thread, if all that is loaded or comes from elsewhere were there at once."""
    values = {value for op in (*found.ops, found.store) for value in op.operands if isinstance(value.type, TileType)}
    held = [value for value in values if value.defining_op not in found.ops or isinstance(value.defining_op, tile.Load)]
    return sum(layout_of(v).count(Owner.REG) * max(tile_type(v).element.bytes // 4, 1) for v in held)


def lower_epilogue(build: Builder, threads: Threads, epilogue: Epilogue, new: Callable[[Value], Value]) -> None:
    """All parts of a store one after the other; `new` says what values became that are there already."""

    def access(op: tile.Load | tile.Store, layout: Layout) -> Access:
        return of_access(op, new(op.memref), [new(i) for i in op.indices], layout).ready(build, threads)

    store = epilogue.store
    layout = layout_of(store.value)
    loads = {op: access(op, layout) for op in epilogue.loads}
    target = access(store, layout)
    for part in _parts(layout, [*loads.values(), target]):
        values: dict[Value, Value] = {}

        def of_part(value: Value, part: Part = part, values: dict[Value, Value] = values) -> Value:
            if value not in values:
                whole = isinstance(value.type, TileType)
                values[value] = picked(build, [new(value)], part.registers) if whole else new(value)
            return values[value]

        for op in epilogue.ops:
            build.location = op.location
            (result,) = op.results
            if isinstance(op, tile.Load):
                values[result] = loads[op].load(build, part)
            else:
                type_ = FragmentType(len(part.registers), tile_type(result).element)
                found = type(op).of_parts([of_part(value) for value in op.operands], [type_], dict(op.attributes))
                found.places = op.places
                values[result] = build(found).results[0]
        build.location = store.location
        target.store(build, part, of_part(store.value))


def _parts(layout: Layout, accesses: Sequence[Access]) -> list[Part]:
    """So many registers that neighbours in any memory stay together."""
    together = {in_memory_order(layout, access.type).of(Owner.REG)[0] for access in accesses}
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
