"""Run the tests against small semantic mistakes in the code, and print which folder's tests notice how many.

    scripts/mutate                      all mutants of scripts/mutants/*.toml, on two processes
    scripts/mutate --only transforms    those of one folder (or any part of a path or of a mutant's name)
    scripts/mutate --nearest            only the tests that the lists name
    scripts/mutate --wider              survivors of the nearest tests meet the whole suite
    scripts/mutate --json out.json      every verdict, for the record

Each mutant is a text that stands in a file exactly once and what replaces it. It is tried in a copy of the tree: the
tests that the entry names first (the nearest), then the folder of the same name under tests and the differential tests,
and with `--wider` everything. A mutant is killed by a test that fails or by one that does not end (`--limit` seconds).

Exit status: 0 if at least 85 % die of all and 75 % in each folder, 1 if fewer do, 2 if a mutant fits the code no longer
(its text or its file is gone: write it anew), none was chosen, or the tests fail without any.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "scripts" / "mutants"
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
BAR_OF_ALL: Final = 85
BAR_OF_A_FOLDER: Final = 75
"""Per cent of mutants that tests have to notice."""


_DEEP: Final = (("targets",), ("frontends",))


class Misfit(ValueError):
    """A mutant that cannot be made: its text does not stand in its file once, or what comes of it is no Python."""


class Unsound(Exception):
    """Tests fail already."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake: `was` stands in `file` once; `equivalent` says why no test could ever notice, where that is so."""

    name: str
    file: str
    was: str
    becomes: str
    tests: tuple[str, ...]
    equivalent: str = ""

    @property
    def room(self) -> str:
        """The folder that the table counts it under: two levels for targets and frontends, one for the others."""
        parts = Path(self.file).relative_to("src/tilewright").parts[:-1]
        return "/".join(parts[:2] if parts[:1] in _DEEP else parts[:1]) or "(top)"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant: `killed` by which tests, or nothing noticed."""

    name: str
    room: str
    killed: bool
    by: str
    seconds: float


def mutants() -> list[Mutant]:
    """All entries of all lists, in order."""
    found: list[Mutant] = []
    for path in sorted(FOLDER.glob("*.toml")):
        entries: list[dict[str, Any]] = tomllib.loads(path.read_text())["mutant"]
        found += [_entry(entry) for entry in entries]
    return found


def _entry(entry: Mapping[str, Any]) -> Mutant:
    name, file, was, becomes = (str(entry[key]) for key in ("name", "file", "was", "becomes"))
    return Mutant(name, file, was, becomes, tuple(map(str, entry["tests"])), str(entry.get("equivalent", "")))


def mutated(mutant: Mutant, root: Path = ROOT) -> str:
    """The file with the mistake in it. Raises Misfit, with where the text stands now, unless it is there once."""
    path = root / mutant.file
    text = path.read_text() if path.exists() else None
    count = 0 if text is None else text.count(mutant.was)
    if text is not None and count == 1:
        return text.replace(mutant.was, mutant.becomes)
    found = (
        f"there is no {mutant.file}" if text is None else f"its text stands {count} times in {mutant.file}, not once"
    )
    others = [str(other) for other in _holding(mutant.was, root) if str(other) != mutant.file]
    hint = f"; it stands in {', '.join(others)}" if others and count == 0 else ""
    raise Misfit(f"{mutant.name}: {found}{hint}")


def _holding(text: str, root: Path) -> Iterator[Path]:
    for path in sorted((root / "src").rglob("*.py")):
        if text in path.read_text():
            yield path.relative_to(root)


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


def tested(tree: Path, tests: Sequence[str], limit: float | None) -> bool:
    """Whether the tests pass in a tree, within `limit` seconds."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def tried(mutant: Mutant, tree: Path, reach: Reach, limit: float) -> Verdict:
    """Break a copy of the tree and run tests until one notices."""
    start = time.monotonic()
    check_syntax(mutant)
    with broken(mutant, tree):
        for tests in stages(mutant, reach):
            if not tested(tree, tests, limit):
                return Verdict(mutant.name, mutant.room, True, " ".join(tests), time.monotonic() - start)
    return Verdict(mutant.name, mutant.room, False, "", time.monotonic() - start)


