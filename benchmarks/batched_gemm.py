"""Batched small GEMM against libxsmm, one thread: `batched_gemm.py [--stream [BATCH]] [--json PATH]`.

C_i := A_i B_i + beta C_i over a batch whose matrices fill 512 KiB (in the second cache), or with `--stream` a batch of
10,000 or what is asked for (from memory; numpy.matmul and torch.bmm run too). All contestants run in turn, round after
round, on the same random data. The table shows the best rate of each and the median over rounds of the ratio within a
round, which load from elsewhere disturbs least; behind `of`, how much faster than libxsmm the slower of two things is
that do only a part of the work (`peers/limits.c`): the multiplications, moving the matrices. Row-major M x N x K is
column-major N x M x K. Arrays start at different offsets within a page, since equal ones make loads wait for unrelated
stores on x86, whoever's kernel it is.
"""

from __future__ import annotations

import importlib
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

import figures
from peers.native import Array, BatchEntry, Native
from plot import plot
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.targets.cpu.target import CpuTarget
from timing import Timer, in_turn, timers

SHAPES: Final = ((16, 16, 16), (56, 9, 9), (20, 9, 9), (9, 9, 9), (35, 9, 20))
RESIDENT_BYTES: Final = 512 * 1024
STREAM_BATCH: Final = 10_000
PAGE: Final = 4096
_BAR: Final = 1.1
_STREAM_BAR: Final = 1.0
_WARM_SECONDS: Final = 6e-3
"""After heavier work a core keeps its lower clock for some milliseconds."""
DTYPES: Final[dict[str, np.dtype[np.float32 | np.float64]]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


@dataclass(frozen=True, slots=True)
class Row:
    """One measured case; rates in GFLOP/s."""

    dtype: str
    shape: tuple[int, int, int]
    layout: str
    beta: int
    error: float
    rates: dict[str, float]
    ratios: dict[str, float]

    @property
    def name(self) -> str:
        """The case in words."""
        m, n, k = self.shape
        return f"beta {self.beta}  {self.dtype} {self.layout:6} {m}x{n}x{k}"

    @property
    def ratio(self) -> float:
        """Speed over libxsmm."""
        return self.ratios["libxsmm"]

    @property
    def limit(self) -> float:
        """Speed over libxsmm of what does no more than multiply, or no more than move the matrices."""
        return min(self.rates["multiplies"], self.rates["bytes"]) / self.rates["libxsmm"]


def kernel_text(dtype: str, size: tuple[int, int, int], beta: int) -> str:
    """The batched product in the IR, one work-group a matrix."""
    m, n, k = size

    def matrix(name: str, rows: int, columns: int) -> str:
        return (
            f"%{name}i = memref.subview %{name}, %g {{operand_segments = [1, 1, 0], "
            f"static_offsets = [0, 0, none], static_sizes = [{rows}, {columns}, 0]}} -> "
            f"memref<{dtype}x{rows}x{columns}>"
        )

    return f"""builtin.module {{ builtin.kernel {{sym_name = "gemm"}}
      (%A: memref<{dtype}x{m}x{k}x?>, %B: memref<{dtype}x{k}x{n}x?>, %C: memref<{dtype}x{m}x{n}x?>) {{
        %g = team.group_id {{dim = 0}} -> index
        {matrix("A", m, k)}
        {matrix("B", k, n)}
        {matrix("C", m, n)}
        %alpha = arith.constant {{value = 1.0}} -> {dtype}
        %beta = arith.constant {{value = {float(beta)}}} -> {dtype}
        tl.gemm %alpha, %Ai, %Bi, %beta, %Ci
      }} }}"""


def compiled(text: str) -> Artifact:
    """The kernel for this machine."""
    report = Report()
    module = parse_ir(Source("gemm.twir", text), report, operation_classes())
    report.raise_if_errors()
    assert isinstance(module, Module)
    return compile_module(module, CpuTarget(), CompileOptions(), report)


def page_offset(count: int, dtype: np.dtype[np.float32 | np.float64], offset: int) -> Array:
    """A vector that starts `offset` bytes behind a page."""
    raw = np.zeros(count * dtype.itemsize + 2 * PAGE, np.uint8)
    start = -raw.ctypes.data % PAGE + offset
    return raw[start : start + count * dtype.itemsize].view(dtype)


def measure(
    native: Native, dtype: str, size: tuple[int, int, int], beta: int, rounds: int, stream: int | None
) -> tuple[float, dict[str, float], dict[str, float]]:
    """Relative error of ours, the rate of each contestant, and our speed over each, for column-major matrices."""
    m, n, k = size
    kind = DTYPES[dtype]
    bytes_each = (m * k + k * n + m * n) * kind.itemsize
    batch = stream or max(1, RESIDENT_BYTES // bytes_each)
    rng = np.random.default_rng()
    a = page_offset(batch * m * k, kind, 0).reshape(batch, k, m)
    b = page_offset(batch * k * n, kind, 1344).reshape(batch, n, k)
    c = page_offset(batch * m * n, kind, 2752).reshape(batch, n, m)
    a[...], b[...] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    entry = BatchEntry(compiled(kernel_text(dtype, size, beta)), {"A": a, "B": b, "C": c}, batch)
    xsmm = native.xsmm(dtype, size, beta)
    flops = 2.0 * m * n * k * batch
    repeats = 1 if stream else max(1, int(2e-3 * 60e9 / flops))
    contestants: dict[str, Timer] = {
        "tilewright": lambda: native.time_entry(entry, repeats) / repeats,
        "libxsmm": lambda: native.time_xsmm(dtype, xsmm, size, (a, b, c), repeats) / repeats,
        "multiplies": lambda: native.time_multiplies(dtype, size, batch * repeats) / repeats,
        "bytes": lambda: native.time_bytes((a, b, c), bool(beta), repeats) / repeats,
    }
    if stream:
        contestants.update(_array_libraries(a, b, c))
    c[...] = 1
    native.time_entry(entry, 1)
    expected = np.matmul(b.astype(np.float64), a.astype(np.float64)) + beta
    error = float(np.linalg.norm(c - expected) / np.linalg.norm(expected))

    def second(run: Timer) -> float:
        c[...] = 0
        run()
        return run()

    warm = 0.0 if stream else _WARM_SECONDS
    timings = in_turn({name: partial(second, run) for name, run in contestants.items()}, rounds, warm=warm)
    rates = {name: flops / found / 1e9 for name, found in timings.best().items()}
    return error, rates, {name: timings.ratio(name, "tilewright") for name in contestants}


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


def table(native: Native, rounds: int, batch: int | None) -> list[Row]:
    """All rows, printed as they come."""
    rows: list[Row] = []
    for beta, dtype, layout, shape in product((1, 0), DTYPES, ("column", "row"), SHAPES):
        m, n, k = shape
        size = (m, n, k) if layout == "column" else (n, m, k)
        row = Row(dtype, shape, layout, beta, *measure(native, dtype, size, beta, rounds, batch))
        rows.append(row)
        figures = "  ".join(f"{name} {rate:6.1f}" for name, rate in row.rates.items())
        print(f"{row.name:26} {figures}  x{row.ratio:.2f} of x{row.limit:.2f}", flush=True)
    return rows


def save(rows: list[Row], path: Path, batch: int | None) -> None:
    """The figures as JSON, the ratios as a plot."""
    figures.save(path, [asdict(row) for row in rows])
    where = f"a batch of {batch:,} from memory" if batch else "in L2"
    bars = [(row.name, row.ratio) for row in rows]
    plot(path, f"Small products against libxsmm, {where}", bars, _STREAM_BAR if batch else _BAR, "x")


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "batched_gemm")
    parser.add_argument("--stream", type=int, nargs="?", const=STREAM_BATCH, metavar="BATCH", help="from memory")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    rows = table(Native(), options.rounds, options.stream)
    for beta in (1, 0):
        ratios = [row.ratio for row in rows if row.beta == beta]
        print(f"beta {beta}: geometric mean x{statistics.geometric_mean(ratios):.3f}, lowest x{min(ratios):.2f}")
    path: Path = options.json
    if options.stream and path == figures.results("batched_gemm"):
        path = figures.results(f"batched_gemm_stream_{options.stream}")
    save(rows, path, options.stream)
    return 1 if any(row.error > (1e-5 if row.dtype == "f32" else 1e-13) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
