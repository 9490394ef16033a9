"""Collectives bound by memory against NumPy: `python benchmarks/vector_ops.py [WORD ...] [--threads 1 2]`.

Vectors of ten million elements, matrices of 4096x4096, column-major. Each row runs our kernel and every NumPy
formulation in turn; the table shows medians, the median over rounds of (best formulation / ours), the ratio of the
fastest rounds (steadier on a shared machine), and the floor: the bytes that must move over the bandwidth of
`peers/stream.c`. WORDs select rows whose name contains all of them.

One process a thread count, with OpenBLAS and tilewright both limited to it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import numpy as np

import figures
import tilewright as tw
from children import machine, rows_of_children
from peers.stream import Bandwidth, measure_bandwidth
from plot import plot
from timing import in_turn, timers
from vector_cases import ERRORS, Case, cases

_SECONDS: Final = 1.0


def measure(case: Case, rounds: int, bandwidth: Bandwidth, threads: int) -> dict[str, object]:
    """One row: milliseconds of ours and of each formulation, ratio, error, share of the floor."""
    kernel = tw.compile(case.text, target="cpu", cache=False).k[case.grid]
    expected = case.expected()
    kernel(*case.arguments)
    error = float(np.linalg.norm(case.result.astype(np.float64) - expected) / np.linalg.norm(expected))
    runs: dict[str, Callable[[], object]] = {"tilewright": lambda: kernel(*case.arguments), **case.peers}
    timings = in_turn(timers(runs), rounds, limit=_SECONDS, threads=threads)
    medians, fastest = timings.median(1e3), timings.best()
    best = min(case.peers, key=lambda name: medians[name])
    rate = {"read": bandwidth.read, "triad": bandwidth.triad, "update": bandwidth.update}[case.stream]
    floor = case.bytes / rate / 1e6
    return {
        "name": case.name,
        "machine": machine(),
        "milliseconds": medians,
        "best": best,
        "ratio": timings.ratio(best, "tilewright"),
        "ratio_of_best": fastest[best] / fastest["tilewright"],
        "floor_ms": floor,
        "error": error,
        "wrong": not error <= ERRORS[case.dtype],
    }


def table(threads: int, words: list[str], rounds: int) -> list[dict[str, object]]:
    """All rows at one thread count, printed as they come."""
    bandwidth = measure_bandwidth(threads)
    print(
        f"{threads} thread(s); GB/s: read {bandwidth.read:.1f}, c=ab {bandwidth.triad:.1f}, "
        f"y=sx+y {bandwidth.update:.1f}\n{'':34}{'ours':>8}{'numpy':>9}{'ratio':>7}{'(min)':>7}{'floor':>8}  ms",
        file=sys.stderr,
    )
    rows: list[dict[str, object]] = []
    for name, make in cases():
        if not all(word in name for word in words):
            continue
        row = {**measure(make(), rounds, bandwidth, threads), "threads": threads}
        times = cast("dict[str, float]", row["milliseconds"])
        numpy = times[str(row["best"])]
        note = "  WRONG" if row["wrong"] else ""
        print(
            f"{name:34}{times['tilewright']:8.2f}{numpy:9.2f}{row['ratio']:7.2f}{row['ratio_of_best']:7.2f}{row['floor_ms']:8.2f}"
            f"  {row['best']}{note}",
            file=sys.stderr,
            flush=True,
        )
        rows.append(row)
    return rows


def _save(rows: list[dict[str, object]], path: Path) -> None:
    """Keep the rows, in place of older ones of the same name and thread count, and draw all that is kept."""
    kept: list[dict[str, object]] = json.loads(path.read_text()) if path.exists() else []
    found = {(str(row["name"]), int(str(row["threads"]))): row for row in [*kept, *rows]}
    places = {name: place for place, (name, _) in enumerate(cases())}
    order = sorted((key for key in found if key[0] in places), key=lambda key: (key[1], places[key[0]]))
    figures.save(path, [found[key] for key in order])
    bars = [(f"{name}, {threads}T", float(str(found[name, threads]["ratio_of_best"]))) for name, threads in order]
    plot(path, "Long vectors, large matrices: best round over NumPy's", bars, 1.0, "x")


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "vector_ops")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(table(options.child, options.words, options.rounds)))
        return 0
    rows = rows_of_children(__file__, [*options.words, "--rounds", str(options.rounds)], options.threads)
    _save(rows, options.json)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
