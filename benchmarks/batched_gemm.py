"""Batched small GEMM against libxsmm, one thread: `batched_gemm.py [--stream [BATCH]] [--quick] [--json PATH]`.

C_i := A_i B_i + beta C_i over a batch whose matrices fill 512 KiB (in the second cache), or with `--stream` a batch of
10,000 or what is asked for (from memory; numpy.matmul and torch.bmm run too). All contestants run in turn, round after
round, on the same random data. libxsmm runs as its manual says in both ways: without prefetches, and with the strategy
that it chooses itself and the places of the next matrices. The table shows medians over rounds: GFLOP/s, the ratio
within a round to the faster libxsmm of the case with its quartiles; behind `of`, how much faster than that the slower
of two things is that do only a part of the work (`peers/limits.c`): the multiplications, moving the matrices. Row-major
M x N x K is column-major N x M x K. Arrays start at different offsets within a page, since equal ones make loads wait
for unrelated stores on x86, whoever's kernel it is.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct

import figures
import tilewright as tw
from comparison import OURS, Comparison, overall
from figures import Chart
from peers.native import Array, BatchEntry, Native
from products import DTYPES, ERRORS, batched_product, matrices_apart
from timing import Timer, in_turn, timers

SHAPES: Final = ((16, 16, 16), (56, 9, 9), (20, 9, 9), (9, 9, 9), (35, 9, 20))
RESIDENT_BYTES: Final = 512 * 1024
STREAM_BATCH: Final = 10_000
PARTS: Final = ("multiplies", "bytes")
_BAR: Final = 1.1
_STREAM_BAR: Final = 1.0
_WARM_SECONDS: Final = 6e-3
"""After heavier work a core keeps its lower clock for some milliseconds."""


class Row(Struct, frozen=True):
    """One measured case."""

    beta: int
    batch: int
    strategy: str
    gigaflops: float
    case: Comparison

    def line(self) -> str:
        """One line of the table."""
        found = self.case.seconds
        rates = "  ".join(f"{name} {self.gigaflops / spread.median:6.1f}" for name, spread in found.items())
        limit = self.case.ratio.median / self.case.share(PARTS).median
        wrong = "  WRONG" if self.case.wrong else ""
        return f"{self.case.name:26} {rates}  x{self.case.ratio} of x{limit:.2f}  {self.case.peer}{wrong}"


def measure(
    native: Native, name: str, dtype: str, size: tuple[int, int, int], beta: int, rounds: int, stream: int | None
) -> Row:
    """Column-major matrices, ours and everybody else in turn."""
    m, n, k = size
    kind = DTYPES[dtype]
    bytes_each = (m * k + k * n + m * n) * kind.itemsize
    batch = stream or max(1, RESIDENT_BYTES // bytes_each)
    rng = np.random.default_rng()
    a, b, c = matrices_apart(kind, (batch, k, m), (batch, n, k), (batch, n, m))
    a[...], b[...] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    artifact = tw.compile(batched_product(dtype, size, beta), cache=False).artifact
    entry = BatchEntry(artifact, {"A": a, "B": b, "C": c}, batch)
    plain, prefetching = (native.xsmm(dtype, size, beta, prefetch=prefetch) for prefetch in (False, True))
    flops = 2.0 * m * n * k * batch
    repeats = 1 if stream else max(1, int(2e-3 * 60e9 / flops))
    peers: dict[str, Timer] = {
        "libxsmm": lambda: native.time_xsmm(plain, (a, b, c), repeats) / repeats,
        "libxsmm, prefetch": lambda: native.time_xsmm(prefetching, (a, b, c), repeats) / repeats,
    }
    contestants: dict[str, Timer] = {
        OURS: lambda: native.time_entry(entry, repeats) / repeats,
        **peers,
        "multiplies": lambda: native.time_multiplies(dtype, size, batch * repeats) / repeats,
        "bytes": lambda: native.time_bytes((a, b, c), bool(beta), repeats) / repeats,
    }
    if stream:
        contestants.update(_array_libraries(a, b, c))
    expected = np.matmul(b.astype(np.float64), a.astype(np.float64)) + beta
    errors: list[float] = []
    # theirs too: what has not computed the product is no peer
    for run in (contestants[OURS], *peers.values()):
        c[...] = 1
        run()
        # a product onto C has been added once a repeat
        wanted = expected + (repeats - 1) * (expected - 1) if beta else expected
        errors.append(float(np.linalg.norm(c - wanted) / np.linalg.norm(wanted)))

    def second(run: Timer) -> float:
        c[...] = 0
        run()
        return run()

    warm = 0.0 if stream else _WARM_SECONDS
    timings = in_turn({name: partial(second, run) for name, run in contestants.items()}, rounds, warm=warm)
    case = Comparison.of(name, timings, peers, error=max(errors), allowed=ERRORS[dtype])
    return Row(beta, batch, prefetching.strategy, flops / 1e9, case)


def _array_libraries(a: Array, b: Array, c: Array) -> dict[str, Timer]:
    """numpy.matmul and, if installed, torch.bmm on the same data, one thread, beta = 0."""
    runs: dict[str, Callable[[], object]] = {"numpy": lambda: np.matmul(b, a, out=c)}
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        return timers(runs)
    torch.set_num_threads(1)
    left, right, out = (torch.from_numpy(x) for x in (b, a, c))  # pyright: ignore[reportUnknownMemberType]
    runs["torch"] = lambda: torch.bmm(left, right, out=out)
    return timers(runs)


def table(native: Native, rounds: int, batch: int | None, *, quick: bool) -> list[Row]:
    """All rows, printed as they come."""
    rows: list[Row] = []
    for beta, dtype, layout, shape in product((1, 0), DTYPES, ("column", "row"), SHAPES[:1] if quick else SHAPES):
        m, n, k = shape
        size = (m, n, k) if layout == "column" else (n, m, k)
        name = f"beta {beta}  {dtype} {layout:6} {m}x{n}x{k}"
        rows.append(measure(native, name, dtype, size, beta, rounds, batch))
        print(rows[-1].line(), flush=True)
    return rows


def summary(rows: list[Row]) -> dict[str, object]:
    """Over whom, with which beta: of all cases."""
    found: dict[str, object] = {}
    for beta in (1, 0):
        cases = [row.case for row in rows if row.beta == beta]
        found[f"beta {beta}, over the faster libxsmm"] = overall(cases)
        others = [name for name in cases[0].ratios if name not in PARTS]
        found |= {f"beta {beta}, over {name}": overall(cases, name) for name in others}
        found |= {f"beta {beta}, time of {part} over ours": overall(cases, part) for part in PARTS}
    return found


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "batched_gemm", rounds=21)
    parser.add_argument("--stream", type=int, nargs="?", const=STREAM_BATCH, metavar="BATCH", help="from memory")
    options = figures.parsed(parser)
    rows = table(Native(), options.rounds, options.stream, quick=options.quick)
    found = summary(rows)
    figures.tell(found)
    path: Path | None = options.json
    if options.stream and path == figures.results("batched_gemm"):
        path = figures.results(f"batched_gemm_stream_{options.stream}")
    where = f"a batch of {options.stream:,} from memory" if options.stream else "in L2"
    bars = [(row.case.name, row.case.ratio.median) for row in rows]
    chart = Chart(f"Small products against libxsmm, {where}", bars, _STREAM_BAR if options.stream else _BAR)
    figures.save(path, rows, found, chart)
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
