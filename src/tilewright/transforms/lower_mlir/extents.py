"""Extents that operations want to be equal, as constraints of a launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tilewright.artifacts.constraints import Constraint, SameExtent
from tilewright.artifacts.places import SourcePlace
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Value
from tilewright.ir.types import MemrefType
from tilewright.transforms.launch_bounds import value_name
from tilewright.transforms.launch_quantities import LaunchQuantities
from tilewright.transforms.lower_mlir.context import Agreement


def same_extents(kernel: Kernel, agreements: Iterable[Agreement]) -> Iterator[Constraint]:
    """Each constraint once, where a launch determines both extents."""
    known = LaunchQuantities(kernel)
    for op in kernel.walk():
        if op is not kernel:
            known.see(op)
    seen: set[object] = set()
    for agreement in agreements:
        (first, mode), (second, other) = agreement.first, agreement.second
        before = known.extents(first)[mode]
        after = known.integer(second) if other is None else known.extents(second)[other]
        if before is None or after is None or before == after or frozenset((before, after)) in seen:
            continue
        seen.add(frozenset((before, after)))
        names = _name(first, mode), _name(second, other)
        yield SameExtent(names, (before, after), SourcePlace.of(agreement.place))


def _name(view: Value, mode: int | None) -> str:
    """A mode as the program counts it, which has them in reverse; or an integer."""
    if mode is None:
        return f"%{view.name}" if view.name else "a number"
    assert isinstance(view.type, MemrefType)
    return f"dimension {view.type.order - 1 - mode} of {value_name(view)}"
