"""Tile IR kernels against NumPy and torch: `python benchmarks/tile_ir.py [--threads 1 2] [--only TEXT] [--quick]`.

Ours and the peers run in turn, in one process, for `--seconds` a case; of torch all formulations that might be its
fastest (`torch_forms.py`), of which the table names the one that was. It shows medians over rounds: milliseconds, and
how many times as long each library's fastest formulation takes as ours within a round, with quartiles, and the bar of
issue 4 behind it. With one thread the clock is the thread's processor time, which load from elsewhere disturbs least;
with more it is the clock on the wall. What is measured stands in `tile_ir_cases.py`, the kernels in
`tile_ir_kernels.py`.
"""

from __future__ import annotations

import argparse
import os
import sys
from time import perf_counter, thread_time
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

import figures
from children import rows_of_children
from comparison import OURS, Comparison
from figures import Chart
from spread import Overall, Spread
from tile_ir_cases import Case, cases
from timing import in_turn, timers

_ERROR: Final = 1e-5
_QUICK: Final = ("softmax, 1024", "RMS norm, 1024", "silu mul, views")
_WARM: Final = 0.02
"""Seconds of work before each timed call of several threads, which are awake then (`timing.in_turn`)."""


class Row(Struct, frozen=True):
    """One case: the fastest formulation of each library, and how many times as fast ours should be."""

    case: Comparison
    fastest: dict[str, str]
    bars: dict[str, float]

    @property
    def ratios(self) -> dict[str, Spread]:
        """How many times as fast ours is as each library."""
        return {library: self.case.ratios[name] for library, name in self.fastest.items()}

    def line(self) -> str:
        """One line of the table."""
        found = self.case.seconds
        times = "".join(f"   {name} {found[name].median * 1e3:.2f}" for name in (OURS, *self.fastest.values()))
        ratios = "".join(
            f"   x{spread} {self.fastest[library]}{self._bar(library)}" for library, spread in self.ratios.items()
        )
        wrong = f"   WRONG: relative error {self.case.error}" if self.case.wrong else ""
        return f"{self.case.name:28}{self.case.threads}T{ratios}   ms:{times}{wrong}"

    def _bar(self, library: str) -> str:
        if library not in self.bars:
            return ""
        reached = self.ratios[library].median >= self.bars[library]
        return f" ({'ok' if reached else 'BELOW'} {self.bars[library]:g})"


def measure(name: str, case: Case, seconds: float, threads: int) -> Row:
    """Run ours and the peers in turn."""
    case.ours()
    forms = {"numpy": {"numpy": case.numpy}, "torch": case.torch()}
    # theirs too: what does not compute the same is no peer
    results = [case.result, *(np.asarray(run()).reshape(case.result.shape) for run in forms["torch"].values())]
    error = max(float(np.linalg.norm(found - case.expected) / np.linalg.norm(case.expected)) for found in results)
    runs = {OURS: case.ours} | {form: run for of_library in forms.values() for form, run in of_library.items()}
    clock = thread_time if threads == 1 else perf_counter
    warm = _WARM if threads > 1 else 0.0
    timings = in_turn(timers(runs, clock=clock), sys.maxsize, limit=seconds, threads=threads, warm=warm)
    fastest = {library: timings.fastest(of_library) for library, of_library in forms.items() if of_library}
    found = Comparison.of(name, timings, threads=threads, error=error, allowed=_ERROR)
    return Row(found, fastest, case.bars)


def _table(seconds: float, threads: int, only: str, *, quick: bool) -> list[Row]:
    rows: list[Row] = []
    for name, maker in cases():
        if only in name and (not quick or name in _QUICK):
            rows.append(measure(name, maker(np.random.default_rng()), seconds, threads))
            print(rows[-1].line(), file=sys.stderr, flush=True)
    return rows


def _overall(rows: list[Row]) -> dict[str, Overall]:
    """Of all shapes and styles of one kernel, by library and number of threads."""
    found: dict[str, dict[str, Spread]] = {}
    for row in rows:
        kernel = row.case.name.partition(",")[0]
        for library, spread in row.ratios.items():
            found.setdefault(f"{kernel}, {row.case.threads} threads, over {library}", {})[row.case.name] = spread
    return {what: Overall.of(ratios) for what, ratios in found.items()}


def _bars(rows: list[Row]) -> list[tuple[str, float]]:
    """How much of each bar is reached."""
    return [
        (f"{row.case.name}, {row.case.threads}T, {bar:g} x {library}", row.ratios[library].median / bar)
        for row in rows
        for library, bar in row.bars.items()
        if library in row.fastest
    ]


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "tile_ir")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=1.5, help="of each case (default: %(default)s)")
    parser.add_argument("--only", default="", help="cases whose name has this text; saved only where --json says")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    seconds = 0.1 if options.quick else options.seconds
    if options.child is not None:
        rows = _table(seconds, options.child, options.only, quick=options.quick)
        print(msgspec.json.encode(rows).decode())
        return 0
    arguments = ["--seconds", str(seconds), "--only", options.only, *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, options.threads, Row)
    found = _overall(rows)
    figures.tell(found)
    partly = options.only and options.json == figures.results("tile_ir")
    chart = Chart("Tile IR kernels: speed over the bars of issue 4", _bars(rows), 1.0)
    figures.save(None if partly else options.json, rows, found, chart)
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
