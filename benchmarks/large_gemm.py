"""One large square product against NumPy (OpenBLAS): `large_gemm.py [SIZE ...] [--threads 1 2] [--quick]`.

C := A B, row-major (for us: the transposes in reverse), on random data; both run in turn. The table shows the median
rates in GFLOP/s and how many times as fast ours is within a round, with quartiles. One process a thread count.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

import figures
import tilewright as tw
from children import rows_of_children
from comparison import OURS, Comparison, overall
from figures import Chart
from products import DTYPES, ERRORS, square_product
from timing import in_turn, timers

_WARM: Final = 0.03
_SECONDS: Final = 6.0


class Row(Struct, frozen=True):
    """One size of one type with a number of threads."""

    gigaflops: float
    case: Comparison

    def line(self) -> str:
        """One line of the table."""
        case = self.case
        rates = "  ".join(f"{name} {self.gigaflops / spread.median:6.1f}" for name, spread in case.seconds.items())
        return f"{case.name:10} {case.threads}T  {rates}  x{case.ratio}{'  WRONG' if case.wrong else ''}"


def measure(dtype: str, size: int, rounds: int, threads: int) -> Row:
    """Ours and NumPy's in turn."""
    kernel = tw.compile(square_product(dtype, size), target="cpu", cache=False).product[1]
    rng = np.random.default_rng()
    a, b = (rng.standard_normal((size, size)).astype(DTYPES[dtype]) for _ in range(2))
    c, expected = np.full_like(a, np.nan), np.empty_like(a)
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: kernel(b.T, a.T, c.T),
        "numpy": lambda: np.matmul(a, b, out=expected),
    }
    timings = in_turn(timers(runs), rounds, limit=_SECONDS, threads=threads, warm=_WARM)
    error = float(np.linalg.norm((c - expected).astype(np.float64)) / np.linalg.norm(expected.astype(np.float64)))
    case = Comparison.of(f"{dtype} {size}", timings, threads=threads, error=error, allowed=ERRORS[dtype])
    return Row(2.0 * size**3 / 1e9, case)


def _table(sizes: list[int], rounds: int, threads: int) -> list[Row]:
    rows: list[Row] = []
    for dtype in DTYPES:
        for size in sizes:
            rows.append(measure(dtype, size, rounds, threads))
            print(rows[-1].line(), file=sys.stderr, flush=True)
    return rows


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "large_gemm", rounds=15)
    parser.add_argument("sizes", type=int, nargs="*", default=[1024, 2048])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    sizes = [256] if options.quick else options.sizes
    if options.child is not None:
        print(msgspec.json.encode(_table(sizes, options.rounds, options.child)).decode())
        return 0
    rows = rows_of_children(__file__, [*map(str, sizes), "--rounds", str(options.rounds)], options.threads, Row)
    found = {
        f"{dtype}, {threads} threads, over NumPy": overall(
            [row.case for row in rows if row.case.threads == threads and row.case.name.startswith(dtype)]
        )
        for threads in options.threads
        for dtype in DTYPES
    }
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    chart = Chart("Square products: speed over NumPy's", bars, 1.0)
    figures.save(options.json, rows, found, chart)
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
