"""What accesses through views demand: indices within the view, elements within the memory that the view comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tilewright.dialects import addresses, memref
from tilewright.dialects.arith_integers import UMulHigh
from tilewright.ir.builder import Builder
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.types import AddressSpace, GroupType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.aliasing import root_of
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.emit import Length
from tilewright.transforms.index_ranges import MOST_DISTANCE, Moment, Range

_SHORT_STRIDE: Final = 1 << 20

Said: TypeAlias = tuple[str, list[Length]]
"""A text with `{}` for each of the numbers."""


@dataclass(frozen=True, slots=True)
class Box:
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


def parts_of(view: Value) -> list[Value]:
    """Values that give the extents, strides and the place of a view: those of the address that it is made of, if so."""
    op = view.defining_op
    return list(op.operands) if isinstance(op, addresses.FromAddress) else [view]


def extents(build: Builder, view: Value) -> list[Length]:
    """The extents of a view."""
    op = view.defining_op
    if isinstance(op, addresses.FromAddress):
        return op.mixed_layout[0]
    return [emit.extent(build, view, mode) for mode in range(emit.memref_type(view).order)]


def strides(build: Builder, view: Value) -> list[Length]:
    """The strides of a view, in elements."""
    op = view.defining_op
    if isinstance(op, addresses.FromAddress):
        return op.mixed_layout[1]
    known = enumerate(emit.memref_type(view).strides)
    return [build(memref.Stride(view, mode)).out if stride is None else stride for mode, stride in known]


# Names


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


# Views


def has_memory(view: Value) -> bool:
    """Whether the memory behind a view surely exists: allocations and local parameters are never null."""
    root = root_of(view)
    local = emit.memref_type(root).space is AddressSpace.LOCAL
    return local or isinstance(root.defining_op, memref.Alloca | addresses.FromAddress)


def is_contained(view: Value) -> bool:
    """Whether all elements of a view surely are elements of the memory that it comes from."""
    while (op := view.defining_op) is not None:
        match op:
            case memref.Permute() | memref.Fuse():
                pass
            case memref.Expand() if None not in (*op.static_sizes, emit.memref_type(op.memref).shape[op.mode]):
                pass
            case memref.Subview() if _is_box_inside(op):
                pass
            case memref.Subview() | memref.Expand() | addresses.FromAddress():
                return False
            case _:
                return True
        view = op.memref
    return True


def _is_box_inside(op: memref.Subview) -> bool:
    """Whether a subview surely lies within the extents of its operand."""
    shape = emit.memref_type(op.memref).shape
    return all(
        (offset == 0 and _is_extent(size, op.memref, mode))
        or (
            isinstance(offset, int) and isinstance(size, int) and extent is not None and offset + max(size, 1) <= extent
        )
        for mode, (offset, size, extent) in enumerate(zip(op.mixed_offsets, op.mixed_sizes, shape, strict=True))
    )


def _is_extent(size: Length, view: Value, mode: int) -> bool:
    """Whether a size is the extent of a mode of a view itself."""
    op = None if isinstance(size, int) else size.defining_op
    return isinstance(op, memref.Size) and op.source is view and op.mode == mode


def keeps_order(view: Value) -> bool:
    """Whether larger indices surely lie further on: strides of the program's own making may be anything."""
    while (op := view.defining_op) is not None:
        match op:
            case memref.Permute() | memref.Fuse() | memref.Subview():
                view = op.memref
            case memref.Expand() if None not in op.static_sizes:
                view = op.memref
            case memref.Expand() | addresses.FromAddress():
                return False
            case _:
                return True
    return True


def first_element(build: Builder, view: Value) -> Length:
    """How far the first element of a view lies behind that of its root, in elements."""
    total: Length = 0
    while isinstance(op := view.defining_op, memref.Subview | memref.Expand | memref.Fuse | memref.Permute):
        if isinstance(op, memref.Subview):
            for offset, stride in zip(op.mixed_offsets, strides(build, op.memref), strict=True):
                total = plus(build, total, times(build, offset, stride))
        view = op.memref
    return total


