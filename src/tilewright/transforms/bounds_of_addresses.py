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


def address_test(build: Builder, box: Box, moment: Moment, origins: Sequence[Origin]) -> tuple[Conjunction, Said]:
    """The elements of a view of memory at an address lie in one of the origins, from the first to the last byte."""
    bounds, found = bounds_of(build, box, moment), Conjunction(build)
    root = root_of(box.view).defining_op
    assert isinstance(root, addresses.FromAddress)
    size = root.type.element.bytes
    first, reach = _way(found, box, bounds, moment, size)
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


def _way(found: Conjunction, box: Box, bounds: Bounds, moment: Moment, size: int) -> tuple[Length, Length]:
    """The first element behind the one at the address, and how far the last one is from there."""
    build = found.build
    first, reach = first_element(build, box.view), 0
    for mode, stride in enumerate(strides(build, box.view)):
        first = plus(build, first, times(build, bounds.low[mode], stride))
        way = minus(build, bounds.high[mode], bounds.low[mode])
        most = way if box.whole else moment.ranges[mode].high.plus(moment.ranges[mode].low, -1).constant
        if not isinstance(most, int):
            _demand_way(found, way, stride, size)
        elif most > 0:
            found.at_most_unsigned(stride, _FARTHEST // (most * size))
        if most != 0:
            reach = plus(build, reach, times(build, way, stride))
    return first, reach


def _demand_way(found: Conjunction, way: Length, stride: Length, size: int) -> None:
    """The bytes along a mode whose extent only a launch knows can be counted without wrapping around."""
    build = found.build
    found.equal(build(UMulHigh(emit.as_value(build, way), emit.as_value(build, stride))).out, 0)
    found.at_most_unsigned(times(build, way, stride), _FARTHEST // size)


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
