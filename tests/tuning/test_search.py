"""The search on played machines: schedules whose times are known, without a compiler and without a device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics import Report
from tilewright.diagnostics.source import UNKNOWN
from tilewright.ir.passes import InternalError
from tilewright.ir.schedules import Schedule, parse_line
from tilewright.machine.cuda.errors import DeviceFailed
from tilewright.runtime.errors import LaunchError
from tilewright.tuning.arguments import Array
from tilewright.tuning.search import Budget, DeviceLost, Found, Outcome, Search
from tilewright.tuning.timing import Candidate

NOTHING = tw.compile("func @k() {}", target="interpreter").k
MODEL = "lanes threads=128 spread=yes"


def seconds_of(line: str) -> float:
    """Few threads are best, and better still where nothing is spread."""
    schedule = parse_line(line)
    assert schedule.threads is not None
    return schedule.threads * (1e-6 if schedule.spread else 0.5e-6)


@dataclass
class Played:
    """A compiler and a timer. `refused`, `broken`, `alike`, `unlaunched`, `wrong` and `faulty` are
    lines that are so."""

    seconds: Callable[[str], float] = seconds_of
    refused: set[str] = field(default_factory=set[str])
    broken: set[str] = field(default_factory=set[str])
    alike: set[str] = field(default_factory=set[str])
    unlaunched: set[str] = field(default_factory=set[str])
    wrong: set[str] = field(default_factory=set[str])
    faulty: set[str] = field(default_factory=set[str])
    noise: Iterator[float] = field(default_factory=lambda: cycle([1.0]))
    timed: list[str] = field(default_factory=list[str])

    def candidate(self, schedule: str) -> Candidate:
        line = schedule or MODEL
        if line in self.refused:
            report = Report()
            report.error("T009", UNKNOWN, f"{line} does not fit")
            report.raise_if_errors()
        if line in self.broken:
            raise InternalError("pass choose failed")
        code = MODEL if line in self.alike else line
        return Candidate(NOTHING, line, code.encode())

    def moves(self, schedule: str) -> Iterable[Schedule]:
        threads = parse_line(schedule).threads or 0
        yield Schedule(threads=2 * threads)
        if threads > 32:
            yield Schedule(threads=threads // 2)
        yield Schedule(spread=not parse_line(schedule).spread)

    def answer(self, candidate: Candidate) -> Sequence[Array]:
        if candidate.schedule in self.unlaunched:
            raise LaunchError("too many registers")
        if candidate.schedule in self.faulty:
            raise DeviceFailed("cuCtxSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an address")
        return [np.full(3, 1.0 + (candidate.schedule in self.wrong), np.float32)]

    def seconds_(self, candidate: Candidate) -> float:
        self.timed.append(candidate.schedule)
        return self.seconds(candidate.schedule) * next(self.noise)

    def search(self, budget: Budget | None = None, clock: Callable[[], float] = lambda: 0.0) -> Found:
        return Search(self, _Timer(self), budget or Budget(), clock=clock).run()


@dataclass
class _Timer:
    played: Played

    def answer(self, candidate: Candidate) -> Sequence[Array]:
        return self.played.answer(candidate)

    def seconds(self, candidate: Candidate) -> float:
        return self.played.seconds_(candidate)


def outcomes(found: Found) -> dict[str, Outcome]:
    return {trial.schedule: trial.outcome for trial in found.trials}


def test_one_thing_after_another_leads_to_the_best() -> None:
    found = Played().search()
    assert (found.model, found.best) == (MODEL, "lanes threads=32 spread=no")
    assert found.model_seconds.median == pytest.approx(128e-6)
    assert found.best_seconds.median == pytest.approx(16e-6)
    assert found.gain.median == pytest.approx(8)
    assert not found.wrong
    assert [trial.schedule for trial in found.trials if trial.outcome is Outcome.BETTER] == [
        "lanes threads=64 spread=yes",
        "lanes threads=32 spread=yes",
        "lanes threads=32 spread=no",
    ]


def test_where_the_model_is_best_it_stays() -> None:
    found = Played(seconds=lambda line: 1e-6 if line == MODEL else 2e-6).search()
    assert (found.best, found.gain.median, found.best_seconds) == (MODEL, 1.0, found.model_seconds)
    assert set(outcomes(found).values()) == {Outcome.NOT_BETTER}


def test_what_does_not_fit_is_not_launched() -> None:
    far = "lanes threads=64 spread=yes"
    found = Played(refused={far}).search()
    assert outcomes(found)[far] is Outcome.REFUSED
    assert found.trials[1].reason == f"{far} does not fit"
    assert found.best == "lanes threads=32 spread=no"
    unlaunched = Played(unlaunched={far}).search()
    assert outcomes(unlaunched)[far] is Outcome.REFUSED
    assert unlaunched.best == found.best


def test_the_same_code_is_not_timed_again() -> None:
    same = "lanes threads=64 spread=yes"
    played = Played(alike={same})
    assert outcomes(played.search())[same] is Outcome.SAME_CODE
    assert same not in played.timed


def test_nothing_is_tried_twice() -> None:
    found = Played().search()
    assert len(outcomes(found)) == len(found.trials)


@pytest.mark.parametrize("wrong", ["lanes threads=32 spread=no", "lanes threads=64 spread=yes"])
def test_a_wrong_answer_is_told_and_never_taken(wrong: str) -> None:
    played = Played(wrong={wrong})
    found = played.search()
    assert found.best != wrong
    assert [trial.schedule for trial in found.wrong] == [wrong]
    assert "3 of 3 elements" in found.wrong[0].reason
    assert wrong not in played.timed


def test_a_failure_of_ours_is_told_and_the_search_goes_on() -> None:
    broken = "lanes threads=256 spread=yes"
    found = Played(broken={broken}).search()
    assert [(trial.schedule, trial.outcome) for trial in found.wrong] == [(broken, Outcome.FAILED)]
    assert found.best == "lanes threads=32 spread=no"


def test_a_fault_says_which_schedule_it_was() -> None:
    played = Played(faulty={"lanes threads=64 spread=yes"})
    with pytest.raises(
        DeviceLost, match=r"'lanes threads=64 spread=yes', which is tilewright's mistake: .* an address"
    ):
        played.search()


def test_noise_is_no_gain() -> None:
    """All take as long, give or take a fifth, by a sequence of no period that the search has."""
    noise = (0.8 + 0.4 * ((7 * k * k + 3 * k) % 101) / 100 for k in count())
    found = Played(seconds=lambda line: 1e-6, noise=noise).search()
    assert found.best == MODEL
    assert Outcome.BETTER not in outcomes(found).values()


def test_a_small_gain_is_seen_through_small_noise() -> None:
    noise = (1 + 0.01 * ((7 * k * k + 3 * k) % 101) / 100 for k in count())
    found = Played(seconds=lambda line: 1e-6 if "64" not in line else 0.95e-6, noise=noise).search()
    assert parse_line(found.best).threads == 64


def test_what_is_far_slower_is_left_after_one_launch() -> None:
    played = Played(seconds=lambda line: 1e-6 if line == MODEL else 1.0)
    played.search()
    slow = [line for line in played.timed if line != MODEL]
    assert len(slow) == len(set(slow))


def test_the_budget_ends_the_search() -> None:
    assert len(Played().search(Budget(trials=1)).trials) == 1
    ticks = count()
    found = Played().search(Budget(seconds=3), clock=lambda: float(next(ticks)))
    assert 1 <= len(found.trials) < 3
    assert Played().search(Budget(trials=1), clock=lambda: 0.0).best == MODEL


def test_whoever_asks_is_told_of_each_trial() -> None:
    told: list[tuple[str, float]] = []
    played = Played()
    found = Search(
        played, _Timer(played), Budget(trials=4), lambda trial, part: told.append((trial.schedule, part)), lambda: 0.0
    ).run()
    assert [line for line, _ in told] == [trial.schedule for trial in found.trials]
    assert [part for _, part in told] == [0.25, 0.5, 0.75, 1.0]
