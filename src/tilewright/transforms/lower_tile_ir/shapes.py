"""Constants, coordinates and rearrangements. Here alone dimensions are turned round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import arith, team, tile
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.cuda_tile import core as cuda
from tilewright.dialects.cuda_tile import misc
from tilewright.dialects.cuda_tile import types as cuda_types
from tilewright.dialects.cuda_tile.attributes import Number
from tilewright.dialects.cuda_tile.types import Tile
from tilewright.dialects.statics import GlobalAddress
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, I32, ScalarType, TileType, memref
from tilewright.transforms.lower_tile_ir import bits
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering
from tilewright.transforms.lower_tile_ir.scratch import Scratch
from tilewright.transforms.lower_tile_ir.types import stored_type
from tilewright.transforms.lower_tile_ir.unsigned_floats import code_of

_LISTED_ELEMENTS = 32
"""A constant of more different elements lies in memory; up to here each is chosen by its position.

That is two operations and a constant an element: programs of 64 take longer so, to compile and to run, and those of 32
run faster than from memory.
"""
_CHOSEN_SLICES = 8


def turned(dim: int, value: Value) -> int:
    """The dimension of a Tile IR tile as it is counted here."""
    assert isinstance(value.type, Tile)
    return value.type.rank - 1 - dim


def _constant(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Constant)
    type_ = low.type_of(op.out)
    dense = op.value
    if dense.splat or isinstance(type_, ScalarType):
        low.bind(op.out, low.constant(literal(dense.number()), type_))
        return
    if type_.size > _LISTED_ELEMENTS:
        low.bind(op.out, _from_memory(low, op, type_))
        return
    flat = TileType((type_.size,), type_.element)
    position = low.iota((type_.size,), 0, I32)
    found = low.constant(literal(dense.number(0)), flat)
    for index in range(1, type_.size):
        here = low.compare(arith.Predicate.EQ, position, low.constant(index, position.type))
        found = low.select(here, low.constant(literal(dense.number(index)), flat), found)
    low.bind(op.out, reshaped(low, found, type_))


def _from_memory(low: Lowering, op: cuda.Constant, type_: TileType) -> Value:
    """The elements of a large constant lie in memory."""
    element = cuda_types.I8 if op.value.element is cuda_types.F4E2M1FN else op.value.element
    stored = stored_type(element)
    count = type_.size // 2 if element is not op.value.element else type_.size
    flat = TileType((count,), stored)
    address = low.b(GlobalAddress(low.statics.symbol(op.value))).out
    place = low.b(FromAddress(address, [], [], result_types=[memref(stored, (count,), (1,))])).out
    found = low.b(tile.Load(place, [low.b.index(0)], result_types=[flat])).out
    if element is not op.value.element:
        found = bits.unpacked(low, found, type_.element)
    elif type_.element is BOOL:
        found = low.compare(arith.Predicate.NE, found, low.constant(0, found.type))
    return reshaped(low, found, type_)


def literal(number: Number) -> bool | int | float:
    """A number of Tile IR as a constant of the type that its element has here."""
    if number.element is cuda_types.F8E5M3FNU:
        return code_of(number.bits)
    return bool(number.bits) if number.element is cuda_types.I1 else number.value


def reshaped(low: Lowering, value: Value, type_: ScalarType | TileType) -> Value:
    """The elements in another shape; to and from scalars too."""
    if value.type == type_:
        return value
    if isinstance(type_, ScalarType):
        return low.b(tile.Item(value)).out
    if isinstance(value.type, ScalarType):
        return low.splat(value, type_.shape)
    return low.b(tile.Reshape(value, result_types=[type_])).out


def _iota(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Iota)
    type_ = low.type_of(op.out)
    assert isinstance(type_, TileType)
    if type_.element is BOOL:
        position = low.iota(type_.shape, 0, I32)
        low.bind(op.out, low.compare(arith.Predicate.NE, position, low.constant(0, position.type)))
    else:
        low.bind(op.out, low.iota(type_.shape, 0, type_.element))


def _coordinates(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.GetTileBlockId | cuda.GetNumTileBlocks)
    make = team.GroupId if isinstance(op, cuda.GetTileBlockId) else team.NumGroups
    for dim, out in enumerate((op.x, op.y, op.z)):
        if out.uses:
            low.bind(out, low.cast(low.b(make(dim)).out, I32))


def _broadcast(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Broadcast)
    source, type_ = low.value(op.source), low.type_of(op.out)
    low.bind(op.out, source if source.type == type_ else low.b(tile.Broadcast(source, result_types=[type_])).out)


def _reshape(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Reshape)
    low.bind(op.out, reshaped(low, low.value(op.source), low.type_of(op.out)))


def _permute(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Permute)
    last = len(op.permutation) - 1
    order = tuple(last - op.permutation[last - k] for k in range(last + 1))
    low.bind(op.out, low.b(tile.Permute(low.value(op.source), order)).out)


def _cat(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Cat)
    parts = [low.value(op.lhs), low.value(op.rhs)]
    low.bind(op.out, low.b(tile.Cat(parts, turned(op.dim, op.out), result_types=[low.type_of(op.out)])).out)


def _extract(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Extract)
    source, type_ = low.value(op.source), low.type_of(op.out)
    if isinstance(type_, ScalarType):
        low.bind(op.out, source)
        return
    assert isinstance(source.type, TileType)
    found = source
    for dim, index in enumerate(reversed(op.indices)):
        count = source.type.shape[dim] // type_.shape[dim]
        if count > _CHOSEN_SLICES and not isinstance(low.value(index).defining_op, arith.Constant):
            found = _box(low, op, source, type_)
            break
        found = _slice(low, found, dim, low.value(index), type_.shape[dim])
    low.bind(op.out, found)


def _box(low: Lowering, op: cuda.Extract, source: Value, type_: TileType) -> Value:
    """One of many slices: the source goes to memory, and the slice is loaded from there."""
    assert isinstance(source.type, TileType)
    starts: list[Value] = []
    for index, extent, whole in zip(reversed(op.indices), type_.shape, source.type.shape, strict=True):
        last = low.b.index(whole // extent - 1)
        number = low.b(arith.Min(low.index(index), last)).out
        starts.append(low.mul(number, low.b.index(extent)))
    return Scratch.of(low, source).slice(low, starts, type_.shape)


def _slice(low: Lowering, source: Value, dim: int, index: Value, extent: int) -> Value:
    """Slice number `index` of a dimension; if it is not constant, the one chosen among all."""
    assert isinstance(source.type, TileType)
    shape, count = source.type.shape, source.type.shape[dim] // extent
    if count == 1:
        return source
    result = TileType((*shape[:dim], extent, *shape[dim + 1 :]), source.type.element)

    def at(number: int) -> Value:
        offsets = tuple(number * extent if k == dim else 0 for k in range(len(shape)))
        return low.b(tile.Extract(source, offsets, result_types=[result])).out

    op = index.defining_op
    if isinstance(op, arith.Constant) and isinstance(op.value, int) and 0 <= op.value < count:
        return at(op.value)
    found = at(0)
    for number in range(1, count):
        here = low.compare(arith.Predicate.EQ, index, low.constant(number, index.type))
        found = low.select(here, at(number), found)
    return found


def _insert(low: Lowering, op: Operation) -> None:
    """The source repeated over the whole destination, chosen where the slice lies."""
    assert isinstance(op, cuda.Insert)
    source, destination = low.value(op.source), low.value(op.destination)
    if isinstance(source.type, ScalarType):
        low.bind(op.out, source)
        return
    assert isinstance(source.type, TileType)
    assert isinstance(destination.type, TileType)
    sizes, counts = source.type.shape, [d // s for s, d in zip(source.type.shape, destination.type.shape, strict=True)]
    here: Value | None = None
    for dim, index in enumerate(reversed(op.indices)):
        if counts[dim] > 1:
            position = low.iota(destination.type.shape, dim, I32)
            size = sizes[dim]
            # any extents beyond the specification are no powers of two
            divide, by = (arith.Div, size) if size & (size - 1) else (arith.Shr, size.bit_length() - 1)
            slice_ = low.b(divide(position, low.constant(by, position.type))).out
            wanted = low.splat(low.value(index), destination.type.shape)
            found = low.compare(arith.Predicate.EQ, slice_, wanted)
            here = found if here is None else low.and_(here, found)
    repeated = _repeated(low, source, sizes, counts)
    low.bind(op.out, repeated if here is None else low.select(here, repeated, destination))


def _repeated(low: Lowering, value: Value, sizes: Sequence[int], counts: Sequence[int]) -> Value:
    """Copies of a tile side by side along every dimension."""
    assert isinstance(value.type, TileType)
    element = value.type.element
    single = TileType(tuple(n for size in sizes for n in (size, 1)), element)
    many = TileType(tuple(n for pair in zip(sizes, counts, strict=True) for n in pair), element)
    whole = TileType(tuple(s * c for s, c in zip(sizes, counts, strict=True)), element)
    spread = low.b(tile.Broadcast(reshaped(low, value, single), result_types=[many])).out
    return reshaped(low, spread, whole)


def stretched(low: Lowering, value: Value, dim: int, count: int) -> Value:
    """Each element `count` times along a dimension."""
    assert isinstance(value.type, TileType)
    shape, element = value.type.shape, value.type.element
    if count == 1:
        return value
    single = TileType((*shape[:dim], 1, *shape[dim:]), element)
    many = TileType((*shape[:dim], count, *shape[dim:]), element)
    spread = low.b(tile.Broadcast(reshaped(low, value, single), result_types=[many])).out
    return reshaped(low, spread, TileType((*shape[:dim], count * shape[dim], *shape[dim + 1 :]), element))


def _assume(low: Lowering, op: Operation) -> None:
    assert isinstance(op, misc.Assume)
    if op.value in low.tensors:
        low.tensors[op.out] = low.tensors[op.value]
    else:
        low.values[op.out] = low.value(op.value)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        cuda.Constant: _constant,
        cuda.Iota: _iota,
        cuda.GetTileBlockId: _coordinates,
        cuda.GetNumTileBlocks: _coordinates,
        cuda.Broadcast: _broadcast,
        cuda.Reshape: _reshape,
        cuda.Permute: _permute,
        cuda.Cat: _cat,
        cuda.Extract: _extract,
        cuda.Insert: _insert,
        misc.Assume: _assume,
    }
