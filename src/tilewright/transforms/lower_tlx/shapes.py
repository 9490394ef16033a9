"""The same elements in another shape, and tensors put together: views where strides can say it, else copies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.dialects.tlx import shapes as tlx
from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Value
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx import tiles
from tilewright.transforms.lower_tlx.context import Lowering, address_of, packed_strides, strides_of


def reshape_permute(low: Lowering, op: tlx.ReshapePermute) -> Value:
    """With dimensions in reverse, the elements keep their column-major numbers."""
    source, out = tensor_of(op.input), tensor_of(op.out)
    if not low.is_large(out):
        return tiles.reshaped(low.b, low.tile(op.input), out.shape[::-1])
    dense = TensorType.dense(source.element, source.shape)
    view = low.memory(op.input, source)
    if not _lies_as(view, dense):
        packed = low.fresh(dense)
        low.copy(view, packed)
        view = packed
    return low.view(address_of(view), out.element, out.shape[::-1], packed_strides(out))


def _lies_as(view: Value, type_: TensorType) -> bool:
    """Whether elements are packed as those of a tensor; strides of extents of 1 say nothing."""
    wanted = zip(type_.shape[::-1], strides_of(view), packed_strides(type_), strict=True)
    return all(n == 1 or x == y for n, x, y in wanted)


class _Part(Struct, frozen=True):
    """Blocks `first` .. of a dimension that are equally long: how many, and how long they are."""

    first: int
    count: int
    length: int


def reshape_block(low: Lowering, op: tlx.ReshapeBlock) -> Value:
    """Each dimension in `dims` as two; a view if no block is short."""
    source, out = tensor_of(op.input), tensor_of(op.out)
    parts = [_parts(source.shape[d], b) for d, b in zip(op.dims, op.sizes, strict=True)]
    if all(len(p) == 1 for p in parts) and low.is_large(out):
        return _split(low, low.memory(op.input, source), op, [p[0] for p in parts])
    if not low.is_large(out):
        return _blocks_of_tile(low, low.tile(op.input), op)
    view, target = low.memory(op.input, source), low.fresh(out)
    low.fill(low.b.zero(out.element), target)
    for chosen in combinations(*parts):
        piece = _split(low, view, op, list(chosen))
        offsets = [0] * out.rank
        for dim, part in zip(op.dims, chosen, strict=True):
            offsets[out.rank - 1 - dim] = part.first
        shape = [n or 1 for n in emit.memref_type(piece).shape]
        low.copy(piece, low.view(low.moved(target, offsets), out.element, shape, strides_of(target)))
    return target


def _parts(extent: int, size: int) -> list[_Part]:
    whole, rest = divmod(extent, size)
    found = [_Part(0, whole, size)] if whole else []
    return [*found, _Part(whole, 1, rest)] if rest else found


def _split(low: Lowering, view: Value, op: tlx.ReshapeBlock, parts: Sequence[_Part]) -> Value:
    """Blocks of one length along each dimension in `dims`, as a view with dimensions for their numbers and inside."""
    type_ = tensor_of(op.input)
    by_dim = dict(zip(op.dims, zip(parts, op.sizes, strict=True), strict=True))
    shape, strides, offsets = list(type_.shape), strides_of(view)[::-1], [0] * type_.rank
    inner: list[tuple[int, emit.Length]] = []
    for dim, (part, size) in by_dim.items():
        inner.append((part.length, strides[dim]))
        shape[dim], offsets[dim] = part.count, part.first * size
        strides[dim] = low.product(strides[dim], size)
    address = low.moved(view, offsets[::-1])
    extents, steps = [*shape, *(n for n, _ in inner)], [*strides, *(s for _, s in inner)]
    return low.view(address, type_.element, extents[::-1], steps[::-1])


def _blocks_of_tile(low: Lowering, found: Value, op: tlx.ReshapeBlock) -> Value:
    """Dimensions of the tile are split in place, the inner ones behind the outer ones; then all in the wanted order."""
    rank, out = tensor_of(op.input).rank, tensor_of(op.out)
    for dim, size in zip(op.dims, op.sizes, strict=True):
        extent = tensor_of(op.input).shape[dim]
        found = tiles.extended(low.b, found, rank - 1 - dim, 0, (-extent) % size if extent > size else 0, None)
    shape: list[int] = []
    names: list[int] = []
    for dim in reversed(range(rank)):
        extent = tiles.shape_of(found)[rank - 1 - dim]
        if dim in op.dims:
            size = min(op.sizes[op.dims.index(dim)], extent)
            shape += [size, extent // size]
            names += [rank + op.dims.index(dim), dim]
        else:
            shape.append(extent)
            names.append(dim)
    found = tiles.reshaped(low.b, found, tuple(shape))
    order = tuple(names.index(d) for d in reversed(range(out.rank)))
    return low.b(tile.Permute(found, order)).out


def pad(low: Lowering, op: tlx.Pad) -> Value:
    """The number everywhere, then the elements in steps."""
    source, out = tensor_of(op.input), tensor_of(op.out)
    if not low.is_large(out):
        found = low.tile(op.input)
        for dim, (first, last, gap) in enumerate(zip(op.low, op.high, op.interior, strict=True)):
            mode = source.rank - 1 - dim
            found = tiles.extended(low.b, tiles.spread(low.b, found, mode, gap, op.value), mode, first, last, op.value)
        return found
    view, target = low.memory(op.input, source), low.result(out)
    padded(low, view, op.value, (op.low, op.interior), target)
    return target


def padded(
    low: Lowering, view: Value, number: Value, amounts: tuple[Sequence[int], Sequence[int]], target: Value
) -> None:
    """Memory filled with a number, and elements of a view from `amounts[0]` on, with gaps of `amounts[1]`."""
    low.fill(number, target)
    first, gaps = (list(reversed(a)) for a in amounts)
    strides = [low.product(s, gap + 1) for s, gap in zip(strides_of(target), gaps, strict=True)]
    shape = [n or 1 for n in emit.memref_type(view).shape]
    element = emit.memref_type(target).element
    low.copy(view, low.view(low.moved(target, first), element, shape, strides))


def concat(low: Lowering, op: tlx.Concat) -> Value:
    """One behind the other."""
    out, pair = tensor_of(op.out), (op.a, op.b)
    mode = out.rank - 1 - op.dim
    if not low.is_large(out):
        type_ = TileType(out.shape[::-1], out.element)
        return low.b(tile.Cat([low.tile(v) for v in pair], mode, result_types=[type_])).out
    target, first = low.result(out), 0
    for value in pair:
        type_ = tensor_of(value)
        offsets = [first if m == mode else 0 for m in range(out.rank)]
        part = low.view(low.moved(target, offsets), out.element, type_.shape[::-1], strides_of(target))
        low.copy(low.memory(value, type_), part)
        first += type_.shape[op.dim]
    return target
