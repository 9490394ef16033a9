"""Which elements an access has at a point of the product, in one way of saying it for all accesses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from tilewright.dialects.arith import Cast
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX
from tilewright.transforms.loop_nests.nests import place_of

Position: TypeAlias = int | Value
"""Along a mode of a memref: that of the point along a mode of the product, or a fixed index."""

Variables: TypeAlias = Mapping[Value, int]
"""Loop variables, and along which mode of the product they run."""


class Elements(Struct, frozen=True):
    """What one access touches, an element for each point: where in which memref, through all views.

    Two of them are equal only if they are the same element at every point.
    """

    base: Value
    subscripts: Hashable


class Access(Struct, frozen=True):
    """A load or store in an epilogue: an element of `view` for each point, at a position along each of its modes."""

    view: Value
    positions: tuple[Position, ...]
    elements: Elements
    writes: bool

    @property
    def modes(self) -> tuple[int, ...]:
        """The modes of the product that it varies along, in the order of the view's."""
        return tuple(position for position in self.positions if isinstance(position, int))

    def has_each_point(self, order: int) -> bool:
        """Whether it has an element of its own for each point."""
        return sorted(self.modes) == list(range(order))


def access_of(view: Value, indices: Sequence[Value], variables: Variables, *, writes: bool) -> Access | None:
    """An access; None unless each index is a loop variable or, as it seems, fixed, and none occurs twice."""
    positions = tuple(_position(index, variables) for index in indices)
    modes = [position for position in positions if isinstance(position, int)]
    if len(set(modes)) < len(modes):
        return None
    place = place_of(view, indices)
    subscripts = tuple(
        (form.constant, frozenset((variables.get(value, value), factor) for value, factor in form.terms))
        for form in place.subscripts
    )
    return Access(view, positions, Elements(place.base, subscripts), writes)


def _position(index: Value, variables: Variables) -> Position:
    op = index.defining_op
    if isinstance(op, Cast) and index.type is INDEX:
        return variables.get(op.value, index)
    return variables.get(index, index)
