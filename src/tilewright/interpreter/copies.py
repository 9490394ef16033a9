"""Asynchronous copies on the gpu and lane levels.

They are as late as they may be: what is copied is read at once, but there only when it has been awaited, and nothing is
in its place before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.lane_products import CopyAsync
from tilewright.interpreter.lanes import multiple, views_of
from tilewright.interpreter.memory import Arrival, View
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation, Value

Array = NDArray[Any]


def _target(w: WorkGroup, value: Value) -> View:
    found = w.memref(value)
    assert isinstance(found, View), "work-items that copy together share their memory"
    return found


def _begin(w: WorkGroup, op: Operation, target: View, at: list[Array], values: Array) -> None:
    """What the active work-items have read is on its way."""
    w.forget(target, at, op.location)
    w.copies.append(Arrival(target, at, values, w.active, w.groups, op.location))


def _copy_box(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, gpu.CopyAsync)
    source, target = _target(w, op.memref), _target(w, op.target)
    assert target.buffer is not None
    grid = np.indices(op.shape)
    places = [np.zeros(op.shape, np.int64) + w.number(index) for index in op.indices]
    reached = [1] * len(places)
    for number, mode in enumerate(op.modes):
        places[mode] = places[mode] + grid[number] * reached[mode]
        reached[mode] *= memref_of(op.target).shape[number] or 1
    inside = np.ones(op.shape, bool) & _inside(op, source, places)
    values = np.zeros(op.shape, target.buffer.data.dtype)
    if inside.any():
        values[inside] = w.read(source, [place[inside] for place in places], op.location)
    _begin(w, op, target, [grid[k] + w.number(index) for k, index in enumerate(op.target_indices)], values)


def _inside(op: gpu.CopyAsync | CopyAsync, source: View, at: list[Array]) -> Array:
    found = np.asarray(True)
    for index, extent, checked in zip(at, source.shape, op.check, strict=False):
        if checked:
            found = found & (index >= 0) & (index < extent)
    return found


def _copy_runs(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, CopyAsync)
    target = _target(w, op.target)
    assert target.buffer is not None
    for source in views_of(w, op.memref):
        before = w.mask
        for at, spots, inside, written in _elements(w, op, source, target):
            w.mask = inside
            nothing = np.zeros(w.items, target.buffer.data.dtype)
            values = w.read(source, at, op.location) if inside.any() else nothing
            w.mask = written
            if written.any():
                _begin(w, op, target, spots, values)
            w.mask = before


def _elements(
    w: WorkGroup, op: CopyAsync, source: View, target: View
) -> Iterator[tuple[list[Array], list[Array], Array, Array]]:
    """Of each element its places on both sides, whose lies inside, and whose is written."""
    read = lane.offsets(op.registers, len(op.indices))
    written = lane.offsets(op.target_registers, len(op.target_indices))
    inside = w.active
    for number, (steps, target_steps) in enumerate(zip(read, written, strict=True)):
        at = [w.spread(w.scalar(index)) + step for index, step in zip(op.indices, steps, strict=True)]
        spots = [w.spread(w.scalar(index)) + step for index, step in zip(op.target_indices, target_steps, strict=True)]
        here = w.active & _inside(op, source, at)
        if number % op.width == 0:
            inside = here
            stored = w.active if op.fills else inside
            if (inside & ~multiple(source, at, op.width)).any() or (stored & ~multiple(target, spots, op.width)).any():
                size = op.width * memref_of(op.memref).element.bytes
                fail("R010", op.location, f"copies of {size} bytes are not aligned to them")
        elif not op.fills and (here != inside).any():
            fail("R010", op.location, f"{op.width} elements of one copy are not all inside or all outside")
        inside = inside & here
        yield at, spots, inside, w.active if op.fills else inside


def _commit(w: WorkGroup, op: Operation) -> None:
    w.groups = w.groups + w.active


def _await(w: WorkGroup, op: Operation) -> None:
    """What has been begun and is in no group yet stays on its way."""
    assert isinstance(op, gpu.AwaitCopies)
    mask, active, left = w.mask, w.active, list[Arrival]()
    for copy in w.copies:
        there = copy.active & active & (copy.group < w.groups - op.pending)
        if there.any():
            w.mask = mask if mask is None else there
            w.write(copy.target, copy.indices, copy.values, copy.location)
        if (copy.active & ~there).any():
            left.append(replace(copy, active=copy.active & ~there))
    w.mask, w.copies = mask, left


def _fence(w: WorkGroup, op: Operation) -> None:
    """Memory is one here."""


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        gpu.CopyAsync: _copy_box,
        gpu.CommitCopies: _commit,
        gpu.AwaitCopies: _await,
        gpu.FenceAsync: _fence,
        CopyAsync: _copy_runs,
    }
