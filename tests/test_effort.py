"""How many cases a run takes, and what its end says of them."""

from __future__ import annotations

import math
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import tilewright as tw
from effort import THOROUGH, count, falls_short
from runs_of_tests import run_of
from tilewright.settings.config import current

TESTS = """
import pytest
from effort import count

@pytest.mark.parametrize("k", range(3))
def test_many(k, ran):
    ran(count("RANDOM_NUMBERS", 400, 1000), "numbers")

def test_wrong(ran):
    ran(5, "numbers")
    assert False

@pytest.fixture
def broken():
    raise LookupError("at the beginning")

@pytest.fixture
def breaking():
    yield
    raise LookupError("at the end")

def test_broken(broken):
    pass

def test_breaking(breaking):
    pass

@pytest.mark.skip(reason="no moon")
def test_left_out():
    pass

def test_left_out_later():
    pytest.skip("no moon")

@pytest.mark.covering(1)
@pytest.mark.parametrize("x", range(5))
@pytest.mark.parametrize("y", [*range(4), pytest.param(4, marks=pytest.mark.skip(reason="no sun"))])
def test_both(x, y):
    pass
"""


def test_what_is_compiled_is_kept_for_this_run_only() -> None:
    program = tw.compile("func @f(%x: memref<f32x?>) { }")
    folder = current().cache_dir
    assert folder is not None
    assert folder.name.startswith("tilewright-tests-")
    assert program.artifact.payload
    assert any(folder.rglob("*.twa"))


def test_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(THOROUGH, raising=False)
    assert count("RANDOM_THINGS", 3, 50) == 3
    monkeypatch.setenv(THOROUGH, "1")
    assert count("RANDOM_THINGS", 3, 50) == 50
    monkeypatch.setenv("TILEWRIGHT_RANDOM_THINGS", "7")
    assert count("RANDOM_THINGS", 3, 50) == 7


@pytest.mark.parametrize(("tried", "share", "least"), [(1, 0.5, 0), (20, 0.5, 0), (30, 0.5, 1), (300, 0.9, 235)])
def test_what_falls_short_is_what_chance_does_not_do(tried: int, share: float, least: int) -> None:
    """Against sums of exact fractions."""
    p = Fraction(str(share))
    below = [sum(math.comb(tried, k) * p**k * (1 - p) ** (tried - k) for k in range(n)) for n in (least, least + 1)]
    assert below[0] < Fraction(1, 10**9) <= below[1]
    assert [falls_short(n, tried, share) for n in range(least + 2)] == [True] * least + [False] * 2


ALL = "test_some.py::test_both"


@pytest.mark.parametrize(
    ("options", "shown", "passed"),
    [
        (["-n2"], ["1,200 numbers", f"5 of 20 {ALL}"], 9),
        (["--thorough"], ["3,000 numbers"], 24),
        ([*(f"{ALL}[{at}]" for at in ("3-2", "2-2", "3-3", "2-3")), "test_some.py::test_wrong"], [f"4 of 4 {ALL}"], 4),
    ],
)
def test_the_end_of_a_run(tmp_path: Path, options: list[str], shown: list[str], passed: int) -> None:
    """Of what has passed, here and in the processes that a run is distributed to."""
    done = run_of(tmp_path, TESTS, options)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert set(shown) <= set(lines), done.stdout
    assert any(line.startswith(f"1 failed, {passed} passed") for line in lines), done.stdout
    if passed > 4:
        assert {"2 no moon", "5 no sun"} <= set(lines)
        assert re.search("E +LookupError: at the beginning", done.stdout)
        assert re.search("E +LookupError: at the end", done.stdout)
        assert ", 2 errors in " in done.stdout


FAILING = """
import pathlib
import pytest

@pytest.mark.covering(1)
@pytest.mark.parametrize("x", range(5))
@pytest.mark.parametrize("y", range(4))
def test_both(x, y):
    assert pathlib.Path("mended").exists()
"""


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all combinations have failed once."""
    folder = tmp_path_factory.mktemp("failed")
    done = run_of(folder, FAILING, ["--thorough"])
    assert "20 failed" in done.stdout, done.stdout + done.stderr
    (folder / "mended").touch()
    return folder


@pytest.mark.covering(1)
@pytest.mark.parametrize(("option", "distributed"), [("--lf", True), ("--lf", False), ("--ff", False), ("--sw", False)])
def test_what_failed_runs_again(failed: Path, tmp_path: Path, option: str, distributed: bool) -> None:
    """Other combinations are drawn each time: those that failed are among them though."""
    shutil.copytree(failed, tmp_path / "again")
    again = run_of(tmp_path / "again", FAILING, [option, *(["-n2"] if distributed else []), "test_some.py"])
    assert "20 passed" in again.stdout, again.stdout + again.stderr
