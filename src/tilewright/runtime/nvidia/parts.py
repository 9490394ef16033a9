"""Among how many blocks a launch divides each work-group, by the sizes of its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.constraints import Lookup, Origin, Quantity
from tilewright.runtime.constraint_check import quantity_positions
from tilewright.runtime.grid import Extents
from tilewright.runtime.scalars import SlotValue


class PartCount:
    """Counts blocks. `scalars` are the parameters whose values matter."""

    def __init__(self, info: KernelInfo) -> None:
        self._parts = info.parts
        self._steps = info.steps
        self._places = quantity_positions(info)
        quantities = frozenset[Quantity]() if self._parts is None else self._parts.quantities
        quantities |= frozenset[Quantity]() if self._steps is None else self._steps.quantities
        self.scalars = frozenset(q.parameter for q in quantities if q.origin is Origin.VALUE)

    def of(self, values: Sequence[SlotValue], grid: Extents) -> int:
        """The blocks of each work-group of a grid, for arguments with these values in their slots."""
        return 1 if self._parts is None else self._parts.count(grid, self._known(values, grid))

    def takes_steps(self, values: Sequence[SlotValue], grid: Extents) -> bool:
        """Whether other launches take the kernel's place."""
        return self._steps is not None and self._steps.suit(grid, self._known(values, grid))

    def _known(self, values: Sequence[SlotValue], grid: Extents) -> Lookup:
        def known(quantity: Quantity) -> int:
            if quantity.origin is Origin.NUM_GROUPS:
                return grid[quantity.mode]
            found = values[self._places[quantity]]
            assert isinstance(found, int)
            return found

        return known
