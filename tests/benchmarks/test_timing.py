"""The benchmarks' rounds: who runs when, and what is made of the times. No clock is asked but to stop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest


@pytest.fixture(scope="module")
def timing(imported: Any) -> Any:
    return imported("timing")


def test_each_runs_once_a_round(timing: Any) -> None:
    calls: list[str] = []
    times = {"a": iter((1.0, 4.0, 2.0)), "b": iter((2.0, 4.0, 6.0))}

    def contestant(name: str) -> Callable[[], float]:
        def timer() -> float:
            calls.append(name)
            return next(times[name])

        return timer

    found = timing.in_turn({name: contestant(name) for name in times}, 3)
    assert [set(calls[k : k + 2]) for k in (0, 2, 4)] == [{"a", "b"}] * 3
    assert {name: spread.median for name, spread in found.seconds().items()} == {"a": 2.0, "b": 4.0}
    # Within the rounds: 2, 1, 3.
    ratio = found.ratios("b", "a")
    assert (ratio.lowest, ratio.median, ratio.highest) == (1.0, 2.0, 3.0)
    assert found.fastest(["b", "a"]) == "a"


def test_one_slow_round_costs_nobody_the_first_place(timing: Any) -> None:
    found = timing.Timings({"often": [1.0, 1.0, 9.0], "never": [2.0, 2.0, 2.0], "once": [0.5, 3.0, 3.0]})
    assert found.fastest(["never", "once", "often"]) == "often"
    assert found.fastest(["once", "never"]) == "never"


def test_rounds_have_orders_of_their_own(timing: Any) -> None:
    orders: list[str] = []

    def contestant(name: str) -> Callable[[], float]:
        def timer() -> float:
            orders.append(name)
            return 1.0

        return timer

    timing.in_turn({name: contestant(name) for name in "abc"}, 40, order=Random(1))
    rounds = {"".join(orders[k : k + 3]) for k in range(0, len(orders), 3)}
    assert rounds == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_a_few_rounds_are_run_in_no_time(timing: Any) -> None:
    found = timing.in_turn({"a": lambda: 1.0}, sys.maxsize, limit=0.0)
    assert len(found.rounds["a"]) == timing.FEWEST_ROUNDS


def test_what_a_contestant_runs_to_get_warm_does_not_count(timing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock takes a quarter of that time, so there are three calls in it."""
    now, calls = [0.0], list[float]()

    def wall() -> float:
        now[0] += 0.25
        return now[0]

    def timer() -> float:
        calls.append(0.0)
        return float(len(calls))

    monkeypatch.setattr(timing, "perf_counter", wall)
    found = timing.in_turn({"a": timer}, timing.FEWEST_ROUNDS, warm=1.0)
    assert found.rounds["a"] == [4.0 * (1 + number) for number in range(timing.FEWEST_ROUNDS)]


def test_seconds_are_those_of_one_call(timing: Any) -> None:
    ticks = [0.0]

    def run() -> None:
        ticks[0] += 2.0

    assert timing.seconds(run, 5, lambda: ticks[0]) == 2.0
    assert timing.repeated(run, 4, lambda: ticks[0]).highest == 2.0


def test_nobody_begins_while_threads_of_the_one_before_spin(timing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two windows in which other threads use the processor, then one in which they sleep."""
    now, own, others = [0.0], [0.0], iter((0.0, 1e-3, 1e-3, 2e-3, 2e-3, 2e-3, 9.0))

    def wall() -> float:
        now[0] += timing.WINDOW / 4
        own[0] = now[0]
        return now[0]

    monkeypatch.setattr(timing, "perf_counter", wall)
    monkeypatch.setattr(timing, "thread_time", lambda: own[0])
    monkeypatch.setattr(timing, "process_time", lambda: own[0] + next(others))
    timing.settle()
    assert list(others) == [9.0]


def test_settling_ends_though_threads_never_sleep(timing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LONGEST_SETTLING", 0.02)
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            pass

    spinner = threading.Thread(target=spin)
    spinner.start()
    try:
        timing.settle()
    finally:
        stop.set()
        spinner.join()
