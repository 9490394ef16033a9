"""Boxes of tiles taken out and set side by side through shared memory.

Whoever holds an element writes it to where the result has it; what does not come into the result is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import lane, team
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.memref import Subview
from tilewright.ir.core import Value
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.layouts import Layout
from tilewright.ir.types import AddressSpace, MemrefType, TileType, packed_strides
from tilewright.transforms import emit
from tilewright.transforms.schedule.conversions import Buffers, read
from tilewright.transforms.schedule.moves import in_memory_order, renaming
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.shared_buffers import access_width, shared_buffer
from tilewright.transforms.schedule.threads import Threads, copies, register_steps


def is_shift(op: MovesElements) -> bool:
    """Whether elements keep their places but for a distance, the same for all of an operand."""
    return all(_distances(move) is not None for move in op.moves())


def _distances(move: Move) -> tuple[int, ...] | None:
    """How much further on along each dimension the result has the elements."""
    if len(move.coordinates) != len(move.shape):
        return None
    found: list[int] = []
    for dim, (coordinate, start, extent) in enumerate(zip(move.coordinates, move.start, move.shape, strict=True)):
        if extent > 1 and (coordinate.dim != dim or coordinate.factors[dim] != 1):
            return None
        if extent == 1 and coordinate.constant is None and coordinate.dim != dim:
            return None
        found.append(start - coordinate.offset)
    return tuple(found)


def joined(
    build: Builder,
    threads: Threads,
    op: MovesElements,
    values: Sequence[Value],
    layout_of: Callable[[Value], Layout],
    buffer: Buffers,
) -> Value:
    """The result of a shift from the fragments of its operands."""
    (result,) = op.results
    shape, target = _shape(result), layout_of(result)
    element = fragment_of(values[0]).element
    parts = [_Part.of(op, move, values, layout_of) for move in op.moves() if all(move.shape)]
    if any(part.is_open(shape) for part in parts):
        type_ = MemrefType(element, shape, packed_strides(shape), AddressSpace.LOCAL)
    else:
        type_ = shared_buffer(element, (target,), shape).type
    memory, used = buffer(type_)
    if used:
        build(team.Barrier(fence_local=True))
    for part in parts:
        part.write(build, threads, memory)
    build(team.Barrier(fence_local=True))
    return read(build, threads, target, memory)


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TileType)
    return value.type.shape


class _Part(Struct, frozen=True):
    """What an operand brings: the box of `shape` from `start` on, at such distances from where the operand has it."""

    value: Value
    layout: Layout
    distances: tuple[int, ...]
    start: tuple[int, ...]
    shape: tuple[int, ...]

    @staticmethod
    def of(op: MovesElements, move: Move, values: Sequence[Value], layout_of: Callable[[Value], Layout]) -> _Part:
        """The part that a move of a shift brings."""
        distances = _distances(move)
        assert distances is not None, "is_shift has asked"
        layout = layout_of(op.operands[move.operand])
        return _Part(values[move.operand], layout, distances, move.start, move.shape)

    def is_open(self, shape: tuple[int, ...]) -> bool:
        """Whether threads hold more than the box where memory goes on behind it."""
        return any(
            box != kept != extent for box, kept, extent in zip(self.layout.shape, self.shape, shape, strict=True)
        )

    def write(self, build: Builder, threads: Threads, buffer: Value) -> None:
        """Put each element of the box where the result has it, once."""
        memory = emit.memref_type(buffer)
        cut = tuple(box != kept for box, kept in zip(self.layout.shape, self.shape, strict=True))
        distances = self.distances
        if self.is_open(_extents(memory)):
            buffer = build(
                Subview(buffer, [], [], self.start, self.shape, result_types=[replace(memory, shape=self.shape)])
            ).out
            distances = tuple(far - start for far, start in zip(distances, self.start, strict=True))
        ordered = in_memory_order(self.layout, memory)
        value = picked(build, [self.value], renaming(self.layout, ordered))
        first = threads.is_first(copies(self.layout))
        writer = build if first is None else emit.open_if(build, first)
        at = [
            emit.add(writer, threads.coordinate(self.layout, k), writer.index(far)) for k, far in enumerate(distances)
        ]
        width = self._width(memory)
        writer(lane.Store(value, buffer, at, register_steps(ordered), cut if any(cut) else (), width))

    def _width(self, memory: MemrefType) -> int:
        """Neighbours in memory that one access moves: aligned, and all inside or all outside."""
        width = access_width(self.layout, memory)
        if width == 1:
            return 1
        mode = memory.strides.index(1)
        numbers = [self.distances[mode], self.start[mode], self.shape[mode]]
        numbers += [stride or 0 for k, stride in enumerate(memory.strides) if k != mode and memory.shape[k] != 1]
        if memory.swizzle is not None:
            numbers.append((1 << memory.swizzle.base) // memory.element.bytes)
        while any(number % width for number in numbers):
            width //= 2
        return width


def _extents(memory: MemrefType) -> tuple[int, ...]:
    return tuple(extent or 0 for extent in memory.shape)
