"""Which tests rest: all but one of so many, others each time; none that is named, and none that a mutant needs."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from runs_of_tests import run_of
from turns import Turns, resting

TURNS = Turns(
    4,
    {"a::many": 2.0, **{f"a::small_{k}": 0.5 for k in range(8)}, "a::large": 7.0, "b::T::large": 8.0},
    {"a::some": 0.4},
)
TESTS = [
    *(f"a::many[{k}]" for k in range(9)),
    *(f"a::all[{k}]" for k in range(9)),
    *(f"a::some[{k}]" for k in range(9)),
    *(f"a::small_{k}" for k in range(8)),
    "a::large",
    "b::T::large",
    "b::alone",
]


def taken(seed: int, *wanted: str) -> list[str]:
    """What runs of these tests."""
    items = [cast("pytest.Item", SimpleNamespace(nodeid=name)) for name in TESTS]
    rest = {item.nodeid for item in resting(items, TURNS, random.Random(seed), lambda item: item.nodeid in wanted)}
    return [name for name in TESTS if name not in rest]


def test_one_of_so_many_runs(seed: int) -> None:
    """Of tests that take as long, and of the cases of one test."""
    found = taken(seed)
    assert sum(name.startswith("a::many") for name in found) == 3
    assert sum(name.startswith("a::all") for name in found) == 9
    assert sum(name.startswith("a::some") for name in found) == 4
    assert sum(name.startswith("a::small") for name in found) == 2
    assert sum(name.endswith("large") for name in found) == 1
    assert "b::alone" in found


def test_others_each_time(seed: int) -> None:
    # One that runs one time of four rests each time of two hundred: in one run of 10 ** 25.
    assert set[str]().union(*(taken(seed + k) for k in range(200))) == set(TESTS)


def test_what_is_wanted_runs(seed: int) -> None:
    wanted = [name for name in TESTS if "small" in name or "large" in name]
    assert set(wanted) < set(taken(seed, *wanted))


WRITTEN = """
import pytest

@pytest.mark.parametrize("k", range(8))
def test_many(k):
    pass

@pytest.mark.covering(1)
@pytest.mark.parametrize("k", range(8))
@pytest.mark.parametrize("j", range(8))
def test_covered(j, k):
    pass
"""
NAMES = ("test_some.py::test_many", "test_some.py::test_covered")
TABLE = "every = 4\n[seconds]\n" + "".join(f'"{name}" = 1.0\n' for name in NAMES) + "[shares]\n"


@pytest.mark.parametrize(
    ("options", "passed", "covered"),
    [
        (["-n2"], 4, "2 of 64"),
        (["--thorough"], 72, ""),
        ([*NAMES], 16, "8 of 64"),
        (["test_some.py::test_many[3]"], 1, ""),
    ],
)
def test_runs(tmp_path: Path, options: list[str], passed: int, covered: str) -> None:
    """Whole runs, and those of tests that are asked for."""
    (tmp_path / "turns.toml").write_text(TABLE)
    done = run_of(tmp_path, WRITTEN, options)
    assert f"{passed} passed" in done.stdout, done.stdout + done.stderr
    assert (f"{covered} test_some.py::test_covered" in done.stdout) == bool(covered)
    assert ("rest (tests/turns.toml)" in done.stdout) == (options == ["-n2"])
