"""Views of tensors: tiles that may hang over the edge of a tensor."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import views as ops
from tilewright.dialects.cuda_tile.atomics import AtomicRedView
from tilewright.dialects.cuda_tile.attributes import MemoryOrdering
from tilewright.dialects.cuda_tile.types import (
    F4E2M1FN,
    ElementType,
    GatherScatterView,
    Padding,
    PartitionView,
    StridedView,
    View,
)
from tilewright.interpreter.tile_ir.access import load_halves, store_halves, transact, unspecified
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.values import (
    ADDRESS,
    TensorValue,
    ViewValue,
    element_of,
    from_bits,
)
from tilewright.ir.core import Operation, Value
from tilewright.numerics.integers import unsigned, wrapped
from tilewright.numerics.rounding import special_bits
from tilewright.numerics.updates import updated

Array = NDArray[Any]

_FAR: Final = 1 << 62


def _make_tensor(w: TileBlock, op: ops.MakeTensorView) -> None:
    shape, strides = (
        tuple(number if isinstance(number, int) else w.unsigned(number) for number in numbers)
        for numbers in op.mixed_layout
    )
    w.values[op.out] = TensorValue(op.type.element, int(w.tile(op.base)), shape, strides)


def _make_view(w: TileBlock, op: ops.MakePartitionView | ops.MakeStridedView | ops.MakeGatherScatterView) -> None:
    type_ = op.out.type
    assert isinstance(type_, View)
    w.values[op.out] = ViewValue(type_, w.tensor(op.tensor))


def dimension(type_: View, dim: int) -> int:
    """The tensor's dimension that a dimension of the tile walks."""
    return type_.dim_map[dim] if isinstance(type_, PartitionView | StridedView) else dim


def _step(type_: View, dim: int) -> int:
    """Elements between neighbouring indices."""
    if isinstance(type_, StridedView):
        return type_.traversal[dim]
    return 1 if isinstance(type_, GatherScatterView) else type_.tile[dim]


