"""Several cores against one on batches that compute rather than move memory: `python benchmarks/threads.py [--quick]`.

Each kernel runs on a pool of one thread and on a pool of several, in turn, round after round, on the same random data.
What the machine allows is a contestant too: as many processes as threads, each bound to a core of its own, run an equal
part of the batch each, at the same time and on one thread, and share nothing. The processor's own clock may fall when
more cores work, and each core has caches of its own: so that ideal may be more or less than the number of cores. The
table shows medians over rounds, with quartiles: how many times as fast the larger pool is, how many times as fast the
processes are, and the share of that ideal which the pool reaches.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import Child, limited, serve
from comparison import Comparison, overall
from figures import Chart
from products import ERRORS
from spread import Overall, Spread
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from tilewright.runtime.threads import available_processors
from timing import in_turn, seconds, timers

_SAMPLE: Final = Path(__file__).parent.parent / "examples" / "fused_kernel.tl"
_BAR: Final = 0.95
_TURN: Final = 0.02

Array = NDArray[np.float32] | NDArray[np.float64]
Maker = Callable[[np.random.Generator, int], "Case"]


class Case(Struct, frozen=True):
    """A kernel, its grid and arguments; `result` holds what `expected` says after one launch.

    `kept`: an array that the arguments only point to.
    """

    name: str
    dtype: str
    source: str | Path
    batch: int
    arguments: tuple[object, ...]
    result: Array
    expected: NDArray[np.float64]
    kept: Array


class Row(Struct, frozen=True):
    """The pool of several threads against one thread and against the ideal."""

    case: Comparison
    ideal: Spread

    @property
    def speedup(self) -> Spread:
        """How many times as fast several threads are as one."""
        return self.case.ratios["alone"]

    @property
    def share(self) -> Spread:
        """What part of the ideal speed is reached."""
        return self.case.ratios["parts"]

    def line(self) -> str:
        """One line of the table."""
        times = "".join(f"{name} {spread.median * 1e6:.1f} us  " for name, spread in self.case.seconds.items())
        wrong = "  WRONG" if self.case.wrong else ""
        return f"{self.case.name:32} x{self.speedup}  ideal x{self.ideal}  share {self.share}   {times}{wrong}"


def product_case(dtype: str, n: int, rng: np.random.Generator, batch: int) -> Case:
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
    return Case(f"{dtype} {n}x{n}x{n}, batch {batch}", dtype, text, batch, arguments, c, expected, a)


def _array(dtype: str, values: NDArray[np.float64]) -> Array:
    return values.astype(np.float32) if dtype == "f32" else values.copy()


def sample_case(rng: np.random.Generator, batch: int) -> Case:
    """The sample kernel with its data in the second caches."""
    a, d = rng.standard_normal((batch, 8, 16), np.float32), rng.standard_normal((batch, 16, 16), np.float32)
    b, c = rng.standard_normal((8, 8), np.float32), rng.standard_normal((16, 8), np.float32)
    wide_a, wide_b, wide_c, wide_d = (x.astype(np.float64) for x in (a, b, c, d))
    expected = wide_d + 0.5 * (wide_c @ (wide_b.T @ wide_a))
    arguments = (np.float32(0.5), tw.PointerArray.of(a), b.T, c.T, d.transpose(2, 1, 0))
    return Case(f"sample kernel, batch {batch}", "f32", _SAMPLE, batch, arguments, d, expected, a)


def makers() -> Iterator[tuple[Maker, int]]:
    """What makes each case, and of which batch."""
    for dtype in ERRORS:
        for n, batch in ((16, 600), (32, 256), (64, 256)):
            yield partial(product_case, dtype, n), batch
    yield partial(product_case, "f32", 128), 64
    yield sample_case, 700


def launch_of(case: Case, pool: Pool) -> Callable[[], object]:
    """The case's launch on a pool."""
    artifact = tw.compile(case.source, cache=False).artifact
    call = bind_artifact(artifact, pool=pool)[artifact.kernels[0].name].prepare(case.batch)
    return partial(call, *case.arguments)


def measure(index: int, parts: list[Child], rounds: int) -> Row:
    """One thread, several, and as many processes in turn."""
    maker, batch = list(makers())[index]
    case, threads = maker(np.random.default_rng(), batch), len(parts)
    pools = [Pool(1), Pool(threads)]
    alone, together = (launch_of(case, pool) for pool in pools)
    together()
    error = float(np.linalg.norm(case.result - case.expected) / np.linalg.norm(case.expected))
    repeats = max(1, int(_TURN / seconds(alone)))

    def ideal() -> float:
        for part in parts:
            part.ask("run", repeats)
        return max([part.answer() for part in parts])

    for part in parts:
        part.asked("prepare", index, -(-batch // threads))
    runs = {**timers({"alone": alone, "together": together}, repeats), "parts": ideal}
    timings = in_turn(runs, rounds, threads=threads, warm=_TURN)
    for pool in pools:
        pool.close()
    found = Comparison.of(
        case.name, timings, ["alone"], ours="together", threads=threads, error=error, allowed=ERRORS[case.dtype]
    )
    return Row(found, timings.ratios("alone", "parts"))


def run_part(cpu: int) -> None:
    """A process of the ideal: on its core, its part of a batch, as often as it is asked to."""
    os.sched_setaffinity(0, {cpu})
    calls: list[Callable[[], object]] = []

    def prepare(index: int, batch: int) -> float:
        maker, _ = list(makers())[index]
        calls[:] = [launch_of(maker(np.random.default_rng(), batch), Pool(1))]
        return seconds(calls[0])

    def run(repeats: int) -> float:
        return seconds(calls[0], repeats)

    serve({"prepare": prepare, "run": run})


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "threads", rounds=21)
    parser.add_argument("--threads", type=int, default=available_processors())
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    if options.part is not None:
        run_part(options.part)
        return 0
    processors = sorted(os.sched_getaffinity(0))[: max(2, options.threads)]
    if len(processors) < max(2, options.threads):
        parser.error(f"{max(2, options.threads)} threads on {len(processors)} cores have no ideal to be compared with")
    threads = len(processors)
    rows: list[Row] = []
    indices = range(len(list(makers())))
    with ExitStack() as stack:
        command = [sys.executable, __file__, "--part"]
        parts = [stack.enter_context(Child([*command, str(cpu)], limited(1))) for cpu in processors]
        for index in (indices[0], indices[-1]) if options.quick else indices:
            rows.append(measure(index, parts, options.rounds))
            print(rows[-1].line(), flush=True)
    cases = [row.case for row in rows]
    found = {
        f"{threads} threads, times as fast as one": overall(cases),
        f"{threads} processes, times as fast as one": Overall.of({row.case.name: row.ideal for row in rows}),
        "share of that ideal": overall(cases, "parts"),
    }
    figures.tell(found)
    chart = Chart(f"{threads} threads: share of the ideal", [(row.case.name, row.share.median) for row in rows], _BAR)
    figures.save(options.json, rows, found, chart)
    return 1 if any(case.wrong for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
