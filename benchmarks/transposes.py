"""Batched small products with A transposed against the same without: `python benchmarks/transposes.py`.

C_i := op(A_i) B_i + C_i, one thread, sizes whose columns fill whole vectors and sizes whose columns do not, batches of
512 KiB (in the second cache). Both run in turn on random data, timed by the thread's processor time; the table shows
the best microseconds and the median over rounds of how many times as long the transposed form takes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from time import thread_time
from typing import Final

import numpy as np

import figures
import tilewright as tw
from plot import plot
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from timing import in_turn, timers

MANY_COLUMNS: Final = ((16, 16, 16), (9, 20, 9), (9, 64, 30), (13, 13, 13), (21, 40, 11), (40, 21, 11), (56, 9, 9))
FEW_COLUMNS: Final = ((16, 1, 32), (16, 2, 32), (16, 4, 32), (21, 1, 32), (21, 2, 32), (21, 4, 32))
SHAPES: Final = (*MANY_COLUMNS, *FEW_COLUMNS)
_DTYPES: Final = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
_ERRORS: Final = {"f32": 1e-5, "f64": 1e-13}
_BYTES: Final = 512 * 1024
_REPEATS: Final = 20
_BAR: Final = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """Best times of a batch in microseconds; `ratio`: how many times as long the transposed form takes."""

    dtype: str
    shape: tuple[int, int, int]
    error: float
    plain: float
    transposed: float
    ratio: float


def _text(dtype: str, shape: tuple[int, int, int], form: str) -> str:
    m, n, k = shape
    sizes = {"A": (m, k) if form == "n" else (k, m), "B": (k, n), "C": (m, n)}
    parameters = ", ".join(f"%{name}: memref<{dtype}x{a}x{b}x?>" for name, (a, b) in sizes.items())
    views = "\n".join(
        f"%{name.lower()} = subview %{name}[0:{a},0:{b},%g] : memref<{dtype}x{a}x{b}>" for name, (a, b) in sizes.items()
    )
    return f"""func @product({parameters}) {{
        %one = constant 1.0 : {dtype}
        %g = group_id.x : index
        {views}
        gemm.{form}.n %one, %a, %b, %one, %c
    }}"""


def measure(dtype: str, shape: tuple[int, int, int], rounds: int) -> Row:
    """One size in both forms."""
    m, n, k = shape
    kind, rng = _DTYPES[dtype], np.random.default_rng()
    batch = max(1, _BYTES // ((m * k + k * n + m * n) * kind.itemsize))
    a, b = (rng.standard_normal(size).astype(kind) for size in ((batch, k, m), (batch, n, k)))
    flipped, c = np.ascontiguousarray(a.transpose(0, 2, 1)), np.ones((batch, n, m), kind)
    expected = 1 + b.astype(np.float64) @ a.astype(np.float64)
    calls: dict[str, Callable[[], object]] = {}
    error = 0.0
    for form, factor in (("n", a), ("t", flipped)):
        artifact = tw.compile(_text(dtype, shape, form), cache=False).artifact
        launch = bind_artifact(artifact, pool=Pool(1))["product"].prepare(batch)
        calls[form] = partial(launch, factor.transpose(2, 1, 0), b.transpose(2, 1, 0), c.transpose(2, 1, 0))
        c[...] = 1
        calls[form]()
        error = max(error, float(np.linalg.norm(c - expected) / np.linalg.norm(expected)))
    timings = in_turn(timers(calls, _REPEATS, thread_time), rounds)
    best = timings.best(1e6)
    return Row(dtype, shape, error, best["n"], best["t"], timings.ratio("t", "n"))


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "transposes")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    rows: list[Row] = []
    for dtype in _DTYPES:
        for shape in SHAPES:
            row = measure(dtype, shape, options.rounds)
            rows.append(row)
            name = "x".join(map(str, shape))
            print(f"{dtype} {name:10} plain {row.plain:8.1f} us  transposed {row.transposed:8.1f} us  x{row.ratio:.2f}")
    figures.save(options.json, [asdict(row) for row in rows])
    bars = [(f"{row.dtype} {'x'.join(map(str, row.shape))}", 1 / row.ratio) for row in rows]
    plot(options.json, "Products with A transposed: speed over that of the same without", bars, _BAR, "x")
    return 1 if any(not row.error <= _ERRORS[row.dtype] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
