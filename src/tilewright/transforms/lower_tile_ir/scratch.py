"""Tiles in scratch memory: elements and slices at positions that are known only at run time."""

from __future__ import annotations

from msgspec import Struct

from tilewright.dialects import memref as memory
from tilewright.dialects import tile
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.statics import Reserve
from tilewright.ir.core import Value
from tilewright.ir.types import BOOL, I8, ScalarType, TileType, memref, packed_strides
from tilewright.transforms.lower_tile_ir.bits import from_pattern, pattern
from tilewright.transforms.lower_tile_ir.context import Lowering

_ALIGNMENT = 64


class Scratch(Struct, frozen=True):
    """Memory for a tile, packed; elements that have no bytes of their own take one each."""

    place: Value
    type: TileType

    @staticmethod
    def reserve(low: Lowering, type_: TileType) -> Scratch:
        """Memory of undefined content, until the region around ends."""
        stored = _stored(type_.element)
        address = low.b(Reserve(type_.size * stored.bytes, _ALIGNMENT)).out
        shape = memref(stored, type_.shape, packed_strides(type_.shape))
        return Scratch(low.b(FromAddress(address, [], [], result_types=[shape])).out, type_)

    @staticmethod
    def of(low: Lowering, value: Value) -> Scratch:
        """Memory that holds a tile."""
        assert isinstance(value.type, TileType)
        found = Scratch.reserve(low, value.type)
        low.b(tile.Store(found._coded(low, value), found.place, [low.b.index(0) for _ in value.type.shape]))
        return found

    def slice(self, low: Lowering, starts: list[Value], shape: tuple[int, ...]) -> Value:
        """A part of it."""
        type_ = TileType(shape, _stored(self.type.element))
        return self._decoded(low, low.b(tile.Load(self.place, starts, result_types=[type_])).out)

    def whole(self, low: Lowering) -> Value:
        """All of it."""
        return self.slice(low, [low.b.index(0) for _ in self.type.shape], self.type.shape)

    def element(self, low: Lowering, position: list[Value]) -> Value:
        """One element."""
        return self._decoded(low, low.b(memory.Load(self.place, position)).out)

    def put(self, low: Lowering, value: Value, position: list[Value]) -> None:
        """Write one element."""
        low.b(memory.Store(self._coded(low, value), self.place, position))

    def _coded(self, low: Lowering, value: Value) -> Value:
        return value if _stored(self.type.element) is self.type.element else pattern(low, value)

    def _decoded(self, low: Lowering, value: Value) -> Value:
        element = self.type.element
        return value if _stored(element) is element else from_pattern(low, value, element)


def _stored(element: ScalarType) -> ScalarType:
    return I8 if element is BOOL or element.bits < I8.bits else element
