"""The sizes of a launch against what the kernel's instructions demand of them (`targets.constraints`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NoReturn

from tilewright.runtime.grid import Extents
from tilewright.runtime.scalars import SlotValue
from tilewright.targets.artifact import GroupParameter, KernelInfo, Slot, slot_layout
from tilewright.targets.constraints import (
    Constraint,
    Lookup,
    Origin,
    Position,
    Quantity,
    SameExtent,
    WithinGroup,
    order_of,
    quantities_of,
)

_TWO_VALUES: Final = ("c32", "c64")
_GRID: Final = (Origin.NUM_GROUPS, Origin.GROUP_ID)
_FIRST: Final = (0, 0, 0)
_CODES: Final[dict[type[Constraint], str]] = {SameExtent: "R013", WithinGroup: "R010"}


class ConstraintCheck:
    """Refuses launches that a kernel is undefined for.

    `scalars` are the parameters whose values matter, `of_grid` says whether the grid does, beyond being empty.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        self._places = _places(info)
        self._tables = {slot.parameter: place for slot, place in _positions(info) if slot.role == "table"}
        self._groups = {p.name: p for p in info.parameters if isinstance(p, GroupParameter)}
        self._equal: list[tuple[int, int, Constraint]] = []
        self._others: list[Constraint] = []
        for constraint in info.constraints:
            pair = self._pair(constraint)
            if pair is None:
                self._others.append(constraint)
            else:
                self._equal.append((*pair, constraint))
        quantities = [quantity for constraint in info.constraints for quantity in quantities_of(constraint)]
        self.scalars = frozenset(q.parameter for q in quantities if q.origin is Origin.VALUE)
        self.of_grid = any(quantity.origin in _GRID for quantity in quantities)

    @staticmethod
    def of(info: KernelInfo) -> ConstraintCheck | None:
        """The check of a kernel, or None if every launch is defined as far as is known."""
        return ConstraintCheck(info) if info.constraints else None

    def check(self, values: Sequence[SlotValue], grid: Extents) -> None:
        """Compare the values of the slots of a launch. Raises `UndefinedLaunch`."""
        if 0 in grid:
            return
        for left, right, constraint in self._equal:
            if values[left] != values[right]:
                self._compare(constraint, values, grid)
        for constraint in self._others:
            self._compare(constraint, values, grid)

    def _pair(self, constraint: Constraint) -> tuple[int, int] | None:
        """The slots that are compared, where that is all."""
        if isinstance(constraint, WithinGroup):
            return None
        left, right = (extent.single for extent in constraint.extents)
        if left is None or right is None or left not in self._places or right not in self._places:
            return None
        return self._places[left], self._places[right]

    def _compare(self, constraint: Constraint, values: Sequence[SlotValue], grid: Extents) -> None:
        """Look at the work-groups at both ends of what a constraint is about."""

        def known(quantity: Quantity, position: Position = _FIRST) -> int:
            if quantity.origin in _GRID:
                return (grid if quantity.origin is Origin.NUM_GROUPS else position)[quantity.mode]
            found = values[self._places[quantity]]
            assert isinstance(found, int)
            return found

        match constraint:
            case SameExtent():
                left, right = constraint.extents
                number = left - right
            case WithinGroup():
                number = constraint.index
        positions = number.extremes(known) if self.of_grid else (_FIRST,)
        for position in positions:
            here = partial(known, position=position)
            match constraint:
                case SameExtent():
                    problem = self._different(constraint, here)
                case WithinGroup():
                    problem = self._outside(constraint, here, not values[self._tables[constraint.group]])
            if problem is not None:
                self._refuse(problem, constraint, here, grid)

    def _different(self, constraint: SameExtent, known: Lookup) -> str | None:
        first, second = (extent.value(known) for extent in constraint.extents)
        if first == second:
            return None
        left, right = constraint.names
        return (
            f"kernel {self._info.name}: extents of operands differ where they have to agree: {left} is {first}, "
            f"{right} is {second}"
        )

    def _outside(self, constraint: WithinGroup, known: Lookup, null: bool) -> str | None:
        group = self._groups[constraint.group]
        size = known(Quantity(Origin.SIZE, group.name)) if group.size is None else group.size
        index = constraint.index.value(known)
        where = f"kernel {self._info.name}, argument {group.name}"
        if not 0 <= index < size:
            return f"{where}: index {index} is outside group %{group.name} of {size} elements"
        return f"{where}: element {index} is taken of a group whose table of pointers is null" if null else None

    def _refuse(self, problem: str, constraint: Constraint, known: Lookup, grid: Extents) -> NoReturn:
        from tilewright.diagnostics import Diagnostic, Severity
        from tilewright.runtime.undefined_launch import UndefinedLaunch
        from tilewright.targets.places import location_of

        found = Diagnostic(Severity.ERROR, _CODES[type(constraint)], problem, location_of(constraint.place))
        if isinstance(constraint, WithinGroup) and constraint.index.number is None:
            found.hint(f"the index is {constraint.index}")
        numbers = [f"{q} is {known(q)}" for q in sorted(quantities_of(constraint), key=order_of)]
        if numbers:
            x, y, z = grid
            on_grid = f" on a grid of {x} x {y} x {z} work-groups" if self.of_grid else ""
            found.hint(f"in this launch{on_grid}, {', '.join(numbers)}")
        raise UndefinedLaunch(found)


def _positions(info: KernelInfo) -> list[tuple[Slot, int]]:
    """Every slot and where its value stands among those of a launch: complex numbers have two."""
    found: list[tuple[Slot, int]] = []
    position = 0
    for slot in slot_layout(info.parameters):
        found.append((slot, position))
        position += 2 if slot.dtype in _TWO_VALUES else 1
    return found


def _places(info: KernelInfo) -> dict[Quantity, int]:
    places: dict[Quantity, int] = {}
    for slot, position in _positions(info):
        match slot.role:
            case "value":
                places[Quantity(Origin.VALUE, slot.parameter)] = position
            case "size":
                places[Quantity(Origin.SIZE, slot.parameter)] = position
            case ("extent", mode):
                places[Quantity(Origin.EXTENT, slot.parameter, mode)] = position
            case _:
                pass
    return places
