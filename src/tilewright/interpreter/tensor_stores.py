"""Boxes that a unit of the machine stores by itself, on the gpu and lane levels.

They are as late as they may be: a slab is read, and the matrix written, when the thread that asked awaits it. What was
written to a slab before that is what is stored; what nobody awaits is never stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects import gpu_stores as ops
from tilewright.dialects.gpu_products import memref_of
from tilewright.interpreter.blocks import load_box, store_box
from tilewright.interpreter.lanes import registers
from tilewright.interpreter.memory import Leaving
from tilewright.interpreter.scalars import whole_subgroups
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.tensor_copies import forget, has_map, memory_of
from tilewright.interpreter.tiles import tile_of
from tilewright.ir.core import Operation

Array = NDArray[Any]


def _store_tile(w: WorkGroup, op: Operation) -> None:
    """The work-group stores at once; what slabs hold then nobody knows."""
    assert isinstance(op, ops.StoreTile)
    has_map(w, op, op.memref, *op.modes)
    start = [w.number(index) for index in op.indices]
    store_box(w, memory_of(w, op.memref), start, tile_of(w, op.value)[0], (True, True), op.location)
    shape = tuple(extent or 0 for extent in memref_of(op.slabs).shape)
    forget(w, memory_of(w, op.slabs), (0,) * len(shape), shape, op.location)


def _store_slab(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.StoreSlab)
    whole_subgroups(w, op)
    lane = np.arange(w.items) % w.subgroup_size
    nothing, stage = np.zeros(w.items, np.int64), w.spread(w.scalar(op.stage))
    for number, values in enumerate(registers(w, op.value)):
        column = 8 * (number // 4) + 2 * (lane % 4) + number % 2
        row = lane // 4 + 8 * (number // 2 % 2)
        near, far = (row, column) if op.turned else (column, row)
        w.write(memory_of(w, op.slabs), [near, far, nothing, stage], values, op.location)


def _store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.StoreTensor)
    has_map(w, op, op.memref, *op.modes)
    stages, *places = (w.spread(w.scalar(value)) for value in (op.stage, *op.indices))
    for item in np.flatnonzero(w.active).tolist():
        place = tuple(int(index[item]) for index in places)
        target, slabs = memory_of(w, op.memref), memory_of(w, op.slabs)
        group = w.stored.get(item, 0)
        w.leaving.append(Leaving(slabs, int(stages[item]), target, place, op.modes[0], item, group, op.location))


def _commit(w: WorkGroup, op: Operation) -> None:
    for item in np.flatnonzero(w.active).tolist():
        w.stored[item] = w.stored.get(item, 0) + 1


def _await(w: WorkGroup, op: Operation) -> None:
    """Of several work-items, each its own."""
    assert isinstance(op, ops.AwaitStores)
    mask, left = w.mask, list[Leaving]()
    for found in w.leaving:
        if w.active[found.item] and found.group < w.stored.get(found.item, 0) - op.pending:
            if mask is not None:
                w.mask = np.arange(w.items) == found.item
            _leave(w, found)
            w.mask = mask
        else:
            left.append(found)
    w.leaving = left


def _leave(w: WorkGroup, found: Leaving) -> None:
    slabs = found.slabs
    assert slabs.buffer is not None
    shape = (*(int(extent) for extent in slabs.shape[:2]), 1, 1)
    box = load_box(w, slabs, (0, 0, 0, found.stage), shape, (), found.location, slabs.buffer.data.dtype)[:, :, 0, 0]
    values = box if found.near == 0 else box.T
    store_box(w, found.target, found.place, np.ascontiguousarray(values), (True, True), found.location)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        ops.StoreTile: _store_tile,
        ops.StoreSlab: _store_slab,
        ops.StoreTensor: _store,
        ops.CommitStores: _commit,
        ops.AwaitStores: _await,
    }
