"""What accesses through views demand: indices within the view, elements within the memory that the view comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.dialects import addresses, memref
from tilewright.dialects.arith_integers import UMulHigh
from tilewright.dialects.builder import Builder
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.interfaces import root_of
from tilewright.ir.types import GroupType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.emit import Length
from tilewright.transforms.index_ranges import MOST_DISTANCE, Moment, Range
from tilewright.transforms.view_geometry import extents, first_element, minus, parts_of, plus, span, strides, times

_SHORT_STRIDE: Final = 1 << 20

Said: TypeAlias = tuple[str, list[Length]]
"""A text with `{}` for each of the numbers."""


class Box(Struct, frozen=True):
    """The elements of a view that an access touches: those with indices in `ranges`, one for each mode, or all of them.

    What lies outside of the view along `clipped` modes is not accessed; nothing is if one of `unless_empty` is empty.
    """

    view: Value
    ranges: tuple[Range, ...] = ()
    whole: bool = False
    clipped: tuple[bool, ...] = ()
    unless_empty: tuple[Value, ...] = ()

    @property
    def is_clipped(self) -> bool:
        """Whether something may hang over."""
        return any(self.clipped)

    @property
    def needed(self) -> list[Value]:
        """What the demands are computed from, beside the ranges."""
        return [part for view in (self.view, *self.unless_empty) for part in parts_of(view)]


def parameter_name(parameter: Value) -> str:
    """A parameter as launches call it."""
    assert isinstance(parameter, BlockArgument)
    return f"%{parameter.name or f'arg{parameter.index}'}"


def named(value: Value) -> Said:
    """How messages call the memory behind a view, or a group."""
    root = root_of(value) if isinstance(value.type, MemrefType) else value
    op = root.defining_op
    match op:
        case memref.GroupLoad():
            text, numbers = named(op.group)
            return f"{text}[{{}}]", [*numbers, op.index]
        case memref.Alloca():
            return f"%{root.name}" if root.name else "local memory", []
        case _ if isinstance(root, BlockArgument):
            return parameter_name(root), []
        case _:
            return "the tensor view", []


class Bounds(Struct, frozen=True):
    """A box as numbers at a moment: first and last index by mode, extents, and when anything is accessed at all."""

    low: list[Length]
    high: list[Length]
    extents: list[Length]
    premise: Conjunction

    @property
    def is_element(self) -> bool:
        """Whether it is one element."""
        return all(low is high or low == high for low, high in zip(self.low, self.high, strict=True))


def bounds_of(build: Builder, box: Box, moment: Moment) -> Bounds:
    """The numbers of a box."""
    premise = Conjunction(build)
    for lower, upper in moment.runs:
        premise.less(lower.emitted(build), upper.emitted(build))
    for view in (*box.unless_empty, *((box.view,) if box.whole else ())):
        for extent in extents(build, view):
            premise.at_most(1, extent)
    sizes = extents(build, box.view)
    if box.whole:
        return Bounds([0] * len(sizes), [plus(build, size, -1) for size in sizes], sizes, premise)
    low, high = list[Length](), list[Length]()
    for part in moment.ranges:
        low.append(part.low.emitted(build))
        high.append(low[-1] if part.high == part.low else part.high.emitted(build))
    for mode, clipped in enumerate(box.clipped):
        if clipped:
            low[mode] = _extreme(build, low[mode], 0, largest=True)
            high[mode] = _extreme(build, high[mode], plus(build, sizes[mode], -1), largest=False)
            premise.at_most(low[mode], high[mode])
    return Bounds(low, high, sizes, premise)


def _extreme(build: Builder, x: Length, y: Length, *, largest: bool) -> Length:
    if isinstance(x, int) and isinstance(y, int):
        return max(x, y) if largest else min(x, y)
    choose = emit.maximum if largest else emit.minimum
    return choose(build, emit.as_value(build, x), emit.as_value(build, y))


def _demanded(build: Builder, moment: Moment) -> Conjunction:
    """What has to hold for the ranges of a moment to be what is accessed."""
    found = Conjunction(build)
    for distance in moment.distances:
        found.at_most_unsigned(distance.emitted(build), MOST_DISTANCE)
    return found


def spelled(numbers: Sequence[Length], separator: str) -> Said:
    """Numbers in a text, those known as digits."""
    texts = [str(number) if isinstance(number, int) else "{}" for number in numbers]
    return separator.join(texts), [number for number in numbers if not isinstance(number, int)]


def index_test(build: Builder, box: Box, moment: Moment) -> tuple[Conjunction, Said]:
    """Indices are those of the view, but for clipped modes."""
    bounds, found = bounds_of(build, box, moment), _demanded(build, moment)
    ranges = list(zip(bounds.low, bounds.high, bounds.extents, strict=True))
    for mode, (low, high, extent) in enumerate(ranges):
        if not (box.clipped and box.clipped[mode]):
            found.at_most(0, low)
            found.less(high, extent)
    found.unless(bounds.premise)
    # Views of addresses are those of languages that count dimensions from the outermost on.
    shown = ranges[::-1] if isinstance(root_of(box.view).defining_op, addresses.FromAddress) else ranges
    parts = [spelled([low] if low is high or low == high else [low, high], " to ") for low, high, _ in shown]
    where = ", ".join(text for text, _ in parts)
    numbers = [number for _, ends in parts for number in ends]
    name, of_name = named(box.view)
    shape, of_shape = spelled([extent for _, _, extent in shown], " x ")
    said = f"index [{where}] is outside" if bounds.is_element else f"indices [{where}] reach outside"
    return found, (f"{said} of {name}, which has {shape} elements here", [*numbers, *of_name, *of_shape])


def element_test(build: Builder, box: Box, moment: Moment) -> tuple[Conjunction, Said]:
    """Elements are among those of the root: the first and the last one are."""
    bounds, found = bounds_of(build, box, moment), _demanded(build, moment)
    count = span(build, root_of(box.view))
    first = first_element(build, box.view)
    reach: Length = 0
    shape = emit.memref_type(box.view).shape
    for mode, stride in enumerate(strides(build, box.view)):
        first = plus(build, first, times(build, bounds.low[mode], stride))
        way = minus(build, bounds.high[mode], bounds.low[mode])
        if not isinstance(way, int) and shape[mode] is None:
            _demand_way(found, way, stride, count)
        reach = plus(build, reach, times(build, way, stride))
    last = plus(build, first, reach)
    found.at_most(0, first)
    found.less(last, count)
    found.unless(bounds.premise)
    name, of_name = named(box.view)
    if bounds.is_element:
        text, numbers = spelled([first], "")
        text = f"element {text} of {name} is accessed"
    else:
        text, numbers = spelled([first, last], " to ")
        text = f"elements {text} of {name} are accessed"
    size, of_size = spelled([count], "")
    return found, (f"{text}, which has {size}", [*numbers, *of_name, *of_size])


def _demand_way(found: Conjunction, way: Length, stride: Length, count: Length) -> None:
    """The way along a mode is within the `count` elements, and computing it does not wrap: sizes may be any numbers."""
    build = found.build
    found.at_most_unsigned(way, MOST_DISTANCE)
    if isinstance(stride, int) and stride <= _SHORT_STRIDE:
        return
    high = build(UMulHigh(emit.as_value(build, way), emit.as_value(build, stride))).out
    found.equal(high, 0)
    found.at_most_unsigned(times(build, way, stride), count)


def null_test(build: Builder, box: Box, moment: Moment) -> tuple[Conjunction, Said]:
    """The memory exists."""
    bounds, found = bounds_of(build, box, moment), Conjunction(build)
    found.demand(build(memref.Associated(box.view)).out)
    found.unless(bounds.premise)
    name, of_name = named(box.view)
    return found, (f"access through {name}, which is null", of_name)


def group_test(build: Builder, op: memref.GroupLoad, moment: Moment) -> tuple[Conjunction, Said]:
    """The table exists, and the index is that of one of its entries."""
    type_ = op.group.type
    assert isinstance(type_, GroupType)
    size: Length = build(memref.Size(op.group, 0)).out if type_.size is None else type_.size
    premise, found = Conjunction(build), _demanded(build, moment)
    for lower, upper in moment.runs:
        premise.less(lower.emitted(build), upper.emitted(build))
    low, high = moment.ranges[0].low.emitted(build), moment.ranges[0].high.emitted(build)
    found.demand(build(memref.Associated(op.group)).out)
    found.at_most(0, low)
    found.less(high, size)
    found.unless(premise)
    name, of_name = named(op.group)
    text, numbers = spelled([low] if moment.ranges[0].low == moment.ranges[0].high else [low, high], " to ")
    count, of_count = spelled([size], "")
    return found, (f"index {text} is outside of group {name} of {count} elements", [*numbers, *of_name, *of_count])
