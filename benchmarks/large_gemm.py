"""One large square product against NumPy (OpenBLAS): `python benchmarks/large_gemm.py [SIZE ...] [--threads 1 2]`.

C := A B, row-major (for us: the transposes in reverse), on random data; both run in turn. The table shows the best rate
of each in GFLOP/s, the median over rounds of the ratio within a round, and the ratio of the best rounds. One process a
thread count.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import Final

import numpy as np

import figures
import tilewright as tw
from children import machine, rows_of_children
from plot import plot
from timing import in_turn, timers

_DTYPES: Final[dict[str, np.dtype[np.float32 | np.float64]]] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
_ERRORS: Final = {"f32": 1e-5, "f64": 1e-13}
_WARM: Final = 0.03


def _text(dtype: str, size: int) -> str:
    matrix = f"memref<{dtype}x{size}x{size}>"
    return f"""func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        %one = constant 1.0 : {dtype}
        %zero = constant 0.0 : {dtype}
        gemm %one, %A, %B, %zero, %C
    }}"""


def measure(dtype: str, size: int, rounds: int, threads: int) -> dict[str, object]:
    """Best rates, speed over NumPy, relative error."""
    kernel = tw.compile(_text(dtype, size), target="cpu", cache=False).k[1]
    rng = np.random.default_rng()
    a, b = (rng.standard_normal((size, size)).astype(_DTYPES[dtype]) for _ in range(2))
    c, expected = np.full_like(a, np.nan), np.empty_like(a)
    runs: dict[str, Callable[[], object]] = {
        "tilewright": lambda: kernel(b.T, a.T, c.T),
        "numpy": lambda: np.matmul(a, b, out=expected),
    }
    timings = in_turn(timers(runs), rounds, threads=threads, warm=_WARM)
    best = timings.best()
    flops = 2.0 * size**3 / 1e9
    error = float(np.linalg.norm((c - expected).astype(np.float64)) / np.linalg.norm(expected.astype(np.float64)))
    return {
        "dtype": dtype,
        "size": size,
        "threads": threads,
        "machine": machine(),
        "tilewright": flops / best["tilewright"],
        "numpy": flops / best["numpy"],
        "ratio": timings.ratio("numpy", "tilewright"),
        "ratio_of_best": best["numpy"] / best["tilewright"],
        "error": error,
        "wrong": not error <= _ERRORS[dtype],
    }


def _table(sizes: list[int], rounds: int, threads: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for dtype in _DTYPES:
        for size in sizes:
            row = measure(dtype, size, rounds, threads)
            rates = f"tilewright {row['tilewright']:6.1f}  numpy {row['numpy']:6.1f}  x{row['ratio']:.2f}"
            note = "  WRONG" if row["wrong"] else ""
            line = f"{dtype} {size:5} {threads}T  {rates}  (best rounds x{row['ratio_of_best']:.2f}){note}"
            print(line, file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "large_gemm")
    parser.add_argument("sizes", type=int, nargs="*", default=[1024, 2048, 4096])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(_table(options.sizes, options.rounds, options.child)))
        return 0
    arguments = [*map(str, options.sizes), "--rounds", str(options.rounds)]
    rows = rows_of_children(__file__, arguments, options.threads)
    figures.save(options.json, rows)
    bars = [(f"{r['dtype']} {r['size']}, {r['threads']}T", float(str(r["ratio"]))) for r in rows]
    plot(options.json, "Square products: median over rounds of the speed over NumPy's", bars, 1.0, "x")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
