"""Copies that a unit of the machine makes by itself, and the barriers that count them, on the gpu and lane levels.

Copies are as late as they may be: what is copied is read at once, but there only when a phase has been awaited, and
nothing is in its place before. A wait for which nothing that is on its way would do is one without an end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import gpu_tensors as ops
from tilewright.dialects.gpu_clusters import MulticastTensor
from tilewright.dialects.gpu_products import memref_of
from tilewright.interpreter.blocks import load_box, store_box
from tilewright.interpreter.lanes import begins_on
from tilewright.interpreter.memory import Awaited, Phase, View
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation, Value
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.conversions import convert

Array = NDArray[Any]
CODE = "R025"
_UNIT: Final = 16


WARP: Final = 32
"""Threads of one."""


def memory_of(w: WorkGroup, value: Value) -> View:
    """A memref that all work-items have in common."""
    found = w.memref(value)
    assert isinstance(found, View), "work-items that copy together share their memory"
    return found


def _word(w: WorkGroup, memory: Value, number: int) -> tuple[int, int]:
    """Which word of memory a barrier is."""
    view = memory_of(w, memory)
    assert isinstance(view.offset, int)
    return id(view.buffer), view.offset + number


def _phase(w: WorkGroup, op: Operation, memory: Value, number: Value) -> Phase:
    return phase_of(w, op, memory, w.number(number))


def phase_of(w: WorkGroup, op: Operation, memory: Value, which: int, whose: str = "") -> Phase:
    """The barrier that a word of memory is, `whose` for messages."""
    found = None
    if 0 <= which < (memref_of(memory).shape[0] or 0):
        found = w.phases.get(_word(w, memory, which))
    if found is None:
        fail(CODE, op.location, f"word {which}{whose} is no barrier: none has been opened there")
    return found


def one_thread(w: WorkGroup, op: Operation) -> None:
    """Fail unless the machine is asked once."""
    if w.mask is not None and np.count_nonzero(w.mask) != 1:
        fail(CODE, op.location, f"{op.name} is for one thread, {np.count_nonzero(w.mask)} run it")


def _open(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.OpenBarriers)
    one_thread(w, op)
    for number in range(memref_of(op.barriers).shape[0] or 0):
        word = _word(w, op.barriers, number)
        if word in w.phases:
            fail(CODE, op.location, f"word {number} is a barrier already")
        w.phases[word] = Phase(op.arrivals, op.arrivals)


def _close(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.CloseBarriers)
    one_thread(w, op)
    for number in range(memref_of(op.barriers).shape[0] or 0):
        found = w.phases.pop(_word(w, op.barriers, number), None)
        if found is None:
            fail(CODE, op.location, f"word {number} is no barrier")
        if found.missing not in (0, found.arrivals) or found.copies:
            fail(CODE, op.location, f"barrier {number} is closed while somebody has arrived there")


def _expect(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.Expect)
    one_thread(w, op)
    found = _phase(w, op, op.barriers, op.number)
    if not found.missing:
        fail(CODE, op.location, "arrives at a barrier whose phase has all its arrivals and has not been awaited")
    found.missing -= 1
    found.bytes += op.bytes


def _copy(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.CopyTensor)
    one_thread(w, op)
    found = _phase(w, op, op.barriers, op.number)
    box, target = box_of(w, op), memory_of(w, op.target)
    place = (0, 0, 0, w.number(op.stage))
    forget(w, target, place, box.shape, op.location)
    found.bytes -= ops.bytes_of_stage(memref_of(op.target))
    found.copies.append(Awaited(target, place, np.ascontiguousarray(box), op.location))


def box_of(w: WorkGroup, op: ops.CopyTensor | MulticastTensor) -> Array:
    """What a copy reads, as it will lie in a stage."""
    target, (near, far) = memref_of(op.target), op.modes
    width, rows, slabs = (extent or 0 for extent in target.shape[:3])
    start = [w.number(index) for index in op.indices]
    shape = [0, 0]
    shape[near], shape[far] = width * slabs, rows
    has_map(w, op, op.memref, near, far)
    source, check = memref_of(op.memref).element, (True, True)
    dtype = dtype_of(source.format)
    values = load_box(w, memory_of(w, op.memref), start, shape, check, op.location, dtype)
    if source is not target.element:
        values = convert(source.format, target.element.format, values)
    lines = values if near == 0 else values.T
    return lines.reshape(slabs, width, rows).transpose(1, 2, 0)[..., None]


def has_map(w: WorkGroup, op: Operation, memref: Value, near: int, far: int) -> None:
    """The machine finds no boxes in a matrix without elements, or one whose rows overlap or are not aligned."""
    view, size = memory_of(w, memref), memref_of(memref).element.bytes
    long, count, stride = int(view.shape[near]), int(view.shape[far]), int(view.strides[far])
    if stride * size % _UNIT or stride < long or min(long, count) < 1:
        which = f"{count} rows of {long} elements that are {stride * size} bytes apart"
        fail(CODE, op.location, f"copies a box of a matrix that the machine has no map of: {which}")
    if not begins_on(view, [np.asarray(0)] * len(view.shape), _UNIT):
        fail(CODE, op.location, f"copies a box of a matrix that does not begin at a multiple of {_UNIT} bytes")


def forget(w: WorkGroup, target: View, place: tuple[int, ...], shape: tuple[int, ...], where: Location) -> None:
    """What is in the place is lost, whoever looks at it."""
    mask, w.mask = w.mask, None
    who, w.who = w.who, None
    w.forget(target, list(np.indices(shape) + np.reshape(place, (-1, *(1,) * len(shape)))), where)
    w.mask, w.who = mask, who


def _await(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.AwaitPhase)
    if w.mask is not None and not w.mask.all():
        fail("R022", op.location, f"not all work-items reach this {op.name}")
    _end(w, op)


def _end(w: WorkGroup, op: ops.AwaitPhase | ops.AwaitReaders) -> None:
    """The phase of a parity ends if it has not yet; what was copied in it is there."""
    found, parity = _phase(w, op, op.barriers, op.number), w.number(op.parity)
    others = w.roles or w.cluster
    if others is not None:
        others.wait(op, lambda: _has_ended(found, parity), lambda: _lacks(found))
    if found.ended % 2 != parity:
        return
    if found.missing or found.bytes:
        fail(CODE, op.location, f"waits for the end of a phase that never comes: {_lacks(found)}")
    # the machine writes them: whoever awaits the phase may read
    who, w.who = w.who, None
    for copy in found.copies:
        store_box(w, copy.target, copy.place, copy.values, (False,) * len(copy.place), copy.location)
    w.who = who
    found.ended, found.missing, found.copies = found.ended + 1, found.arrivals, []


def _has_ended(found: Phase, parity: int) -> bool:
    return found.ended % 2 != parity or not (found.missing or found.bytes)


def _lacks(found: Phase) -> str:
    return f"{found.missing} of {found.arrivals} arrivals and {found.bytes} bytes are missing"


def _await_readers(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.AwaitReaders)
    if w.mask is not None and np.count_nonzero(w.mask) != WARP:
        fail(CODE, op.location, f"{op.name} is for one warp, {np.count_nonzero(w.mask)} threads run it")
    _end(w, op)


def _arrive(w: WorkGroup, op: Operation) -> None:
    """All warps come at once."""
    assert isinstance(op, ops.Arrive)
    if w.mask is not None and not w.mask.all():
        fail("R022", op.location, f"not all work-items reach this {op.name}")
    found = _phase(w, op, op.barriers, op.number)
    if found.missing != found.arrivals:
        fail(CODE, op.location, "all warps arrive at a barrier where some have arrived in this phase")
    found.missing = 0


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        ops.OpenBarriers: _open,
        ops.CloseBarriers: _close,
        ops.Expect: _expect,
        ops.CopyTensor: _copy,
        ops.AwaitPhase: _await,
        ops.AwaitReaders: _await_readers,
        ops.Arrive: _arrive,
    }
