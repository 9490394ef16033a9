"""What accesses at addresses demand: that the bytes lie in the memory that the address was computed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.dialects import addresses, arith, statics, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.arith_integers import UCast, UMulHigh
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Value
from tilewright.ir.interfaces import root_of
from tilewright.ir.types import BOOL, I32, I64, INDEX, TileType
from tilewright.transforms import emit
from tilewright.transforms.bounds_of_views import Bounds, Box, Said, bounds_of, parameter_name, spelled
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.emit import Length
from tilewright.transforms.index_ranges import Moment
from tilewright.transforms.pointer_origins import Origin
from tilewright.transforms.view_geometry import first_element, minus, plus, strides, times

_FARTHEST: Final = 1 << 60
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def reach_test(build: Builder, box: Box, moment: Moment, origins: Sequence[Origin]) -> tuple[Conjunction, Said]:
    """The bytes from the first to the last element of a view of memory at an address can be counted."""
    bounds, found = bounds_of(build, box, moment), Conjunction(build)
    size, apart = emit.memref_type(box.view).element.bytes, strides(build, box.view)
    ways = _ways(build, box, bounds, moment)
    for (way, most), stride in zip(ways, apart, strict=True):
        if most is None:
            found.equal(build(UMulHigh(emit.as_value(build, way), emit.as_value(build, stride))).out, 0)
            found.at_most_unsigned(times(build, way, stride), _FARTHEST // size)
        elif most > 0:
            found.at_most_unsigned(stride, _FARTHEST // (most * size))
    found.unless(bounds.premise)
    # Languages with addresses count dimensions from the outermost on.
    shape, of_shape = spelled([plus(build, way, 1) for way, _ in reversed(ways)], " x ")
    steps, of_steps = spelled(apart[::-1], " and ")
    text = f"{shape} elements in steps of {steps} reach beyond the memory of {_names(origins)}"
    return found, (text, [*of_shape, *of_steps])


def address_test(build: Builder, box: Box, moment: Moment, origins: Sequence[Origin]) -> tuple[Conjunction, Said]:
    """The elements of a view of memory at an address lie in one of the origins, from the first to the last byte.

    The bytes between them can be counted: that was tested before.
    """
    bounds, found = bounds_of(build, box, moment), Conjunction(build)
    root = root_of(box.view).defining_op
    assert isinstance(root, addresses.FromAddress)
    size = root.type.element.bytes
    first, reach = first_element(build, box.view), 0
    ways = _ways(build, box, bounds, moment)
    for low, (way, most), stride in zip(bounds.low, ways, strides(build, box.view), strict=True):
        first = plus(build, first, times(build, low, stride))
        reach = plus(build, reach, 0 if most == 0 else times(build, way, stride))
    start = plus(build, emit.cast(build, root.address, INDEX), times(build, first, size))
    way = times(build, reach, size)
    placed = [_placed(build, start, way, size, origin) for origin in origins]
    found.demand(_any(build, [conjunction for conjunction, _, _ in placed]))
    found.unless(bounds.premise)
    if len(placed) > 1:
        return found, (f"access outside of the memory of {_names(origins)}", [])
    _, offset, count = placed[0]
    end = plus(build, plus(build, offset, way), size - 1)
    return found, _said(offset, end, origins[0], count)


def _ways(build: Builder, box: Box, bounds: Bounds, moment: Moment) -> list[tuple[Length, int | None]]:
    """How far the last index is from the first along each mode, and at most, if that is known before a launch."""
    found = list[tuple[Length, int | None]]()
    for mode, (low, high) in enumerate(zip(bounds.low, bounds.high, strict=True)):
        way = minus(build, high, low)
        most = way if box.whole else moment.ranges[mode].high.plus(moment.ranges[mode].low, -1).constant
        found.append((way, most if isinstance(most, int) else None))
    return found


def _placed(
    build: Builder, start: Length, way: Length, size: int, origin: Origin
) -> tuple[Conjunction, Length, Length]:
    """Whether bytes lie in an origin; the offset of the first one there, and how many bytes it has."""
    found, count = Conjunction(build), _bytes_of(build, origin)
    offset = minus(build, start, emit.cast(build, origin.out, INDEX))
    found.at_most(0, offset)
    found.at_most(plus(build, plus(build, offset, size), way), count)
    found.at_most(offset, count)
    _unless_unmeasured(found, count)
    return found, offset, count


def _unless_unmeasured(found: Conjunction, count: Length) -> None:
    """Nothing is demanded where nobody knows how many bytes there are."""
    if not isinstance(count, int) and found.value is not None:
        build = found.build
        found.value = build(arith.Or(emit.less(build, count, build.index(0)), found.value)).out


def _any(build: Builder, conjunctions: Sequence[Conjunction]) -> Value | None:
    values = [found.value for found in conjunctions]
    total = values[0]
    for value in values[1:]:
        total = None if total is None or value is None else build(arith.Or(total, value)).out
    return total


def _bytes_of(build: Builder, origin: Origin) -> Length:
    """How many bytes from the address on there are."""
    match origin:
        case addresses.AddressOf():
            return emit.cast(build, build(addresses.Reach(origin.pointer)).out, INDEX)
        case statics.Reserve():
            return origin.size
        case statics.GlobalAddress():
            found = statics.global_of(origin)
            assert found is not None, "the verifier has looked"
            return len(found.data) // 2


def _name(origin: Origin) -> str:
    match origin:
        case addresses.AddressOf():
            return parameter_name(origin.pointer)
        case statics.GlobalAddress():
            return f"@{origin.symbol}"
        case statics.Reserve():
            return f"%{origin.out.name}" if origin.out.name else "an allocation"


def _names(origins: Sequence[Origin]) -> str:
    return " and ".join(sorted(map(_name, origins)))


def _said(first: Length, last: Length, origin: Origin, count: Length) -> Said:
    where, numbers = spelled([first, last], " to ")
    size, of_size = spelled([count], "")
    return f"bytes {where} of {_name(origin)} are accessed, which has {size}", [*numbers, *of_size]


# Elements at addresses of their own


def gather_test(
    build: Builder, places: Value, mask: Value | None, size: int, origins: Sequence[Origin]
) -> tuple[Conjunction, Said]:
    """Every element that is accessed lies in an origin."""
    found = Conjunction(build)
    if len(origins) > 1:
        found.demand(_every(build, places, mask, size, origins))
        return found, (f"access outside of the memory of {_names(origins)}", [])
    count = _bytes_of(build, origins[0])
    offsets = _offsets(build, places, origins[0])
    least = _extreme(build, offsets, mask, AtomicKind.MIN, _MOST)
    most = _extreme(build, offsets, mask, AtomicKind.MAX, _LEAST)
    found.at_most(0, least)
    found.at_most(most, minus(build, count, size))
    _unless_unmeasured(found, count)
    return found, _said(least, plus(build, most, size - 1), origins[0], count)


def _offsets(build: Builder, places: Value, origin: Origin) -> Value:
    return build(arith.Sub(places, emit.shaped(build, origin.out, places.type))).out


def _flat(build: Builder, value: Value) -> Value:
    assert isinstance(value.type, TileType)
    flat = TileType((value.type.size,), value.type.element)
    return value if value.type == flat else build(tile.Reshape(value, result_types=[flat])).out


def _extreme(build: Builder, offsets: Value, mask: Value | None, kind: AtomicKind, nothing: int) -> Value:
    """The least or largest offset that counts, as an index."""
    if mask is not None:
        offsets = emit.select(build, mask, offsets, build.constant(nothing, offsets.type))
    found = build(tile.Item(build(tile.Reduce(_flat(build, offsets), kind, 0)).out)).out
    return emit.cast(build, found, INDEX)


def _every(build: Builder, places: Value, mask: Value | None, size: int, origins: Sequence[Origin]) -> Value:
    """Whether each element lies in one of several origins."""
    type_ = places.type
    assert isinstance(type_, TileType)
    inside_type = TileType(type_.shape, BOOL)
    inside: Value | None = None if mask is None else build(arith.Not(mask)).out
    for origin in origins:
        offsets = _offsets(build, places, origin)
        count = emit.cast(build, emit.as_value(build, _bytes_of(build, origin)), I64)
        room = build(arith.Sub(count, build.constant(size, I64))).out
        begins = build(arith.Cmp(Predicate.GE, offsets, build.constant(0, type_))).out
        ends = build(arith.Cmp(Predicate.LE, offsets, emit.shaped(build, room, type_))).out
        unmeasured = build(arith.Cmp(Predicate.LT, count, build.constant(0, I64))).out
        here = build(arith.Or(emit.both(build, begins, ends), emit.shaped(build, unmeasured, inside_type))).out
        inside = here if inside is None else build(arith.Or(inside, here)).out
    assert inside is not None
    flat = _flat(build, inside)
    numbers = build(UCast(flat, result_types=[TileType((type_.size,), I32)])).out
    least = build(tile.Item(build(tile.Reduce(numbers, AtomicKind.MIN, 0)).out)).out
    return build(arith.Cmp(Predicate.NE, least, build.constant(0, I32))).out
