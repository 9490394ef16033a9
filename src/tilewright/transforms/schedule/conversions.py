"""Conversions of a tile from one layout to another, by the least that does it.

Registers of a thread are renamed; between lanes of a warp, coordinates that a few digits of two are exchanged are
shuffled; all else goes once through a shared buffer, whose swizzle or pitch keeps accesses apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import lane, team
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Digit, Layout, Owner, Place
from tilewright.ir.types import FragmentType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.schedule.fragments import either
from tilewright.transforms.schedule.moves import in_memory_order, renaming
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.shared_buffers import access_width, shared_buffer
from tilewright.transforms.schedule.threads import Threads, copies, register_steps

_MOST_SHUFFLES: Final = 2
"""Shuffles a register at most; with more, writing and reading shared memory is faster."""

Bit = tuple[int, int]
"""A dimension and the weight of one bit of the coordinate along it."""


class Exchange(Struct, frozen=True):
    """Elements change places between registers and lanes: two bits of the numbers of both are swapped.

    The first is one of lanes; `register` tells of the second whether it is one of registers.
    """

    lane: int
    other: int
    register: bool


class Exchanges(Struct, frozen=True):
    """Swaps of bits, in this order, and the layouts with which they begin and to which they lead.

    These are source and target but for names of registers.
    """

    steps: tuple[Exchange, ...]
    first: Layout
    result: Layout


def exchanges(source: Layout, target: Layout) -> Exchanges | None:
    """How lanes of a warp get from one layout to the other by shuffles; None where they cannot, or need too many.

    Of an extent of registers that is no power of two the other factor stays where it is.
    """
    held = {owner: _bits(source, owner) for owner in (Owner.REG, Owner.LANE)}
    wanted = {owner: _bits(target, owner) for owner in (Owner.REG, Owner.LANE)}
    odd = _odd(source, Owner.REG)
    if source.shape != target.shape or odd != _odd(target, Owner.REG) or _odd(source, Owner.LANE):
        return None
    if _odd(target, Owner.LANE) or any(None in bits for sides in (held, wanted) for bits in sides.values()):
        return None
    outside = (Owner.WARP, Owner.BLOCK)
    if any(
        (_bits(source, owner), _odd(source, owner)) != (_bits(target, owner), _odd(target, owner)) for owner in outside
    ):
        return None
    if len(held[Owner.LANE]) != len(wanted[Owner.LANE]):
        return None
    first = _of_bits(source, held[Owner.REG], held[Owner.LANE])
    lanes, registers = held[Owner.LANE], held[Owner.REG]
    steps: list[Exchange] = []
    for at, bit in enumerate(wanted[Owner.LANE]):
        if lanes[at] == bit:
            continue
        is_register = bit in registers
        others = registers if is_register else lanes
        other = others.index(bit)
        steps.append(Exchange(at, other, is_register))
        lanes[at], others[other] = bit, lanes[at]
    shuffles = sum(1 if step.register else 2 for step in steps)
    if shuffles > 2 * _MOST_SHUFFLES:
        return None
    return Exchanges(tuple(steps), first, _of_bits(source, registers, lanes))


def gathered(source: Layout, dim: int, count: int) -> Layout | None:
    """The layout in which each lane has `count` neighbours along a dimension, a power of two, that lanes beside each
    other have now, and these others in their place; None where there is no such, or it takes too many shuffles."""
    if _odd(source, Owner.LANE):
        return None
    registers, lanes = _bits(source, Owner.REG), _bits(source, Owner.LANE)
    missing = [(dim, 1 << k) for k in range(count.bit_length() - 1) if (dim, 1 << k) not in registers]
    spare = [bit for bit in registers if bit is not None and bit[0] == dim and bit[1] >= count]
    if not missing or len(spare) < len(missing) or any(bit not in lanes for bit in missing):
        return None
    for bit, other in zip(missing, sorted(spare), strict=False):
        lanes[lanes.index(bit)], registers[registers.index(other)] = other, bit
    near: list[Bit | None] = [(dim, 1 << k) for k in range(count.bit_length() - 1)]
    found = _of_bits(source, [*near, *(bit for bit in registers if bit not in near)], lanes)
    return found if exchanges(source, found) is not None else None


def _power(extent: int) -> int:
    """The largest power of two that divides it."""
    return extent & -extent


def _bits(layout: Layout, owner: Owner) -> list[Bit | None]:
    """What each bit of an owner's number stands for, as far as extents are powers of two; None for copies."""
    return [
        None if digit.dim is None else (digit.dim, digit.stride << k)
        for digit in layout.of(owner)
        for k in range(_power(digit.extent).bit_length() - 1)
    ]


