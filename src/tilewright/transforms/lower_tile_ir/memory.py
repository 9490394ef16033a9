"""Loads, stores and atomics through pointers."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import addresses, arith, tile
from tilewright.dialects.addresses import UpdateKind
from tilewright.dialects.cuda_tile import atomics, core
from tilewright.dialects.cuda_tile import memory as cuda
from tilewright.dialects.cuda_tile import types as cuda_types
from tilewright.dialects.cuda_tile.attributes import AtomicMode, MemoryOrdering, MemoryScope
from tilewright.dialects.memref import Load, Scope, Semantics
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, F4E2M1FN, I8, I64, TF32, ScalarType, element_of, memref, with_element
from tilewright.transforms.lower_tile_ir import halves
from tilewright.transforms.lower_tile_ir.bits import from_pattern, pattern
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering
from tilewright.transforms.lower_tile_ir.types import element_bytes

_SEMANTICS = {
    MemoryOrdering.RELAXED: Semantics.RELAXED,
    MemoryOrdering.ACQUIRE: Semantics.ACQUIRE,
    MemoryOrdering.RELEASE: Semantics.RELEASE,
    MemoryOrdering.ACQ_REL: Semantics.ACQUIRE_RELEASE,
}
_SCOPES = {
    MemoryScope.TL_BLK: Scope.WORK_GROUP,
    MemoryScope.DEVICE: Scope.DEVICE,
    MemoryScope.SYS: Scope.CROSS_DEVICE,
}
_KINDS = {
    AtomicMode.AND: UpdateKind.AND,
    AtomicMode.OR: UpdateKind.OR,
    AtomicMode.XOR: UpdateKind.XOR,
    AtomicMode.ADD: UpdateKind.ADD,
    AtomicMode.ADDF: UpdateKind.ADD,
    AtomicMode.MAX: UpdateKind.MAX,
    AtomicMode.MIN: UpdateKind.MIN,
    AtomicMode.UMAX: UpdateKind.UMAX,
    AtomicMode.UMIN: UpdateKind.UMIN,
    AtomicMode.XCHG: UpdateKind.EXCHANGE,
}


def semantics_of(ordering: MemoryOrdering) -> Semantics | None:
    """None for weak accesses."""
    return _SEMANTICS.get(ordering)


def scope_of(scope: MemoryScope | None) -> Scope:
    """Who takes part."""
    return Scope.DEVICE if scope is None else _SCOPES[scope]


def update_kind(mode: AtomicMode) -> UpdateKind:
    """The update of an atomic mode."""
    return _KINDS[mode]


def pointee(value: Value) -> cuda_types.ElementType:
    """What a tile of pointers points to."""
    assert isinstance(value.type, cuda_types.Tile)
    assert isinstance(value.type.element, cuda_types.Pointer)
    return value.type.element.pointee


def as_tile(low: Lowering, value: Value) -> Value:
    """A scalar as a tile of one element."""
    return low.splat(value, (1,)) if isinstance(value.type, ScalarType) else value


def as_before(low: Lowering, found: Value, scalar: bool) -> Value:
    """The inverse of `as_tile`."""
    return low.b(tile.Item(found)).out if scalar else found


def to_memory(low: Lowering, value: Value) -> Value:
    """Bools become the bytes that lie in memory."""
    return low.widened(value, I8, False) if element_of(value.type) is BOOL else value


def from_memory(low: Lowering, value: Value, element: ScalarType) -> Value:
    """Bytes become bools: anything but zero is true. Of tf32 the low 13 bits are none of the number's."""
    if element is BOOL:
        return low.compare(arith.Predicate.NE, value, low.constant(0, value.type))
    return from_pattern(low, pattern(low, value), TF32) if element is TF32 else value


def _offset(low: Lowering, op: Operation) -> None:
    assert isinstance(op, core.Offset)
    pointers, distance = low.value(op.pointer), low.widened(low.value(op.offset), I64, True)
    size = element_bytes(pointee(op.pointer))
    scaled = distance if size == 1 else low.mul(distance, low.constant(size, distance.type))
    low.bind(op.out, low.add(pointers, scaled))


