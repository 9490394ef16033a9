"""What blocks of a work-group publish for each other: memory, by flags that one block sets and another one awaits."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

import numpy as np

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import team
from tilewright.interpreter.memory import Buffer, View
from tilewright.interpreter.shadow import Array, Touch
from tilewright.interpreter.side_by_side import CODE
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.tensor_copies import one_thread
from tilewright.ir.core import Operation

_WARP: Final = 32
_PUBLISHED: Final = -2
"""Who has what is published by flag 0, until it is awaited: nobody may access it."""


def _flag(w: WorkGroup, op: team.Publish | team.AwaitPublished) -> tuple[Buffer, int]:
    """Where the flag lies."""
    flags, number = w.memref(op.flags), w.number(op.number)
    assert isinstance(flags, View)
    assert flags.buffer is not None
    if not 0 <= number < int(flags.shape[0]):
        fail(CODE, op.location, f"{op.name}: there is no flag {number} of {flags.shape[0]}")
    return flags.buffer, int(flags.offset) + number


def _is_set(buffer: Buffer, place: int) -> bool:
    """What nobody has written is 0, as memory of work-groups is before the first launch."""
    return (buffer.written is None or bool(buffer.written[place])) and bool(buffer.data[place])


def _elements(w: WorkGroup, op: team.Publish | team.AwaitPublished) -> tuple[Buffer, Array]:
    """The memory that is published, and the positions of its elements."""
    view = w.memref(op.memory)
    assert isinstance(view, View)
    assert view.buffer is not None
    shape = tuple(int(extent) for extent in view.shape)
    steps = (index * int(stride) for index, stride in zip(np.indices(shape), view.strides, strict=True))
    at = int(view.offset) + sum(steps, np.zeros(shape, np.int64))
    return view.buffer, at.reshape(prod(shape))


def _touch(w: WorkGroup, op: team.Publish | team.AwaitPublished, touch: Touch) -> None:
    """The thread that acts for the block touches all of the memory: others must meet it at a barrier in between."""
    if not w.checked:
        return
    buffer, at = _elements(w, op)
    if w.who is not None:
        w.shadow.note(buffer, at, np.full(at.shape, w.who[w.active][0]), touch, op.location)
    if w.across is not None:
        mine, published = (np.full(at.shape, actor) for actor in (w.linear_id, _PUBLISHED - _flag(w, op)[1]))
        if touch is Touch.READ:
            w.across.note(buffer, at, mine, touch, op.location)
            w.across.hand_over(buffer, at, w.linear_id)
            w.across.note(buffer, at, published, Touch.WRITE, op.location)
        else:
            w.across.hand_over(buffer, at, int(published[0]))
            w.across.note(buffer, at, mine, touch, op.location)


def _publish(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Publish)
    one_thread(w, op)
    buffer, place = _flag(w, op)
    if _is_set(buffer, place):
        fail(CODE, op.location, f"flag {w.number(op.number)} is set already")
    _touch(w, op, Touch.READ)
    buffer.data[place] = 1
    if buffer.written is not None:
        buffer.written[place] = True


def _await(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.AwaitPublished)
    if w.mask is not None and np.count_nonzero(w.mask) != _WARP:
        fail(CODE, op.location, f"{op.name} is for one warp, {np.count_nonzero(w.mask)} threads run it")
    buffer, place = _flag(w, op)
    if not _is_set(buffer, place):
        number = w.number(op.number)
        fail(CODE, op.location, f"block {w.part} waits without end: no block before it sets flag {number}")
    _touch(w, op, Touch.WRITE)
    buffer.data[place] = 0


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {team.Publish: _publish, team.AwaitPublished: _await}