def index_space(view: ViewValue) -> list[int]:
    """How many indices there are for each dimension; for gather views, how many elements."""
    type_, sizes = view.type, view.tensor.shape
    return [-(-sizes[dimension(type_, k)] // _step(type_, k)) for k in range(type_.rank)]


def _sizes(w: TileBlock, op: Operation, results: list[Value], sizes: list[int]) -> None:
    for result, size in zip(results, sizes, strict=True):
        element = element_of(result)
        if size >> element.bits:
            w.undefined(op.location, f"{size} does not fit {element}")
        low = np.asarray(size & (2**64 - 1), np.uint64).view(np.int64)
        w.bind(result, wrapped(element.integral, low))


def _tensor_shape(w: TileBlock, op: ops.GetTensorShape) -> None:
    _sizes(w, op, op.out, list(w.tensor(op.tensor).shape))


def _index_space(w: TileBlock, op: ops.GetIndexSpaceShape) -> None:
    _sizes(w, op, op.out, index_space(w.view(op.view)))


class _Tile(Struct, frozen=True):
    """Where the elements of a tile are: offsets from the tensor's first element, and which exist."""

    view: ViewValue
    offsets: Array
    inside: Array

    @property
    def element(self) -> ElementType:
        return self.view.tensor.element

    def addresses(self, offsets: Array) -> tuple[Array, Array]:
        """Addresses of elements, and for halves of bytes which half."""
        base = np.uint64(self.view.tensor.address)
        with np.errstate(all="ignore"):
            if self.element is F4E2M1FN:
                return base + (offsets >> 1).view(ADDRESS), offsets & 1
            return base + (offsets * np.int64(self.element.memory_bytes)).view(ADDRESS), offsets


def _coordinates(w: TileBlock, op: Operation, view: ViewValue, dim: int, index: Value) -> Array:
    """Positions along the tensor that the elements along a dimension of the tile have."""
    type_ = view.type
    found, extent = w.tile(index), type_.tile[dim]
    if found.ndim:
        return np.minimum(unsigned(element_of(index).integral, found).astype(np.uint64), np.uint64(_FAR)).astype(
            np.int64
        )
    number, limit = w.unsigned(index), index_space(view)[dim]
    if number >= limit:
        message = f"index {number} along dimension {dim} lies outside of the index space, which has {limit}"
        w.undefined(op.location, message)
    return np.arange(extent) + min(number * _step(type_, dim), _FAR)


def _locate(w: TileBlock, op: Operation, view: ViewValue, indices: list[Value], inbounds: tuple[bool, ...]) -> _Tile:
    type_, tensor = view.type, view.tensor
    offsets = np.zeros((1,) * type_.rank, np.int64)
    inside = np.ones((1,) * type_.rank, np.bool_)
    for dim, index in enumerate(indices):
        target = dimension(type_, dim)
        along = _coordinates(w, op, view, dim, index)
        within = along < tensor.shape[target]
        if inbounds and inbounds[dim] and not within.all():
            w.undefined(op.location, f"inbounds is promised for dimension {dim}, and elements lie outside of it")
        shape = [1] * type_.rank
        shape[dim] = -1
        with np.errstate(all="ignore"):
            offsets = offsets + (along * np.int64(min(tensor.strides[target], 2**63 - 1))).reshape(shape)
        inside = inside & within.reshape(shape)
    return _Tile(view, np.broadcast_to(offsets, type_.tile), np.broadcast_to(inside, type_.tile))


_SPECIAL: Final = {
    Padding.NEG_ZERO: -0.0,
    Padding.NAN: math.nan,
    Padding.POS_INF: math.inf,
    Padding.NEG_INF: -math.inf,
}


def _padding(view: View, element: ElementType, checked: bool) -> Array:
    if view.padding is None:
        return unspecified(view.tile, element, checked)
    bits = 0 if view.padding is Padding.ZERO else special_bits(_SPECIAL[view.padding], element.floating)
    return from_bits(np.full(view.tile, bits, np.uint64), element)


def _load(w: TileBlock, op: ops.LoadView) -> None:
    tile = _locate(w, op, w.view(op.view), op.index, op.inbounds)
    element = tile.element
    access = w.access(op.token, op.location, op.memory_ordering_semantics is MemoryOrdering.WEAK)
    whole = bool(tile.inside.all())
    at, half = tile.addresses(tile.offsets.ravel() if whole else tile.offsets[tile.inside])
    if element is F4E2M1FN:
        found = load_halves(w, at, half, op.location, access)
    else:
        found = w.load(at, element, op.location, access)
    if whole:
        w.bind(op.out, found.reshape(tile.offsets.shape))
    else:
        padded = _padding(tile.view.type, element, w.checked)
        padded[tile.inside] = found
        w.bind(op.out, padded)
    w.finish(op.result_token, access)


def _store(w: TileBlock, op: ops.StoreView) -> None:
    tile = _locate(w, op, w.view(op.view), op.index, op.inbounds)
    access = w.access(op.token, op.location, op.memory_ordering_semantics is MemoryOrdering.WEAK)
    at, half = tile.addresses(tile.offsets[tile.inside])
    values = w.tile(op.value)[tile.inside]
    if tile.element is F4E2M1FN:
        store_halves(w, at, half, values, op.location, access)
    else:
        w.store(at, tile.element, values, op.location, access)
    w.finish(op.result_token, access)


def _reduce(w: TileBlock, op: AtomicRedView) -> None:
    tile = _locate(w, op, w.view(op.view), op.index, ())
    access = w.access(op.token, op.location, False)
    at, _ = tile.addresses(tile.offsets[tile.inside])
    values = w.tile(op.value)[tile.inside]

    def update(old: Array, chosen: Array) -> Array:
        return np.asarray(updated(tile.element.format, op.mode.update, old, values[chosen]))

    transact(w, at, tile.element, update, op.location, access)
    w.finish(op.result_token, access)


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.MakeTensorView, _make_tensor),
            handler(ops.MakePartitionView, _make_view),
            handler(ops.MakeStridedView, _make_view),
            handler(ops.MakeGatherScatterView, _make_view),
            handler(ops.GetTensorShape, _tensor_shape),
            handler(ops.GetIndexSpaceShape, _index_space),
            handler(ops.LoadView, _load),
            handler(ops.StoreView, _store),
            handler(AtomicRedView, _reduce),
        )
    )
