"""How loops and branches carry tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilewright.dialects import scf, tile
from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import AnyTile, Bound, Memory, Registers
from tilewright.targets.cpu.large_products.product import is_large_shape
from tilewright.targets.cpu.lowered import Tile
from tilewright.targets.cpu.memory.places import place
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.elementwise import is_elementwise
from tilewright.targets.llvm.emitter import Value


def _known(tile: Tile) -> AnyTile:
    assert isinstance(tile, AnyTile)
    return tile


class RegisterCarrier:
    """One phi a vector."""

    __slots__ = ("_roots", "_type", "_vector")

    def __init__(self, roots: Roots, type_: TileType, vector: int) -> None:
        self._roots = roots
        self._type = type_
        self._vector = vector

    def enter(self, ctx: KernelContext, tile: Tile) -> list[Value]:
        """The vectors of the initial tile."""
        return self._roots.compute_registers(_known(tile), self._vector)

    def inside(self, parts: Sequence[Value]) -> Registers:
        """The tile that these vectors hold."""
        return self._roots.held(self._type, self._vector, list(parts))

    def leave(self, ctx: KernelContext, tile: Tile, parts: Sequence[Value]) -> list[Value]:
        """The vectors of the next iteration."""
        return self._roots.unshared().compute_registers(_known(tile), self._vector)


def updated_in_place(value: core.Value) -> bool:
    """Whether a loop only ever replaces a carried tile by one computed from it position by position."""
    loop = value.owner.parent_op if isinstance(value, core.BlockArgument) else None
    if not isinstance(loop, scf.For) or not isinstance(value, core.BlockArgument):
        return False
    current: core.Value = value
    while current.has_one_use():
        user = next(iter(current.uses))
        if isinstance(user, scf.Yield):
            return current is not value and user.block is value.block and user.operands[value.index - 1] is current
        same = is_elementwise(user) or (isinstance(user, tile.Mma) and current is user.acc)
        if not same or user.block is not value.block:
            return False
        current = user.results[0]
    return False


def _sums_products(value: core.Value, type_: TileType) -> bool:
    """Whether large products are added to a carried tile."""
    user = next(iter(value.uses))
    if not isinstance(user, tile.Mma) or not isinstance(user.lhs.type, TileType):
        return False
    return is_large_shape(type_.shape[0], type_.shape[1], user.lhs.type.shape[1])


def _destination(value: core.Value) -> tile.Store | None:
    """The store, or stores to one place, that are all that becomes of a loop's tile, position by position."""
    assert isinstance(value, core.BlockArgument)
    loop = value.block.parent_op
    assert isinstance(loop, scf.For)
    found: tile.Store | None = None
    waiting: list[core.Value] = [loop.results[value.index - 1]]
    seen: set[core.Operation] = set()
    while waiting:
        for user in waiting.pop().uses:
            if user in seen:
                continue
            seen.add(user)
            if isinstance(user, tile.Store):
                found = found or user
                if user.operands[1:] != found.operands[1:] or user.check != found.check:
                    return None
            elif is_elementwise(user):
                waiting += user.results
            else:
                return None
    return found


def _needed(ctx: KernelContext, value: core.Value, type_: TileType) -> tuple[Bound | None, ...]:
    """What is needed of a carried tile: where it is stored in the end, if that is known in front of the loop.

    A product of small matrices in large tiles would fill and sum up a whole tile otherwise.
    """
    store = _destination(value) if _sums_products(value, type_) else None
    if store is None or not any(store.check) or any(v not in ctx.values for v in (store.memref, *store.indices)):
        return (None,) * type_.rank
    return place(ctx, store.memref, store.indices, store.check, type_).bounds


class SingleCarrier:
    """One buffer, updated in place as far as it is needed."""

    __slots__ = ("_buffer", "_edge", "_roots", "_type", "_unit", "_value")

    def __init__(self, roots: Roots, value: core.Value, type_: TileType, unit: int) -> None:
        self._roots = roots
        self._value = value
        self._type = type_
        self._unit = unit
        self._buffer: Memory | None = None
        self._edge: Memory | None = None

    def enter(self, ctx: KernelContext, tile: Tile) -> list[Value]:
        """The initial tile in the buffer."""
        self._buffer = self._roots.buffer(self._type, self._unit)
        self._edge = replace(self._buffer, bounds=_needed(ctx, self._value, self._type))
        self._roots.store(_known(tile), self._edge)
        return []

    def inside(self, parts: Sequence[Value]) -> Memory:
        """The buffer."""
        assert self._buffer is not None
        return self._buffer

    def leave(self, ctx: KernelContext, tile: Tile, parts: Sequence[Value]) -> list[Value]:
        """The next tile over the last one."""
        assert self._edge is not None
        self._roots.unshared().store(_known(tile), self._edge)
        return []


class SwappedCarrier:
    """Two buffers that change places: the next tile is computed into the one that nothing reads any more."""

    __slots__ = ("_first", "_roots", "_second")

    def __init__(self, roots: Roots, type_: TileType, unit: int) -> None:
        self._roots = roots
        self._first = roots.buffer(type_, unit)
        self._second = roots.buffer(type_, unit)

    def _at(self, pointer: Value) -> Memory:
        return replace(self._first, pointer=pointer)

    def enter(self, ctx: KernelContext, tile: Tile) -> list[Value]:
        """The initial tile in the first buffer."""
        self._roots.store(_known(tile), self._first)
        return [self._first.pointer, self._second.pointer]

    def inside(self, parts: Sequence[Value]) -> Memory:
        """The tile in the first of the two buffers."""
        return self._at(parts[0])

    def leave(self, ctx: KernelContext, tile: Tile, parts: Sequence[Value]) -> list[Value]:
        """The next tile in the spare buffer."""
        self._roots.unshared().store(_known(tile), self._at(parts[1]))
        return [parts[1], parts[0]]
