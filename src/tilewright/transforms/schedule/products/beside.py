"""Tiles that threads read beside products, logarithms of rows say, and that come ahead with the factors of these.

before:  scf.for %k .. { %l = tile.load %L[%i, %k]  ..  %p = .. %s .. %l ..  %w = tile.mma %p, (tile.load ..), .. }
after:   scf.for %k .. { gpu.await_phase ..  %l = (tile.load of the stage in shared memory)  ..  (gpu.arrive ..) }

A loop that has a pipeline waits for nothing but products: a load from global memory would be all that it waits for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_tensors import no_slabs
from tilewright.ir.core import Operation, Value
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.ir.types import AddressSpace, MemrefType, TileType
from tilewright.transforms.schedule.products.boxes import Box, turned
from tilewright.transforms.schedule.products.loops import computed
from tilewright.transforms.schedule.products.matrices import obstacle
from tilewright.transforms.schedule.products.sources import is_source
from tilewright.transforms.tile_values import tile_type

_LINE: Final = 128
"""Bytes at multiples of which boxes are copied to."""
_SWIZZLED_TOGETHER: Final = 8


class Beside(Struct, frozen=True):
    """A load of a matrix whose rows run along mode `near`, at most as long as a box."""

    load: tile.Load
    near: int

    @property
    def bytes(self) -> int:
        """Of a stage."""
        type_ = self.buffer_type(1)
        return (type_.strides[-1] or 0) * type_.element.bytes

    def buffer_type(self, stages: int) -> MemrefType:
        """Of the memory of so many stages."""
        type_ = tile_type(self.load.out)
        near, rows, size = type_.shape[self.near], type_.shape[1 - self.near], type_.element.bytes
        swizzle = SWIZZLED_LINES.get(near * size)
        # a stage begins where lines that are swizzled together do
        unit = (_LINE if swizzle is None else _SWIZZLED_TOGETHER * near * size) // size
        shape, strides = (near, rows, 1, stages), (1, near, near * rows, -(-near * rows // unit) * unit)
        return MemrefType(type_.element, shape, strides, AddressSpace.LOCAL, swizzle)

    def box(self, known: Mapping[Value, Value]) -> Box:
        """Where the tile of an iteration lies."""
        load = self.load
        view, indices = known.get(load.memref, load.memref), [known.get(i, i) for i in load.indices]
        return Box(view, indices, (False, False), self.near, 1 - self.near, tile_type(load.out).element)

    def read(self, build: Builder, buffer: Value, stage: Value) -> Value:
        """The tile, from a stage of its memory."""
        near, rows, *_ = (extent or 0 for extent in memref_of(buffer).shape)
        wanted, zero = tile_type(self.load.out), build.index(0)
        found = build(
            tile.Load(buffer, [zero, zero, zero, stage], result_types=[_tile(near, rows, 1, 1, of=wanted)])
        ).out
        matrix = build(tile.Reshape(found, result_types=[_tile(near, rows, of=wanted)])).out
        return turned(build, matrix, (0, 1) if self.near == 0 else (1, 0))


def loads_beside(
    loop: scf.For, rings: Sequence[Sequence[tile.Mma]], adders: Sequence[tile.Mma], products: Sequence[tile.Mma]
) -> Sequence[Beside]:
    """The loads of a pipelined loop that may come ahead in the one ring of its products.

    Its stages are free once the last of the products whose accumulators are only added up is over: it begins behind
    them.
    """
    body = list(loop.body.entry)
    if len(rings) != 1 or not any(op in rings[0] for op in adders):
        return ()
    last = max(body.index(op) for op in adders if op in rings[0])
    multiplied = frozenset(products)
    found = (_beside(op, loop) for op in body[:last] if isinstance(op, tile.Load) and not is_source(op, multiplied))
    return tuple(each for each in found if each is not None)


def slices_of(loads: Sequence[Beside], loop: scf.For) -> Sequence[Operation]:
    """What of a loop computes where they lie."""
    places = [value for each in loads for value in (each.load.memref, *each.load.indices)]
    return computed(places, loop) or ()


def _beside(load: tile.Load, loop: scf.For) -> Beside | None:
    """A load if the machine can copy what it reads by itself, as whole lines."""
    type_, shape = memref_of(load.memref), tile_type(load.out).shape
    near = next((mode for mode, stride in enumerate(type_.strides) if stride == 1), None)
    if type_.order != 2 or len(shape) != 2 or near is None or type_.element is not tile_type(load.out).element:
        return None
    found = Beside(load, near)
    if no_slabs(found.buffer_type(1)) is not None or obstacle(load.memref, near) is not None:
        return None
    return found if computed([load.memref, *load.indices], loop) is not None else None


def _tile(*shape: int, of: TileType) -> TileType:
    return TileType(shape, of.element)
