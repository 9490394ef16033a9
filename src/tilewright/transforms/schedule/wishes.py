"""What speaks for one layout of tiles of a shape: how they lie in memory, how wide accesses are, what is reduced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import tile
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Operation
from tilewright.ir.types import BOOL, MemrefType, TileType
from tilewright.transforms.schedule.accesses import neighbours_along
from tilewright.transforms.schedule.spreading import Wishes
from tilewright.transforms.tile_values import tile_type

VECTOR_BYTES: Final = 16
"""What a thread accesses at once, at most."""

_Shape = tuple[int, ...]


class _Found(Struct):
    """Of one shape: dimensions of neighbours in memory, bytes of the smallest elements there, what is reduced."""

    along: dict[int, None] = field(default_factory=dict[int, None])
    least: int | None = None
    reduced: set[int] = field(default_factory=set[int])

    def wishes(self) -> Wishes:
        """In the words of layouts."""
        width = VECTOR_BYTES // (self.least or VECTOR_BYTES)
        first, second = next(iter(self.along), 0), next(islice(self.along, 1, None), None)
        return Wishes(first, width, frozenset(self.reduced), second)


def wishes_of(ops: Sequence[Operation]) -> dict[_Shape, Wishes]:
    """By the shapes of all tiles that operations take and give."""
    found = {type_.shape: _Found() for op in ops for type_ in _tiles(op)}
    for op in ops:
        if isinstance(op, tile.Load | tile.Store):
            _accessed(found, op)
        elif isinstance(op, tile.Reduce | ReduceBy | tile.Scan | ScanBy):
            found[tile_type(op.operands[0]).shape].reduced.add(op.dim)
    for op in ops:
        if isinstance(op, tile.Permute):
            here, there = (found[tile_type(value).shape].along for value in (op.tile, op.out))
            turned = [op.order.index(k) for k in here]
            here.update(dict.fromkeys([op.order[k] for k in there]))
            there.update(dict.fromkeys(turned))
        elif isinstance(op, tile.Reshape):
            source, target = (tile_type(value).shape for value in (op.tile, op.out))
            _reshaped(found, source, target)
            _reshaped(found, target, source)
    return {shape: each.wishes() for shape, each in found.items()}


def _tiles(op: Operation) -> Iterator[TileType]:
    return (value.type for value in (*op.operands, *op.results) if isinstance(value.type, TileType))


def _accessed(found: dict[_Shape, _Found], op: tile.Load | tile.Store) -> None:
    type_ = tile_type(op.out if isinstance(op, tile.Load) else op.value)
    bytes_ = VECTOR_BYTES if type_.element is BOOL else min(type_.element.bytes, VECTOR_BYTES)
    here = found[type_.shape]
    here.least = min(bytes_, here.least or VECTOR_BYTES)
    assert isinstance(op.memref.type, MemrefType)
    here.along[neighbours_along(op.memref.type) or 0] = None


def _reshaped(found: dict[_Shape, _Found], source: _Shape, target: _Shape) -> None:
    """Tiles of which only the extents of 1 differ from those of tiles in memory are held as these are."""
    places = _places(source, target)
    here, there = found[source], found[target]
    if places is not None and there.least is None and here.least is not None:
        there.least = here.least
        there.along.update((places[dim], None) for dim in here.along if dim in places)


def _places(source: _Shape, target: _Shape) -> dict[int, int] | None:
    """For each dimension of the source that is not of extent 1 that of the target; None if these differ."""
    here, there = ([dim for dim, extent in enumerate(shape) if extent != 1] for shape in (source, target))
    same = [source[dim] for dim in here] == [target[dim] for dim in there]
    return dict(zip(here, there, strict=True)) if same else None
