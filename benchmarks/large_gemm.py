"""One large square product against NumPy (OpenBLAS), one thread: `python benchmarks/large_gemm.py [SIZE ...]`.

C := A B, row-major, on random data; both run in turn. The table shows the best rate of each and the median over rounds
of the ratio within a round. Run it with OPENBLAS_NUM_THREADS=1, which it sets for itself before NumPy is imported.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np

from peers.native import BatchEntry, Native
from tilewright.compiler import CompileOptions, compile_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.targets.cpu.target import CpuTarget

DTYPES: Final[dict[str, np.dtype[np.float32 | np.float64]]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
ERRORS: Final = {"f32": 1e-5, "f64": 1e-13}


def kernel_text(dtype: str, size: int) -> str:
    """The product in the IR, row-major."""
    type_ = f"memref<{dtype}x{size}x{size},strided<{size},1>>"
    return f"""builtin.module {{ builtin.kernel {{sym_name = "gemm"}} (%A: {type_}, %B: {type_}, %C: {type_}) {{
        %one = arith.constant {{value = 1.0}} -> {dtype}
        %zero = arith.constant {{value = 0.0}} -> {dtype}
        tl.gemm %one, %A, %B, %zero, %C }} }}"""


def measure(native: Native, dtype: str, size: int, rounds: int) -> dict[str, object]:
    """Rates in GFLOP/s, speed over NumPy, relative error."""
    report = Report()
    module = parse_ir(Source("gemm.twir", kernel_text(dtype, size)), report)
    report.raise_if_errors()
    assert isinstance(module, Module)
    artifact = compile_module(module, CpuTarget(), CompileOptions(), report)
    rng = np.random.default_rng()
    a, b = (rng.standard_normal((size, size)).astype(DTYPES[dtype]) for _ in range(2))
    c, expected = np.full_like(a, np.nan), np.empty_like(a)
    entry = BatchEntry(artifact, {"A": a, "B": b, "C": c}, 1)
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        ours.append(native.time_entry(entry, 1))
        start = perf_counter()
        np.matmul(a, b, out=expected)
        theirs.append(perf_counter() - start)
    flops = 2.0 * size**3 / 1e9
    error = float(np.linalg.norm((c - expected).astype(np.float64)) / np.linalg.norm(expected.astype(np.float64)))
    return {
        "dtype": dtype,
        "size": size,
        "tilewright": flops / min(ours),
        "numpy": flops / min(theirs),
        "ratio": statistics.median(t / o for t, o in zip(theirs, ours, strict=True)),
        "error": error,
    }


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*", default=[1024, 2048, 4096])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    native = Native()
    rows = [measure(native, dtype, size, options.rounds) for dtype in DTYPES for size in options.sizes]
    for row in rows:
        rates = f"tilewright {row['tilewright']:6.1f}  numpy {row['numpy']:6.1f}  x{row['ratio']:.2f}"
        print(f"{row['dtype']} {row['size']:5}  {rates}")
    path = Path(__file__).parent / "results" / "large_gemm.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(rows, indent=1))
    return 1 if any(float(str(row["error"])) > ERRORS[str(row["dtype"])] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
