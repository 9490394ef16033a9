"""The benchmarks' rounds: who runs when, and what is made of the times. No clock is asked but to stop."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, cast

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "timing.py"


class Timings(Protocol):
    rounds: Mapping[str, list[float]]

    def best(self, unit: float = 1.0) -> dict[str, float]: ...
    def median(self, unit: float = 1.0) -> dict[str, float]: ...
    def ratio(self, name: str, over: str) -> float: ...


class Timing(Protocol):
    FEWEST_ROUNDS: int

    def seconds(self, run: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float: ...
    def in_turn(
        self, contestants: Mapping[str, Callable[[], float]], rounds: int, *, limit: float = ..., warm: float = ...
    ) -> Timings: ...


@pytest.fixture(scope="module")
def timing() -> Timing:
    spec = importlib.util.spec_from_file_location("benchmark_timing", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return cast("Timing", module)


def test_contestants_run_in_turn(timing: Timing) -> None:
    calls: list[str] = []
    times = {"a": iter((1.0, 4.0, 2.0)), "b": iter((2.0, 4.0, 6.0))}

    def contestant(name: str) -> Callable[[], float]:
        def timer() -> float:
            calls.append(name)
            return next(times[name])

        return timer

    found = timing.in_turn({name: contestant(name) for name in times}, 3)
    assert calls == ["a", "b"] * 3
    assert found.best(1e3) == {"a": 1e3, "b": 2e3}
    assert found.median() == {"a": 2.0, "b": 4.0}
    # Within the rounds: 2, 1, 3.
    assert found.ratio("b", "a") == 2.0


def test_a_few_rounds_are_run_in_no_time(timing: Timing) -> None:
    found = timing.in_turn({"a": lambda: 1.0}, sys.maxsize, limit=0.0)
    assert len(found.rounds["a"]) == timing.FEWEST_ROUNDS


def test_what_a_contestant_runs_to_get_warm_does_not_count(timing: Timing) -> None:
    calls: list[float] = []

    def timer() -> float:
        calls.append(0.0)
        return float(len(calls))

    found = timing.in_turn({"a": timer}, timing.FEWEST_ROUNDS, warm=1e-4)
    assert len(found.rounds["a"]) == timing.FEWEST_ROUNDS < len(calls)
    assert found.rounds["a"][0] > 1.0


def test_seconds_are_those_of_one_call(timing: Timing) -> None:
    ticks = [0.0]

    def run() -> None:
        ticks[0] += 2.0

    assert timing.seconds(run, 5, lambda: ticks[0]) == 2.0
