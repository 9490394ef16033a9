"""The lane level: fragments as arrays with an axis over registers in front of that over work-items.

What is the same in all registers or work-items may lack these axes, as scalars of SPMD regions do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import lane
from tilewright.dialects.lane import fragment_of
from tilewright.interpreter.memory import Lanes, View
from tilewright.interpreter.scalars import whole_subgroups
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.views import integer
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.numerics.arrays import dtype_of

Array = NDArray[Any]


def registers(w: WorkGroup, value: Value) -> Array:
    """A fragment with both axes."""
    return np.broadcast_to(w.scalar(value), (fragment_of(value).size, w.items))


Transfer = lane.Load | lane.Store


def views_of(w: WorkGroup, value: Value) -> Iterator[View]:
    """The memory of each work-item, while only those are active whose memory it is."""
    found, mask = w.memref(value), w.mask
    assert mask is not None
    if isinstance(found, View):
        yield found
        return
    owners: dict[View, list[int]] = {}
    for item in np.flatnonzero(mask):
        owners.setdefault(found.views[item], []).append(int(item))
    for view, items in owners.items():
        w.mask = np.isin(np.arange(w.items), items)
        yield view
    w.mask = mask


def _each_register(w: WorkGroup, op: Transfer, memory: Value) -> Iterator[tuple[int, View, list[Array]]]:
    """Every register with the positions of its elements, while only work-items that access one are active."""
    for view in views_of(w, memory):
        yield from _registers_of(w, op, view)


def _registers_of(w: WorkGroup, op: Transfer, view: View) -> Iterator[tuple[int, View, list[Array]]]:
    mask = w.mask
    assert mask is not None
    inside_before = mask
    for register, offset in enumerate(lane.offsets(op.registers, len(op.indices))):
        at = [w.spread(w.scalar(index)) + steps for index, steps in zip(op.indices, offset, strict=True)]
        inside = mask.copy()
        for index, extent, checked in zip(at, view.shape, op.check, strict=False):
            if checked:
                inside &= (index >= 0) & (index < extent)
        if register % op.width == 0:
            inside_before = inside
            _check_aligned(w, op, view, at, inside)
        elif (inside != inside_before).any():
            fail("R010", op.location, f"{op.width} elements of one access are not all inside or all outside")
        if inside.any():
            w.mask = inside
            yield register, view, at
            w.mask = mask


def _check_aligned(w: WorkGroup, op: Transfer, view: View, at: list[Array], inside: Array) -> None:
    if op.width > 1 and (inside & ~multiple(view, at, op.width)).any():
        fail("R010", op.location, f"{op.width} elements of one access are not aligned to their bytes")


def multiple(view: View, at: list[Array], elements: int) -> Array:
    """Whether elements lie on multiples of so many elements; local memory begins on one."""
    if view.buffer is None:
        return np.asarray(True)
    size = view.buffer.data.itemsize
    number: Any = view.offset
    for index, stride in zip(at, view.strides, strict=True):
        number = number + index * stride
    first = 0 if view.buffer.space is AddressSpace.LOCAL else int(view.buffer.data.ctypes.data)
    return np.asarray((first + number * size) % (elements * size) == 0)


def _load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Load)
    type_ = fragment_of(op.out)
    out = np.zeros((type_.size, w.items), dtype_of(type_.element.format))
    for register, view, at in _each_register(w, op, op.memref):
        found = w.read(view, at, op.location)
        out[register] = np.where(w.active, found, out[register])
    w.values[op.out] = out


def _store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Store)
    values = registers(w, op.value)
    for register, view, at in _each_register(w, op, op.memref):
        w.write(view, at, values[register], op.location)


def _synchronize(w: WorkGroup, op: Operation) -> None:
    whole_subgroups(w, op)
    w.shadow.synchronise(list(AddressSpace))


def _elect(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Elect)
    whole_subgroups(w, op)
    w.values[op.out] = np.tile(np.arange(w.subgroup_size) == 0, w.subgroups)


def _all(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.All)
    whole_subgroups(w, op)
    said = np.broadcast_to(w.scalar(op.condition), w.items).reshape(w.subgroups, w.subgroup_size)
    w.values[op.out] = np.repeat(said.all(axis=1), w.subgroup_size)


def _aligned(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Aligned)
    at, found = [w.scalar(index) for index in op.indices], w.memref(op.memref)
    if isinstance(found, View):
        w.values[op.out] = begins_on(found, at, op.bytes)
        return
    out = np.zeros(w.items, np.bool_)
    for view in views_of(w, op.memref):
        out |= w.active & begins_on(view, at, op.bytes)
    w.values[op.out] = out


def begins_on(view: View, at: list[Array], bytes_: int) -> Array:
    """Whether elements lie on multiples of so many bytes."""
    size = 1 if view.buffer is None else view.buffer.data.itemsize
    return multiple(view, at, bytes_ // size)


def _row(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Row)
    assert isinstance(op.out.type, MemrefType)
    (size,), found = op.out.type.shape, w.memref(op.memref)
    assert size is not None
    at = [w.scalar(index) for index in op.indices]

    def row(view: View, item: int | None) -> View:
        offset = view.offset
        for index, stride in zip(at, view.strides, strict=True):
            offset = offset + integer(index if item is None else w.spread(index)[item]) * stride
        return View(view.buffer, offset, (size,), (1,))

    if isinstance(found, View):
        w.values[op.out] = row(found, None)
    else:
        active = w.active
        w.values[op.out] = Lanes(tuple(row(v, k) if active[k] else v for k, v in enumerate(found.views)))


def _fill(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Fill)
    w.values[op.out] = w.scalar(op.value)


def _numbers(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Numbers)
    w.values[op.out] = np.asarray(op.values).astype(dtype_of(fragment_of(op.out).element.format))[:, None]


def _pick(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Pick)
    w.values[op.out] = np.concatenate([registers(w, value) for value in op.fragments])[list(op.registers)]


def _item(w: WorkGroup, op: Operation) -> None:
    """What all work-items hold alike is one number."""
    assert isinstance(op, lane.Item)
    found = registers(w, op.fragment)[op.register]
    raw = np.ascontiguousarray(found).view(np.uint8).reshape(w.items, -1)
    w.values[op.out] = np.asarray(found[0]) if (raw == raw[0]).all() else found


def _flip(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Flip)
    whole_subgroups(w, op)
    found = registers(w, op.fragment)
    w.values[op.out] = found[:, np.arange(w.items) ^ op.lanes]


def _behind(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Behind)
    whole_subgroups(w, op)
    w.values[op.out] = registers(w, op.fragment)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        lane.Load: _load,
        lane.Store: _store,
        lane.Synchronize: _synchronize,
        lane.Elect: _elect,
        lane.All: _all,
        lane.Aligned: _aligned,
        lane.Row: _row,
        lane.Fill: _fill,
        lane.Numbers: _numbers,
        lane.Pick: _pick,
        lane.Item: _item,
        lane.Flip: _flip,
        lane.Behind: _behind,
    }
