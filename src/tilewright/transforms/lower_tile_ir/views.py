"""Tensor views are memrefs; loads and stores of tiles check the dimensions along which a tile may hang over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tilewright.dialects import addresses, arith, arith_integers, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.cuda_tile import atomics
from tilewright.dialects.cuda_tile import types as cuda
from tilewright.dialects.cuda_tile import views as cuda_views
from tilewright.dialects.cuda_tile.attributes import MemoryOrdering
from tilewright.dialects.cuda_tile.types import Padding
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, F4E2M1FN, I64, INDEX, MemrefType, TileType, element_of, with_element
from tilewright.transforms.lower_tile_ir import halves
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering, TensorValue
from tilewright.transforms.lower_tile_ir.memory import (
    from_memory,
    scope_of,
    semantics_of,
    to_memory,
    update_kind,
)
from tilewright.transforms.lower_tile_ir.types import stored_type
from tilewright.transforms.lower_tile_ir.unsigned_floats import special_code

_PADDING = {
    Padding.NEG_ZERO: -0.0,
    Padding.NAN: math.nan,
    Padding.POS_INF: math.inf,
    Padding.NEG_INF: -math.inf,
}


def _tensor(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda_views.MakeTensorView)
    extents, _ = op.mixed_layout
    sizes, strides = (
        tuple(low.b.index(number) if isinstance(number, int) else low.index(number) for number in numbers)
        for numbers in op.mixed_layout
    )
    divisors = tuple(n & -n if isinstance(n, int) else low.facts.divisor(n) for n in extents)
    least = tuple(n if isinstance(n, int) else low.facts.least(n) for n in extents)
    low.tensors[op.out] = TensorValue(op.type, low.value(op.base), sizes, strides, divisors, least)


def _view(low: Lowering, op: Operation) -> None:
    low.tensors[op.results[0]] = low.tensors[op.operands[0]]


def _tensor_shape(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda_views.GetTensorShape)
    for out, size in zip(op.out, low.tensors[op.tensor].sizes, strict=True):
        _bind_extent(low, out, size)


def _bind_extent(low: Lowering, out: Value, size: Value) -> None:
    element = element_of(low.type_of(out))
    assert element is not None
    if element is BOOL:
        low.bind(out, low.compare(Predicate.NE, size, low.b.index(0)))
    else:
        low.bind(out, low.cast(size, element))


def _index_space(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda_views.GetIndexSpaceShape)
    access = _Access(low, op.view, ())
    for k, out in enumerate(op.out):
        _bind_extent(low, out, low.b(arith_integers.UCeilDiv(access.sizes[k], low.b.index(access.steps[k]))).out)


def _map_of(type_: cuda.View) -> tuple[int, ...]:
    dim_map = type_.dim_map if isinstance(type_, cuda.PartitionView | cuda.StridedView) else ()
    return dim_map or cuda.identity_map(type_.rank)


class _Access:
    """A view with an index: everything in the order of the tile's dimensions as Tile IR counts them."""

    def __init__(self, low: Lowering, view: Value, index: Sequence[Value]) -> None:
        type_ = view.type
        assert isinstance(type_, cuda.View)
        tensor, dim_map = low.tensors[view], _map_of(type_)
        self.type = type_
        self.base = tensor.base
        self.sizes = [tensor.sizes[d] for d in dim_map]
        self.strides = [tensor.strides[d] for d in dim_map]
        self.divisors = [tensor.divisors[d] for d in dim_map]
        self.least = [tensor.least[d] for d in dim_map]
        self.extents = [type_.tensor.shape[d] for d in dim_map]
        self.static_strides = [type_.tensor.strides[d] for d in dim_map]
        self.steps = list(_steps(type_))
        self.sparse = type_.sparse_dim if isinstance(type_, cuda.GatherScatterView) else None
        self.starts = [low.value(i) for i in index] if self.sparse is not None else []
        self.highest = [low.facts.highest(i) for i in index]
        if self.sparse is None:
            indices = [low.index(i) for i in index]
            self.starts = [_start(low, i, step) for i, step in zip(indices, self.steps, strict=False)]

    def check(self, inbounds: Sequence[bool]) -> tuple[bool, ...]:
        """Dimensions along which a tile may hang over the edge."""
        promised = inbounds or [False] * self.type.rank
        return tuple(not inside and self._may_hang_over(dim) for dim, inside in enumerate(promised))

    def _may_hang_over(self, dim: int) -> bool:
        extent, length, step = self.extents[dim], self.type.tile[dim], self.steps[dim]
        if self.sparse is not None:
            return True
        highest = self.highest[dim]
        if highest is not None and highest * step + length <= self.least[dim]:
            return False
        if extent is None:
            return length > step or self.divisors[dim] % step != 0
        return _last(extent, step) + length > extent

    def memref(self, low: Lowering) -> Value:
        """The tensor as a memref whose modes are the tile's dimensions in reverse."""
        element = stored_type(self.type.tensor.element)
        type_ = MemrefType(element, tuple(self.extents[::-1]), tuple(self.static_strides[::-1]))
        sizes = [v for v, known in zip(self.sizes[::-1], type_.shape, strict=True) if known is None]
        strides = [v for v, known in zip(self.strides[::-1], type_.strides, strict=True) if known is None]
        return low.b(addresses.FromAddress(self.base, sizes, strides, result_types=[type_])).out

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the tile, in reverse."""
        return self.type.tile[::-1]

    def positions(self, low: Lowering, dim: int) -> Value:
        """Coordinates in the tensor of the tile's elements along a dimension, as a tile of `i64`."""
        rank = self.type.rank
        at = rank - 1 - dim
        if dim == self.sparse:
            rows = low.widened(self.starts[dim], I64, False)
            flat = TileType(tuple(self.shape[k] if k == at else 1 for k in range(rank)), I64)
            spread = low.b(tile.Reshape(rows, result_types=[flat])).out
            return low.b(tile.Broadcast(spread, result_types=[TileType(self.shape, I64)])).out
        start = self.starts[dim]
        start = low.widened(start, I64, False) if start.type is not INDEX else low.cast(start, I64)
        return low.add(low.iota(self.shape, at, I64), low.splat(start, self.shape))

    def inside(self, low: Lowering, check: Sequence[bool]) -> Value | None:
        """Which elements exist; None if all do."""
        found: Value | None = None
        for dim, checked in enumerate(check):
            if checked:
                size = low.splat(low.cast(self.sizes[dim], I64), self.shape)
                # Rows are any numbers: what would be negative lies far behind the end.
                compare = arith_integers.UCmp if dim == self.sparse else arith.Cmp
                here = low.b(compare(Predicate.LT, self.positions(low, dim), size)).out
                found = here if found is None else low.and_(found, here)
        return found

    def addresses(self, low: Lowering) -> Value:
        """The address of each element of the tile."""
        size = stored_type(self.type.tensor.element).bytes
        return low.add(low.splat(self.base, self.shape), self.distances(low, size))

    def distances(self, low: Lowering, size: int) -> Value:
        """How far each element lies from the tensor's first one, in units of which an element takes `size`."""
        total: Value | None = None
        for dim in range(self.type.rank):
            stride = low.cast(self.strides[dim], I64)
            stride = stride if size == 1 else low.mul(stride, low.constant(size, I64))
            part = low.mul(self.positions(low, dim), low.splat(stride, self.shape))
            total = part if total is None else low.add(total, part)
        assert total is not None
        return total


