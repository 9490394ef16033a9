"""Dimensions that tensors share: where several of them can be walked as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from tilewright.ir.core import Value
from tilewright.transforms.emit import Length, memref_type
from tilewright.transforms.lower_tlx.context import Lowering, address_of, strides_of

_FAR = 1 << 62


class Axis(Struct, frozen=True):
    """A dimension, with its stride in each of the tensors that have it, in an order that the reader knows."""

    extent: int
    strides: tuple[Length, ...]

    def distance(self, which: int) -> int:
        """Its stride in one of the tensors; unknown ones are far."""
        stride = self.strides[which]
        return stride if isinstance(stride, int) else _FAR

    def distances(self) -> tuple[int, ...]:
        """Its strides in all of them."""
        return tuple(self.distance(k) for k in range(len(self.strides)))


def axes(extents: Iterable[int], views: Sequence[tuple[Value, Sequence[int]]]) -> list[Axis]:
    """The dimensions of these extents, which are these modes of each view."""
    found = [[strides_of(view)[mode] for mode in modes] for view, modes in views]
    return [Axis(extent, tuple(s[k] for s in found)) for k, extent in enumerate(extents)]


def merged(given: Sequence[Axis]) -> list[Axis]:
    """The same positions with as few dimensions as strides allow, the farthest apart first; none of extent 1."""
    found: list[Axis] = []
    for axis in sorted((a for a in given if a.extent > 1), key=Axis.distances, reverse=True):
        if found and _continues(found[-1], axis):
            found[-1] = Axis(found[-1].extent * axis.extent, axis.strides)
        else:
            found.append(axis)
    return found


def _continues(outer: Axis, inner: Axis) -> bool:
    """Whether the outer dimension goes on where the inner one ends, in every tensor."""
    pairs = zip(outer.strides, inner.strides, strict=True)
    return all(isinstance(x, int) and isinstance(y, int) and x == y * inner.extent for x, y in pairs)


def walked_together(low: Lowering, views: Sequence[Value]) -> list[Value]:
    """The same elements of views of one shape, with as few dimensions as their strides allow."""
    types = [memref_type(view) for view in views]
    shape = [n or 1 for n in types[0].shape]
    found = merged(axes(shape, [(view, range(len(shape))) for view in views]))
    if len(found) == len(shape) or not found:
        return list(views)
    extents = [axis.extent for axis in found[::-1]]
    return [
        low.view(address_of(view), type_.element, extents, [axis.strides[k] for axis in found[::-1]])
        for k, (view, type_) in enumerate(zip(views, types, strict=True))
    ]


def longest(given: Sequence[Axis], count: int) -> tuple[Axis, list[Axis]]:
    """The longest of the merged dimensions, and the others."""
    found = merged(given)
    if not found:
        return Axis(1, (1,) * count), []
    chosen = max(range(len(found)), key=lambda k: found[k].extent)
    return found[chosen], [*found[:chosen], *found[chosen + 1 :]]
