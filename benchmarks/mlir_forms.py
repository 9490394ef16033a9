"""Products in the forms of MLIR against `gemm` of the tensor language: `mlir_forms.py [SIZE ...] [--quick]`.

C := C + A B row-major on random data: linalg.matmul, what stock mlir-opt makes of it (generic operations, affine and
scf loops, parallel ones, tiled, unrolled, jammed, coalesced, scalar-replaced), and loops in other orders; NumPy
(OpenBLAS) and, where installed, torch (MKL). All run in turn, in one process a thread count. The table shows how many
times as fast each is as `gemm` within a round, with quartiles. The tool is that on PATH or in /usr/lib/llvm-*/bin.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

import figures
import tilewright as tw
from children import rows_of_children
from comparison import Comparison, overall
from figures import Chart
from products import DTYPES, ERRORS
from timing import in_turn, timers
from torch_forms import torch_module

_GEMM: Final = "gemm"
_PEERS: Final = ("numpy", "torch")
_SECONDS: Final = 30.0
_WARM: Final = 0.03
_LOOPS: Final = ("--convert-linalg-to-affine-loops",)
_PASSES: Final[Mapping[str, Sequence[str]]] = {
    "linalg.generic": ("--linalg-generalize-named-ops",),
    "affine loops": _LOOPS,
    "scf loops": ("--convert-linalg-to-loops",),
    "scf.parallel": ("--convert-linalg-to-parallel-loops",),
    "tiled": (*_LOOPS, "--affine-loop-tile=tile-size=32"),
    "unrolled": (*_LOOPS, "--affine-loop-unroll=unroll-factor=4"),
    "jammed": (*_LOOPS, "--affine-loop-unroll-jam=unroll-jam-factor=4"),
    "parallelised": (*_LOOPS, "--affine-parallelize=parallel-reductions"),
    "replaced": (*_LOOPS, "--affine-loop-unroll=unroll-factor=4", "--affine-scalrep"),
    "coalesced": (*_LOOPS, "--affine-loop-coalescing"),
    "tiled, as scf": (*_LOOPS, "--affine-loop-tile=tile-size=32", "--lower-affine", "--canonicalize"),
}
"""What the tool does to `linalg.matmul`."""
_ORDERS: Final = ("kij", "jki", "ikj")
"""Of loops, outermost first; i, j, k is what the tool makes."""


def _matmul(dtype: str, size: int) -> str:
    matrix = f"memref<{size}x{size}x{dtype}>"
    return f"""func.func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        linalg.matmul ins(%A, %B : {matrix}, {matrix}) outs(%C : {matrix})
        return
    }}"""


def _interchanged(dtype: str, size: int, order: str) -> str:
    matrix = f"memref<{size}x{size}x{dtype}>"
    heads = " ".join(f"affine.for %{letter} = 0 to {size} {{" for letter in order)
    return f"""func.func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        {heads}
            %a = affine.load %A[%i, %k] : {matrix}
            %b = affine.load %B[%k, %j] : {matrix}
            %c = affine.load %C[%i, %j] : {matrix}
            %p = arith.mulf %a, %b : {dtype}
            %s = arith.addf %c, %p : {dtype}
            affine.store %s, %C[%i, %j] : {matrix}
        }} }} }}
        return
    }}"""


def _gemm(dtype: str, size: int) -> str:
    matrix = f"memref<{dtype}x{size}x{size}>"
    return f"""func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        %one = constant 1.0 : {dtype}
        gemm %one, %A, %B, %one, %C
    }}"""


def tool() -> str | None:
    """The newest mlir-opt there is."""
    folders = sorted(Path("/usr/lib").glob("llvm-*/bin"), key=lambda path: int(path.parts[-2].split("-")[1]))
    return shutil.which("mlir-opt") or shutil.which("mlir-opt", path=":".join(map(str, reversed(folders))) or None)


def forms(dtype: str, size: int) -> Iterator[tuple[str, str]]:
    """Names and texts; without the tool those that need none."""
    text, found = _matmul(dtype, size), tool()
    yield "linalg.matmul", text
    for order in _ORDERS:
        yield f"loops {order}", _interchanged(dtype, size, order)
    for name, options in _PASSES.items() if found is not None else ():
        command = [str(found), *options]
        yield name, subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


class Row(Struct, frozen=True):
    """One form of a size of a type with a number of threads."""

    group: str
    gigaflops: float
    case: Comparison

    def line(self) -> str:
        """One line of the table."""
        case = self.case
        rate = self.gigaflops / case.seconds[case.ours].median
        return f"{case.label:28} {rate:7.1f} GFLOP/s  x{case.ratio} {_GEMM}{'  WRONG' if case.wrong else ''}"


def measure(dtype: str, size: int, rounds: int, threads: int) -> list[Row]:
    """All forms in turn. What each adds up is checked on the first launch, which nothing is in front of."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal((size, size)).astype(DTYPES[dtype]) for _ in range(2))
    expected = np.matmul(a, b)
    runs: dict[str, Callable[[], object]] = {"numpy": lambda: np.matmul(a, b, out=expected)}
    errors: dict[str, float] = {}

    def contestant(name: str, text: str, transposed: bool) -> None:
        kernel, c = tw.compile(text, target="cpu", cache=False).k[1], np.zeros_like(a)
        arrays = (b.T, a.T, c.T) if transposed else (a, b, c)
        kernel(*arrays)
        errors[name] = float(np.linalg.norm((c - expected).astype(np.float64)) / np.linalg.norm(expected))
        runs[name] = lambda: kernel(*arrays)

    contestant(_GEMM, _gemm(dtype, size), True)
    for form, text in forms(dtype, size):
        contestant(form, text, False)
    if (torch := torch_module()) is not None:
        torch.set_num_threads(threads)
        x, y, into = (torch.from_numpy(array) for array in (a, b, np.empty_like(a)))
        runs["torch"] = lambda: torch.mm(x, y, out=into)
    timings = in_turn(timers(runs), rounds, limit=_SECONDS, threads=threads, warm=_WARM)
    rows: list[Row] = []
    for form in (name for name in runs if name != _GEMM):
        error, name = errors.get(form, 0.0), f"{dtype} {size} {form}"
        case = Comparison.of(name, timings, [_GEMM], ours=form, threads=threads, error=error, allowed=ERRORS[dtype])
        rows.append(Row(form if form in _PEERS else "forms of MLIR", 2.0 * size**3 / 1e9, case))
    return rows


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "mlir_forms", rounds=11)
    parser.add_argument("sizes", type=int, nargs="*", default=[1024, 2048])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    sizes = [256] if options.quick else options.sizes
    if options.child is not None:
        rows = [row for d in DTYPES for size in sizes for row in measure(d, size, options.rounds, options.child)]
        print("\n".join(row.line() for row in rows), file=sys.stderr, flush=True)
        print(msgspec.json.encode(rows).decode())
        return 0
    if tool() is None:
        print("no mlir-opt: only forms that need none", file=sys.stderr)
    rows = rows_of_children(__file__, [*map(str, sizes), "--rounds", str(options.rounds)], options.threads, Row)
    found = {
        f"{group}, {threads} threads, over gemm": overall(cases)
        for group in ("forms of MLIR", *_PEERS)
        for threads in options.threads
        if (cases := [row.case for row in rows if row.group == group and row.case.threads == threads])
    }
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    figures.save(options.json, rows, found, Chart("Products in the forms of MLIR: speed over gemm's", bars, 1.0))
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
