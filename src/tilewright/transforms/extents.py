"""Which extents and integers of a kernel are surely equal, as far as a launch determines them or demands it."""

from __future__ import annotations

from tilewright.artifacts.constraints import Polynomial, Quantity, SameExtent
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Value
from tilewright.transforms.launch_quantities import LaunchQuantities
from tilewright.transforms.signature import constraints_of


class Extents:
    """Answers for one kernel, as it is now. Launches with extents that its constraints tell apart are refused."""

    def __init__(self, kernel: Kernel) -> None:
        self._known = LaunchQuantities(kernel)
        for op in kernel.walk():
            if op is not kernel:
                self._known.see(op)
        self._first: dict[Quantity, Quantity | int] = {}
        for constraint in constraints_of(kernel):
            if isinstance(constraint, SameExtent):
                self._unite(*constraint.extents)

    def _unite(self, one: Polynomial, other: Polynomial) -> None:
        first, second = self._representative(one), self._representative(other)
        if isinstance(second, Quantity):
            first, second = second, first
        if isinstance(first, Quantity) and second is not None and first != second:
            self._first[first] = second

    def _representative(self, number: Polynomial) -> Quantity | int | None:
        """One for all numbers that are equal; None for sums and products."""
        found: Quantity | int | None = number.single if number.number is None else number.number
        while isinstance(found, Quantity) and found in self._first:
            found = self._first[found]
        return found

    def is_extent(self, number: Value, view: Value, mode: int) -> bool:
        """Whether an integer is the extent of a mode of a memref."""
        return self._are_equal(self._known.integer(number), self._known.extents(view)[mode])

    def same_shape(self, one: Value, other: Value) -> bool:
        """Whether two memrefs have the same extents."""
        extents = self._known.extents(one), self._known.extents(other)
        return len(extents[0]) == len(extents[1]) and all(map(self._are_equal, *extents))

    def _are_equal(self, one: Polynomial | None, other: Polynomial | None) -> bool:
        if one is None or other is None:
            return False
        first = self._representative(one)
        return one == other or (first is not None and first == self._representative(other))
