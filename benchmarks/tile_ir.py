"""Tile IR kernels against NumPy and torch: `python benchmarks/tile_ir.py [--threads 1 2] [--only TEXT]`.

Ours and the peers run in turn, in one process, for `--seconds` a case. The table shows the best time of each in
milliseconds and their ratios (peer / ours), with the bar of issue 4 behind them: best times, since on a machine that
others use as well medians say more about those others. The JSON has the medians too. With one thread the clock is the
thread's processor time, for the same reason; with more it is the clock on the wall. What is measured stands in
`tile_ir_cases.py`, the kernels in `tile_ir_kernels.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass
from time import perf_counter, thread_time
from typing import Final

import numpy as np

import figures
from children import machine, rows_of_children
from plot import plot
from tile_ir_cases import Case, cases
from timing import in_turn, timers

_ERROR: Final = 1e-5


@dataclass(frozen=True, slots=True)
class Row:
    """Best times, ratios of them to the peers, their bars, medians, and the relative error."""

    name: str
    threads: int
    machine: str
    milliseconds: dict[str, float]
    ratio: dict[str, float]
    bars: dict[str, float]
    medians: dict[str, float]
    rounds: int
    error: float

    def line(self) -> str:
        """One line of the table."""
        times = "".join(f"{peer:>11} {value:8.2f}" for peer, value in self.milliseconds.items())
        ratios = "".join(f"   {value:5.2f}x {peer}{self._bar(peer)}" for peer, value in self.ratio.items())
        wrong = "" if self.error <= _ERROR else f"   WRONG: relative error {self.error}"
        return f"{self.name:28}{self.threads}T  ms:{times}{ratios}{wrong}"

    def _bar(self, peer: str) -> str:
        if peer not in self.bars:
            return ""
        return f" ({'ok' if self.ratio[peer] >= self.bars[peer] else 'BELOW'} {self.bars[peer]:g})"


def measure(name: str, case: Case, seconds: float, threads: int) -> Row:
    """Run ours and the peers in turn."""
    case.runs["tilewright"]()
    error = float(np.linalg.norm(case.result - case.expected) / np.linalg.norm(case.expected))
    runs = timers(case.runs, clock=thread_time if threads == 1 else perf_counter)
    timings = in_turn(runs, sys.maxsize, limit=seconds, threads=threads)
    best, rounds = timings.best(1e3), len(timings.rounds["tilewright"])
    ratio = {peer: value / best["tilewright"] for peer, value in best.items() if peer != "tilewright"}
    return Row(name, threads, machine(), best, ratio, case.bars, timings.median(1e3), rounds, error)


def _table(seconds: float, threads: int, only: str) -> list[Row]:
    rows: list[Row] = []
    for name, maker in cases():
        if only in name:
            rows.append(measure(name, maker(np.random.default_rng()), seconds, threads))
            print(rows[-1].line(), file=sys.stderr, flush=True)
    return rows


def _bars(rows: list[Row]) -> list[tuple[str, float]]:
    """How much of each bar is reached."""
    return [
        (f"{row.name}, {row.threads}T, {bar:g} x {peer}", row.ratio[peer] / bar)
        for row in rows
        for peer, bar in row.bars.items()
        if peer in row.ratio
    ]


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "tile_ir")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", default="", help="cases whose name has this text; nothing is written then")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps([asdict(row) for row in _table(options.seconds, options.child, options.only)]))
        return 0
    arguments = ["--seconds", str(options.seconds), "--only", options.only]
    found = rows_of_children(__file__, arguments, options.threads)
    rows = [Row(**row) for row in found]  # pyright: ignore[reportArgumentType]
    if not options.only:
        figures.save(options.json, found)
        plot(options.json, "Tile IR kernels: speed over the bars of issue 4", _bars(rows), 1.0, "x")
    return 1 if any(row.error > _ERROR for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
