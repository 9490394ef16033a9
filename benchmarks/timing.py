"""Contestants timed in turn, round after round, so that load from elsewhere meets all of them alike."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

FEWEST_ROUNDS: Final = 3
_SPIN: Final = 0.2

Timer = Callable[[], float]
"""Runs a contestant and says how many seconds it took."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of each contestant in each round."""

    rounds: Mapping[str, Sequence[float]]

    def best(self, unit: float = 1.0) -> dict[str, float]:
        """The fastest round of each, in parts of a second: `unit=1e3` for milliseconds."""
        return {name: min(found) * unit for name, found in self.rounds.items()}

    def median(self, unit: float = 1.0) -> dict[str, float]:
        """The median round of each."""
        return {name: statistics.median(found) * unit for name, found in self.rounds.items()}

    def ratio(self, name: str, over: str) -> float:
        """How many times as long `name` takes as `over`: the median of the ratios within a round."""
        pairs = zip(self.rounds[name], self.rounds[over], strict=True)
        return statistics.median(slow / fast for slow, fast in pairs)


def seconds(run: Callable[[], object], repeats: int = 1, clock: Timer = perf_counter) -> float:
    """What a call takes, on average of some."""
    start = clock()
    for _ in range(repeats):
        run()
    return (clock() - start) / repeats


def timers(runs: Mapping[str, Callable[[], object]], repeats: int = 1, clock: Timer = perf_counter) -> dict[str, Timer]:
    """Contestants that do not look at the clock themselves."""
    return {name: lambda run=run: seconds(run, repeats, clock) for name, run in runs.items()}


def in_turn(
    contestants: Mapping[str, Timer], rounds: int, *, limit: float = math.inf, threads: int = 1, warm: float = 0.0
) -> Timings:
    """Time all of them, round after round; no further round after `limit` seconds, once there are a few.

    Each runs untimed for `warm` seconds before: on a virtual machine a sleeping thread takes milliseconds to be given
    a core again, which is not what kernels are compared by.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    began = perf_counter()
    for done in range(rounds):
        if done >= FEWEST_ROUNDS and perf_counter() - began > limit:
            break
        for name, timer in contestants.items():
            _run_for(warm, timer)
            times[name].append(timer())
            _settle(threads)
    return Timings(times)


def _run_for(duration: float, timer: Timer) -> None:
    end = perf_counter() + duration
    while perf_counter() < end:
        timer()


def _settle(threads: int) -> None:
    """Let idle threads of OpenBLAS fall asleep: they spin for some 100 ms, on a core that whoever is next needs.

    This thread stays busy meanwhile, for a machine that sleeps is slow at first.
    """
    end = perf_counter() + (_SPIN if threads > 1 else 0.0)
    while perf_counter() < end:
        pass
