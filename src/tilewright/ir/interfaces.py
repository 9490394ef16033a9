"""Questions that any pass or target may ask of an operation, answered by its definition.

An interface is a family (`definition`) whose methods the definitions that derive from it give; `isinstance` and `case`
patterns find it. So an operation of a new dialect takes part in all that interfaces tell, and no pass knows its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Generic, TypeVar

from msgspec import Struct

from tilewright.ir.definition import Operation, Value, operand
from tilewright.ir.index_map import Move
from tilewright.ir.types import ORDERED_MEMREF

_Length = TypeVar("_Length")


class MovesElements(Operation):
    """The result, a tile, has elements of the operands, all of which are tiles, in other places."""

    def moves(self) -> Sequence[Move]:
        """Boxes that share out the result, and where the elements of each come from."""
        raise NotImplementedError


class Elementwise(Operation):
    """The result's elements are computed from those of the operands at their place; a scalar is its own element."""


class AccessedBox(Struct, frozen=True):
    """Elements of a memref: `shape` of them, by its modes, from `indices` on.

    `data` is what they are read into or written from, a scalar, tile or matrix. Along `clipped` modes (none is none of
    them) what lies outside of the memref is left out. `update` is the kind of an atomic update of numbers: those of one
    kind may happen in any order.
    """

    memref: Value
    indices: Sequence[Value]
    shape: tuple[int, ...]
    data: Value
    writes: bool
    clipped: tuple[bool, ...] = ()
    update: Enum | None = None


class AccessesBox(Operation):
    """Reads, writes or updates a box of a memref, and no other memory."""

    def box(self) -> AccessedBox:
        """The elements."""
        raise NotImplementedError


class AccessedAddresses(Struct, frozen=True):
    """Elements at a tile of addresses, but where `mask` is false; `data` is what they are read into or written from."""

    addresses: Value
    mask: Value | None
    data: Value


class AccessesAddresses(Operation):
    """Reads, writes or updates elements at addresses of their own, and no other memory."""

    def elements(self) -> AccessedAddresses:
        """The elements."""
        raise NotImplementedError


class ViewLike(Operation):
    """The one result is a view of memory of the first operand: its modes in another order, split, merged, cut.

    Element (i, ..) of a view lies at its offset and `sum i_k S_k`, as in any memref.
    """

    memref: Value = operand(ORDERED_MEMREF)

    def source_modes(self) -> Sequence[tuple[int, ...]]:
        """For each mode of the view the modes of the operand that it is made of.

        Several are merged into one, which has the stride of the first. Several modes of the view that are made of one
        split it: the first goes on at its stride, each later one where that before it ends.
        """
        raise NotImplementedError

    def source_offsets(self) -> Sequence[int | Value]:
        """For each mode of the operand where in it the view begins; none is as many zeros."""
        return ()

    def given_extent(self, mode: int) -> int | Value | None:
        """The extent of a mode of the view, None if it is that of the modes that it is made of."""
        return None

    def given_step(self, mode: int) -> int | Value | None:
        """How many elements of the one mode that it is made of lie from one of a mode of the view to the next; None if
        it is as said of `source_modes`."""
        return None

    def extent_origin(self, mode: int) -> Value | tuple[Value, int] | None:
        """What a mode is as long as: a value that the view was given, or the operand and its mode; None if neither."""
        given = self.given_extent(mode)
        if given is not None:
            return given if isinstance(given, Value) else None
        source = self.source_of(mode)
        return None if source is None else (self.memref, source)

    @property
    def is_whole(self) -> bool:
        """Whether the view surely has every element of the operand."""
        return False

    @property
    def is_contained(self) -> bool:
        """Whether all elements of the view surely are elements of the operand."""
        return False

    @property
    def keeps_order(self) -> bool:
        """Whether larger indices surely lie further on, if they do in the operand."""
        return False

    def source_of(self, mode: int) -> int | None:
        """The mode of the operand that a mode of the view is, or a part of without gaps; None if it is made of
        several."""
        modes = self.source_modes()
        if self.given_step(mode) is not None:
            return None
        alone = len(modes[mode]) == 1 and sum(other == modes[mode] for other in modes) == 1
        return modes[mode][0] if alone else None


def root_of(view: Value) -> Value:
    """The parameter, allocation, group element or address that a view comes from."""
    while isinstance(op := view.defining_op, ViewLike):
        view = op.memref
    return view


class Layout(Struct, Generic[_Length], frozen=True):
    """Where the elements of a memref lie: the first one, and extents and strides by mode, all in elements."""

    offset: _Length
    sizes: tuple[_Length, ...]
    strides: tuple[_Length, ...]


class LengthArithmetic(Struct, Generic[_Length], frozen=True):
    """How to compute with the lengths of a layout; `of` makes one of a number or a value of the program."""

    of: Callable[[int | Value], _Length]
    plus: Callable[[_Length, _Length], _Length]
    times: Callable[[_Length, _Length], _Length]

    def layout_of(self, op: ViewLike, source: Layout[_Length]) -> Layout[_Length]:
        """The layout of a view of a memref."""
        offset = source.offset
        for start, stride in zip(op.source_offsets(), source.strides, strict=False):
            if start != 0:
                offset = self.plus(offset, self.times(self.of(start), stride))
        sizes: list[_Length] = []
        strides: list[_Length] = []
        latest: dict[int, int] = {}
        for mode, (first, *others) in enumerate(op.source_modes()):
            given = op.given_extent(mode)
            size = source.sizes[first] if given is None else self.of(given)
            for other in others if given is None else ():
                size = self.times(size, source.sizes[other])
            before, step = latest.get(first), op.given_step(mode)
            if step is not None:
                strides.append(source.strides[first] if step == 1 else self.times(self.of(step), source.strides[first]))
            else:
                strides.append(source.strides[first] if before is None else self.times(strides[before], sizes[before]))
            sizes.append(size)
            latest[first] = mode
        return Layout(offset, tuple(sizes), tuple(strides))
