"""Loop-carried tiles, and those that branches yield: in registers or buffers, and along which dimension vectors run."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from tilewright.dialects import scf, tile
from tilewright.ir import core
from tilewright.ir.interfaces import AccessesAddresses, Elementwise, MovesElements
from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.cpu.context import KernelContext, TileCarrier
from tilewright.targets.cpu.expressions.graph import sole_rearrangement
from tilewright.targets.cpu.expressions.nodes import Expression, Memory, Registers, first_long_dim
from tilewright.targets.cpu.large_products.product import is_large_shape
from tilewright.targets.cpu.lowered import Tile
from tilewright.targets.cpu.memory.places import place
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Value

_DEEPEST = 24
_FREE_REGISTERS = 6
"""Vector registers that a loop-carried tile leaves to the loop's body."""


def carrier_of(roots: Roots, value: core.Value) -> TileCarrier:
    """How a tile travels that is a loop's argument, or the result of a loop or branch: in registers if it is small."""
    type_ = value.type
    assert isinstance(type_, TileType)
    dim = _carried_dim(value)
    if type_.rank in (1, 2) and roots.registers_needed(type_, dim) <= roots.machine.registers - _FREE_REGISTERS:
        return _RegisterCarrier(roots, type_, dim)
    return _SingleCarrier(roots, value, type_, dim) if _updated_in_place(value) else _SwappedCarrier(roots, type_, dim)


def _known(tile: Tile) -> Expression:
    assert isinstance(tile, Expression)
    return tile


class _RegisterCarrier:
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


def _updated_in_place(value: core.Value) -> bool:
    """Whether a loop only ever replaces a carried tile by one computed from it position by position."""
    loop = value.owner.parent_op if isinstance(value, core.BlockArgument) else None
    if not isinstance(loop, scf.For) or not isinstance(value, core.BlockArgument):
        return False
    current: core.Value = value
    while current.has_one_use():
        user = next(iter(current.uses))
        if isinstance(user, scf.Yield):
            return current is not value and user.block is value.block and user.operands[value.index - 1] is current
        same = isinstance(user, Elementwise) or (isinstance(user, tile.Mma) and current is user.acc)
        if not same or user.block is not value.block:
            return False
        current = user.results[0]
    return False


def _accumulates_products(value: core.Value, type_: TileType) -> bool:
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
            elif isinstance(user, Elementwise):
                waiting += user.results
            else:
                return None
    return found


def _as_needed(ctx: KernelContext, value: core.Value, buffer: Memory) -> Memory:
    """The buffer of a carried tile, of which no more is written than is stored in the end, if that is known in front
    of the loop.

    A product of small matrices in large tiles, or a part of a strip, would fill and accumulate a whole tile otherwise.
    Vectors at the end of a part are written whole: what is stored under a mask has to leave the store buffer before it
    is loaded (10 ns a row).
    """
    store = _destination(value)
    if store is None or not any(store.check) or any(v not in ctx.values for v in (store.memref, *store.indices)):
        return buffer
    bounds = place(ctx, store.memref, store.indices, store.check, buffer.type).bounds
    if _accumulates_products(value, buffer.type):
        return replace(buffer, bounds=bounds)
    return replace(buffer, ends=tuple(None if bound is None else bound.high for bound in bounds))


class _SingleCarrier:
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
        self._edge = _as_needed(ctx, self._value, self._buffer)
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


class _SwappedCarrier:
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


# The vector dimension of a carried tile: that of the memory where it ends, else of the memory it is computed from


def _carried_dim(value: core.Value) -> int:
    owner = value.owner
    if isinstance(owner, scf.If):
        # a branch often knows only how to load what is stored behind it, such as a tile at addresses in rows
        stored = _stored_dims(value, _DEEPEST)
        if len(stored) == 1 and (dim := stored.pop()) is not None:
            return dim
    if isinstance(value, core.BlockArgument):
        loop = value.block.parent_op
        source = _yielded(loop, value.index - 1) if isinstance(loop, scf.For) else None
    else:
        index = value.index if isinstance(value, core.OpResult) else 0
        source = _yielded(owner, index) if isinstance(owner, scf.For | scf.If) else None
    found = None if source is None else _natural(source, _DEEPEST, {})
    if found is not None:
        return found
    assert isinstance(value.type, TileType)
    return first_long_dim(value.type.shape)


def _yielded(op: core.Operation, index: int) -> core.Value | None:
    values = scf.yielded(op.regions[0])
    return values[index] if 0 <= index < len(values) else None


def _natural(value: core.Value, depth: int, known: dict[core.Value, int | None]) -> int | None:
    """The dimension of stride 1 of the memory that a tile is computed from, followed through expressions."""
    if value not in known:
        known[value] = _found(value, depth, known)
    return known[value]


def _found(value: core.Value, depth: int, known: dict[core.Value, int | None]) -> int | None:
    op = value.defining_op
    if op is None or depth == 0 or not isinstance(value.type, TileType):
        return None
    match op:
        case tile.Load():
            return _unit_mode(op.memref.type, value.type)
        case tile.Mma():
            found = _natural(op.acc, depth - 1, known)
            if found is None:
                lhs, rhs = (_natural(factor, depth - 1, known) for factor in (op.lhs, op.rhs))
                # what becomes vectors is best neighbours along the result, what becomes scalars along the terms
                found = 1 if (rhs == 1 and lhs != 0) or (lhs == 1 and rhs != 0) else 0
            return found
        case tile.Reshape():
            found = _natural(op.tile, depth - 1, known)
            return None if found is None else _renumbered(op, found)
        case MovesElements():
            move, *others = op.moves()
            found = None if others else _natural(op.operands[move.operand], depth - 1, known)
            return None if found is None else move.coordinates[found].dim
        case scf.For() | scf.If():
            index = value.index if isinstance(value, core.OpResult) else 0
            source_value = _yielded(op, index)
            return None if source_value is None else _natural(source_value, depth - 1, known)
        case Elementwise():
            return next((d for d in (_natural(v, depth - 1, known) for v in op.operands) if d is not None), None)
        case _:
            return None


def _renumbered(op: tile.Reshape, dim: int) -> int | None:
    """The dimension of the result that begins with the elements along one of the operand, if there is one."""
    source, result = op.tile.type, op.out.type
    assert isinstance(source, TileType)
    assert isinstance(result, TileType)
    step = prod(source.shape[:dim])
    same = (k for k, extent in enumerate(result.shape) if extent > 1 and prod(result.shape[:k]) == step)
    return next(same, None)


def _stored_dims(value: core.Value, depth: int) -> set[int | None]:
    """The dimensions of stride 1 of the memory where all that is computed of a tile is stored; None for other uses."""
    found: set[int | None] = set()
    for user in value.uses:
        match user:
            case tile.Store() if user.value is value and isinstance(value.type, TileType):
                found.add(_unit_mode(user.memref.type, value.type))
            case AccessesAddresses() if not user.results:
                pass
            case Elementwise() if depth:
                found |= _stored_dims(user.results[0], depth - 1)
            case MovesElements() if depth and (move := sole_rearrangement(user)) is not None:
                back: dict[int | None, int] = {
                    c.dim: dim for dim, c in enumerate(move.coordinates) if c.dim is not None
                }
                found |= {back.get(dim) for dim in _stored_dims(user.results[0], depth - 1)}
            case _:
                found.add(None)
    return found


def _unit_mode(memref: object, type_: TileType) -> int | None:
    assert isinstance(memref, MemrefType)
    return next((k for k, s in enumerate(memref.strides) if s == 1 and type_.shape[k] > 1), None)
