"""Operations of TLX: computed as their definitions say, and tensors at addresses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects.tlx.base import TlxOperation, tensor_of
from tilewright.dialects.tlx.memory import Load, Store
from tilewright.interpreter.addresses import view_at
from tilewright.interpreter.blocks import load_box, store_box
from tilewright.interpreter.memory import View
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation, Value
from tilewright.ir.evaluation import evaluated
from tilewright.numerics.arrays import dtype_of


def _computed(w: WorkGroup, op: Operation) -> None:
    w.values[op.results[0]] = evaluated(op, *(w.scalar(value) for value in op.operands))


def _place(w: WorkGroup, op: Load | Store, tensor: Value) -> View:
    """The elements that are data, by memory position."""
    distances = tuple(d if isinstance(d, int) else int(w.scalar(d)) for d in op.mixed_distances)
    if w.checked and min(distances, default=1) < 1:
        fail("R030", op.location, f"a distance of {min(distances)} elements; distances are at least 1")
    type_ = tensor_of(tensor)
    return view_at(w, int(w.scalar(op.address)), dtype_of(type_.format), type_.valid, distances)


def _load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, Load)
    type_ = tensor_of(op.out)
    dtype = dtype_of(type_.format)
    found = np.zeros(type_.extents, dtype)
    start = (0,) * type_.rank
    box = load_box(w, _place(w, op, op.out), start, type_.valid, (), op.location, dtype)
    found[tuple(slice(0, n) for n in type_.valid)] = box
    w.values[op.out] = found


def _store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, Store)
    type_ = tensor_of(op.input)
    data = w.scalar(op.input)[tuple(slice(0, n) for n in type_.valid)]
    store_box(w, _place(w, op, op.input), (0,) * type_.rank, data, (), op.location)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {TlxOperation: _computed, Load: _load, Store: _store}