def _odd(layout: Layout, owner: Owner) -> list[Digit]:
    """What extents have beside powers of two."""
    powers = ((digit, _power(digit.extent)) for digit in layout.of(owner) if digit.extent & (digit.extent - 1))
    return [replace(digit, extent=digit.extent // power, stride=digit.stride * power) for digit, power in powers]


def _of_bits(source: Layout, registers: Sequence[Bit | None], lanes: Sequence[Bit | None]) -> Layout:
    """The layout with these bits of registers and lanes, behind those of registers what extents have beside them."""
    kept = [digit for digit in source.digits if digit.owner in (Owner.WARP, Owner.BLOCK)]
    numbers = (*_digits(Owner.REG, registers), *_odd(source, Owner.REG), *_digits(Owner.LANE, lanes))
    return Layout(source.shape, (*numbers, *kept))


def _digits(owner: Owner, bits: Sequence[Bit | None]) -> list[Digit]:
    return [Digit(owner, 2) if bit is None else Digit(owner, 2, *bit) for bit in bits]


Buffers = Callable[[MemrefType], tuple[Value, bool]]
"""The shared memory of a type, and whether others have used it."""


class Conversion(Struct, frozen=True):
    """Of a tile of `shape` from one layout to another."""

    source: Layout
    target: Layout
    shape: tuple[int, ...]
    buffer: Buffers

    def lower(self, build: Builder, threads: Threads, value: Value) -> Value:
        """The fragment in the target's layout."""
        found = exchanges(self.source, self.target)
        if found is None:
            return self._through_memory(build, threads, value)
        value = picked(build, [value], renaming(self.source, found.first))
        for step in found.steps:
            value = _swapped(build, threads, value, step)
        return picked(build, [value], renaming(found.result, self.target))

    def _through_memory(self, build: Builder, threads: Threads, value: Value) -> Value:
        memory = shared_buffer(fragment_of(value).element, (self.source, self.target), self.shape).type
        buffer, used = self.buffer(memory)
        if used:
            build(team.Barrier(fence_local=True))
        write(build, threads, value, self.source, buffer)
        build(team.Barrier(fence_local=True))
        return read(build, threads, self.target, buffer)


def write(build: Builder, threads: Threads, value: Value, layout: Layout, buffer: Value) -> None:
    """Put a tile into memory of its shape, each element once."""
    memory = emit.memref_type(buffer)
    ordered = in_memory_order(layout, memory)
    value = picked(build, [value], renaming(layout, ordered))
    first = threads.is_first(copies(layout))
    writer = build if first is None else emit.open_if(build, first)
    at = [threads.coordinate(layout, k) for k in range(len(layout.shape))]
    width, check = access_width(layout, memory), edges(layout, memory)
    writer(lane.Store(value, buffer, at, register_steps(ordered), check, width))


def read(build: Builder, threads: Threads, layout: Layout, buffer: Value) -> Value:
    """A tile of the shape of memory."""
    memory = emit.memref_type(buffer)
    ordered = in_memory_order(layout, memory)
    at = [threads.coordinate(layout, k) for k in range(len(layout.shape))]
    out = FragmentType(ordered.count(Owner.REG), memory.element)
    width, check = access_width(layout, memory), edges(layout, memory)
    found = build(lane.Load(buffer, at, register_steps(ordered), check, width, result_types=[out])).out
    return picked(build, [found], renaming(ordered, layout))


def edges(layout: Layout, memory: MemrefType) -> tuple[bool, ...]:
    """The modes along which the layout goes on beyond the memory; none for no such."""
    found = tuple(box != extent for box, extent in zip(layout.shape, memory.shape, strict=True))
    return found if any(found) else ()


def _swapped(build: Builder, threads: Threads, value: Value, step: Exchange) -> Value:
    """After exchanging two bits of the numbers of lanes and registers, or of lanes."""
    type_ = fragment_of(value)
    if not step.register:
        differ = build(Cmp(Predicate.NE, _lane_bit(threads, step.lane), _lane_bit(threads, step.other))).out
        moved = build(lane.Flip(value, 1 << step.lane | 1 << step.other)).out
        return either(build, differ, moved, value)
    low = [r for r in range(type_.size) if not r >> step.other & 1]
    high = [r | 1 << step.other for r in low]
    is_high = build(Cmp(Predicate.NE, _lane_bit(threads, step.lane), build.index(0))).out
    first, second = picked(build, [value], low), picked(build, [value], high)
    got = build(lane.Flip(either(build, is_high, first, second), 1 << step.lane)).out
    first, second = either(build, is_high, got, first), either(build, is_high, second, got)
    order = {register: k for k, register in enumerate((*low, *high))}
    return picked(build, [first, second], [order[r] for r in range(type_.size)])


def _lane_bit(threads: Threads, bit: int) -> Value:
    return threads.digit(Place(Digit(Owner.LANE, 2), 1 << bit))
