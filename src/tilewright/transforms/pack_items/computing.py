"""What a crew computes of one item: tiles in registers, factors and results in slabs of shared memory.

before:  %t = tile.mma %x, %y, %z      tile.store %t, %c, ..
after:   lane.synchronize   %t = .. multiply-adds of registers with factors from the slabs of %x and %y
         lane.synchronize   .. the registers of %t to the slab of %c

Who reads what others have written, or writes where others have read, waits for them first, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from tilewright.dialects import lane, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import FragmentType, TileType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.column_scalars import ColumnScalars
from tilewright.transforms.pack_items.items import Items
from tilewright.transforms.pack_items.plan import Plan
from tilewright.transforms.pack_items.products import product
from tilewright.transforms.pack_items.slots import Box, PanelSlot, Slot
from tilewright.transforms.pack_items.threads import Threads, of_item
from tilewright.transforms.pack_items.units import unit_product
from tilewright.transforms.schedule.known import has_tile
from tilewright.transforms.tile_values import tile_type


class Places(Struct, frozen=True, eq=False):
    """Where the tiles of the item in `slot` lie: in the memory of an operation's slab, `shifts` bytes further."""

    plan: Plan
    memory: Mapping[Operation, Value]
    shifts: Mapping[Operation, Value]
    crew: Value
    slot: Value

    def of(self, op: Operation, box: Box) -> Slot | PanelSlot:
        """The place of an item in the slab of an operation, or of its panel of a box."""
        slab, memory = self.plan.slabs.of[op], self.memory[op]
        place = () if slab.is_fixed else (self.slot, self.crew)
        panels = slab.panels
        if panels is None:
            return Slot(slab, memory, place, self.shifts.get(op))
        return PanelSlot(Slot(slab, memory, (box.numbers[panels.mode], *place)), panels)


class Computing:
    """The code that computes the item of a slot.

    `synchronize` makes the threads of a crew wait for each other. `load_next` begins to load the next chunk, where that
    replaces this one: behind `ahead`, which reads this chunk last.
    """

    def __init__(
        self,
        build: Builder,
        items: Items,
        threads: Threads,
        places: Places,
        synchronize: Callable[[], None],
        load_next: Callable[[], None],
        ahead: Operation | None,
    ) -> None:
        self._build, self._items, self._places = build, items, places
        self._wait, self._load_next, self._ahead = synchronize, load_next, ahead
        plan = places.plan
        self._is_long = plan.most is not None
        self._reads = self._writes = False
        """What the threads of a crew have done to slabs since they waited for each other."""
        self._boxes = {
            shape: Box.of(build, tiling, threads.rank, plan.team, threads.works)
            for shape, tiling in plan.tilings.items()
        }
        computed = [op for op in items.operations if has_tile(op) and op not in items.transfers]
        scalars = [value for op in computed for value in op.operands if not isinstance(value.type, TileType)]
        self._values: dict[Value, Value] = {}
        self._columns: ColumnScalars | None = None
        if plan.joined == 1:
            self._values = dict(of_item(build, scalars, threads.item(build, places.slot)))
        else:
            self._columns = ColumnScalars(threads, plan.joined, scalars, places.slot)
            self._columns.load(build, [(op, self._box(op.results[0])) for op in computed])

    def run(self) -> None:
        """What the program does with an item, in its order."""
        for op in self._items.operations:
            self._build.location = op.location
            if isinstance(op, tile.Load):
                continue
            if isinstance(op, tile.Store):
                self._write(op, op.value)
            elif has_tile(op):
                out = op.results[0]
                self._values[out] = self._product(op) if isinstance(op, tile.Mma) else self._elementwise(op)
                if op in self._places.memory:
                    self._write(op, out)
                    del self._values[out]
            else:
                continue
            if op is self._ahead:
                self._go_ahead()

    def _box(self, value: Value) -> Box:
        return self._boxes[self._items.shape(value)]

    def _synchronize(self) -> None:
        self._wait()
        self._reads = self._writes = False

    def _go_ahead(self) -> None:
        """The next chunk may take the place of this one: all threads wait for that they have read it."""
        self._load_next()
        self._reads = self._writes = False
        self._ahead = None

    def _read(self, op: Operation, box: Box) -> Slot | PanelSlot:
        """A tile in a slab, once all that others write there is there."""
        if self._writes:
            self._synchronize()
        self._reads = True
        return self._places.of(op, box)

    def _held(self, value: Value) -> Value:
        """The registers of a tile, or a scalar; what is in a slab is read from there whenever it is needed."""
        op = value.defining_op
        if value in self._values or op is None or not isinstance(value.type, TileType):
            return self._values.get(value, value)
        box = self._box(value)
        if isinstance(op, tile.Load):
            # nobody writes what was loaded
            self._reads = True
            return self._places.of(op, box).read_box(self._build, box)
        return self._read(op, box).read_box(self._build, box)

    def _write(self, op: Operation, value: Value) -> None:
        """The registers of a tile to its slab: what was read here may lie where others are about to write."""
        found, box = self._held(value), self._box(value)
        if self._reads or self._writes:
            self._synchronize()
        self._writes = True
        inner = self._build if box.writes is None else emit.open_if(self._build, box.writes)
        self._places.of(op, box).write(inner, box, found)

    def _factor(self, value: Value, box: Box) -> Slot | PanelSlot:
        assert value.defining_op is not None
        return self._read(value.defining_op, box)

    def _product(self, op: tile.Mma) -> Value:
        box, start = self._box(op.out), self._held(op.acc)
        if op is self._ahead and not any(map(self._items.is_moving, (op.lhs, op.rhs))):
            # accumulators begin with what is in registers now
            self._go_ahead()
        left, right = self._factor(op.lhs, box), self._factor(op.rhs, box)
        if not box.tiling.unit:
            return product(self._build, op, box, (left, right), start, is_long=self._is_long)
        assert isinstance(left, Slot), "matrix instructions read no panels"
        assert isinstance(right, Slot), "matrix instructions read no panels"
        return unit_product(self._build, op, box, (left, right), start)

    def _elementwise(self, op: Operation) -> Value:
        box = self._box(op.results[0])
        found = {value: self._held(value) for value in op.operands}
        if self._columns is not None:
            found |= self._columns.of(self._build, op, box)
        return _registers(self._build, op, found, box)


def _registers(build: Builder, op: Operation, held: Mapping[Value, Value], box: Box) -> Value:
    """An operation on the registers of tiles instead of all their elements."""
    type_ = FragmentType(box.tiling.registers, tile_type(op.results[0]).element)
    if isinstance(op, tile.Splat):
        value = held[op.value]
        return value if value.type == type_ else build(lane.Fill(value, result_types=[type_])).out
    new: Any = type(op).of_parts([held[value] for value in op.operands], [type_], dict(op.attributes))
    new.places = op.places
    return build(new).results[0]
