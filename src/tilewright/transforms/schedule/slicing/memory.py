"""Where large tiles lie: packed, in memory of the work-group, which may be scratch memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import Alloca, Expand
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.interfaces import root_of
from tilewright.ir.types import AddressSpace, MemrefType, TileType, packed_strides
from tilewright.transforms.schedule.slicing.boxes import Box, Shape, each_box
from tilewright.transforms.schedule.slicing.on_demand import is_number
from tilewright.transforms.schedule.slicing.slices import Slices
from tilewright.transforms.tile_values import tile_type


class Memory:
    """What of a kernel's tiles lies in memory; `part` is the shape of what is moved at a time."""

    def __init__(self, large: Callable[[Value], bool], part: Callable[[Value], Shape]) -> None:
        self._large, self.part = large, part
        self._places: dict[Value, Value] = {}

    def slices(self) -> Slices:
        """Parts of tiles, to be emitted at one place."""
        return Slices(self.of, self._large)

    def find(self, value: Value) -> Value | None:
        """Where a tile lies, if it has been put somewhere."""
        return self._places.get(value)

    def lies(self, value: Value, place: Value) -> None:
        """Say where a tile lies."""
        self._places[value] = place

    def of(self, value: Value) -> Value | None:
        """Where a tile lies; a small one, of which somebody wants a part, is put into memory where it is computed."""
        if value not in self._places and not self._large(value) and not is_number(value):
            build = _behind(value)
            place = self._places[value] = reserve(build, tile_type(value))
            build(tile.Store(value, place, [build.index(0) for _ in tile_type(value).shape]))
        return self._places.get(value)

    def put(self, build: Builder, value: Value) -> Value:
        """Where a tile lies, from here on if it did nowhere before."""
        found = self.find(value)
        return self.copy(build, value) if found is None else found

    def copy(self, build: Builder, value: Value) -> Value:
        """Memory of its own for what a tile holds."""
        place = reserve(build, tile_type(value))
        self.fill(build, value, place)
        return place

    def fill(self, build: Builder, value: Value, place: Value) -> None:
        """Write a tile into memory of its shape."""

        def body(here: Builder, box: Box) -> None:
            here(tile.Store(self.slices().of(here, value, box), place, list(box.offsets)))

        each_box(build, tile_type(value).shape, self.part(value), body)

    def move(self, build: Builder, value: Value, source: Value, place: Value) -> None:
        """Copy between two places of a tile."""

        def body(here: Builder, box: Box) -> None:
            type_ = TileType(box.shape, tile_type(value).element)
            part = here(tile.Load(source, list(box.offsets), result_types=[type_])).out
            here(tile.Store(part, place, list(box.offsets)))

        each_box(build, tile_type(value).shape, self.part(value), body)


def reserve(build: Builder, type_: TileType) -> Value:
    """Memory for a tile, until the region around ends."""
    row = MemrefType(type_.element, (prod(type_.shape),), (1,), AddressSpace.LOCAL)
    return viewed(build, build(Alloca(result_types=[row])).out, type_.shape)


def viewed(build: Builder, place: Value, shape: Shape) -> Value:
    """The memory of a tile as that of one of another shape, whose elements have the same numbers."""
    row = root_of(place)
    if len(shape) == 1:
        return row
    assert isinstance(row.type, MemrefType)
    type_ = MemrefType(row.type.element, shape, packed_strides(shape), AddressSpace.LOCAL)
    return build(Expand(row, [], 0, shape, result_types=[type_])).out


def _behind(value: Value) -> Builder:
    """Behind what computes a value."""
    if isinstance(value, BlockArgument):
        return Builder(value.owner, value.owner.first, value.location)
    op = value.defining_op
    assert op is not None
    assert op.block is not None
    return Builder(op.block, op.next, op.location)
