"""Run the tests against small semantic mistakes in the code, and print which folder's tests notice how many.

    scripts/mutate                      all mutants of scripts/mutants/*.toml, on two processes
    scripts/mutate --only transforms    those of one folder (or any part of a path or of a mutant's name)
    scripts/mutate --nearest            only the tests that the lists name
    scripts/mutate --wider              survivors of the nearest tests meet the whole suite
    scripts/mutate --part 2/3           the second third of the list, for runs of limited length
    scripts/mutate --json out.json      every verdict as soon as it is there, for the record
    scripts/mutate --known a.json b.json    not those that died in earlier runs, unless they or their tests are others
    scripts/mutate --table --known a.json   no mutant: the table of what is known

Each mutant is a text that stands in a file exactly once and what replaces it. It is tried in a copy of the tree: the
tests that the entry names first (the nearest), then the folder of the same name under tests and the differential tests,
and with `--wider` everything. Before, the same tests run once on the code as it is. A mutant is killed by a test that
fails or by one that does not end (within `--limit` seconds or four times as long as without it, whichever is more).
Neither git nor a virtual environment is needed: `python scripts/mutate.py` takes the packages of that Python and of
PYTHONPATH, and pytest without its plugins.

Exit status: 0 if at least 85 % die of all and 75 % in each folder, 1 if fewer do, 2 if a mutant fits the code no longer
(its text or its file is gone: write it anew), none was chosen, a package is missing, or tests fail without any mutant;
those that such tests should notice are not tried, all others are.
"""

from __future__ import annotations

import argparse
import compileall
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from threading import Lock
from typing import Final

from mutate_list import ROOT, Misfit, Mutant, Part, check_syntax, in_order, misfits, mutants, mutated, part
from mutate_verdicts import Verdict, read_verdicts, summary, write_verdicts

COPIED: Final = (
    "src",
    "tests",
    "examples",
    "benchmarks",
    "scripts",
    "docs",
    "pyproject.toml",
    "README.md",
    "CONTRIBUTING.md",
)
_NEEDED: Final = ("pytest", "hypothesis", "numpy", "llvmlite", "msgspec", "platformdirs")
"""Without these no test runs."""
_ENDLESS: Final = "did not end"
_SLOWER: Final = 4
"""So many times as long may tests take with a mistake in the code, which is long enough beside others."""
_SHOWN_LINES: Final = 12


@dataclass(frozen=True, slots=True)
class Run:
    """What became of tests; `failure` is the end of what they printed, empty if they passed."""

    failure: str
    seconds: float


@contextmanager
def copied_trees(count: int) -> Generator[queue.SimpleQueue[Path]]:
    """Copies of what tests need, compiled, one for each mutant that is tried at the same time."""
    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        first = Path(name) / "0"
        for part in COPIED:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, first / part, ignore=shutil.ignore_patterns("__pycache__", "results"))
            elif source.exists():
                first.mkdir(exist_ok=True)
                shutil.copy2(source, first / part)
        compileall.compile_dir(first / "src", quiet=1)
        free.put(first)
        for number in range(1, count):
            free.put(shutil.copytree(first, Path(name) / str(number)))
        yield free


@contextmanager
def broken(mutant: Mutant, tree: Path) -> Generator[None]:
    """The mistake in a copy of the tree for a while. Compiled code is removed: it could be as old and as long."""
    path = tree / mutant.file
    whole, text = path.read_text(), mutated(mutant, tree)
    try:
        _write(path, text)
        yield
    finally:
        _write(path, whole)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


class Reach(Enum):
    """How far a mutant is taken before it has survived."""

    NEAREST = "nearest"
    FOLDER = "folder"
    EVERYTHING = "everything"


def stages(mutant: Mutant, reach: Reach) -> list[list[str]]:
    """Tests in the order in which they are tried."""
    found = [list(mutant.tests)]
    if reach is not Reach.NEAREST:
        folder = "tests/" + Path(mutant.file).relative_to("src/tilewright").parts[0].removesuffix(".py")
        near = [folder] if (ROOT / folder).is_dir() else []
        found.append([*near, "tests/differential"])
    if reach is Reach.EVERYTHING:
        found.append(["tests"])
    return found


