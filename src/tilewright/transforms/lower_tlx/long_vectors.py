"""Bare vectors too long for registers: they live in memory, and what is done with them is done chunk by chunk.

Truth values lie there as bytes.
"""

from __future__ import annotations

from collections.abc import Callable

from tilewright.dialects import arith, tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import BOOL, I8, TileType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx.carried import is_long
from tilewright.transforms.lower_tlx.context import Lowering, NoLowering, address_of
from tilewright.transforms.lower_tlx.destinations import vector_destination
from tilewright.transforms.lower_tlx.tiles import shape_of
from tilewright.transforms.tiling import Box, Piece

_Compute = Callable[[Lowering, Box], Value]


def long_vector(low: Lowering, op: Operation) -> None:
    """Arithmetic, loads, stores, parts and rows of vectors. Raises `NoLowering` for anything else."""
    match op:
        case tile.Load(check=()) if len(op.indices) == 1:
            _compute(low, op.out, lambda inner, box: _within(inner, op.indices[0], box).load(inner.b, op.memref))
        case tile.Store(check=()) if len(op.indices) == 1:
            low.for_each_chunk(low.values[op.value], lambda inner, box: _store(inner, op, box))
        case tile.Cat() if emit.scalar_type(op.out.type) is not BOOL:
            _cat(low, op)
        case tile.Extract() if emit.scalar_type(op.out.type) is not BOOL:
            _extract(low, op)
        case Elementwise() | arith.Constant() | tile.Splat() if isinstance(op.results[0].type, TileType):
            _compute(low, op.results[0], lambda inner, box: _chunk(inner, op, box), _stored_at(low, op))
        case _:
            raise NoLowering(op, f"{op.name} of a vector of more than {low.limit:,} elements, which lives in memory")


def _cat(low: Lowering, op: tile.Cat) -> None:
    """Each part, in registers or in memory, to its place."""
    element, first = emit.scalar_type(op.out.type), 0
    target = low.reserved(element, shape_of(op.out), (1,))
    for part in op.tiles:
        place = low.view(low.moved(target, [first]), element, shape_of(part), (1,))
        if is_long(low, part):
            low.copy(low.values[part], place)
        else:
            low.write(part, place)
        first += shape_of(part)[0]
    low.values[op.out] = target


def _extract(low: Lowering, op: tile.Extract) -> None:
    """Elements in a row."""
    element, shape = emit.scalar_type(op.out.type), shape_of(op.out)
    place = low.view(low.moved(low.values[op.tile], op.offsets), element, shape, (1,))
    if is_long(low, op.out):
        low.values[op.out] = low.reserved(element, shape, (1,))
        low.copy(place, low.values[op.out])
    else:
        op.out.replace_all_uses_with(low.read(place))


def _stored_at(low: Lowering, op: Operation) -> Value | None:
    """Where a vector is computed at once because that is where it is stored next."""
    chosen = vector_destination(low, op)
    if chosen is None:
        return None
    store, low.destinations[store] = chosen
    place = low.destinations[store].view
    return low.view(address_of(place), emit.memref_type(place).element, shape_of(op.results[0]), (1,))


def _compute(low: Lowering, vector: Value, compute: _Compute, place: Value | None = None) -> None:
    """The chunks of a vector into memory of its own, or to a place."""
    assert isinstance(vector.type, TileType)
    element = I8 if vector.type.element is BOOL else vector.type.element
    target = low.reserved(element, vector.type.shape, (1,)) if place is None else place
    low.for_each_chunk(target, lambda inner, box: box.store(inner.b, compute(inner, box), target))
    low.values[vector] = target


def _within(low: Lowering, start: Value, box: Box) -> Box:
    """A chunk of a vector that begins at a position."""
    (piece,) = box.pieces
    return Box((Piece(emit.add(low.b, start, piece.index), piece.length, False),))


def _store(low: Lowering, op: tile.Store, box: Box) -> None:
    value = box.load(low.b, low.values[op.value])
    _within(low, op.indices[0], box).store(low.b, value, op.memref)


def _chunk(low: Lowering, op: Operation, box: Box) -> Value:
    """One chunk of an operation's result, by a copy of the operation with shorter vectors."""
    copy = op.clone({v: _loaded(low, v, box) for v in op.operands if isinstance(v.type, TileType)})
    (result,) = copy.results
    result.type = TileType(box.shape, emit.scalar_type(result.type))
    found = low.b(copy).results[0]
    if emit.scalar_type(found.type) is not BOOL:
        return found
    bytes_ = TileType(box.shape, I8)
    return emit.select(low.b, found, low.b.constant(1, bytes_), low.b.zero(bytes_))


def _loaded(low: Lowering, vector: Value, box: Box) -> Value:
    found = box.load(low.b, low.values[vector])
    if emit.scalar_type(vector.type) is not BOOL:
        return found
    return low.b(arith.Cmp(arith.Predicate.NE, found, low.b.zero(found.type))).out