def _start(low: Lowering, index: Value, step: int) -> Value:
    return index if step == 1 else low.mul(index, low.b.index(step))


def _last(extent: int, step: int) -> int:
    """Where the last tile along a dimension starts."""
    return (extent - 1) // step * step


def _steps(type_: cuda.View) -> Sequence[int]:
    """Distance between tiles, in elements, along each dimension."""
    match type_:
        case cuda.StridedView():
            return type_.traversal
        case cuda.GatherScatterView():
            return (1,) * type_.rank
        case _:
            return type_.tile


def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda_views.LoadView)
    access = _Access(low, op.view, op.index)
    type_ = low.type_of(op.out)
    assert isinstance(type_, TileType)
    check = access.check(op.inbounds)
    if type_.element is F4E2M1FN:
        at, shift = halves.places(low, access.base, access.distances(low, 1))
        scope, semantics = scope_of(op.memory_scope), semantics_of(op.memory_ordering_semantics)
        found = halves.load(low, at, shift, access.inside(low, check), scope, semantics)
        low.bind(op.out, _padded(low, access, check, found))
        return
    stored = with_element(type_, stored_type(access.type.tensor.element))
    assert isinstance(stored, TileType)
    if op.memory_ordering_semantics is MemoryOrdering.WEAK and access.sparse is None:
        starts = access.starts[::-1]
        load = tile.Load(access.memref(low), starts, check[::-1] if any(check) else (), result_types=[stored])
        found = low.b(load).out
        load.unordered = op.token is None
    else:
        gather = addresses.Gather(
            access.addresses(low),
            access.inside(low, check),
            scope_of(op.memory_scope),
            semantics_of(op.memory_ordering_semantics),
            result_types=[stored],
        )
        found = low.b(gather).out
    low.bind(op.out, _padded(low, access, check, from_memory(low, found, type_.element)))


