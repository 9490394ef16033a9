"""The sizes of a launch against what the kernel's instructions demand of them (`artifacts.constraints`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NoReturn

from tilewright.artifacts.artifact import GroupParameter, KernelInfo, MemrefParameter, Slot, slot_layout
from tilewright.artifacts.constraints import (
    Constraint,
    Lookup,
    Origin,
    Position,
    Quantity,
    SameExtent,
    WithinExtent,
    WithinGroup,
    order_of,
    quantities_of,
)
from tilewright.runtime.grid import Extents
from tilewright.runtime.scalars import SlotValue

_TWO_VALUES: Final = ("c32", "c64")
_GRID: Final = (Origin.NUM_GROUPS, Origin.GROUP_ID)
_FIRST: Final = (0, 0, 0)
_REMEMBERED: Final = 256


class ConstraintCheck:
    """Refuses launches that a kernel is undefined for.

    `scalars` are the parameters whose values matter, `of_grid` says whether the grid does, beyond being empty. Sizes
    that were accepted are remembered, so that a loop of launches pays for one look-up.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        self._places = quantity_positions(info)
        self._groups = {p.name: p for p in info.parameters if isinstance(p, GroupParameter)}
        tables = {slot.parameter: place for slot, place in slot_positions(info) if slot.role == "table"}
        self._tables = {tables[c.group]: c for c in info.constraints if isinstance(c, WithinGroup)}
        quantities = frozenset(quantity for constraint in info.constraints for quantity in quantities_of(constraint))
        self.scalars = frozenset(q.parameter for q in quantities if q.origin is Origin.VALUE)
        self.of_grid = any(quantity.origin in _GRID for quantity in quantities)
        sizes = [Quantity(Origin.SIZE, c.group) for c in self._tables.values() if self._groups[c.group].size is None]
        self._relevant = [self._places[q] for q in {*quantities, *sizes} if q.origin not in _GRID]
        self._accepted: set[tuple[SlotValue | Extents, ...]] = set()

    @staticmethod
    def of(info: KernelInfo) -> ConstraintCheck | None:
        """The check of a kernel, or None if every launch is defined as far as is known."""
        return ConstraintCheck(info) if info.constraints else None

    def check(self, values: Sequence[SlotValue], grid: Extents) -> None:
        """Compare the values of the slots of a launch. Raises `UndefinedLaunch`."""
        if 0 in grid:
            return
        for table, constraint in self._tables.items():
            if not values[table]:
                self._refuse_null(constraint)
        sizes = (grid if self.of_grid else _FIRST, *[values[place] for place in self._relevant])
        if sizes in self._accepted:
            return
        for constraint in self._info.constraints:
            self._compare(constraint, values, grid)
        if len(self._accepted) >= _REMEMBERED:
            self._accepted.clear()
        self._accepted.add(sizes)

    def _compare(self, constraint: Constraint, values: Sequence[SlotValue], grid: Extents) -> None:
        """Look at the work-groups at both ends of what a constraint is about."""

        def known(quantity: Quantity, position: Position = _FIRST) -> int:
            if quantity.origin in _GRID:
                return (grid if quantity.origin is Origin.NUM_GROUPS else position)[quantity.mode]
            found = values[self._places[quantity]]
            assert isinstance(found, int)
            return found

        positions = self._ends(constraint, known) if self.of_grid else (_FIRST,)
        for position in positions:
            here = partial(known, position=position)
            problem = self._problem(constraint, here)
            if problem is not None:
                self._refuse(problem, constraint, here, grid)

    def _ends(self, constraint: Constraint, known: Lookup) -> tuple[Position, ...]:
        """The work-groups of a grid for which a constraint fails if it fails for any, unless numbers wrap."""
        match constraint:
            case SameExtent():
                left, right = constraint.extents
                return (left - right).extremes(known)
            case WithinGroup():
                return constraint.index.extremes(known)
            case WithinExtent():
                return constraint.first.extremes(known)[0], constraint.beyond.extremes(known)[1]

    def _problem(self, constraint: Constraint, known: Lookup) -> str | None:
        match constraint:
            case SameExtent():
                return self._different(constraint, known)
            case WithinGroup():
                return self._outside_group(constraint, known)
            case WithinExtent():
                return self._outside_extent(constraint, known)

    def _different(self, constraint: SameExtent, known: Lookup) -> str | None:
        first, second = (extent.value(known) for extent in constraint.extents)
        if first == second:
            return None
        left, right = constraint.names
        return (
            f"kernel {self._info.name}: extents of operands differ where they have to agree: {left} is {first}, "
            f"{right} is {second}"
        )

    def _outside_group(self, constraint: WithinGroup, known: Lookup) -> str | None:
        group = self._groups[constraint.group]
        size = known(Quantity(Origin.SIZE, group.name)) if group.size is None else group.size
        index = constraint.index.value(known)
        if 0 <= index < size:
            return None
        where = f"kernel {self._info.name}, argument {group.name}"
        return f"{where}: index {index} is outside group %{group.name} of {size} elements"

    def _outside_extent(self, constraint: WithinExtent, known: Lookup) -> str | None:
        first, count, extent = (part.value(known) for part in (constraint.first, constraint.count, constraint.extent))
        if (first >= 0 and first + count <= extent) or any(size.value(known) <= 0 for size in constraint.sizes):
            return None
        accessed = f"element {first}" if count == 1 else f"elements {first} to {first + count - 1}"
        return (
            f"kernel {self._info.name}: {accessed} of {constraint.mode}, accessed through {constraint.access}, "
            f"{'is' if count == 1 else 'are'} outside its extent of {extent}"
        )

    def _refuse_null(self, constraint: WithinGroup) -> NoReturn:
        where = f"kernel {self._info.name}, argument {constraint.group}"
        problem = f"{where}: the kernel takes elements of the group, whose table of pointers is null"
        self._raise(problem, constraint, [])

    def _refuse(self, problem: str, constraint: Constraint, known: Lookup, grid: Extents) -> NoReturn:
        hints: list[str] = []
        if isinstance(constraint, WithinGroup) and constraint.index.number is None:
            hints.append(f"the index is {constraint.index}")
        if isinstance(constraint, WithinExtent) and constraint.first.number is None:
            hints.append(f"the first of them is {constraint.first}")
        numbers = [f"{self._said(q)} is {known(q)}" for q in sorted(quantities_of(constraint), key=order_of)]
        if numbers:
            x, y, z = grid
            on_grid = f" on a grid of {x} x {y} x {z} work-groups" if self.of_grid else ""
            hints.append(f"in this launch{on_grid}, {', '.join(numbers)}")
        self._raise(problem, constraint, hints)

    def _said(self, quantity: Quantity) -> str:
        """A quantity in words; extents are counted as the dimensions of the array that was given."""
        found = next((p for p in self._info.parameters if p.name == quantity.parameter), None)
        if quantity.origin is Origin.EXTENT and isinstance(found, MemrefParameter):
            return str(Quantity(quantity.origin, quantity.parameter, found.dimension(quantity.mode)))
        return str(quantity)

    def _raise(self, problem: str, constraint: Constraint, hints: list[str]) -> NoReturn:
        from tilewright.artifacts.places import location_of
        from tilewright.diagnostics import Diagnostic, Severity
        from tilewright.runtime.undefined_launch import UndefinedLaunch

        code = "R013" if isinstance(constraint, SameExtent) else "R010"
        raise UndefinedLaunch(Diagnostic(Severity.ERROR, code, problem, location_of(constraint.place), hints=hints))


def slot_positions(info: KernelInfo) -> list[tuple[Slot, int]]:
    """Every slot and where its value stands among those of a launch: complex numbers have two."""
    found: list[tuple[Slot, int]] = []
    position = 0
    for slot in slot_layout(info.parameters):
        found.append((slot, position))
        position += 2 if slot.dtype in _TWO_VALUES else 1
    return found


def quantity_positions(info: KernelInfo) -> dict[Quantity, int]:
    """Where the value of each quantity stands among those of a launch."""
    found = ((quantity_of(slot), position) for slot, position in slot_positions(info))
    return {quantity: position for quantity, position in found if quantity is not None}


def quantity_of(slot: Slot) -> Quantity | None:
    """What a slot says of a launch; None if that is no quantity."""
    match slot.role:
        case "value":
            return Quantity(Origin.VALUE, slot.parameter)
        case "size":
            return Quantity(Origin.SIZE, slot.parameter)
        case ("extent", mode):
            return Quantity(Origin.EXTENT, slot.parameter, mode)
        case ("stride", mode):
            return Quantity(Origin.STRIDE, slot.parameter, mode)
        case _:
            return None
