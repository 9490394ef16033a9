"""Boxes of tiles, and loops over those of which a tile consists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.schedule.spreading import Teams, registers_of

Shape = tuple[int, ...]
Values = list[Value]


class Box(Struct, frozen=True):
    """The elements of a tile from `offsets` on, which are values of type index; `shape` says how many."""

    offsets: tuple[Value, ...]
    shape: Shape

    def along(self, dim: int, offset: Value, extent: int) -> Box:
        """The box of a tile with another dimension."""
        offsets = (*self.offsets[:dim], offset, *self.offsets[dim:])
        return Box(offsets, (*self.shape[:dim], extent, *self.shape[dim:]))

    def without(self, dim: int) -> Box:
        """The box of a tile that has not this dimension."""
        return Box((*self.offsets[:dim], *self.offsets[dim + 1 :]), (*self.shape[:dim], *self.shape[dim + 1 :]))


def whole(build: Builder, shape: Shape) -> Box:
    """All elements of a shape."""
    return Box(tuple(build.index(0) for _ in shape), shape)


def part_of(shape: Shape, teams: Teams, registers: int, dims: Sequence[int] | None = None) -> Shape:
    """A shape of no more registers of a thread, cut along the last of its dimensions, or of these of them.

    As few are cut as can be, all but one of them to single elements, so that at most one leaves a rest at its end: none
    where a divisor of its extent is no less than half of what fits.
    """
    part = list(shape)
    for dim in reversed(range(len(shape)) if dims is None else dims):
        if registers_of(tuple(part), teams) <= registers:
            break
        extent, fits = part[dim], 1
        while fits < extent and registers_of((*part[:dim], fits, *part[dim + 1 :]), teams) <= registers:
            fits *= 2
        fits = max(fits // 2, 1)
        part[dim] = next((n for n in range(fits, fits // 2, -1) if extent % n == 0), fits)
    return tuple(part)


def block_of(shape: Shape, teams: Teams, registers: int) -> Shape:
    """A shape of no more registers of a thread, about square, of powers of two as instructions want them: sums of
    products."""
    part = list(shape)
    while registers_of(tuple(part), teams) > registers and max(part) > 1:
        dim = part.index(max(part))
        part[dim] = 1 << ((part[dim] - 1).bit_length() - 1)
    return tuple(part)


def each_box(build: Builder, shape: Shape, part: Shape, body: Callable[[Builder, Box], None]) -> None:
    """Emit loops over the boxes of the shape `part` that make up a shape; what they leave at its ends is smaller."""
    _along(build, shape, part, Box((), ()), body)


def _along(build: Builder, shape: Shape, part: Shape, box: Box, body: Callable[[Builder, Box], None]) -> None:
    dim = len(box.shape)
    if dim == len(shape):
        body(build, box)
        return

    def inner(here: Builder, offset: Value, extent: int) -> None:
        _along(here, shape, part, box.along(dim, offset, extent), body)

    def again(here: Builder, offset: Value, extent: int, _: Values) -> Values:
        inner(here, offset, extent)
        return []

    fold(build, shape[dim], part[dim], [], again)


def fold(
    build: Builder,
    extent: int,
    step: int,
    carried: Values,
    more: Callable[[Builder, Value, int, Values], Values],
    start: int = 0,
) -> Values:
    """Go along an extent by steps: `more` takes where a part begins, its extent and what is carried, and gives that."""
    count, rest = divmod(extent - start, step)
    end = start + count * step
    if count > 1:
        loop = emit.open_loop(build, build.index(start), build.index(end), build.index(step), carried)
        loop.op.unroll = False
        carried = loop.finish(more(loop.body, loop.index, step, loop.carried))
    elif count:
        carried = more(build, build.index(start), step, carried)
    return more(build, build.index(end), rest, carried) if rest else carried
