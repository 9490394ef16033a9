"""What a search asks of a machine: what a candidate computes, and how long a launch takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final, Protocol

from msgspec import Struct

from tilewright.program import Kernel
from tilewright.runtime.grid import Grid
from tilewright.tuning.arguments import Arguments, Array

_COLD_BYTES: Final = 256 << 20
"""What is written between launches so that no cache holds what the last one left; arrays of more need none of it."""
_LEAST_SECONDS: Final = 50e-6
"""What a clock of the host can tell well."""
_LEAST: Final = 1e-9


class Candidate(Struct, frozen=True, eq=False):
    """A kernel as it was compiled: the schedule that it says it has, and its code."""

    kernel: Kernel
    schedule: str
    code: bytes


class Timer(Protocol):
    """Launches candidates, which differ in nothing but their schedules, on the same arguments."""

    def answer(self, candidate: Candidate) -> Sequence[Array]:
        """All that the candidate may have written, after one launch on the arguments as they were given.

        Raises what launches raise.
        """
        ...

    def seconds(self, candidate: Candidate) -> float:
        """How long one launch takes. It may find the arguments as the last one left them."""
        ...


def timer_of(kernel: Kernel, grid: Grid, arguments: Arguments) -> Timer:
    """What measures kernels of the same target. Raises what launches raise, for a device `DriverUnavailable` too."""
    if kernel.info.launch is None:
        return HostTimer(grid, arguments)
    return DeviceTimer(grid, arguments)


class HostTimer:
    """On the processor, by the clock of the host; caches are as the last launch left them."""

    def __init__(self, grid: Grid, arguments: Arguments, clock: Callable[[], float] = perf_counter) -> None:
        self._grid, self._arguments, self._clock = grid, arguments, clock
        self._calls = 0

    def answer(self, candidate: Candidate) -> Sequence[Array]:
        """See `Timer`."""
        self._arguments.restore()
        candidate.kernel[self._grid](*self._arguments.given)
        return self._arguments.left()

    def seconds(self, candidate: Candidate) -> float:
        """Of as many launches as the clock can tell, divided by their number."""
        launch, given = candidate.kernel[self._grid], self._arguments.given
        if not self._calls:
            begin = self._clock()
            launch(*given)
            self._calls = max(int(_LEAST_SECONDS / max(self._clock() - begin, _LEAST)), 1)
        begin = self._clock()
        for _ in range(self._calls):
            launch(*given)
        return max((self._clock() - begin) / self._calls, _LEAST)


class DeviceTimer:
    """On a GPU, by events in its default stream; caches hold nothing of the arguments."""

    def __init__(self, grid: Grid, arguments: Arguments) -> None:
        from tilewright.machine.cuda.driver import open_device
        from tilewright.runtime.nvidia.copies import DeviceCopies

        context = open_device(arguments.ordinal)
        self._grid, self._arguments = grid, arguments
        self._copies = DeviceCopies(context, arguments.given)
        self._begin, self._end = context.event(), context.event()
        self._cold = context.allocate(_COLD_BYTES) if arguments.bytes < _COLD_BYTES else None

    def answer(self, candidate: Candidate) -> Sequence[Array]:
        """See `Timer`."""
        self._arguments.restore()
        self._copies.send()
        candidate.kernel[self._grid](*self._copies.arguments)
        self._copies.finish()
        return self._arguments.left()

    def seconds(self, candidate: Candidate) -> float:
        """Between two events around the launch, which the device comes to after the host has enqueued it."""
        launch = candidate.kernel[self._grid]
        if self._cold is not None:
            self._cold.fill(0)
        self._begin.record()
        launch(*self._copies.arguments)
        self._end.record()
        return max(self._end.milliseconds_since(self._begin) * 1e-3, _LEAST)
