"""Between global memory and slabs: boxes whose pieces threads copy side by side, of 16 bytes where that may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import lane
from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_products import COPIED_BYTES
from tilewright.dialects.lane_products import CopyAsync
from tilewright.ir.core import Value
from tilewright.ir.types import FragmentType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.facts import alignment
from tilewright.transforms.pack_items.items import PIECE

_MOST_TOGETHER: Final = 32
"""Elements that a thread copies before the next ones: what goes through registers waits there."""


class Copying(Struct, frozen=True):
    """Thread `rank` of `threads` that copy a box of `shape` from `source` to `target`.

    `order` are the modes from that of neighbours on. Only shared memory is copied to without waiting. What is `shared`
    other blocks copy too.
    """

    source: Value
    target: Value
    shape: tuple[int, ...]
    order: tuple[int, ...]
    rank: Value
    threads: int
    begins: bool
    shared: bool = False

    @property
    def width(self) -> int:
        """Elements of a piece, if the memory is aligned."""
        near = self.order[0]
        strides = [emit.memref_type(memory).strides for memory in (self.source, self.target)]
        if any(of[near] != 1 for of in strides):
            return 1
        return gcd(*(widest_piece(self.shape, near, of, self._element_bytes) for of in strides))

    def emit(self, build: Builder, width: int) -> None:
        """Copy by pieces of so many elements."""
        self.begin(build, width)()

    def begin(self, build: Builder, width: int) -> Callable[[], None]:
        """As `emit`, but what a thread has in registers is only written by the function that is returned."""
        counts = [n // width if k == self.order[0] else n for k, n in enumerate(self.shape)]
        left, weight = self.threads, 1
        steps: list[tuple[int, int, int]] = [(width, self.order[0], 1)] if width > 1 else []
        starts, check = [build.index(0)] * len(counts), [False] * len(counts)
        for mode in self.order:
            across = min(counts[mode], left)
            piece = width if mode == self.order[0] else 1
            times = -(-counts[mode] // across)
            number = emit.quotient(build, self.rank, weight)
            if left > across and mode != self.order[-1]:
                number = emit.rem(build, number, build.index(across))
            starts[mode] = emit.mul(build, number, build.index(piece))
            check[mode] = times * across > counts[mode]
            steps.append((times, mode, across * piece))
            weight, left = weight * across, left // across
        some_idle = weight < self.threads
        if some_idle:
            build = emit.open_if(build, emit.less(build, self.rank, build.index(weight)))
        *inner, (times, mode, stride) = steps
        together = max(_MOST_TOGETHER // prod(extent for extent, _, _ in inner), 1)
        # only the last piece of a thread may lie outside
        full = times - check[mode]

        def some(at: Builder, first: Value, count: int, *, is_last: bool = False) -> Callable[[], None]:
            begin = emit.add(at, starts[mode], emit.mul(at, first, at.index(stride)))
            places = [begin if k == mode else start for k, start in enumerate(starts)]
            tested = tuple(is_last if k == mode else test for k, test in enumerate(check))
            return self._part(at, places, (*inner, (count, mode, stride)), tested, width)

        writes: list[Callable[[], None]] = []
        whole = full - full % together
        if whole > together:
            loop = emit.open_loop(build, build.index(0), build.index(whole), build.index(together))
            loop.op.unroll = False
            some(loop.body, loop.index, together)()
        elif whole:
            writes.append(some(build, build.index(0), together))
        if whole < full:
            writes.append(some(build, build.index(whole), full - whole))
        if full < times:
            writes.append(some(build, build.index(full), 1, is_last=True))

        def write() -> None:
            for each in writes:
                each()

        if some_idle:
            write()
            return _nothing
        return write

    def _part(
        self, build: Builder, at: list[Value], steps: lane.Steps, check: tuple[bool, ...], width: int
    ) -> Callable[[], None]:
        if self._is_async(width):
            build(
                CopyAsync(self.source, at, self.target, at, steps, steps, width, check, fills=False, shared=self.shared)
            )
            return _nothing
        held = FragmentType(prod(extent for extent, _, _ in steps), emit.scalar_type(self.source.type))
        found = build(lane.Load(self.source, at, steps, check, width, result_types=[held])).out

        def write() -> None:
            build(lane.Store(found, self.target, at, steps, check, width))

        return write

    def _is_async(self, width: int) -> bool:
        """Whether pieces of so many elements are copied without waiting."""
        return self.begins and width * self._element_bytes in COPIED_BYTES

    @property
    def _element_bytes(self) -> int:
        return emit.scalar_type(self.source.type).bytes


def widest_piece(shape: Sequence[int], near: int, strides: Sequence[int | None], size: int) -> int:
    """Elements along mode `near` of pieces that all begin at multiples of their bytes if the first one does.

    Strides that are not known may turn out to be such multiples too.
    """
    far = (n for k, n in enumerate(strides) if k != near and n is not None and k < len(shape) and shape[k] > 1)
    return gcd(PIECE // size, shape[near], *far)


def _nothing() -> None:
    """All is written."""


def aligned(build: Builder, memory: Value, width: int) -> Value | None:
    """Whether all pieces of so many elements of a memref begin at multiples of their bytes; None if that is known."""
    type_ = emit.memref_type(memory)
    wanted = width * type_.element.bytes
    zero, one = build.index(0), build.index(1)
    corners = [[zero] * type_.order]
    for mode, (extent, stride) in enumerate(zip(type_.shape, type_.strides, strict=True)):
        if stride != 1 and extent != 1 and (stride is None or stride * type_.element.bytes % wanted):
            corners.append([one if k == mode else zero for k in range(type_.order)])
    if len(corners) == 1 and alignment(memory) % wanted == 0:
        return None
    return every(build, [build(lane.Aligned(memory, corner, wanted)).out for corner in corners])


def every(build: Builder, conditions: Sequence[Value | None]) -> Value | None:
    """Whether all conditions hold, None is one that does; None if all do."""
    found: Value | None = None
    for condition in conditions:
        if condition is not None:
            found = condition if found is None else emit.both(build, found, condition)
    return found


def either(
    build: Builder, condition: Value | None, yes: Callable[[Builder], None], no: Callable[[Builder], None]
) -> None:
    """One or the other; a condition that is None holds."""
    if condition is None:
        yes(build)
    else:
        emit.if_else(build, condition, yes, no)


def row(build: Builder, memory: Value, indices: Sequence[Value], size: int) -> Value:
    """So many elements that lie behind each other in memory."""
    type_ = emit.memref_type(memory)
    of = MemrefType(type_.element, (size,), (1,), type_.space)
    return build(lane.Row(memory, list(indices), result_types=[of])).out
