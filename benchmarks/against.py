"""This tree against another commit: `python benchmarks/against.py REVISION [--only TEXT] [--threads 1 2] [--quick]`.

Both run the same workloads (`workloads.py`) in processes of their own, in turn, round after round: this tree as it lies
there, `REVISION` (a commit, or a folder that holds the `src` of one, for machines without the repository) from a
temporary folder, and this tree once more, since what two processes of one tree differ by is what a difference has to be
larger than. Each has a cache of compiled kernels to itself: the names of kernels in it do not tell by which sources
they were compiled. `--pairs` says how often all processes are started anew: where a process's code and data lie stays
the same as long as it lives, and makes a difference of its own. The table shows medians over all rounds, with
quartiles: how many times as fast this tree is as the other, lowest first, beside the same ratio of this tree to itself.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import figures
from children import Child, limited
from comparison import Comparison, overall
from figures import Chart
from spread import Overall
from timing import Timings
from workloads import Workload, workloads

NOW: Final = "now"
AGAIN: Final = "now, again"
BEFORE: Final = "before"
_ROOT: Final = Path(__file__).parent.parent
_TURN: Final = 0.02
QUICK: Final = ("batched gemm: f32 16x16x16", "launch: three arrays, empty grid", "compile: sample kernel")


def unpack(revision: str, folder: Path, root: Path = _ROOT) -> Path:
    """The sources of a commit, in the folder, or those of the folder that it names; SystemExit if there are none."""
    if (Path(revision) / "src").is_dir():
        return shutil.copytree(Path(revision) / "src", folder / "src")
    done = subprocess.run(["git", "archive", revision, "src"], cwd=root, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{revision} cannot be unpacked: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        # Python before 3.11.4 knows no filters.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
        archive.extractall(folder)
    return folder / "src"


def start(source: Path, cache: Path, threads: int) -> Child:
    """A process that runs workloads on the package in `source`, with kernels that it has compiled itself."""
    inherited = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join(filter(None, [str(source), str(Path(__file__).parent), inherited]))
    environment = {**limited(threads), "PYTHONPATH": path, "TILEWRIGHT_CACHE_DIR": str(cache)}
    return Child([sys.executable, "-c", "import workloads; workloads.serve_all()"], environment)


def measure(name: str, children: dict[str, Child], rounds: int, order: Random) -> tuple[dict[str, list[float]], float]:
    """Seconds of each in each round, and the worst of the errors that are too large, 0 if none is."""
    for child in children.values():
        child.ask("prepare", name)
    # what all start with at once is not measured, but tells how often to repeat
    repeats = max(1, int(_TURN / max(child.answer() for child in children.values())))
    times: dict[str, list[float]] = {tree: [] for tree in children}
    for _ in range(rounds):
        for tree in order.sample(list(children), len(children)):
            times[tree].append(children[tree].asked("run", repeats))
    return times, max(child.asked("wrong") for child in children.values())


def compare(
    sources: dict[str, Path], names: Iterable[str], threads: int, pairs: int, rounds: int
) -> Iterator[Comparison]:
    """All workloads with a number of threads, each as soon as it is done for the last time."""
    times: dict[str, dict[str, list[float]]] = {name: {tree: [] for tree in sources} for name in names}
    errors = dict.fromkeys(times, 0.0)
    order = Random()
    for pair in range(pairs):
        print(f"{threads} threads, processes {pair + 1} of {pairs}", file=sys.stderr, flush=True)
        with ExitStack() as stack:
            caches = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            children = {
                tree: stack.enter_context(start(source, caches / tree, threads)) for tree, source in sources.items()
            }
            for name, found in times.items():
                new, error = measure(name, children, rounds, order)
                errors[name] = max(errors[name], error)
                for tree, seconds in new.items():
                    found[tree] += seconds
                if pair == pairs - 1:
                    yield Comparison.of(name, Timings(found), [BEFORE], ours=NOW, threads=threads, error=errors[name])


def line(case: Comparison) -> str:
    """One line of the table."""
    spread = case.seconds[NOW].scaled(1e3)
    wrong = f"  WRONG: relative error {case.error:.1e}" if case.wrong else ""
    return f"{case.label:52} x{case.ratio!s:<20} itself x{case.ratios[AGAIN]!s:<20} {spread.median:10.4f} ms{wrong}"


def summary(cases: list[Comparison]) -> dict[str, Overall]:
    """By area and number of threads, and of all: the other tree's time over this one's; this one's over itself."""
    groups: dict[str, list[Comparison]] = {}
    for case in cases:
        area = case.name.partition(":")[0]
        for what in (f"{area}, {case.threads} threads", "all"):
            groups.setdefault(what, []).append(case)
    found = {what: overall(of_group) for what, of_group in groups.items()}
    return {**found, "all, this tree against itself": overall(cases, AGAIN)}


def _wanted(work: Workload, threads: int, only: str, *, quick: bool) -> bool:
    name = f"{work.area}: {work.name}"
    return only in name and (threads == 1 or work.parallel) and (not quick or name in QUICK)


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "against", rounds=5)
    parser.add_argument("revision", help="a commit, by any name that git knows, or a folder with its src")
    parser.add_argument("--only", default="", help="workloads whose name has this text, as `tile ir: softmax` has")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--pairs", type=int, default=3, help="how often processes are started (default: %(default)s)")
    options = figures.parsed(parser)
    cases: list[Comparison] = []
    with tempfile.TemporaryDirectory() as folder:
        before = unpack(options.revision, Path(folder))
        sources = {NOW: _ROOT / "src", BEFORE: before, AGAIN: _ROOT / "src"}
        for threads in dict.fromkeys(options.threads):
            found = [work for work in workloads() if _wanted(work, threads, options.only, quick=options.quick)]
            names = [f"{work.area}: {work.name}" for work in found]
            if names:
                pairs = 1 if options.quick else options.pairs
                for case in compare(sources, names, threads, pairs, options.rounds):
                    print(line(case), file=sys.stderr, flush=True)
                    cases.append(case)
    if not cases:
        parser.error(f"no workload has {options.only!r} in its name")
    cases.sort(key=lambda case: case.ratio.median)
    for case in cases:
        print(line(case))
    totals = summary(cases)
    figures.tell(totals)
    bars = [(case.label, case.ratio.median) for case in cases]
    figures.save(options.json, cases, totals, Chart(f"Speed over that of {options.revision}", bars, 1.0))
    return 1 if any(case.wrong for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