def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.LoadPtr)
    type_, pointers = low.type_of(op.out), low.value(op.source)
    mask = None if op.mask is None else low.value(op.mask)
    element = element_of(type_)
    assert element is not None
    stored = I8 if element is BOOL else element
    semantics = semantics_of(op.memory_ordering_semantics)
    if element is F4E2M1FN:
        kept, scope = None if mask is None else as_tile(low, mask), scope_of(op.memory_scope)
        found = halves.load(low, pointers, halves.lower_halves(low, pointers), kept, scope, semantics)
        low.bind(
            op.out, found if op.padding is None or mask is None else low.select(mask, found, low.value(op.padding))
        )
        return
    if isinstance(type_, ScalarType) and mask is None and semantics is None:
        place = low.b(addresses.FromAddress(pointers, [], [], result_types=[memref(stored)])).out
        low.bind(op.out, from_memory(low, low.b(Load(place, [])).out, element))
        return
    scalar = isinstance(type_, ScalarType)
    places = as_tile(low, pointers)
    kept = None if mask is None else as_tile(low, mask)
    gather = addresses.Gather(
        places,
        kept,
        scope_of(op.memory_scope),
        semantics,
        result_types=[with_element(places.type, stored)],
    )
    found = from_memory(low, as_before(low, low.b(gather).out, scalar), element)
    if op.padding is not None and mask is not None:
        found = low.select(mask, found, low.value(op.padding))
    low.bind(op.out, found)


def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.StorePtr)
    value = as_tile(low, to_memory(low, low.value(op.value)))
    mask = None if op.mask is None else as_tile(low, low.value(op.mask))
    places = as_tile(low, low.value(op.destination))
    semantics = semantics_of(op.memory_ordering_semantics)
    scope = scope_of(op.memory_scope)
    if element_of(value.type) is F4E2M1FN:
        halves.store(low, value, places, halves.lower_halves(low, places), mask, scope, semantics)
    else:
        low.b(addresses.Scatter(value, places, mask, scope, semantics))


def _rmw(low: Lowering, op: Operation) -> None:
    assert isinstance(op, atomics.AtomicRmw)
    scalar = isinstance(low.type_of(op.out), ScalarType)
    value, places = (as_tile(low, low.value(v)) for v in (op.value, op.pointers))
    mask = None if op.mask is None else as_tile(low, low.value(op.mask))
    semantics = _SEMANTICS[op.memory_ordering_semantics]
    update = addresses.ScatterUpdate(value, places, _KINDS[op.mode], mask, scope_of(op.memory_scope), semantics)
    low.bind(op.out, as_before(low, low.b(update).out, scalar))


def _cas(low: Lowering, op: Operation) -> None:
    assert isinstance(op, atomics.AtomicCas)
    scalar = isinstance(low.type_of(op.out), ScalarType)
    value, expected, places = (as_tile(low, low.value(v)) for v in (op.value, op.compare, op.pointers))
    mask = None if op.mask is None else as_tile(low, low.value(op.mask))
    semantics = _SEMANTICS[op.memory_ordering_semantics]
    swap = addresses.ScatterExchange(value, expected, places, mask, scope_of(op.memory_scope), semantics)
    low.bind(op.out, as_before(low, low.b(swap).out, scalar))


def _nothing(low: Lowering, op: Operation) -> None:
    """Tokens have no run-time value: operations keep their order."""


def pure_handlers() -> Mapping[type[Operation], Handler]:
    """Those that touch no memory."""
    return {core.Offset: _offset}


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        **pure_handlers(),
        cuda.LoadPtr: _load,
        cuda.StorePtr: _store,
        cuda.MakeToken: _nothing,
        cuda.JoinTokens: _nothing,
        cuda.GdcLaunchDependents: _nothing,
        cuda.GdcWait: _nothing,
        cuda.MemoryFenceAlias: _nothing,
        atomics.AtomicRmw: _rmw,
        atomics.AtomicCas: _cas,
    }
