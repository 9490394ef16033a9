"""Two cores against one on batches that compute rather than move memory: `python benchmarks/threads.py [--threads 2]`.

Each kernel runs on a pool of one thread and on a pool of several, in turn, round after round, on the same random data;
the table shows the best round of each and how much faster the larger pool is. The processor's own clock may fall when
more cores work, and other programs take their share: what independent NumPy loops gain is printed beside.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import figures
import tilewright as tw
from plot import plot
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from tilewright.runtime.threads import available_processors
from timing import in_turn, seconds, timers

_SAMPLE: Final = Path(__file__).parent.parent / "examples" / "fused_kernel.tl"
_BAR: Final = 1.9
_TURN: Final = 0.02
_ERRORS: Final = {"f32": 1e-5, "f64": 1e-13}

Array = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel, its grid and arguments; `result` holds what `expected` says after one launch.

    `kept`: an array that the arguments only point to.
    """

    name: str
    source: str | Path
    batch: int
    arguments: tuple[object, ...]
    result: Array
    expected: NDArray[np.float64]
    kept: Array


@dataclass(frozen=True, slots=True)
class Row:
    """Best times in microseconds and their ratio."""

    name: str
    error: float
    alone: float
    together: float

    @property
    def speedup(self) -> float:
        """One thread's time over that of all."""
        return self.alone / self.together


def product_case(rng: np.random.Generator, dtype: str, n: int, batch: int) -> Case:
    """C_i := A_i B with one B for all: n^3 multiplications for each 2 n^2 elements moved."""
    a, b = (_array(dtype, rng.standard_normal(shape)) for shape in ((batch, n, n), (n, n)))
    c = _array(dtype, np.full((batch, n, n), np.nan))
    square, many = f"memref<{dtype}x{n}x{n}>", f"memref<{dtype}x{n}x{n}x?>"
    text = f"""func @product(%A: {many}, %B: {square}, %C: {many}) {{
        %one = constant 1.0 : {dtype}
        %zero = constant 0.0 : {dtype}
        %g = group_id.x : index
        %a = subview %A[0:{n},0:{n},%g] : {square}
        %c = subview %C[0:{n},0:{n},%g] : {square}
        gemm %one, %a, %B, %zero, %c
    }}"""
    expected = b.astype(np.float64) @ a.astype(np.float64)
    arguments = (a.transpose(2, 1, 0), b.T, c.transpose(2, 1, 0))
    return Case(f"{dtype} {n}x{n}x{n}, batch {batch}", text, batch, arguments, c, expected, a)


def _array(dtype: str, values: NDArray[np.float64]) -> Array:
    return values.astype(np.float32) if dtype == "f32" else values.copy()


def sample_case(rng: np.random.Generator, batch: int) -> Case:
    """The sample kernel with its data in the second caches."""
    a, d = rng.standard_normal((batch, 8, 16), np.float32), rng.standard_normal((batch, 16, 16), np.float32)
    b, c = rng.standard_normal((8, 8), np.float32), rng.standard_normal((16, 8), np.float32)
    wide_a, wide_b, wide_c, wide_d = (x.astype(np.float64) for x in (a, b, c, d))
    expected = wide_d + 0.5 * (wide_c @ (wide_b.T @ wide_a))
    arguments = (np.float32(0.5), tw.PointerArray.of(a), b.T, c.T, d.transpose(2, 1, 0))
    return Case(f"sample kernel, batch {batch}", _SAMPLE, batch, arguments, d, expected, a)


def measure(case: Case, threads: int, rounds: int) -> Row:
    """One thread and several in turn."""
    artifact = tw.compile(case.source, cache=False).artifact
    name = artifact.kernels[0].name
    pools = [Pool(1), Pool(threads)]
    calls = [bind_artifact(artifact, pool=pool)[name].prepare(case.batch) for pool in pools]
    calls[1](*case.arguments)
    error = float(np.linalg.norm(case.result - case.expected) / np.linalg.norm(case.expected))
    alone, together = (partial(call, *case.arguments) for call in calls)
    repeats = max(1, int(_TURN / seconds(alone)))
    runs = timers({"alone": alone, "together": together}, repeats)
    best = in_turn(runs, rounds, threads=threads, warm=_TURN).best(1e6)
    for pool in pools:
        pool.close()
    return Row(case.name, error, best["alone"], best["together"])


def ideal_speedup(threads: int, rounds: int) -> float:
    """What NumPy loops over data in the second cache gain when each thread runs its own."""
    a = [np.random.default_rng().standard_normal((256, 256), np.float32) for _ in range(threads)]
    out = [np.empty_like(x) for x in a]

    def work(thread: int) -> None:
        for _ in range(40):
            np.multiply(a[thread], a[thread], out=out[thread])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
        runs = {
            "alone": lambda: [work(thread) for thread in range(threads)],
            "together": lambda: list(pool.map(work, range(threads))),
        }
        best = in_turn(timers(runs), rounds, threads=threads, warm=_TURN).best()
    return best["alone"] / best["together"]


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "threads")
    parser.add_argument("--threads", type=int, default=available_processors())
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    threads = max(2, options.threads)
    rng = np.random.default_rng()
    cases = [
        *(product_case(rng, dtype, n, batch) for dtype in _ERRORS for n, batch in ((16, 600), (32, 256), (64, 256))),
        product_case(rng, "f32", 128, 64),
        sample_case(rng, 700),
    ]
    rows = [measure(case, threads, options.rounds) for case in cases]
    print(f"{'':32}{'1 thread':>12}{f'{threads} threads':>12}{'speed':>9}")
    for row in rows:
        print(f"{row.name:32}{row.alone:9.1f} us{row.together:9.1f} us{row.speedup:8.2f} x")
    ideal = ideal_speedup(threads, options.rounds)
    print(f"independent NumPy loops, one a thread: {ideal:.2f} x")
    result = {"threads": threads, "ideal": ideal, "rows": [{**asdict(r), "speedup": r.speedup} for r in rows]}
    figures.save(options.json, result)
    bars = [(row.name, row.speedup) for row in rows]
    plot(options.json, f"{threads} threads against one", bars, _BAR * threads / 2, "x")
    return 1 if any(not row.error <= _ERRORS["f64" if "f64" in row.name else "f32"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
