"""Memory operations: allocation, views, element access, atomics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import memref
from tilewright.interpreter.memory import Buffer, GroupValue, Lanes, Number, View
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Layout, LengthArithmetic, ViewLike
from tilewright.ir.types import AddressSpace, MemrefType, ScalarType
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.updates import updated

Array = NDArray[Any]

MAX_LOCAL_BYTES: Final = 1 << 30
"""Of one allocation; each work-group has its own."""


def poisoned(count: int, dtype: np.dtype[Any]) -> Array:
    """Content that is noticed if it is used."""
    return np.full(count * dtype.itemsize, 0xA5, np.uint8).view(dtype)


def unwritten_view(element: ScalarType, shape: tuple[int, ...], name: str) -> View:
    """Memory of the device, packed; nothing of it is written."""
    count = prod(shape)
    buffer = Buffer(name, poisoned(count, dtype_of(element.format)), np.zeros(count, bool))
    return View(buffer, 0, shape, tuple(prod(shape[:mode]) for mode in range(len(shape))))


def local_view(type_: MemrefType, name: str, place: Location) -> View:
    """Fresh work-group memory; nothing of it is written."""
    count = type_.span
    assert count is not None
    size = count * type_.element.bytes
    if size > MAX_LOCAL_BYTES:
        needed = f"{name} has {size:,} bytes of local memory"
        fail("V48", place, f"{needed}; the interpreter gives {MAX_LOCAL_BYTES:,} to one memref")
    data = poisoned(count, dtype_of(type_.element.format))
    buffer = Buffer(name, data, np.zeros(count, bool), space=AddressSpace.LOCAL)
    return View(buffer, 0, tuple(s or 0 for s in type_.shape), tuple(s or 0 for s in type_.strides))


def _alloca(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.Alloca)
    assert isinstance(op.out.type, MemrefType)
    w.values[op.out] = local_view(op.out.type, f"%{op.out.name or 'local'}", op.location)


def _group_memory(w: WorkGroup, op: Operation) -> None:
    """What an earlier launch has left there, at the same offset and of the same type."""
    assert isinstance(op, memref.GroupMemory)
    assert isinstance(op.out.type, MemrefType)
    known = w.memory.get(op.offset)
    if known is None:
        found = local_view(op.out.type, f"%{op.out.name or 'memory'}", op.location)
        assert found.buffer is not None
        found.buffer.space = AddressSpace.GLOBAL
        known = w.memory[op.offset] = found
    w.values[op.out] = known


def _nothing(w: WorkGroup, op: Operation) -> None:
    """Lifetimes need no action: memory lives as long as it is referenced."""


def integer(value: Array) -> Number:
    """A plain integer where a value is uniform, else the array."""
    return int(value) if value.ndim == 0 else value.astype(np.int64)


_Get = Callable[[int | Value], Number]


def _lift(w: WorkGroup, op: Operation, source: Value, change: Callable[[View, _Get], View]) -> None:
    """Apply a change of view, for each work-item where the memref differs between them."""
    found = w.memref(source)
    if isinstance(found, View):
        w.values[op.results[0]] = change(found, lambda v: v if isinstance(v, int) else integer(w.scalar(v)))
        return
    views: list[View] = []
    for item, view in enumerate(found.views):
        views.append(change(view, lambda v, item=item: v if isinstance(v, int) else int(w.spread(w.scalar(v))[item])))
    w.values[op.results[0]] = Lanes(tuple(views))


def _sum(a: Number, b: Number) -> Number:
    return a + b


def _product(a: Number, b: Number) -> Number:
    return a * b


def _view(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ViewLike)

    def change(view: View, get: _Get) -> View:
        arithmetic = LengthArithmetic(get, _sum, _product)
        layout = arithmetic.layout_of(op, Layout(view.offset, view.shape, view.strides))
        return View(view.buffer, layout.offset, layout.sizes, layout.strides)

    _lift(w, op, op.memref, change)


def _group_load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.GroupLoad)
    group = w.values[op.group]
    assert isinstance(group, GroupValue)
    index = w.scalar(op.index)
    chosen = w.spread(index) if index.ndim else index.reshape(1)
    active = w.active if index.ndim else np.asarray([w.active.any()])
    count = len(group.elements)
    bad = active & ((chosen < 0) | (chosen >= count))
    if bad.any():
        fail("R010", op.location, f"index {int(chosen[bad][0])} is outside group {group.name} of {count} elements")
    null = View(None, 0, (), ())
    views = [group.elements[int(i)] if on else null for i, on in zip(chosen, active, strict=True)]
    w.values[op.out] = Lanes(tuple(views)) if index.ndim else views[0]


def _size(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.Size)
    source = w.values[op.source]
    if isinstance(source, GroupValue):
        w.values[op.out] = np.asarray(len(source.elements), np.int64)
    else:
        w.values[op.out] = _per_view(w, w.memref(op.source), lambda v: v.shape[op.mode])


def _stride(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.Stride)
    w.values[op.out] = _per_view(w, w.memref(op.source), lambda v: v.strides[op.mode])


def _per_view(w: WorkGroup, found: View | Lanes, get: Callable[[View], Number]) -> Array:
    if isinstance(found, View):
        return np.asarray(get(found), np.int64)
    return np.array([get(v) if v.buffer is not None else 0 for v in found.views], np.int64)


def _associated(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.Associated)
    source = w.values[op.source]
    if isinstance(source, GroupValue):
        w.values[op.out] = np.asarray(not source.null)
    elif isinstance(source, View):
        w.values[op.out] = np.asarray(source.buffer is not None)
    else:
        assert isinstance(source, Lanes)
        w.values[op.out] = np.array([v.buffer is not None for v in source.views])


def load_elements(w: WorkGroup, op: Operation, source: Value, indices: Sequence[Value], atomic: bool) -> Array:
    """One element, or one a work-item."""
    found, positions = w.memref(source), [w.scalar(i) for i in indices]
    if isinstance(found, View):
        return w.read(found, positions, op.location, atomic)
    mask = w.mask
    assert mask is not None
    type_ = source.type
    assert isinstance(type_, MemrefType)
    out = np.zeros(w.items, dtype_of(type_.element.format))
    for item in np.flatnonzero(mask):
        with_item = np.zeros_like(mask)
        with_item[item] = True
        w.mask = with_item
        out[item] = w.read(found.views[item], [w.spread(p)[item] for p in positions], op.location, atomic)
    w.mask = mask
    return out


def store_elements(
    w: WorkGroup, op: Operation, value: Value, target: Value, indices: Sequence[Value], atomic: bool
) -> None:
    """Store one element, or one a work-item."""
    found, positions, data = w.memref(target), [w.scalar(i) for i in indices], w.scalar(value)
    if isinstance(found, View):
        w.write(found, positions, data, op.location, atomic)
        return
    mask = w.mask
    assert mask is not None
    for item in np.flatnonzero(mask):
        with_item = np.zeros_like(mask)
        with_item[item] = True
        w.mask = with_item
        place = [w.spread(p)[item] for p in positions]
        w.write(found.views[item], place, w.spread(data)[item], op.location, atomic)
    w.mask = mask


def _load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.Load)
    w.values[op.out] = load_elements(w, op, op.memref, op.indices, False)


def _store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.Store)
    store_elements(w, op, op.value, op.memref, op.indices, False)


def _atomic_load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.AtomicLoad)
    w.values[op.out] = load_elements(w, op, op.memref, op.indices, True)


def _atomic_store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, memref.AtomicStore)
    store_elements(w, op, op.value, op.memref, op.indices, True)


def _rmw(w: WorkGroup, op: Operation) -> None:
    """Work-items one after another, in order; outside SPMD regions once."""
    assert isinstance(op, memref.AtomicRmw)
    found, positions, data = w.memref(op.memref), [w.scalar(i) for i in op.indices], w.scalar(op.value)
    mask, layout, update = w.mask, op.value.type.format, op.kind.update
    if mask is None:
        assert isinstance(found, View)
        old = w.read(found, positions, op.location, True)
        w.write(found, positions, np.asarray(updated(layout, update, old, data)), op.location, True)
        w.values[op.out] = old
        return
    out = np.zeros(w.items, data.dtype)
    for item in np.flatnonzero(mask):
        alone = np.zeros_like(mask)
        alone[item] = True
        w.mask = alone
        view = found if isinstance(found, View) else found.views[item]
        view = view_of_item(view, int(item))
        place = [w.spread(p)[item] for p in positions]
        old = np.asarray(w.read(view, place, op.location, True))
        new = updated(layout, update, old, w.spread(data)[item])
        w.write(view, place, np.asarray(new), op.location, True)
        out[item] = old
    w.mask = mask
    w.values[op.out] = out


def view_of_item(view: View, item: int) -> View:
    """The view of one work-item."""

    def pick(number: Number) -> Number:
        return number if isinstance(number, int) else int(np.asarray(number).ravel()[item])

    return View(view.buffer, pick(view.offset), tuple(map(pick, view.shape)), tuple(map(pick, view.strides)))


def handlers() -> dict[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        memref.Alloca: _alloca,
        memref.GroupMemory: _group_memory,
        memref.LifetimeStop: _nothing,
        memref.Load: _load,
        memref.Store: _store,
        memref.GroupLoad: _group_load,
        memref.Size: _size,
        memref.Stride: _stride,
        memref.Associated: _associated,
        ViewLike: _view,
        memref.AtomicLoad: _atomic_load,
        memref.AtomicStore: _atomic_store,
        memref.AtomicRmw: _rmw,
    }