def environment(tree: Path) -> dict[str, str]:
    """That of tests in a tree: its source in place of this one's, and pytest without plugins, which may be missing."""
    paths = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    others = [part for part in paths if Path(part).resolve() not in (ROOT / "src", ROOT / "tests")]
    found = os.pathsep.join([str(tree / "src"), *others])
    return {**os.environ, "PYTHONPATH": found, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def tested(tree: Path, tests: Sequence[str], limit: float | None) -> Run:
    """Run tests in a tree, for `limit` seconds at most."""
    start = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment(tree), capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return Run(_ENDLESS, time.monotonic() - start)
    said = [*done.stdout.splitlines(), *done.stderr.splitlines()][-_SHOWN_LINES:]
    failure = "\n".join([f"exit status {done.returncode}", *said]) if done.returncode else ""
    return Run(failure, time.monotonic() - start)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What tests say of the code as it is, asked once of each when a mutant first needs it."""

    _guard: Lock = field(default_factory=Lock)
    _locks: dict[str, Lock] = field(default_factory=dict[str, Lock])
    _runs: dict[str, Run] = field(default_factory=dict[str, Run])

    def of(self, tests: Sequence[str], tree: Path) -> Run:
        """The first failure among tests and the seconds of all; `tree` is whole."""
        runs = {test: self._one(test, tree) for test in tests}
        failures = [f"{test}: {run.failure}" for test, run in runs.items() if run.failure]
        return Run(failures[0] if failures else "", sum(run.seconds for run in runs.values()))

    def _one(self, test: str, tree: Path) -> Run:
        with self._guard:
            lock = self._locks.setdefault(test, Lock())
        with lock:
            if test not in self._runs:
                self._runs[test] = tested(tree, [test], None)
            return self._runs[test]


def tried(mutant: Mutant, tree: Path, reach: Reach, limit: float, baseline: Baseline) -> Verdict:
    """Break a copy of the tree and run tests until one notices."""
    start = time.monotonic()
    check_syntax(mutant, tree)

    def verdict(by: str = "", unsound: str = "") -> Verdict:
        seconds = round(time.monotonic() - start, 1)
        return Verdict(mutant.name, mutant.room, bool(by), seconds, by, unsound, mutant.digest)

    for tests in stages(mutant, reach):
        whole = baseline.of(tests, tree)
        if whole.failure:
            return verdict(unsound=whole.failure)
        with broken(mutant, tree):
            run = tested(tree, tests, max(limit, _SLOWER * whole.seconds))
        if run.failure:
            return verdict(" ".join(tests) + (f", which {_ENDLESS}" if run.failure == _ENDLESS else ""))
    return verdict()


def all_tried(trying: Sequence[Mutant], jobs: int, reach: Reach, limit: float) -> Iterator[Verdict]:
    """Verdicts as they come, of some mutants at a time."""
    if not trying:
        return
    baseline = Baseline()
    with copied_trees(jobs) as free, ThreadPoolExecutor(jobs) as pool:

        def attempt(mutant: Mutant) -> Verdict:
            tree = free.get()
            try:
                return tried(mutant, tree, reach, limit, baseline)
            finally:
                free.put(tree)

        for done in as_completed([pool.submit(attempt, mutant) for mutant in trying]):
            yield done.result()


def parsed() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of the path or of the name of the mutants to try")
    reach = parser.add_mutually_exclusive_group()
    reach.add_argument("--nearest", action="store_const", const=Reach.NEAREST, dest="reach", help="only named tests")
    reach.add_argument(
        "--wider", action="store_const", const=Reach.EVERYTHING, dest="reach", help="the whole suite too"
    )
    parser.add_argument("--part", type=part, default=Part(), help="K/N: the K-th of N parts of these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--limit", type=float, default=120, help="seconds for a run of tests; longer ones count as failed"
    )
    parser.add_argument("--known", type=Path, nargs="+", default=[], help="verdicts of earlier runs: the dead rest")
    parser.add_argument("--json", type=Path, help="where to write every verdict, the known ones too")
    parser.add_argument("--table", action="store_true", help="try none, print the table of the known")
    parser.set_defaults(reach=Reach.FOLDER)
    return parser.parse_args()


def main() -> int:
    chosen = parsed()
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing and not chosen.table:
        print(f"no test runs without {', '.join(missing)}: install tilewright[dev], or put them on PYTHONPATH")
        return 2
    every = mutants()
    wanted = [m for m in every if chosen.only in m.file or chosen.only in m.name]
    unfit = misfits(wanted)
    if unfit or not wanted:
        print("\n".join(unfit) or "no mutant to try")
        return 2
    fitting = {m.name: m.digest for m in every}
    verdicts = {v.name: v for v in read_verdicts(chosen.known) if fitting.get(v.name) == v.digest}
    left = [m for m in wanted if not m.equivalent and not (m.name in verdicts and verdicts[m.name].killed)]
    taken: Part = chosen.part
    trying = [] if chosen.table else taken.of(in_order(left))
    try:
        for verdict in all_tried(trying, chosen.jobs, chosen.reach, chosen.limit):
            verdicts[verdict.name] = verdict
            print(verdict, flush=True)
            if chosen.json:
                write_verdicts(list(verdicts.values()), chosen.json)
    except Misfit as error:
        print(error)
        return 2
    if chosen.json:
        write_verdicts(list(verdicts.values()), chosen.json)
    asked = [verdicts[m.name] for m in wanted if m.name in verdicts]
    untried = sum(m.name not in verdicts for m in left)
    text, status = summary(asked, sum(bool(m.equivalent) for m in wanted), untried)
    print(text)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
