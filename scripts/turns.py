"""Find the tests that take turns (tests/turns.py): expensive ones that notice no mistake alone.

    python scripts/turns.py try OUT.jsonl --jobs 12            every test file once, then every mutant, all failures
    python scripts/turns.py try OUT.jsonl --seconds 300        as many as begin in that time; again: those that are left
    python scripts/turns.py write OUT.jsonl                    tests/turns.toml from what was found

Mutants are those of `scripts/mutate.py`, in copies of the tree as there; each runs the tests that its list names. Tests
whose number of cases is promised and those of what is written never take turns. What no mutant was tried for stays too:
all tests that the lists name for mutants that were not tried.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from mutate import broken, copied_trees, environment
from mutate_list import ROOT, Mutant, mutants

EVERY: Final = 8
"""A usual run takes one of so many of them."""
LEAST: Final = 0.1
"""CPU seconds from which on a test takes turns."""
PRICE: Final = 0.7
"""A test that takes more CPU seconds than this for each mutant that only it notices takes turns too."""
MISSED: Final = 0.1
"""So often may the cases that are drawn of a test miss what its others notice."""
MOST: Final = 0.8
"""Where more of the cases are needed all run."""
ALWAYS: Final = (
    "tests/differential/test_old_language.py::test_the_upgraded_text_is_the_same_program",
    "tests/differential/test_random_kernels.py::test_targets_agree",
    "tests/differential/test_random_tile_ir.py::test_the_cpu_agrees_with_the_interpreter",
    "tests/differential/test_tile_ir_",
    "tests/docs/",
    "tests/scripts/test_levels_page.py",
    "tests/scripts/test_mutants.py::test_the_lists_fit_the_code",
    "tests/scripts/test_speed_table.py",
    "tests/scripts/test_stages_page.py",
    "tests/scripts/test_structure.py",
    "tests/scripts/test_turns.py",
)
"""Where names begin so, tests run each time."""
_HEAD: Final = """\
# Written by scripts/turns.py. `seconds`: tests that take turns, and the CPU seconds of all their cases.
# `shares`: of others, the share of their cases that a run takes.
"""


@dataclass
class Found:
    """What was tried: CPU seconds and number of cases by test; by mutant, how many cases of which tests notice it."""

    seconds: Counter[str] = field(default_factory=Counter[str])
    cases: Counter[str] = field(default_factory=Counter[str])
    noticed: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])


def run(tree: Path, tests: Sequence[str], limit: float) -> list[list[Any]]:
    """What tests did in a tree: name, whether it failed, seconds. One that took its process with it has failed."""
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        out = Path(folder) / "tests"
        out.touch()
        # pytest imports the plug-in before it knows where tests import from
        paths = os.pathsep.join([environment(tree)["PYTHONPATH"], str(tree / "tests"), str(ROOT / "scripts")])
        options = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "turns_plugin"]
        settings = {**environment(tree), "PYTHONPATH": paths, "TURNS_OUT": str(out), "TILEWRIGHT_RANDOM_SEED": "11"}
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=tree,
            env=settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        lines: list[list[Any]] = [json.loads(line) for line in out.read_text().splitlines()]
    rows = [line for line in lines if len(line) > 1]
    if lines and len(lines[-1]) == 1:
        rows.append([lines[-1][0], True, limit])
    return rows


def tried(tree: Path, what: str | Mutant, limit: float) -> dict[str, Any]:
    """The record of a file of tests, or of a mutant."""
    if isinstance(what, str):
        return {"file": what, "tests": [[name, seconds] for name, _, seconds in run(tree, [what], 10 * limit)]}
    with broken(what, tree):
        failed = [name for name, bad, _ in run(tree, what.tests, limit) if bad]
    return {"mutant": what.name, "noticed": failed}


def try_all(out: Path, jobs: int, limit: float, seconds: float) -> None:
    """Try what the file does not have yet, and add it there."""
    known = {next(iter(record.values())) for record in _records([out])} if out.exists() else set[str]()
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    left = [what for what in (*files, *mutants()) if (what if isinstance(what, str) else what.name) not in known]
    end = time.monotonic() + seconds

    def one(free: queue.SimpleQueue[Path], what: str | Mutant) -> dict[str, Any] | None:
        if time.monotonic() > end:
            return None
        tree = free.get()
        (tree / "tests" / "turns.toml").unlink(missing_ok=True)
        try:
            return tried(tree, what, limit)
        finally:
            free.put(tree)

    with copied_trees(jobs) as free, ThreadPoolExecutor(jobs) as pool, out.open("a") as file:
        for done in as_completed([pool.submit(one, free, what) for what in left]):
            if record := done.result():
                file.write(json.dumps(record) + "\n")
                file.flush()


def _records(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        yield from map(json.loads, file.read_text().splitlines())


def read(files: Sequence[Path]) -> Found:
    """What records say, by tests without their parameters."""
    found = Found()
    for record in _records(files):
        if "file" in record:
            for name, seconds in record["tests"]:
                found.seconds[_test(name)] += seconds
                found.cases[_test(name)] += 1
        else:
            found.noticed[record["mutant"]] = Counter(map(_test, record["noticed"]))
    return found


def _test(name: str) -> str:
    return name.partition("[")[0]


def unknown(found: Found, listed: Sequence[Mutant]) -> set[str]:
    """Tests, and files of tests, that the lists name for mutants that were not tried."""
    return {_test(test) for mutant in listed if mutant.name not in found.noticed for test in mutant.tests}


def needed(found: Found, listed: Sequence[Mutant]) -> set[str]:
    """The cheapest tests, nearly, by which all mutants are noticed that any test has noticed."""
    left = [set(tests) for tests in found.noticed.values() if tests]
    kept = unknown(found, listed).union(*(tests for tests in left if len(tests) == 1))
    while left := [tests for tests in left if not tests & kept]:
        notices = Counter(test for tests in left for test in tests)
        kept.add(max(notices, key=lambda test: notices[test] / max(found.seconds[test], LEAST / 5)))
    return kept


def alone(found: Found, kept: set[str]) -> dict[str, list[int]]:
    """For each test the mutants that no other of these notices, by how many of its cases do."""
    result = defaultdict[str, list[int]](list)
    for noticed in found.noticed.values():
        if len(by := noticed.keys() & kept) == 1:
            test = next(iter(by))
            result[test].append(noticed[test])
    return result


def worth(found: Found, listed: Sequence[Mutant]) -> set[str]:
    """Those of the needed tests that do not take very long for what only they notice."""
    kept = needed(found, listed)
    unsure, noticing = unknown(found, listed), alone(found, kept)
    dear = {test for test in kept if found.seconds[test] > PRICE * len(noticing.get(test, ()))}
    return kept - {test for test in dear if test not in unsure and found.seconds[test] >= LEAST}


def turns(found: Found, kept: set[str]) -> dict[str, float]:
    """Tests that take turns, and their seconds."""
    return {
        test: seconds
        for test, seconds in sorted(found.seconds.items())
        if seconds >= LEAST and not {test, test.partition("::")[0]} & kept and not test.startswith(ALWAYS)
    }


def shares(found: Found, listed: Sequence[Mutant], kept: set[str]) -> dict[str, float]:
    """Of tests that run each time, the share of cases by which what only they notice is noticed nine times of ten."""
    noticing = alone(found, kept)
    unsure = unknown(found, listed)
    result: dict[str, float] = {}
    for test in sorted(kept & found.seconds.keys()):
        if found.seconds[test] < 2 * LEAST or {test, test.partition("::")[0]} & unsure or test.startswith(ALWAYS):
            continue
        number = found.cases[test]
        share = math.ceil(100 * _enough(number, noticing.get(test, ())) / number) / 100
        if share <= MOST:
            result[test] = share
    return result


def _enough(number: int, noticing: Sequence[int]) -> int:
    """How many cases of that many are to be drawn so that each time one of those that notice is probably among them."""
    for drawn in range(math.ceil(number / EVERY), number):
        if all(math.comb(number - few, drawn) <= MISSED * math.comb(number, drawn) for few in noticing):
            return drawn
    return number


def write(files: Sequence[Path]) -> None:
    """Write tests/turns.toml."""
    found, listed = read(files), mutants()
    kept = worth(found, listed)
    seconds = [f'"{test}" = {value:.1f}\n' for test, value in turns(found, kept).items()]
    parts = [f'"{test}" = {value:.2f}\n' for test, value in shares(found, listed, kept).items()]
    text = "".join([_HEAD, f"every = {EVERY}\n\n[seconds]\n", *seconds, "\n[shares]\n", *parts])
    (ROOT / "tests" / "turns.toml").write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=["try", "write"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="seconds for the tests of a mutant")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after so long")
    given = parser.parse_args()
    if given.what == "try":
        try_all(given.files[0], given.jobs, given.limit, given.seconds)
    else:
        write(given.files)


if __name__ == "__main__":
    main()
