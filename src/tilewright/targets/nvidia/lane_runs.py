"""The runs of a thread's load or store on the lane level: registers of one access, whether it is inside, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import compress

from tilewright.dialects import lane
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.memory import address, checked_indices, element_pointer, in_bounds
from tilewright.targets.nvidia.values import View

Transfer = lane.Load | lane.Store


class Runs:
    """What a load or store accesses: runs of `width` registers, each one access.

    A row is what has the same place along the modes whose strides only the launch knows. Its pointer is made once, of
    that of the row before and a step, in front of the test of its first run. Were each run's place computed behind its
    own test, from where the thread's first element lies, LLVM would compare each with all others, which took four
    fifths of its time for products of open extents.
    """

    def __init__(self, ctx: KernelContext, op: Transfer, memory: core.Value) -> None:
        self._ctx, self._op = ctx, op
        self.view: View = ctx.view(memory)
        self._start = [ctx.scalar(index) for index in op.indices]
        self._base = address(ctx, self.view, self._start)

    def __iter__(self) -> Iterator[tuple[Value, dict[int, Callable[[], Value]]]]:
        """For runs that are inside together whether they are, and of each of them, by its number, how to compute where
        its first element lies.

        A branch for each run by itself would take threads as long as what they move, and LLVM longer than all else.
        """
        ctx, check, last = self._ctx, self._op.check, (0,) * len(self._start)
        pointers = {last: self._base}
        for together in self._together():
            places: dict[int, Callable[[], Value]] = {}
            for number, offset in together:
                row = self._row(offset)
                if row not in pointers:
                    pointers[row], last = self._behind(pointers[last], last, row), row
                places[number] = partial(self._place, pointers[row], row, offset)
            indices = checked_indices(ctx, self._start, together[0][1], check)
            yield in_bounds(ctx, self.view, indices, check), places

    def _together(self) -> Iterable[list[tuple[int, tuple[int, ...]]]]:
        """Numbers and offsets of runs that lie alike along the modes that are tested; of none others if none is."""
        check = self._op.check
        runs = enumerate([*lane.offsets(self._op.registers, len(self._start))][:: self._op.width])
        if not any(check):
            return [[run] for run in runs]
        found: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {}
        for number, offset in runs:
            found.setdefault(tuple(compress(offset, check)), []).append((number, offset))
        return found.values()

    def _row(self, offset: tuple[int, ...]) -> tuple[int, ...]:
        """An offset along modes of open strides alone; swizzled memory has no rows."""
        if self.view.type.swizzle is not None:
            return (0,) * len(offset)
        pairs = zip(offset, self.view.strides, strict=True)
        return tuple(steps if stride.integer is None else 0 for steps, stride in pairs)

    def _place(self, pointer: Value, row: tuple[int, ...], offset: tuple[int, ...]) -> Value:
        """Where an element lies in a row that begins at a pointer."""
        ctx, b, view = self._ctx, self._ctx.b, self.view
        if view.type.swizzle is not None:
            return address(ctx, view, [b.add(at, i64(k)) for at, k in zip(self._start, offset, strict=True)])
        return self._behind(pointer, row, offset)

    def _behind(self, pointer: Value, start: tuple[int, ...], end: tuple[int, ...]) -> Value:
        """The element at `end` from the one at `start`, to which a pointer points."""
        b, distance = self._ctx.b, i64(0)
        for first, last, stride in zip(start, end, self.view.strides, strict=True):
            distance = b.add(distance, b.mul(i64(last - first), stride))
        return element_pointer(self._ctx, self.view.element, pointer, distance)
