"""Ragged tiles: those whose layouts cover more than they have, for extents that digits do not share out evenly.

What threads hold beyond a tile is nothing: loads leave it 0, elementwise operations compute with it, moves bring it
anywhere. It must not be stored, counted in a reduction or used as an address; what sees to that asks here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers
from tilewright.dialects.arith import Select
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.layouts import Digit, Layout, LayoutError
from tilewright.ir.types import BOOL, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.emit import Number
from tilewright.transforms.schedule.positions import Positions
from tilewright.transforms.schedule.threads import Threads


def ragged_dims(layout: Layout, shape: Sequence[int]) -> list[int]:
    """The dimensions along which a layout covers more than a tile of `shape`."""
    return [dim for dim, (box, extent) in enumerate(zip(layout.shape, shape, strict=True)) if box != extent]


def inside(build: Builder, threads: Threads, layout: Layout, shape: Sequence[int], dims: Sequence[int]) -> Value | None:
    """For each register whether its coordinates along `dims` are those of the tile; None if all surely are."""
    found: Value | None = None
    for dim in set(dims).intersection(ragged_dims(layout, shape)):
        test = Positions.of(threads, layout, dim).below(build, threads.head, shape[dim])
        found = test if found is None else emit.both(build, found, test)
    return found


def filled(
    build: Builder, threads: Threads, value: Value, layout: Layout, shape: Sequence[int], dim: int, number: Number
) -> Value:
    """The fragment with `number` in all registers beyond the tile along `dim`."""
    kept = inside(build, threads, layout, shape, [dim])
    return value if kept is None else build(Select(kept, value, build.constant(number, value.type))).out


def neutral(combine: type[Operation], element: ScalarType) -> Number | None:
    """What changes no element that it is combined with, to the bit; None if there is no such number."""
    if combine in (arith.Max, arith.Min, arith_floats.MaximumNumber, arith_floats.MinimumNumber) and element.is_float:
        return math.nan
    if element.is_integer and combine in (arith.Max, arith.Min):
        return -(1 << (element.bits - 1)) if combine is arith.Max else (1 << (element.bits - 1)) - 1
    if combine is arith.Mul:
        return None if element.is_complex else emit.literal(1, element)
    if combine is arith.Add and not element.is_integer:
        return complex(-0.0, -0.0) if element.is_complex else -0.0
    found = _NEUTRAL.get(combine)
    return bool(found) if element is BOOL and found is not None else found


_NEUTRAL: Final[dict[type[Operation], int | float]] = {
    arith.Add: 0,
    arith.And: -1,
    arith.Or: 0,
    arith.Xor: 0,
    arith_integers.UMax: 0,
    arith_integers.UMin: -1,
    arith_floats.Maximum: -math.inf,
    arith_floats.Minimum: math.inf,
}


def reshaped(layout: Layout, source: tuple[int, ...], target: tuple[int, ...]) -> Layout:
    """The layout of a tile of another shape with elements in the same column-major order, if digits can say it.

    Raises `LayoutError` where they cannot; ragged tiles gain and lose dimensions of extent 1 only.
    """
    if layout.shape == source:
        return layout.reshape(target)
    here, there = ([dim for dim, extent in enumerate(shape) if extent != 1] for shape in (source, target))
    if [source[dim] for dim in here] != [target[dim] for dim in there]:
        raise LayoutError(f"{layout} of a tile of {source} is no layout of one of {target}")
    places = dict(zip(here, there, strict=True))
    box = tuple(layout.shape[here[there.index(dim)]] if dim in there else 1 for dim in range(len(target)))
    digits = [d if d.dim is None else Digit(d.owner, d.extent, places[d.dim], d.stride) for d in layout.digits]
    return Layout(box, tuple(digits))
