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
from tilewright.interpreter.memory import View
from tilewright.interpreter.scalars import whole_subgroups
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace
from tilewright.numerics.arrays import dtype_of

Array = NDArray[Any]


def registers(w: WorkGroup, value: Value) -> Array:
    """A fragment with both axes."""
    return np.broadcast_to(w.scalar(value), (fragment_of(value).size, w.items))


def _view(w: WorkGroup, value: Value) -> View:
    found = w.memref(value)
    assert isinstance(found, View), "work-items that work on tiles share their memory"
    return found


def _each_register(w: WorkGroup, op: lane.Load | lane.Store) -> Iterator[tuple[int, View, list[Array]]]:
    """Every register with the positions of its elements, while only work-items that access one are active."""
    view, mask = _view(w, op.memref), w.mask
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


def _check_aligned(w: WorkGroup, op: lane.Load | lane.Store, view: View, at: list[Array], inside: Array) -> None:
    if op.width > 1 and (inside & ~_multiple(view, at, op.width)).any():
        fail("R010", op.location, f"{op.width} elements of one access are not aligned to their bytes")


def _multiple(view: View, at: list[Array], elements: int) -> Array:
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
    for register, view, at in _each_register(w, op):
        out[register] = w.read(view, at, op.location)
    w.values[op.out] = out


def _store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Store)
    values = registers(w, op.value)
    for register, view, at in _each_register(w, op):
        w.write(view, at, values[register], op.location)


def _aligned(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, lane.Aligned)
    view = _view(w, op.memref)
    size = 1 if view.buffer is None else view.buffer.data.itemsize
    w.values[op.out] = _multiple(view, [w.scalar(index) for index in op.indices], op.bytes // size)


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


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        lane.Load: _load,
        lane.Store: _store,
        lane.Aligned: _aligned,
        lane.Fill: _fill,
        lane.Numbers: _numbers,
        lane.Pick: _pick,
        lane.Item: _item,
        lane.Flip: _flip,
    }
