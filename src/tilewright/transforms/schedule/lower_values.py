"""Tiles that are made of others, on the way to lanes: fragments made of fragments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tilewright.dialects import arith, gpu, gpu_sums, lane, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import I32, FragmentType, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.schedule.combinations import by_region, scan
from tilewright.transforms.schedule.conversions import Conversion
from tilewright.transforms.schedule.fragments import splat
from tilewright.transforms.schedule.joins import is_shift, joined
from tilewright.transforms.schedule.lowering import Lower, Lowering, copy, lowered_type, shape_of
from tilewright.transforms.schedule.maps import mapped
from tilewright.transforms.schedule.moves import registers_of_move
from tilewright.transforms.schedule.positions import Positions
from tilewright.transforms.schedule.reductions import Reduction, between_lanes, picked
from tilewright.transforms.schedule.regions import elementwise, is_arithmetic
from tilewright.transforms.schedule.reshapes import reshape
from tilewright.transforms.schedule.same_bits import divides, reinterpreted
from tilewright.transforms.schedule.threads import copies
from tilewright.transforms.schedule.totals import COMBINATIONS, Combining, combining
from tilewright.transforms.tile_values import layout_of


def _splat(low: Lowering, build: Builder, op: tile.Splat) -> None:
    low.put(op.out, build(lane.Fill(low.new(op.value), result_types=[lowered_type(op.out.type)])).out)


def _iota(low: Lowering, build: Builder, op: tile.Iota) -> None:
    layout, element = layout_of(op.out), emit.scalar_type(op.out.type)
    found = _positions(low, build, layout, op.dim, element)
    if shape_of(op.out)[op.dim] <= 1 << min(element.bits - 1, 31) and layout.shape[op.dim] < 1 << 31:
        low.positions[found] = Positions.of(low.threads, layout, op.dim)
    low.put(op.out, found)


def _positions(low: Lowering, build: Builder, layout: Layout, dim: int, element: ScalarType) -> Value:
    """The thread's part of the coordinate, and that of each register."""
    first = emit.cast(build, low.threads.coordinate(layout, dim), element)
    table = layout.first_thread()[:, dim]
    steps = build(lane.Numbers(tuple(int(n) for n in table), result_types=[FragmentType(len(table), element)])).out
    return build(arith.Add(splat(build, first, len(table)), steps)).out


def _add(low: Lowering, build: Builder, op: arith.Add) -> None:
    """To coordinates a number that all registers share: to the thread's part of them."""
    for where, number in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        place, filled = low.new(where).defining_op, low.new(number).defining_op
        if isinstance(filled, lane.Fill) and isinstance(place, arith.Add):
            first, steps = (value.defining_op for value in place.operands)
            if isinstance(first, lane.Fill) and isinstance(steps, lane.Numbers):
                total = splat(build, emit.add(build, first.value, filled.value), len(steps.values))
                low.put(op.out, build(arith.Add(total, steps.out)).out)
                return
    copy(low, build, op)


def _compare(low: Lowering, build: Builder, op: arith.Cmp) -> None:
    """Coordinates with a number: once for all registers of which the answer is the same."""
    where, limit = low.positions.get(low.new(op.lhs)), emit.integer_of(low.new(op.rhs))
    if where is None or limit is None or op.predicate not in _LIMITS:
        copy(low, build, op)
        return
    beyond, other = _LIMITS[op.predicate]
    found = where.below(build, low.threads.head, limit + beyond)
    low.put(op.out, build(arith.Xor(found, build.constant(True, found.type))).out if other else found)


def _item(low: Lowering, build: Builder, op: tile.Item) -> None:
    low.put(op.out, build(lane.Item(low.new(op.tile), 0)).out)


def _moved(low: Lowering, build: Builder, op: MovesElements) -> None:
    registers = registers_of_move(op, layout_of)
    if registers is None and is_shift(op) and not isinstance(op, gpu.ConvertLayout):
        values = [low.new(value) for value in op.operands]
        low.put(op.results[0], joined(build, low.threads, op, values, layout_of, low.buffer))
        return
    if registers is None:
        assert isinstance(op, gpu.ConvertLayout | tile.Reshape), "assign-layouts has converted the operands of others"
        low.put(op.out, _exchanged(low, build, op))
        return
    values = [low.new(value) for value in op.operands]
    found = picked(build, values, registers)
    if len(values) == 1 and values[0] in low.positions:
        low.positions[found] = low.positions[values[0]].picked(tuple(registers))
    low.put(op.results[0], found)


def _exchanged(low: Lowering, build: Builder, op: gpu.ConvertLayout | tile.Reshape) -> Value:
    """What threads have to get from each other."""
    source, target = ((shape_of(value), layout_of(value)) for value in (op.tile, op.out))
    if isinstance(op, tile.Reshape):
        return reshape(build, low.threads, low.new(op.tile), source, target, low.buffer)
    conversion = Conversion(source[1], target[1], source[0], low.buffer)
    return conversion.lower(build, low.threads, low.new(op.tile))


def _reduce(low: Lowering, build: Builder, op: tile.Reduce | ReduceBy) -> None:
    found, out = combining(op), op.results[0]
    if found is None:
        assert isinstance(op, ReduceBy)
        _by_region(low, build, op)
    elif out not in low.values:
        _together(low, build, [op, *_beside(low, op)], found)


