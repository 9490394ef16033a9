"""Collectives bound by memory against NumPy: `python benchmarks/vector_ops.py [WORD ...] [--threads 1 2] [--quick]`.

Vectors of ten million elements, matrices of 4096x4096, column-major; thin transposes, sums along columns, complex
numbers (`shape_cases.py`). Each row runs our kernel, every NumPy formulation
and a plain stream that moves as many bytes (`peers/stream.c`) in turn; the table shows medians over rounds: how many
times as long the fastest formulation takes as ours within a round, with quartiles, the same of the stream, which is a
floor where it is below 1, and milliseconds. WORDs select rows whose name contains all of them.

One process a thread count, with OpenBLAS and tilewright both limited to it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from itertools import chain
from typing import Final

import msgspec
import numpy as np

import figures
import tilewright as tw
from children import rows_of_children
from comparison import OURS, Comparison, line, overall
from figures import Chart
from peers.stream import Streams
from shape_cases import shape_cases
from spread import Overall
from timing import in_turn, timers
from vector_cases import ERRORS, Case, cases

STREAM: Final = "stream"
_QUICK: Final = ("f32 sum vector", "f32 gemv.n b=0")
_WARM: Final = 0.02
"""Seconds of work before each timed call of several threads, which are awake then (`timing.in_turn`)."""


def measure(case: Case, seconds: float, streams: Streams, threads: int) -> Comparison:
    """Ours, each formulation and the stream in turn."""
    kernel = tw.compile(case.text, target="cpu", cache=False).k[case.grid]
    expected = case.expected()
    kernel(*case.arguments)
    difference = case.result.astype(np.result_type(case.result, np.float64)) - expected
    error = float(np.linalg.norm(difference) / np.linalg.norm(expected))
    runs: dict[str, Callable[[], object]] = {OURS: lambda: kernel(*case.arguments), **case.peers}
    runs[STREAM] = streams.stream(case.stream, case.bytes)
    warm = _WARM if threads > 1 else 0.0
    timings = in_turn(timers(runs), sys.maxsize, limit=seconds, threads=threads, warm=warm)
    return Comparison.of(case.name, timings, case.peers, threads=threads, error=error, allowed=ERRORS[case.dtype])


def table(threads: int, words: list[str], seconds: float, *, quick: bool) -> list[Comparison]:
    """All rows at one thread count, printed as they come."""
    streams = Streams(threads)
    rows: list[Comparison] = []
    for name, make in chain(cases(), shape_cases()):
        if all(word in name for word in words) and (not quick or name in _QUICK):
            rows.append(measure(make(), seconds, streams, threads))
            print(f"{line(rows[-1])}   stream x{rows[-1].ratios[STREAM]}", file=sys.stderr, flush=True)
    return rows


def summary(rows: list[Comparison]) -> dict[str, Overall]:
    """By number of threads, type and instruction, and of all."""
    groups: dict[str, list[Comparison]] = {}
    shapes = {name for name, _ in shape_cases()}
    for row in rows:
        dtype, instruction, *_ = row.name.split(" ")
        instruction = instruction.partition(".")[0]
        strided = ", strided" if "strided" in row.name else ""
        every = "shapes" if row.name in shapes else "all"
        for what in (f"{dtype} {instruction}{strided}", f"{dtype}, {every}"):
            groups.setdefault(f"{row.threads} threads, {what}", []).append(row)
    return {what: overall(of_group) for what, of_group in groups.items()}


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "vector_ops")
    parser.add_argument("words", nargs="*", help="with any, figures are saved only where --json says")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=0.7, help="of each row (default: %(default)s)")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    seconds = 0.0 if options.quick else options.seconds
    if options.child is not None:
        rows = table(options.child, options.words, seconds, quick=options.quick)
        print(msgspec.json.encode(rows).decode())
        return 0
    arguments = [*options.words, "--seconds", str(seconds), *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, options.threads, Comparison)
    found = summary(rows)
    figures.tell(found)
    partly = options.words and options.json == figures.results("vector_ops")
    chart = Chart(
        "Long vectors, large matrices: speed over NumPy's", [(row.label, row.ratio.median) for row in rows], 1.0
    )
    figures.save(None if partly else options.json, rows, found, chart)
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
