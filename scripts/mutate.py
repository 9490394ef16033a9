"""Run the tests against small semantic mistakes in the code, and print which folder's tests notice how many.

    scripts/mutate                      all mutants of scripts/mutants/*.toml, on two processes
    scripts/mutate --only transforms    those of one folder (or any part of a path or of a mutant's name)
    scripts/mutate --wider              survivors of the nearest tests meet the whole suite
    scripts/mutate --json out.json      every verdict, for the record

Each mutant is a text that stands in a file exactly once and what replaces it. It is tried in a copy of the tree: the
tests that the entry names first (the nearest), then the folder of the same name under tests and the differential tests,
and with `--wider` everything. A mutant is killed by a test that fails or by one that does not end (`--limit` seconds).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
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
        """The folder that the table counts it under: two levels for targets, one for the others."""
        parts = Path(self.file).relative_to("src/tilewright").parts[:-1]
        return "/".join(parts[:2] if parts[:1] == ("targets",) else parts[:1]) or "(top)"


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


def mutated(mutant: Mutant, text: str) -> str:
    """The file with the mistake in it. Raises ValueError unless the text stands there exactly once."""
    count = text.count(mutant.was)
    if count != 1:
        raise ValueError(f"{mutant.name}: its text stands {count} times in {mutant.file}, not once")
    return text.replace(mutant.was, mutant.becomes)


@contextmanager
def copied_tree() -> Generator[Path]:
    """A copy of what tests need, without caches."""
    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        tree = Path(name)
        for part in COPIED:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, tree / part, ignore=shutil.ignore_patterns("__pycache__", "results"))
            elif source.exists():
                shutil.copy(source, tree / part)
        yield tree


def stages(mutant: Mutant, wider: bool) -> list[list[str]]:
    """Tests in the order in which they are tried."""
    folder = "tests/" + Path(mutant.file).relative_to("src/tilewright").parts[0].removesuffix(".py")
    near = [folder] if (ROOT / folder).is_dir() else []
    found = [list(mutant.tests), [*near, "tests/differential"]]
    return [*found, ["tests"]] if wider else found


def tested(tree: Path, tests: Sequence[str], limit: float) -> bool:
    """Whether the tests pass in a tree."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "TILEWRIGHT_CACHE": "off",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def tried(mutant: Mutant, wider: bool, limit: float) -> Verdict:
    """Break a copy of the tree and run tests until one notices."""
    start = time.monotonic()
    with copied_tree() as tree:
        path = tree / mutant.file
        path.write_text(mutated(mutant, path.read_text()))
        for tests in stages(mutant, wider):
            if not tested(tree, tests, limit):
                return Verdict(mutant.name, mutant.room, True, " ".join(tests), time.monotonic() - start)
    return Verdict(mutant.name, mutant.room, False, "", time.monotonic() - start)


def table(verdicts: Sequence[Verdict], skipped: int) -> str:
    """Killed and tried by folder, then the survivors."""
    rooms = sorted({v.room for v in verdicts})
    lines = ["| folder | killed | of | % |", "|---|---|---|---|"]
    for room in [*rooms, "all"]:
        own = [v for v in verdicts if room in (v.room, "all")]
        killed = sum(v.killed for v in own)
        lines.append(f"| {room} | {killed} | {len(own)} | {100 * killed / len(own):.0f} |")
    survivors = [f"survived: {v.name} ({v.room})" for v in verdicts if not v.killed]
    return "\n".join([*lines, f"{skipped} equivalent mutants were not tried", *survivors])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of the path or of the name of the mutants to try")
    parser.add_argument("--wider", action="store_true", help="try survivors on the whole suite")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds for a run of tests; longer ones count as failed"
    )
    parser.add_argument("--json", type=Path, help="where to write every verdict")
    chosen = parser.parse_args()
    wanted = [m for m in mutants() if chosen.only in m.file or chosen.only in m.name]
    trying = [m for m in wanted if not m.equivalent]
    verdicts: list[Verdict] = []
    attempt = partial(tried, wider=chosen.wider, limit=chosen.limit)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for verdict in pool.map(attempt, trying):
            verdicts.append(verdict)
            word = f"killed by {verdict.by}" if verdict.killed else "SURVIVED"
            print(f"{verdict.seconds:6.1f} s  {verdict.name}: {word}", flush=True)
    if not verdicts:
        print("no mutant to try")
        return 2
    print(table(verdicts, len(wanted) - len(trying)))
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(v) for v in verdicts], indent=1) + "\n")
    return 1 if any(not v.killed for v in verdicts) else 0


if __name__ == "__main__":
    raise SystemExit(main())
