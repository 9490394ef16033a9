"""The grid that a kernel wants which was outlined of a launch, as constraints of its own launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from tilewright.artifacts.constraints import Constraint, Origin, Polynomial, Quantity, SameExtent, WithinExtent
from tilewright.artifacts.places import SourcePlace
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation, Value
from tilewright.transforms.launch_quantities import LaunchQuantities
from tilewright.transforms.lower_mlir.context import Unsupported


class TilesOf(Struct, frozen=True):
    """As many work-groups as there are whole tiles in a length, one at least."""

    length: Value
    tile: int


class TimesOf(Struct, frozen=True):
    """So many work-groups for each of a length."""

    length: Value
    count: int


Extent = int | TilesOf | TimesOf


class SameLength(Struct, frozen=True):
    """Dimension `dimension` of some memory has to be as long as an index says."""

    memory: Value
    dimension: int
    length: Value


class Promises(Struct, frozen=True):
    """What launches keep: lengths that are `alike`, and arguments that begin at multiples of so many bytes."""

    alike: Sequence[SameLength] = ()
    aligned: Mapping[Value, int] = field(default_factory=dict[Value, int])


def constraints_of_grid(function: Operation, kernel: Kernel, grid: Sequence[Extent]) -> Iterator[Constraint]:
    """What says that a grid has these extents, whose lengths are values of the kernel.

    Raises `Unsupported` for lengths that a launch does not determine.
    """
    known = LaunchQuantities(kernel)
    for op in kernel.walk():
        if op is not kernel:
            known.see(op)
    place = SourcePlace.of(function.location)
    for mode, extent in enumerate(grid):
        groups = Polynomial.quantity(Quantity(Origin.NUM_GROUPS, mode=mode))
        if isinstance(extent, int):
            names = (f"extent {'xyz'[mode]} of the grid", "that of the launch")
            yield SameExtent(names, (groups, Polynomial.constant(extent)))
            continue
        length = known.integer(extent.length)
        if length is None:
            said = f"%{extent.length.name} is computed of more than extents and integers, so no grid is known to fit it"
            raise Unsupported(function, said)
        if isinstance(extent, TilesOf):
            yield from _whole_tiles(groups, "xyz"[mode], length, extent.tile, place)
        else:
            names = (f"extent {'xyz'[mode]} of the grid", f"{extent.count} times %{extent.length.name}")
            yield SameExtent(names, (groups, length.scaled(extent.count)), place)


def _whole_tiles(
    groups: Polynomial, mode: str, length: Polynomial, tile: int, place: SourcePlace | None
) -> Iterator[Constraint]:
    """That there are `length // tile` groups or one: not too few, not too many, and one where there is no tile."""
    one, zero = Polynomial.constant(1), Polynomial.constant(0)
    covered, surplus = groups.scaled(tile), length - Polynomial.constant(tile - 1)
    where = f"the {tile} elements of each work-group along {mode}"
    yield WithinExtent(where, "whole tiles", zero, surplus, covered, place=place)
    yield WithinExtent("a matrix", f"{where} of the grid", zero, covered, length, (surplus,), place)
    is_short = Polynomial.constant(tile) - length
    yield WithinExtent(f"the one work-group along {mode}", "the grid", zero, groups, one, (is_short,), place)