def _span(build: Builder, root: Value) -> Length:
    """Elements from the first to one past the last; 0 if there are none."""
    known = emit.memref_type(root).span
    if known is not None:
        return known
    total: Length = 1
    some = Conjunction(build)
    for extent, stride in zip(extents(build, root), strides(build, root), strict=True):
        total = plus(build, total, times(build, plus(build, extent, -1), stride))
        some.at_most(1, extent)
    number = emit.as_value(build, total)
    return number if some.value is None else emit.select(build, some.value, number, build.index(0))


def plus(build: Builder, x: Length, y: Length) -> Length:
    """Sum."""
    if isinstance(x, int) and isinstance(y, int):
        return x + y
    return emit.add(build, emit.as_value(build, x), emit.as_value(build, y))


def minus(build: Builder, x: Length, y: Length) -> Length:
    """Difference."""
    if x is y:
        return 0
    if isinstance(x, int) and isinstance(y, int):
        return x - y
    return emit.sub(build, emit.as_value(build, x), emit.as_value(build, y))


def times(build: Builder, x: Length, y: Length) -> Length:
    """Product."""
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return 0 if 0 in (x, y) else emit.mul(build, emit.as_value(build, x), emit.as_value(build, y))


# Demands


@dataclass(frozen=True, slots=True)
class Bounds:
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


def _spelled(numbers: Sequence[Length], separator: str) -> Said:
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
    parts = [_spelled([low] if low is high or low == high else [low, high], " to ") for low, high, _ in shown]
    where = ", ".join(text for text, _ in parts)
    numbers = [number for _, ends in parts for number in ends]
    name, of_name = named(box.view)
    shape, of_shape = _spelled([extent for _, _, extent in shown], " x ")
    said = f"index [{where}] is outside" if bounds.is_element else f"indices [{where}] reach outside"
    return found, (f"{said} of {name}, which has {shape} elements here", [*numbers, *of_name, *of_shape])


def element_test(build: Builder, box: Box, moment: Moment) -> tuple[Conjunction, Said]:
    """Elements are among those of the root: the first and the last one are."""
    bounds, found = bounds_of(build, box, moment), _demanded(build, moment)
    span = _span(build, root_of(box.view))
    first = first_element(build, box.view)
    reach: Length = 0
    shape = emit.memref_type(box.view).shape
    for mode, stride in enumerate(strides(build, box.view)):
        first = plus(build, first, times(build, bounds.low[mode], stride))
        way = minus(build, bounds.high[mode], bounds.low[mode])
        if not isinstance(way, int) and shape[mode] is None:
            _demand_way(found, way, stride, span)
        reach = plus(build, reach, times(build, way, stride))
    last = plus(build, first, reach)
    found.at_most(0, first)
    found.less(last, span)
    found.unless(bounds.premise)
    name, of_name = named(box.view)
    if bounds.is_element:
        text, numbers = _spelled([first], "")
        text = f"element {text} of {name} is accessed"
    else:
        text, numbers = _spelled([first, last], " to ")
        text = f"elements {text} of {name} are accessed"
    count, of_count = _spelled([span], "")
    return found, (f"{text}, which has {count}", [*numbers, *of_name, *of_count])


def _demand_way(found: Conjunction, way: Length, stride: Length, span: Length) -> None:
    """The way along a mode is within the memory, and its computation does not wrap: sizes may be any numbers."""
    build = found.build
    found.at_most_unsigned(way, MOST_DISTANCE)
    if isinstance(stride, int) and stride <= _SHORT_STRIDE:
        return
    high = build(UMulHigh(emit.as_value(build, way), emit.as_value(build, stride))).out
    found.equal(high, 0)
    found.at_most_unsigned(times(build, way, stride), span)


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
    text, numbers = _spelled([low] if moment.ranges[0].low == moment.ranges[0].high else [low, high], " to ")
    count, of_count = _spelled([size], "")
    return found, (f"index {text} is outside of group {name} of {count} elements", [*numbers, *of_name, *of_count])
