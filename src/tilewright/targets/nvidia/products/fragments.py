"""Tiles in the registers that a layout says: which element each register of a thread is; computed, spilt, stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.ir.layouts import Layout, Owner
from tilewright.targets.llvm.emitter import Value, i32, i64
from tilewright.targets.nvidia import buffers
from tilewright.targets.nvidia.buffers import Coordinates, new_buffer
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.distributed import Distribution
from tilewright.targets.nvidia.elements import Elements, tile_type
from tilewright.targets.nvidia.runs import VECTOR_BYTES, load_run, loads_of, sources_of, store_run
from tilewright.targets.nvidia.values import FragmentTile, Operand, SharedTile


class Positions:
    """Coordinates of the elements that this thread holds, register by register."""

    def __init__(self, ctx: KernelContext, layout: Layout) -> None:
        self._ctx = ctx
        self._starts = [_thread_part(ctx, layout, dim) for dim in range(len(layout.shape))]
        table = layout.table()[:, 0, 0, 0]
        self.first: list[tuple[int, ...]] = [tuple(int(c) for c in row) for row in table]
        """Coordinates that the first thread has."""

    def of(self, register: int, further: int = 0) -> Coordinates:
        """Those of a register, or `further` along the first dimension."""
        at = self.first[register]
        ahead = (at[0] + further, *at[1:])
        return tuple(self._ctx.b.add(start, i64(c)) for start, c in zip(self._starts, ahead, strict=True))


def _thread_part(ctx: KernelContext, layout: Layout, dim: int) -> Value:
    """What lane and warp add to a coordinate."""
    b, total = ctx.b, i32(0)
    for place in layout.along(dim):
        digit = place.digit
        number = {Owner.LANE: ctx.warp_lane, Owner.WARP: ctx.warp}.get(digit.owner)
        if number is not None:
            total = b.add(total, b.mul(digit_of(ctx, number, place.weight, digit.extent), i32(digit.stride)))
    return b.sext(total, "i64")


def digit_of(ctx: KernelContext, number: Value, weight: int, extent: int) -> Value:
    """`number // weight % extent`; extents are powers of two for all that whole warps do."""
    shifted = ctx.b.lshr(number, i32(weight.bit_length() - 1))
    return ctx.b.and_(shifted, i32(extent - 1))


def registers_of(ctx: KernelContext, value: core.Value, layout: Layout) -> tuple[Operand, ...]:
    """The elements of a tile that this thread holds by a layout, computed unless they are there."""
    known = ctx.values.get(value)
    if isinstance(known, FragmentTile):
        assert known.layout == layout, "sums that meet have one layout"
        return known.slots
    held = list(_fragments(ctx, value))
    positions, elements = Positions(ctx, layout), Elements(ctx)
    found: list[Operand] = []
    with ctx.per_work_item():
        for register in range(len(positions.first)):
            where = positions.of(register)
            for each, fragment in held:
                elements.tell(each, [where], [fragment.slots[register]])
            found.append(elements.at(value, where))
    return tuple(found)


def _fragments(ctx: KernelContext, value: core.Value) -> Iterator[tuple[core.Value, FragmentTile]]:
    """The fragments of which elements of a tile are computed at the same coordinates."""
    for found in sources_of(ctx, value):
        known = ctx.values.get(found)
        if isinstance(known, FragmentTile):
            yield found, known


def spill(ctx: KernelContext, fragment: FragmentTile) -> SharedTile:
    """The tile in shared memory, for those who want elements of other threads."""
    target, positions = new_buffer(ctx, fragment.type), Positions(ctx, fragment.layout)
    ctx.barrier()
    for number, operand in enumerate(fragment.slots):
        buffers.store(ctx, target, operand, positions.of(number))
    ctx.barrier()
    return target


def store_fragment(ctx: KernelContext, op: tile.Store) -> bool:
    """Store a tile that is computed of fragments, each thread what it holds; False if it is computed of none."""
    held = list(_fragments(ctx, op.value))
    if not held:
        return False
    layout = held[0][1].layout
    positions, width = Positions(ctx, layout), _width(layout, tile_type(op.value).element.bytes)
    found = Distribution(layout.shape, ctx.threads, width)
    loads = list(dict.fromkeys(loads_of(ctx, op.value)))
    with ctx.per_work_item():
        for registers in _runs(positions.first, width):
            where = [positions.of(registers[0], k) for k in range(width)]
            elements = Elements(ctx)
            for each, fragment in held:
                elements.tell(each, where, [fragment.slots[r] for r in registers])
            for load in loads:
                source = load.defining_op
                assert isinstance(source, tile.Load)
                elements.tell(load, where, load_run(ctx, source, found, where))
            store_run(ctx, op, found, where, [elements.at(op.value, at) for at in where])
    return True


def _width(layout: Layout, bytes_: int) -> int:
    """Neighbours along the first dimension in one thread, no more than an access takes."""
    width = 1
    for place in layout.along(0):
        if place.digit.owner is not Owner.REG:
            break
        width *= place.digit.extent
    return min(width, max(VECTOR_BYTES // bytes_, 1))


def _runs(first: Sequence[tuple[int, ...]], width: int) -> Iterator[list[int]]:
    """Registers that hold neighbours."""
    numbers = {at: number for number, at in enumerate(first)}
    for at in sorted(numbers, key=lambda at: at[::-1]):
        if at[0] % width == 0:
            yield [numbers[(at[0] + k, *at[1:])] for k in range(width)]
