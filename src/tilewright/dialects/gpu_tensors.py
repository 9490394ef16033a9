"""Copies of boxes that a unit of the machine makes by itself, and the barriers in shared memory that count them.

A barrier is a word of a memref `i64[count]` in shared memory. It goes through phases: one ends when as many threads
have arrived as it was opened for and all bytes that they expect have been copied. Phases have parities 0, 1, 0 and so
on. These operations are the same on the gpu level, where the work-group runs them, and on that of lanes, where one
thread does but for `gpu.await_phase` and `gpu.arrive`, which all do that read what was copied, before and behind that.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import Operation, Value, attribute, operand, operands, optional_attribute
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.ir.types import F32, I64, INDEX_ONLY, MEMREF, TF32, AddressSpace, MemrefType, ScalarType
from tilewright.machine.cuda.tensor_maps import MOST_EXTENT, PITCH_LIMIT, is_row

_UNIT: Final = 16
_MOST_EXTENT: Final = 256
"""Of a box that is copied at a time."""
_MOST_BYTES: Final = (1 << 20) - 1
"""That one phase of a barrier counts."""


def check_barriers(op: Operation, report: Report, memory: Value) -> None:
    """Whether memory is words of barriers."""
    type_ = memref_of(memory)
    if type_.element is not I64 or type_.order != 1 or type_.shape[0] is None or type_.space is not AddressSpace.LOCAL:
        fail(op, report, f"barriers are words of i64 in shared memory, as many as the type says, not {type_}")


class OpenBarriers(Operation, name="gpu.open_barriers"):
    """Makes barriers of words, in their first phase, for `arrivals` threads each. Others see it behind a barrier."""

    barriers: Value = operand(MEMREF)
    arrivals: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return [*writes(self.barriers), Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)
        if self.arrivals < 1:
            fail(self, report, "a phase needs an arrival to end", "arrivals")


class CloseBarriers(Operation, name="gpu.close_barriers"):
    """Makes words of barriers, which nobody waits for any more and nothing is on its way to."""

    barriers: Value = operand(MEMREF)

    def effects(self) -> Sequence[Effect]:
        return [*writes(self.barriers), Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)


class Expect(Operation, name="gpu.expect"):
    """Arrives at a barrier, whose phase does not end before so many more bytes have been copied.

    Of a work-group the first thread of a `warp` does, counted round those that there are.
    """

    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
    bytes: int = attribute(int)
    warp: int = optional_attribute(int, default=0)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)
        if not 0 <= self.bytes <= _MOST_BYTES:
            fail(self, report, f"a phase counts {_MOST_BYTES:,} bytes at most, not {self.bytes:,}", "bytes")


class AwaitPhase(Operation, name="gpu.await_phase"):
    """Waits until the phase of that parity has ended: the present one, or at once if that has the other parity.

    What was copied in that phase is there then, for whoever has waited.
    """

    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
    parity: Value = operand(INDEX_ONLY)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)


class Arrive(Operation, name="gpu.arrive"):
    """Each warp arrives at a barrier that was opened for as many, behind what it has awaited; nobody waits.

    If there are `loads`, behind what each of its threads has loaded too.
    """

    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
    loads: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)


class AwaitReaders(Operation, name="gpu.await_readers"):
    """The producer warp waits until the phase of that parity has ended, as `gpu.await_phase`.

    Whoever has arrived in that phase has read what is copied over next. Of a work-group that is one `warp`, all of it:
    lanes that wait apart from others are no longer at one place to ptxas.
    """

    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
    parity: Value = operand(INDEX_ONLY)
    warp: int = optional_attribute(int, default=0)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)


class CopyTensor(Operation, name="gpu.copy_tensor"):
    """Begins to copy a box of a matrix into a stage of slabs, where a barrier counts the bytes.

    The target is `[near in slab, far, slab, stage]` (see `gpu_products`), the box all of a stage. Slabs of longer rows
    than are swizzled lie as they are. Its rows run along
    mode `modes[0]` of the source, one behind the other along mode `modes[1]`. Zeros are written for what is outside of
    the source. Elements of f32 may be rounded to tf32 on the way. Nobody may touch the stage before the phase has been
    awaited. Of a work-group the first thread of a `warp` issues it.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    target: Value = operand(MEMREF)
    stage: Value = operand(INDEX_ONLY)
    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
    modes: tuple[int, int] = attribute(tuple)
    warp: int = optional_attribute(int, default=0)

    def effects(self) -> Sequence[Effect]:
        return [*reads(self.memref), *writes(self.target)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.barriers)
        check_copy(self, report, (memref_of(self.memref), memref_of(self.target)), len(self.indices), self.modes)


def check_copy(
    op: Operation, report: Report, types: tuple[MemrefType, MemrefType], indices: int, modes: tuple[int, int]
) -> None:
    """Whether a matrix has boxes that go to the stages of a memref: the types of both."""
    source, target = types
    if indices != source.order or sorted(modes) != list(range(source.order)):
        fail(op, report, f"a box along {modes} from {indices} indices on is none of {source}")
        return
    if not copies_as(source.element, target.element) or source.space is AddressSpace.LOCAL:
        fail(op, report, f"copies go from global to shared memory, not from {source} to {target}")
    if (reason := no_map(source, modes)) is not None:
        fail(op, report, reason)
    if (reason := no_slabs(target)) is not None:
        fail(op, report, reason)


def copies_as(source: ScalarType, target: ScalarType) -> bool:
    """Whether boxes of a type can become those of another one: the same, or f32 rounded to tf32, ties to even."""
    return source is target or (source is F32 and target is TF32)


def bytes_of_stage(target: MemrefType) -> int:
    """Of a memref whose last mode counts stages."""
    return prod(extent or 0 for extent in target.shape[:-1]) * target.element.bytes


def no_slabs(target: MemrefType) -> str | None:
    """Why boxes cannot be copied to the stages of a memref; None if they can."""
    width = (target.shape[0] or 0) if target.order == 4 else 0
    row = width * target.element.bytes
    if not is_row(row) or target.swizzle != SWIZZLED_LINES.get(row) or target.space is not AddressSpace.LOCAL:
        lines = ", ".join(map(str, SWIZZLED_LINES))
        return (
            f"boxes are copied to slabs in shared memory, swizzled ones of {lines} bytes a row or longer ones that are "
            f"not, not to {target}"
        )
    most = max(width, target.shape[1] or 0)
    return None if most <= _MOST_EXTENT else f"{most} rows or columns of a box are more than {_MOST_EXTENT}"


def no_map(source: MemrefType, modes: tuple[int, int]) -> str | None:
    """Why the machine cannot find boxes in a matrix by itself, as far as its type tells; None if it can."""
    near, far = modes
    if source.strides[near] != 1:
        return f"rows of {source} are not made of neighbours"
    if not all(extent is None or 0 < extent <= MOST_EXTENT for extent in source.shape):
        return f"{source} has no elements, or too many"
    stride, length = source.strides[far], source.shape[near] or 1
    if stride is None:
        return None
    pitch = stride * source.element.bytes
    if pitch % _UNIT or not 0 < pitch < PITCH_LIMIT:
        return f"rows that are {pitch} bytes apart, no multiple of {_UNIT}"
    return f"rows of {length} elements that are {stride} apart" if stride < length else None
