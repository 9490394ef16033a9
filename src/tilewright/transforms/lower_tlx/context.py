"""The state of lowering one kernel: what tensors and long vectors became.

A tensor becomes a tile of the elements that are data, or if it is large a view of memory. Both have its logical
dimensions in reverse order, so that a row-major tensor has the first dimension contiguous; layouts and padding are in
the strides of views alone. Memory that holds a tensor is written once, before the view is handed on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt, prod

from msgspec import Struct, field

from tilewright.dialects import tile
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.arith import Add, Cast, Mul
from tilewright.dialects.builder import Builder
from tilewright.dialects.statics import Reserve
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import I64, MemrefType, ScalarType, TileType, memref
from tilewright.transforms import emit
from tilewright.transforms.tiling import Box, cover

_ALIGNMENT = 64
_CHUNK = 1024
_CROSSWISE = 64
"""Boxes that are transposed are so long in both memories: several lines, of which few are read or written in part."""
_NEAR_BYTES = 32 * 1024

Length = emit.Length


class NoLowering(Exception):
    """There is no code for an operation yet; `op` says where, the message why."""

    def __init__(self, op: Operation, message: str) -> None:
        super().__init__(message)
        self.op = op


class Destination(Struct, frozen=True):
    """Where a result is computed: `view` is the store's target, or where `disjoint` is false a buffer."""

    view: Value
    target: Value
    disjoint: Value | None


class Lowering(Struct):
    """What tensors, and vectors of more than `limit` elements, became; `b` inserts where the lowering stands.

    `goal` is where the result of the operation at hand is to be written, `destinations` what stores find done already,
    `buffers` addresses of memory that was reserved for results.
    """

    b: Builder
    limit: int
    values: dict[Value, Value] = field(default_factory=dict[Value, Value])
    destinations: dict[Operation, Destination] = field(default_factory=dict[Operation, Destination])
    buffers: set[Value] = field(default_factory=set[Value])
    goal: Value | None = None

    def inside(self, b: Builder) -> Lowering:
        """The same state, inserting elsewhere."""
        return Lowering(b, self.limit, self.values, self.destinations, self.buffers)

    def is_large(self, type_: TensorType | TileType) -> bool:
        """Whether values of a type live in memory."""
        return type_.size > self.limit

    # Memory

    def view(self, address: Value, element: ScalarType, shape: Sequence[int], strides: Sequence[Length]) -> Value:
        """Memory at an address; strides in elements."""
        known = tuple(s if isinstance(s, int) else None for s in strides)
        dynamic = [s for s in strides if not isinstance(s, int)]
        type_ = memref(element, tuple(shape), known)
        return self.b(FromAddress(address, [], dynamic, result_types=[type_])).out

    def reserved(self, element: ScalarType, shape: Sequence[int], strides: Sequence[int]) -> Value:
        """Memory of undefined content until the region around ends."""
        address = self.b(Reserve(prod(shape) * element.bytes, _ALIGNMENT)).out
        self.buffers.add(address)
        return self.view(address, element, shape, strides)

    def fresh(self, type_: TensorType) -> Value:
        """Memory for a tensor, its data packed in its memory order."""
        return self.reserved(type_.element, type_.shape[::-1], packed_strides(type_))

    def result(self, type_: TensorType) -> Value:
        """Memory for the result of the operation at hand."""
        return self.fresh(type_) if self.goal is None else self.goal

    def moved(self, view: Value, offsets: Sequence[Length]) -> Value:
        """The address of a view's element."""
        total = self.sum([self.product(o, s) for o, s in zip(offsets, strides_of(view), strict=True)])
        return self.further(address_of(view), total, emit.memref_type(view).element.bytes)

    def further(self, address: Value, distance: Length, size: int) -> Value:
        """An address so many elements of a size further on."""
        if isinstance(distance, int):
            return address if distance == 0 else self.b(Add(address, self.b.constant(distance * size, I64))).out
        wide = self.b(Cast(distance, result_types=[I64])).out
        return self.b(Add(address, self.b(Mul(wide, self.b.constant(size, I64))).out)).out

    def product(self, x: Length, y: Length) -> Length:
        """Of lengths, known if both are."""
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        if x == 0 or y == 0:
            return 0
        return emit.mul(self.b, emit.as_value(self.b, x), emit.as_value(self.b, y))

    def sum(self, lengths: Sequence[Length]) -> Length:
        """Of lengths, known if all are."""
        total: Length = sum(n for n in lengths if isinstance(n, int))
        for length in lengths:
            if not isinstance(length, int):
                total = length if total == 0 else emit.add(self.b, emit.as_value(self.b, total), length)
        return total

    # Between tiles and memory

    def tile(self, value: Value) -> Value:
        """The tile that a tensor became, read if it lies in memory."""
        found = self.values[value]
        return found if isinstance(found.type, TileType) else self.read(found)

    def read(self, view: Value) -> Value:
        """All of a view as a tile."""
        type_ = emit.memref_type(view)
        shape = tuple(n for n in type_.shape if n is not None)
        zeros = [self.b.index(0) for _ in shape]
        return self.b(tile.Load(view, zeros, result_types=[TileType(shape, type_.element)])).out

    def write(self, value: Value, view: Value) -> None:
        """A tile into all of a view."""
        self.b(tile.Store(value, view, [self.b.index(0) for _ in emit.memref_type(view).shape]))

    def memory(self, value: Value, type_: TensorType) -> Value:
        """The view that a tensor became, written first if it is a tile."""
        found = self.values[value]
        if isinstance(found.type, MemrefType):
            return found
        view = self.fresh(type_)
        self.write(found, view)
        return view

    def for_each_chunk(self, target: Value, body: Callable[[Lowering, Box], None], most: int = _CHUNK) -> None:
        """Call `body(lowering, box)` for boxes that cover a view, of at most so many elements."""
        type_ = emit.memref_type(target)
        order, room = by_stride(type_), min(most, _CHUNK, self.limit)
        self._cover(type_, [(mode, room) for mode in order], room, order[::-1], body)

    def _cover(
        self,
        type_: MemrefType,
        lengths: Sequence[tuple[int, int]],
        room: int,
        order: Sequence[int],
        body: Callable[[Lowering, Box], None],
    ) -> None:
        """Boxes as long as `lengths` say of modes, one after the other, while there is room; the outer loops first."""
        shape = [n or 1 for n in type_.shape]
        found = [1] * len(shape)
        for mode, length in lengths:
            if found[mode] > 1:
                continue
            found[mode] = min(shape[mode], length, room)
            room = room // found[mode]
            if room < 2:
                break

        def at(build: Builder, box: Box) -> None:
            body(self.inside(build), box)

        cover(self.b, shape, found, order, at)

    def copy(self, source: Value, target: Value) -> None:
        """From one view to another of its shape, which do not overlap."""

        def move(low: Lowering, box: Box) -> None:
            box.store(low.b, box.load(low.b, source), target)

        type_, out = emit.memref_type(source), emit.memref_type(target)
        order = by_stride(out)
        near, there = by_stride(type_)[:1], order[:1]
        if near == there:
            self.for_each_chunk(target, move)
            return
        room = min(_CROSSWISE**2, self.limit)
        lengths = [*((mode, isqrt(room)) for mode in (*near, *there)), *((mode, room) for mode in order)]
        inner = near if _has_long_rows(type_, there[0]) else []
        loops = [*(mode for mode in order[::-1] if mode not in inner), *inner]
        self._cover(out, lengths, room, loops, move)

    def fill(self, number: Value, target: Value) -> None:
        """One number into all of a view."""
        element = emit.memref_type(target).element

        def store(low: Lowering, box: Box) -> None:
            box.store(low.b, emit.shaped(low.b, number, TileType(box.shape, element)), target)

        self.for_each_chunk(target, store)


