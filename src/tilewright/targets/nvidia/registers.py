"""Tiles of a subgroup in registers: who holds which element, and moving elements between lanes.

Slot c of lane p holds the element with column-major number `p + c S`. An element that another lane wants is fetched by
a shuffle. Who wants which element is always known here, as a table with one entry a lane, so every operation that moves
elements comes down to `gather` with its own table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from tilewright.ir import core
from tilewright.ir.layouts import Owner
from tilewright.ir.types import TileType
from tilewright.targets.llvm.emitter import Value, constant, i32, i64
from tilewright.targets.llvm.lowered import lowered_as
from tilewright.targets.nvidia import warp
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.guards import guarded
from tilewright.targets.nvidia.values import Operand, RegisterTile
from tilewright.transforms.tile_values import tile_type

Coordinates = tuple[Value, ...]
Table = Sequence[int | None]
"""For each lane the number of the element it wants; None for lanes that want none."""


def slot_count(ctx: KernelContext, type_: TileType) -> int:
    """Slots a lane needs for a tile."""
    return -(-type_.size // ctx.subgroup_size)


def position_of(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Coordinates of the element with a column-major number."""
    found: list[int] = []
    for extent in shape:
        found.append(number % extent)
        number //= extent
    return tuple(found)


def number_of(at: Sequence[int], shape: Sequence[int]) -> int:
    """Column-major number of an element."""
    return sum(index * prod(shape[:k]) for k, index in enumerate(at))


def wanted(
    ctx: KernelContext, type_: TileType, slot: int, source: Callable[[tuple[int, ...]], int | None]
) -> list[int | None]:
    """The table of a slot: what `source` says for the coordinates of each lane's element; None past the end."""
    first = slot * ctx.subgroup_size
    numbers = range(first, first + ctx.subgroup_size)
    return [source(position_of(n, type_.shape)) if n < type_.size else None for n in numbers]