def all_tried(trying: Sequence[Mutant], jobs: int, reach: Reach, limit: float) -> Iterator[Verdict]:
    """Verdicts in the order of the mutants, some at a time."""
    with copied_trees(jobs) as free, ThreadPoolExecutor(jobs) as pool:
        _assert_sound(free, sorted({test for mutant in trying for test in mutant.tests}))

        def attempt(mutant: Mutant) -> Verdict:
            tree = free.get()
            try:
                return tried(mutant, tree, reach, limit)
            finally:
                free.put(tree)

        yield from pool.map(attempt, trying)


def _assert_sound(free: queue.SimpleQueue[Path], tests: Sequence[str]) -> None:
    """Tests that fail on the code as it is say nothing about mutants."""
    tree = free.get()
    if not tested(tree, tests, None):
        raise Unsound("the tests that the lists name fail without any mutant")
    free.put(tree)


def share(verdicts: Sequence[Verdict]) -> float:
    """Per cent that were killed."""
    return 100 * sum(v.killed for v in verdicts) / len(verdicts)


def by_room(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Verdicts of each folder, in order of name."""
    return {room: [v for v in verdicts if v.room == room] for room in sorted({v.room for v in verdicts})}


def table(verdicts: Sequence[Verdict], skipped: int) -> str:
    """Killed and tried by folder, then the survivors."""
    lines = ["| folder | killed | of | % |", "|---|---|---|---|"]
    for room, own in [*by_room(verdicts).items(), ("all", list(verdicts))]:
        lines.append(f"| {room} | {sum(v.killed for v in own)} | {len(own)} | {share(own):.0f} |")
    survivors = [f"survived: {v.name} ({v.room})" for v in verdicts if not v.killed]
    return "\n".join([*lines, f"{skipped} equivalent mutants were not tried", *survivors])


def shortfalls(verdicts: Sequence[Verdict]) -> list[str]:
    """What is below the bar: all, and folders."""
    found = [f"all: {share(verdicts):.0f} % < {BAR_OF_ALL} %"] if share(verdicts) < BAR_OF_ALL else []
    low = [(room, share(own)) for room, own in by_room(verdicts).items() if share(own) < BAR_OF_A_FOLDER]
    return [*found, *(f"{room}: {percent:.0f} % < {BAR_OF_A_FOLDER} %" for room, percent in low)]


def misfits(chosen: Sequence[Mutant]) -> list[str]:
    """What cannot be made any longer, and why."""
    found: list[str] = []
    for mutant in chosen:
        try:
            mutated(mutant)
        except Misfit as error:
            found.append(str(error))
    return found


def check_syntax(mutant: Mutant) -> None:
    """Raises Misfit unless a test could meet the mistake: what is no Python fails everything."""
    try:
        ast.parse(mutated(mutant))
    except SyntaxError as error:
        raise Misfit(f"{mutant.name}: what it makes of {mutant.file} is no Python: {error}") from None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of the path or of the name of the mutants to try")
    reach = parser.add_mutually_exclusive_group()
    reach.add_argument("--nearest", action="store_const", const=Reach.NEAREST, dest="reach", help="only named tests")
    reach.add_argument(
        "--wider", action="store_const", const=Reach.EVERYTHING, dest="reach", help="the whole suite too"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--limit", type=float, default=120, help="seconds for a run of tests; longer ones count as failed"
    )
    parser.add_argument("--json", type=Path, help="where to write every verdict")
    parser.set_defaults(reach=Reach.FOLDER)
    chosen = parser.parse_args()
    wanted = [m for m in mutants() if chosen.only in m.file or chosen.only in m.name]
    unfit = misfits(wanted)
    if unfit or not wanted:
        print("\n".join(unfit) or "no mutant to try")
        return 2
    trying = [m for m in wanted if not m.equivalent]
    verdicts: list[Verdict] = []
    try:
        for verdict in all_tried(trying, chosen.jobs, chosen.reach, chosen.limit):
            verdicts.append(verdict)
            word = f"killed by {verdict.by}" if verdict.killed else "SURVIVED"
            print(f"{verdict.seconds:6.1f} s  {verdict.name}: {word}", flush=True)
    except (Misfit, Unsound) as error:
        print(error)
        return 2
    print(table(verdicts, len(wanted) - len(trying)))
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(v) for v in verdicts], indent=1) + "\n")
    low = shortfalls(verdicts)
    print("\n".join(f"below the bar: {line}" for line in low))
    return 1 if low else 0


if __name__ == "__main__":
    raise SystemExit(main())