def _has_long_rows(type_: MemrefType, across: int) -> bool:
    """Whether rows of a box, one beside the other along a mode, have left the first cache before their next columns are
    read: then these are read next, as streams. Else all of their elements have been near since the first ones were."""
    distance, extent = type_.strides[across], type_.shape[across]
    known = None if distance is None or extent is None else distance * min(_CROSSWISE, extent) * type_.element.bytes
    return known is None or known > _NEAR_BYTES


def by_stride(type_: MemrefType) -> list[int]:
    """Modes from the nearest elements to the farthest; unknown strides are far."""
    far = 1 << 62
    return sorted(range(type_.order), key=lambda k: (far if type_.strides[k] is None else type_.strides[k] or 0, k))


def packed_strides(type_: TensorType) -> tuple[int, ...]:
    """Strides by mode, logical dimensions in reverse, of a tensor whose data lie one behind the other in its layout."""
    found, step = [0] * type_.rank, 1
    for dim in reversed(type_.layout):
        found[type_.rank - 1 - dim] = step
        step *= type_.shape[dim]
    return tuple(found)


def stored_strides(type_: TensorType, distances: Sequence[Length]) -> list[Length]:
    """Strides by mode, logical dimensions in reverse, of a tensor with a distance for each memory position."""
    return [distances[type_.positions[dim]] for dim in reversed(range(type_.rank))]


def address_of(view: Value) -> Value:
    """The address of a view's first element."""
    op = view.defining_op
    assert isinstance(op, FromAddress)
    return op.address


def origin(view: Value) -> Value:
    """The address that a view's address is so many bytes behind."""
    address = address_of(view)
    while isinstance(op := address.defining_op, Add):
        address = op.lhs
    return address


def strides_of(view: Value) -> list[Length]:
    """Strides of a view in elements, known or not."""
    op = view.defining_op
    assert isinstance(op, FromAddress)
    return op.mixed_layout[1]
