"""This tree against another: which sources are compared, how often each runs, what is timed."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

SOURCES = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def against(imported: Any) -> Any:
    return imported("against")


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_other_tree_is_as_it_was_committed(against: Any, tmp_path: Path) -> None:
    repository, folder = tmp_path / "repository", tmp_path / "unpacked"
    (repository / "src").mkdir(parents=True)
    folder.mkdir()
    (repository / "src" / "a.py").write_text("old")
    git(repository, "init")
    git(repository, "add", "src")
    git(repository, "commit", "-m", "first")
    (repository / "src" / "a.py").write_text("new")
    assert (against.unpack("HEAD", folder, repository) / "a.py").read_text() == "old"
    with pytest.raises(SystemExit, match="nowhere cannot be unpacked"):
        against.unpack("nowhere", folder, repository)
    assert (against.unpack(str(repository), tmp_path / "copied") / "a.py").read_text() == "new"


def environment_of(_command: Sequence[str], environment: Mapping[str, str]) -> Mapping[str, str]:
    """In place of a process: what it would be given."""
    return environment


def test_each_process_has_its_sources_and_its_cache(
    against: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "shared"))
    monkeypatch.setattr(against, "Child", environment_of)
    for name in ("a", "b"):
        environment = against.start(tmp_path / name / "src", tmp_path / name / "cache", threads=1)
        assert environment["TILEWRIGHT_CACHE_DIR"] == str(tmp_path / name / "cache")
        assert environment["PYTHONPATH"].startswith(str(tmp_path / name / "src"))


class Fake:
    """A process that remembers what it was asked."""

    def __init__(self, name: str, seconds: float, log: list[str]) -> None:
        self.name, self.seconds, self.log = name, seconds, log
        self.repeats: list[int] = []

    def ask(self, *request: object) -> None:
        assert request == ("prepare", "w")

    def answer(self) -> float:
        return self.seconds

    def asked(self, *request: Any) -> float:
        if request == ("wrong",):
            return 0.5 if self.name == "b" else 0.0
        assert request[0] == "run"
        self.log.append(self.name)
        self.repeats.append(request[1])
        return self.seconds


def test_all_run_as_often_in_every_round(against: Any) -> None:
    log: list[str] = []
    children = {"a": Fake("a", 1e-4, log), "b": Fake("b", 1e-3, log)}
    times, error = against.measure("w", children, 30, Random(2))
    assert times == {"a": [1e-4] * 30, "b": [1e-3] * 30}
    assert error == 0.5
    # as the slowest of them needs, and in changing orders
    assert {*children["a"].repeats, *children["b"].repeats} == {20}
    rounds = ["".join(log[k : k + 2]) for k in range(0, len(log), 2)]
    assert set(rounds) == {"ab", "ba"}


def test_processes_are_timed(against: Any) -> None:
    name = "batched gemm: f32 16x16x16"
    sources = {against.NOW: SOURCES, against.BEFORE: SOURCES, against.AGAIN: SOURCES}
    (case,) = against.compare(sources, [name], threads=1, pairs=1, rounds=2)
    assert (case.name, case.peer, case.wrong) == (name, against.BEFORE, False)
    assert {tree: spread.repeats for tree, spread in case.seconds.items()} == dict.fromkeys(sources, 2)
    assert name in against.line(case)
    assert set(against.summary([case])) == {"batched gemm, 1 threads", "all", "all, this tree against itself"}


def test_the_workloads_that_are_named_exist(against: Any, imported: Any) -> None:
    workloads = imported("workloads")
    names = [f"{work.area}: {work.name}" for work in workloads.workloads()]
    assert len(set(names)) == len(names)
    assert set(against.QUICK) <= set(names)
    assert {f"vectors: {name}" for name in workloads.VECTORS} <= set(names)