def _beside(low: Lowering, op: tile.Reduce | ReduceBy) -> Iterator[tile.Reduce]:
    """Reductions behind one, of tiles that are there already, by the same threads in the same way."""
    other, count = op.next, 1
    while isinstance(op, tile.Reduce) and other is not None and count < _MOST_TOGETHER:
        if isinstance(other, tile.Reduce) and other not in low.in_strips:
            alike = (other.kind, other.dim, other.tile.type) == (op.kind, op.dim, op.tile.type)
            if alike and other.tile in low.values and other.tile not in low.spills.of and other.out not in low.values:
                count += 1
                yield other
        other = other.next


def _together(low: Lowering, build: Builder, ops: Sequence[tile.Reduce | ReduceBy], how: Combining) -> None:
    """Reductions of several tiles, as one of a tile with another dimension: threads wait for each other once."""
    values: list[Value] = []
    for op in ops:
        value = emit.cast(build, low.new(op.operands[0]), how.wide)
        values.append(low.counted(build, op.operands[0], op.dim, value, how.kind))
    reduction, count = how.reduction, len(ops)
    if count > 1:
        layout = reduction.layout
        digits = (*layout.digits, Digit(Owner.REG, count, len(layout.shape), 1))
        reduction = replace(reduction, layout=Layout((*layout.shape, count), digits))
        values = [picked(build, values, range(count * fragment_of(values[0]).size))]
    total = reduction.lower(build, low.threads, low.shared, values[0], bool(low.in_loop))
    size = fragment_of(total).size // count
    for number, op in enumerate(ops):
        found = picked(build, [total], range(number * size, (number + 1) * size))
        low.put(op.results[0], emit.cast(build, found, emit.scalar_type(op.results[0].type)))


def _sum_own(low: Lowering, build: Builder, op: gpu_sums.SumOwn) -> None:
    """Of the registers of a thread; lanes that have others of the line are told by the layout of what is left."""
    layout, left = layout_of(op.tile), layout_of(op.out)
    others = [*copies(layout), *(place for place in layout.along(op.dim) if place.digit.owner is Owner.WARP)]
    assert not others, "put_off has asked"
    assert left == layout.reduce_dim(op.dim), "put_off has asked"
    low.put(op.out, Reduction(layout, op.dim, _added).in_registers(build, low.new(op.tile)))


def _sum_lanes(low: Lowering, build: Builder, op: gpu_sums.SumLanes) -> None:
    low.put(op.out, between_lanes(build, low.new(op.tile), layout_of(op.out), _added))


def _added(build: Builder, x: Value, y: Value) -> Value:
    return build(arith.Add(x, y)).out


def _spill(low: Lowering, build: Builder, op: gpu.Spill) -> None:
    """All registers at once."""
    value = low.new(op.tile)
    low.spilled(op, ()).store(build, value, range(fragment_of(value).size))


def _scan(low: Lowering, build: Builder, op: tile.Scan) -> None:
    kind = COMBINATIONS[op.kind]
    low.put(op.out, scan(build, low.threads, low.buffer, op, low.new(op.tile), kind))


def _by_region(low: Lowering, build: Builder, op: ReduceBy | ScanBy) -> None:
    for out, value in zip(op.outs, by_region(build, low.threads, low.buffer, op, low.new), strict=True):
        low.put(out, value)


def _map(low: Lowering, build: Builder, op: tile.Map) -> None:
    if not is_arithmetic(op.body):
        low.put(op.out, mapped(low, build, op))
        return
    positions = [_positions(low, build, layout_of(op.tile), dim, I32) for dim in range(len(layout_of(op.tile).shape))]
    (found,) = elementwise(build, op.body, [*positions, low.new(op.tile)], low.new)
    low.put(op.out, found)


def _reinterpret(low: Lowering, build: Builder, op: tile.Reinterpret) -> None:
    wholes = layout_of(op.tile if divides(op) else op.out)
    low.put(op.out, reinterpreted(build, op, low.new(op.tile), wholes))


_LIMITS: Final = {
    arith.Predicate.LT: (0, False),
    arith.Predicate.LE: (1, False),
    arith.Predicate.GE: (0, True),
    arith.Predicate.GT: (1, True),
}
"""By comparison: how far beyond a number the limit is, and whether the answer is what is not below."""

_MOST_TOGETHER: Final = 4
"""Reductions, of which the registers are there at a time."""

VALUES: Final[Mapping[type[Operation], Lower]] = {
    Elementwise: copy,
    arith.Add: _add,
    arith.Cmp: _compare,
    MovesElements: _moved,
    tile.Splat: _splat,
    tile.Iota: _iota,
    tile.Item: _item,
    tile.Reduce: _reduce,
    ReduceBy: _reduce,
    gpu_sums.SumOwn: _sum_own,
    gpu_sums.SumLanes: _sum_lanes,
    gpu.Spill: _spill,
    tile.Scan: _scan,
    ScanBy: _by_region,
    tile.Map: _map,
    tile.Reinterpret: _reinterpret,
}