def _padded(low: Lowering, access: _Access, check: Sequence[bool], found: Value) -> Value:
    """The tile with the view's padding where elements do not exist; it is zero there already."""
    padding = _PADDING.get(access.type.padding) if access.type.padding is not None else None
    inside = None if padding is None else access.inside(low, check)
    if inside is not None and padding is not None:
        value = special_code(padding) if access.type.tensor.element is cuda.F8E5M3FNU else padding
        return low.select(inside, found, low.constant(value, found.type))
    return found


def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda_views.StoreView)
    access = _Access(low, op.view, op.index)
    value = to_memory(low, low.value(op.value))
    check = access.check(op.inbounds)
    if element_of(value.type) is F4E2M1FN:
        at, shift = halves.places(low, access.base, access.distances(low, 1))
        scope, semantics = scope_of(op.memory_scope), semantics_of(op.memory_ordering_semantics)
        halves.store(low, value, at, shift, access.inside(low, check), scope, semantics)
        return
    if op.memory_ordering_semantics is MemoryOrdering.WEAK and access.sparse is None:
        store = tile.Store(value, access.memref(low), access.starts[::-1], check[::-1] if any(check) else ())
        low.b(store)
        store.unordered = op.token is None
        return
    low.b(
        addresses.Scatter(
            value,
            access.addresses(low),
            access.inside(low, check),
            scope_of(op.memory_scope),
            semantics_of(op.memory_ordering_semantics),
        )
    )


def _update(low: Lowering, op: Operation) -> None:
    assert isinstance(op, atomics.AtomicRedView)
    access = _Access(low, op.view, op.index)
    semantics = semantics_of(op.memory_ordering_semantics)
    assert semantics is not None
    inside = access.inside(low, access.check(()))
    kind, scope = update_kind(op.mode), scope_of(op.memory_scope)
    low.b(addresses.ScatterUpdate(low.value(op.value), access.addresses(low), kind, inside, scope, semantics))


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        cuda_views.MakeTensorView: _tensor,
        cuda_views.MakePartitionView: _view,
        cuda_views.MakeStridedView: _view,
        cuda_views.MakeGatherScatterView: _view,
        cuda_views.GetTensorShape: _tensor_shape,
        cuda_views.GetIndexSpaceShape: _index_space,
        cuda_views.LoadView: _load,
        cuda_views.StoreView: _store,
        atomics.AtomicRedView: _update,
    }
