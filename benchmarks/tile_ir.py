"""Tile IR kernels of examples/ against NumPy and torch: `python benchmarks/tile_ir.py [--threads 1 2]`.

Row softmax (4096 x 1024), one product of 1024, vector add (ten million elements), f32. Ours and the peers run in turn;
the table shows medians in milliseconds and the median over rounds of (peer / ours). torch is left out if missing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from children import machine, rows_of_children, settle
from plot import plot

_EXAMPLES: Final = Path(__file__).parents[1] / "examples"
_PATH: Final = Path(__file__).parent / "results" / "tile_ir.json"
_ROWS: Final = 4096
_LENGTH: Final = 10_000_000
_ERROR: Final = 1e-5

Runs = dict[str, Callable[[], object]]
Array = NDArray[np.float32]


def _compiled(name: str) -> Any:
    return getattr(tw.compile(_EXAMPLES / f"{name}.tileir", cache=False), name)


def _torch() -> Any:
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def softmax(rng: np.random.Generator) -> tuple[Runs, Array, Array]:
    """Runs, our result, the expected one."""
    x = rng.standard_normal((_ROWS, 1024), np.float32)
    y, out, kernel = np.full_like(x, np.nan), np.empty_like(x), _compiled("softmax")[_ROWS]

    def peer() -> Array:
        np.subtract(x, x.max(1, keepdims=True), out=out)
        np.exp(out, out=out)
        return np.divide(out, out.sum(1, keepdims=True), out=out)

    runs: Runs = {"tilewright": lambda: kernel(x, y, _ROWS), "numpy": peer}
    if (torch := _torch()) is not None:
        tensor = torch.from_numpy(x)
        runs["torch"] = lambda: torch.softmax(tensor, 1)
    return runs, y, peer().copy()


def matmul(rng: np.random.Generator) -> tuple[Runs, Array, Array]:
    """Runs, our result, the expected one."""
    a, b = (rng.standard_normal((1024, 1024), np.float32) for _ in range(2))
    c, out, kernel = np.full_like(a, np.nan), np.empty_like(a), _compiled("matmul")[16, 16]
    runs: Runs = {"tilewright": lambda: kernel(a, b, c), "numpy": lambda: np.matmul(a, b, out=out)}
    if (torch := _torch()) is not None:
        left, right, into = (torch.from_numpy(x) for x in (a, b, np.empty_like(a)))
        runs["torch"] = lambda: torch.matmul(left, right, out=into)
    return runs, c, a @ b


def vector_add(rng: np.random.Generator) -> tuple[Runs, Array, Array]:
    """Runs, our result, the expected one."""
    a, b = (rng.standard_normal(_LENGTH, np.float32) for _ in range(2))
    c, out, kernel = np.full_like(a, np.nan), np.empty_like(a), _compiled("vector_add")[-(-_LENGTH // 1024)]
    runs: Runs = {"tilewright": lambda: kernel(a, b, c, _LENGTH), "numpy": lambda: np.add(a, b, out=out)}
    if (torch := _torch()) is not None:
        left, right, into = (torch.from_numpy(x) for x in (a, b, np.empty_like(a)))
        runs["torch"] = lambda: torch.add(left, right, out=into)
    return runs, c, a + b


_CASES: Final = {"softmax": softmax, "matmul": matmul, "vector add": vector_add}


def measure(name: str, rounds: int, threads: int) -> dict[str, object]:
    """Medians, ratios and the relative error."""
    runs, result, expected = _CASES[name](np.random.default_rng())
    runs["tilewright"]()
    error = float(np.linalg.norm(result - expected) / np.linalg.norm(expected))
    times: dict[str, list[float]] = {peer: [] for peer in runs}
    for _ in range(rounds):
        for peer, run in runs.items():
            start = perf_counter()
            run()
            times[peer].append(perf_counter() - start)
            settle(threads)
    ours = times["tilewright"]
    return {
        "name": name,
        "threads": threads,
        "machine": machine(),
        "milliseconds": {peer: statistics.median(found) * 1e3 for peer, found in times.items()},
        "ratio": {
            peer: statistics.median(t / o for t, o in zip(found, ours, strict=True))
            for peer, found in times.items()
            if peer != "tilewright"
        },
        "error": error,
        "wrong": not error <= _ERROR,
    }


def _table(rounds: int, threads: int) -> list[dict[str, object]]:
    rows = [measure(name, rounds, threads) for name in _CASES]
    for row in rows:
        cells = "  ".join(f"{peer} {value:8.2f}" for peer, value in dict[str, float](row["milliseconds"]).items())  # type: ignore[call-overload]
        print(f"{row['name']:12}{row['threads']}T  ms: {cells}   ratios {row['ratio']}", file=sys.stderr, flush=True)
    return rows


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(_table(options.rounds, options.child)))
        return 0
    rows = rows_of_children(__file__, ["--rounds", str(options.rounds)], options.threads)
    _PATH.parent.mkdir(exist_ok=True)
    _PATH.write_text(json.dumps(rows, indent=1) + "\n")
    bars = [
        (f"{row['name']}, {row['threads']}T, {peer}", float(ratio))
        for row in rows
        for peer, ratio in dict[str, float](row["ratio"]).items()  # type: ignore[call-overload]
    ]
    plot(_PATH, "Tile IR kernels: speed over peers", bars, 1.0, "x")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
