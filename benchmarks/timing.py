"""Contestants timed in turn, round after round, so that load from elsewhere meets all of them alike."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter, process_time, thread_time
from typing import Final

from msgspec import Struct

from spread import Spread

FEWEST_ROUNDS: Final = 3
LONGEST_SETTLING: Final = 0.3
WINDOW: Final = 20e-3
_ASLEEP: Final = 0.05

Timer = Callable[[], float]
"""Runs a contestant and says how many seconds it took."""


class Timings(Struct, frozen=True):
    """Seconds of each contestant in each round."""

    rounds: Mapping[str, Sequence[float]]

    def seconds(self) -> dict[str, Spread]:
        """What each takes."""
        return {name: Spread.of(found) for name, found in self.rounds.items()}

    def ratios(self, name: str, over: str) -> Spread:
        """How many times as long `name` takes as `over`, within each round: what load disturbs least."""
        pairs = zip(self.rounds[name], self.rounds[over], strict=True)
        return Spread.of([slow / fast for slow, fast in pairs])

    def fastest(self, names: Iterable[str]) -> str:
        """Which of them has the lowest median."""
        return min(names, key=lambda name: Spread.of(self.rounds[name]).median)


def seconds(run: Callable[[], object], repeats: int = 1, clock: Timer = perf_counter) -> float:
    """What a call takes, on average of some."""
    start = clock()
    for _ in range(repeats):
        run()
    return (clock() - start) / repeats


def timers(runs: Mapping[str, Callable[[], object]], repeats: int = 1, clock: Timer = perf_counter) -> dict[str, Timer]:
    """Contestants that do not look at the clock themselves."""
    return {name: lambda run=run: seconds(run, repeats, clock) for name, run in runs.items()}


def repeated(run: Callable[[], object], rounds: int, clock: Timer = perf_counter) -> Spread:
    """The seconds of one contestant on its own."""
    return Spread.of([seconds(run, clock=clock) for _ in range(rounds)])


def in_turn(
    contestants: Mapping[str, Timer],
    rounds: int,
    *,
    limit: float = math.inf,
    threads: int = 1,
    warm: float = 0.0,
    order: random.Random | None = None,
) -> Timings:
    """Time all of them, round after round; no further round after `limit` seconds, once there are a few.

    Each round has an order of its own, drawn from `order`, so that none always runs behind the same other. Each runs
    untimed for `warm` seconds before: on a virtual machine a sleeping thread takes milliseconds to be given a core
    again, which is not what kernels are compared by.
    """
    order = order or random.Random()
    times: dict[str, list[float]] = {name: [] for name in contestants}
    began = perf_counter()
    for done in range(rounds):
        if done >= FEWEST_ROUNDS and perf_counter() - began > limit:
            break
        for name in order.sample(list(contestants), len(contestants)):
            _run_for(warm, contestants[name])
            times[name].append(contestants[name]())
            if threads > 1:
                settle()
    return Timings(times)


def _run_for(duration: float, timer: Timer) -> None:
    end = perf_counter() + duration
    while perf_counter() < end:
        timer()


def settle() -> None:
    """Wait until this process's other threads sleep: idle ones of OpenBLAS and OpenMP spin for up to 100 ms, on a core
    that whoever is next needs.

    This thread stays busy meanwhile, for a machine that sleeps is slow at first.
    """
    last = perf_counter() + LONGEST_SETTLING
    while perf_counter() < last:
        others, began = process_time() - thread_time(), perf_counter()
        while perf_counter() < began + WINDOW:
            pass
        if process_time() - thread_time() - others < _ASLEEP * WINDOW:
            return
