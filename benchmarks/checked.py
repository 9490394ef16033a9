"""What checks of every access cost on the CPU: `python benchmarks/checked.py [--threads 1] [--quick] [--json PATH]`.

Kernels compiled with `checked=True` against the same without, in turn in one process, on the same arrays: those of
`examples/`, and one whose work-items look up a table, where each index is tested by itself. The bar is 3 times the time
on the sample kernel and softmax. Prints median microseconds and the ratio within a round, with quartiles, and saves
them and a plot.
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
from comparison import Comparison, line, overall
from figures import Chart
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


def measure(name: str, source: Path | str, launch: Launch, rounds: int) -> Comparison:
    """Both in turn; how many times as long checked code takes."""
    runs = {
        kind: launch(tw.compile(source, checked=kind == "checked", cache=False)) for kind in ("unchecked", "checked")
    }
    return Comparison.of(name, in_turn(timers(runs), rounds, warm=_SECONDS), ours="unchecked")


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = figures.options(__doc__, "checked", rounds=30)
    parser.add_argument("--threads", type=int, default=1)
    return figures.parsed(parser, given)


def main(given: Sequence[str] | None = None) -> None:
    arguments = _arguments(given)
    rows: list[Comparison] = []
    with tw.config(num_threads=arguments.threads):
        for name, (source, launch) in cases().items():
            rows.append(measure(name, source, launch, arguments.rounds))
            print(line(rows[-1], "us", 36), flush=True)
    found = {
        f"times as long checked, bar {_BAR:g}": overall([row for row in rows if row.name in _BARRED]),
        "times as long checked, all": overall(rows),
    }
    figures.tell(found)
    bars = [(row.name, row.ratio.median) for row in rows]
    title = "Checked code, times the time of unchecked code"
    figures.save(arguments.json, rows, found, Chart(title, bars, _BAR, lower_is_better=True))


if __name__ == "__main__":
    main()
