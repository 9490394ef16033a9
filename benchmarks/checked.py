"""What checks of every access cost on the CPU: `python benchmarks/checked.py [--threads 1] [--json]`.

Kernels compiled with `checked=True` against the same without, in turn in one process, on the same arrays: those of
`examples/`, and one whose work-items look up a table, where each index is tested by itself. The bar is 3 times the time
on the sample kernel and softmax. Prints a table and saves it and a plot.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import figures
import tilewright as tw
from plot import plot
from timing import in_turn, timers

_EXAMPLES: Final = Path(__file__).parent.parent / "examples"
_BAR: Final = 3.0
_BARRED: Final = ("sample kernel, in cache", "sample kernel, from memory", "softmax")
_SECONDS: Final = 0.02

_LOOK_UP: Final = """
func @look_up(%indices: memref<i64x?>, %table: memref<f32x?>, %out: memref<f32x?>) {
    %zero = constant 0 : index
    %n = size %out[0] : index
    foreach (%i)=(%zero),(%n) {
        %k = load %indices[%i] : i64
        %at = cast %k : index
        %x = load %table[%at] : f32
        store %x, %out[%i]
    }
}
"""

Launch = Callable[[tw.Program], Callable[[], None]]


def _random(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def _sample(batch: int) -> Launch:
    a, b, c, d = _random(batch, 8, 16), _random(8, 8), _random(16, 8), _random(batch, 16, 16)
    arguments = (b.T, c.T, d.transpose(2, 1, 0))
    return lambda program: partial(program.fused_kernel[batch], np.float32(0.5), tw.PointerArray.of(a), *arguments)


def _softmax(rows: int) -> Launch:
    x = _random(rows, 1024)
    y = np.empty_like(x)
    return lambda program: partial(program.softmax[rows], x, y, rows)


def _vector_add(count: int) -> Launch:
    x, y = _random(count), _random(count)
    z = np.empty_like(x)
    return lambda program: partial(program.vector_add[-(-count // 1024)], x, y, z, count)


def _matmul() -> Launch:
    a, b = _random(1024, 1024), _random(1024, 1024)
    c = np.empty_like(a)
    return lambda program: partial(program.matmul[16, 16], a, b, c)


def _look_up(count: int) -> Launch:
    table, out = _random(1 << 12), np.empty(count, np.float32)
    indices = np.random.default_rng(0).integers(0, len(table), count)
    return lambda program: partial(program.look_up[1], indices, table, out)


def cases() -> dict[str, tuple[Path | str, Launch]]:
    """Kernels with their launches; the batches are a few work-groups, or far more than caches hold."""
    sample = _EXAMPLES / "fused_kernel.tl"
    return {
        "sample kernel, in cache": (sample, _sample(200)),
        "sample kernel, from memory": (sample, _sample(50_000)),
        "softmax": (_EXAMPLES / "softmax.tileir", _softmax(256)),
        "vector addition through pointers": (_EXAMPLES / "vector_add.tileir", _vector_add(1 << 18)),
        "product of 1024x1024": (_EXAMPLES / "matmul.tileir", _matmul()),
        "look-up in a table": (_LOOK_UP, _look_up(1 << 16)),
    }


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Microseconds of both, and how many times as long checked code takes: the ratio of the best rounds."""
    found: dict[str, dict[str, float]] = {}
    for name, (source, launch) in cases().items():
        runs = {
            kind: launch(tw.compile(source, checked=kind == "checked", cache=False))
            for kind in ("unchecked", "checked")
        }
        best = in_turn(timers(runs), rounds, warm=_SECONDS).best(1e6)
        found[name] = {**best, "ratio": best["checked"] / best["unchecked"]}
    return found


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = figures.options(__doc__, "checked")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    arguments = _arguments(given)
    with tw.config(num_threads=arguments.threads):
        rows = measure(arguments.rounds)
    print(f"{'microseconds a launch':36} {'unchecked':>10} {'checked':>10} {'ratio':>7}")
    for name, row in rows.items():
        print(f"{name:36} {row['unchecked']:10.1f} {row['checked']:10.1f} {row['ratio']:7.2f}")
    worst = max(rows[name]["ratio"] for name in _BARRED)
    print(f"worst of the sample kernel and softmax: {worst:.2f}, the bar is {_BAR:g}")
    figures.save(arguments.json, {"threads": arguments.threads, "bar": _BAR, "us": rows})
    bars = [(name, row["ratio"]) for name, row in rows.items()]
    plot(arguments.json, "Checked code, times the time of unchecked code", bars, _BAR, "x", lower_is_better=True)


if __name__ == "__main__":
    main()