def gather(ctx: KernelContext, tile: RegisterTile, table: Table) -> Operand:
    """The element of the table in each lane; lanes without an entry get anything."""
    size = ctx.subgroup_size
    slots = sorted({number // size for number in table if number is not None})
    assert slots, "no lane wants an element"
    result: Operand | None = None
    for slot in slots:
        lanes = [None if n is None or n // size != slot else n % size for n in table]
        moved = _from_lanes(ctx, tile.slots[slot], lanes)
        if result is not None:
            moved = ctx.arith.select(lane_predicate(ctx, [lane is not None for lane in lanes]), moved, result)
        result = moved
    assert result is not None
    return result


def _from_lanes(ctx: KernelContext, operand: Operand, lanes: Table) -> Operand:
    if all(lane is None or lane == own for own, lane in enumerate(lanes)):
        return operand
    return warp.shuffle(ctx, "idx", operand, _lane_number(ctx, lanes))


def _lane_number(ctx: KernelContext, lanes: Table) -> Value:
    """The table as a value: a constant, low bits of the own lane with an offset, or read from constant memory."""
    b = ctx.b
    known = [(own, lane) for own, lane in enumerate(lanes) if lane is not None]
    if len({lane for _, lane in known}) == 1:
        return i32(known[0][1])
    period = ctx.subgroup_size
    while period > 1:
        base = known[0][1] - known[0][0] % period
        if all(lane == own % period + base for own, lane in known):
            return b.add(b.and_(ctx.lane, i32(period - 1)), i32(base))
        period //= 2
    numbers = [lane or 0 for lane in lanes]
    name = "tilewright.lanes." + "_".join(map(str, numbers))
    ltype = f"[{len(numbers)} x i8]"
    text = f"[{', '.join(f'i8 {n}' for n in numbers)}]"
    memory = b.module.global_variable(name, ltype, text, constant=True, address_space=4)
    return b.zext(b.load("i8", b.gep("i8", memory, b.sext(ctx.lane, "i64")), 1), "i32")


def coordinates(ctx: KernelContext, shape: Sequence[int], number: Value) -> Coordinates:
    """Position of the element with a column-major number."""
    b, found = ctx.b, list[Value]()
    for extent in shape[:-1]:
        whole = number.integer
        if whole is not None:
            found.append(i64(whole % extent))
            number = i64(whole // extent)
        else:
            found.append(i64(0) if extent == 1 else b.urem(number, i64(extent)))
            number = b.udiv(number, i64(extent))
    return (*found, number) if shape else ()


def lane_predicate(ctx: KernelContext, truth: Sequence[bool]) -> Value:
    """A bool that is known for each lane, from the bits of a constant."""
    if all(truth) or not any(truth):
        return ctx.flag(truth[0])
    bits = sum(1 << lane for lane, is_set in enumerate(truth) if is_set)
    return ctx.b.trunc(ctx.b.lshr(constant("i32", bits), ctx.lane), "i1")


def holds_element(ctx: KernelContext, type_: TileType, slot: int) -> Value:
    """Whether the slot of this lane is an element and not past the end."""
    first = slot * ctx.subgroup_size
    return lane_predicate(ctx, [first + lane < type_.size for lane in range(ctx.subgroup_size)])


def slot_positions(ctx: KernelContext, type_: TileType) -> list[Coordinates]:
    """Coordinates of the element that each slot of this lane holds, at run time.

    Where they can be, they are those of the first slot and constants: LLVM takes a minute for the divisions of a tile
    of a thousand slots.
    """
    b, size, slots = ctx.b, ctx.subgroup_size, range(slot_count(ctx, type_))
    if not slots:
        return []
    lane = b.sext(ctx.lane, "i64")
    if not has_no_carry(size, type_.shape):
        return [coordinates(ctx, type_.shape, b.add(lane, i64(slot * size))) for slot in slots]
    own = _coordinates_below(ctx, size, type_.shape, lane)
    return [
        tuple(b.add(mine, i64(k)) for mine, k in zip(own, _unbounded(slot * size, type_.shape), strict=True))
        for slot in slots
    ]


def has_no_carry(size: int, shape: Sequence[int]) -> bool:
    """Whether the coordinates of a number below `size` and of a multiple of it add up to those of the sum.

    No extent is 0.
    """
    for extent in shape[:-1]:
        if extent % size == 0:
            return True
        if size % extent:
            return False
        size //= extent
    return True


def _coordinates_below(ctx: KernelContext, size: int, shape: Sequence[int], number: Value) -> Coordinates:
    """Coordinates of a number below `size`, which has no carry (`has_no_carry`)."""
    found: list[Value] = []
    for extent in shape[:-1]:
        if size <= extent:
            found.append(number)
            number, size = i64(0), 1
        else:
            found.append(i64(0) if extent == 1 else ctx.b.urem(number, i64(extent)))
            number, size = ctx.b.udiv(number, i64(extent)), size // extent
    return (*found, number) if shape else ()


def _unbounded(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Coordinates of the element with a column-major number; past the end the last goes on."""
    return (*position_of(number, shape[:-1]), number // prod(shape[:-1])) if shape else ()


def each_slot(
    ctx: KernelContext, type_: TileType, element: Callable[[int, Coordinates], Operand], guard: bool = False
) -> RegisterTile:
    """A tile from what `element` emits for each slot; with `guard` only in lanes whose slot holds an element."""
    slots: list[Operand] = []
    for slot, where in enumerate(slot_positions(ctx, type_)):
        if guard:
            slots.append(
                guarded(
                    ctx,
                    holds_element(ctx, type_, slot),
                    lambda slot=slot, where=where: element(slot, where),
                    lambda: ctx.arith.constant(type_.element.name, 0),
                )
            )
        else:
            slots.append(element(slot, where))
    return RegisterTile(type_, tuple(slots))


def count_of(ctx: KernelContext, value: core.Value) -> int:
    """Slots of a tile of the subgroup, in the layout of a matrix instruction where it has one."""
    layout = ctx.products.layouts.get(value)
    return slot_count(ctx, tile_type(value)) if layout is None else layout.count(Owner.REG)


def positions(ctx: KernelContext, value: core.Value) -> Sequence[Coordinates]:
    """Coordinates of the element in each slot of this lane."""
    layout = ctx.products.layouts.get(value)
    if layout is None:
        return slot_positions(ctx, tile_type(value))
    b, lane = ctx.b, ctx.b.sext(ctx.lane, "i64")
    first = [i64(0)] * len(layout.shape)
    for place in layout.places:
        digit = place.digit
        if digit.owner is Owner.LANE and digit.dim is not None:
            number = b.urem(b.udiv(lane, i64(place.weight)), i64(digit.extent))
            first[digit.dim] = b.add(first[digit.dim], b.mul(number, i64(digit.stride)))
    return [tuple(b.add(base, i64(k)) for base, k in zip(first, at, strict=True)) for at in layout.registers()]


def each_element(ctx: KernelContext, value: core.Value, element: Callable[[int, Coordinates], Operand]) -> RegisterTile:
    """A tile from what `element` emits for each slot of a value, in the layout that this has."""
    slots = (element(slot, where) for slot, where in enumerate(positions(ctx, value)))
    return RegisterTile(tile_type(value), tuple(slots))


def registers_of(ctx: KernelContext, value: core.Value) -> RegisterTile:
    """A tile in registers."""
    return lowered_as(ctx.values, value, RegisterTile)
