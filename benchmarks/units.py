"""Products of i8 and of bf16 with product units and without, against torch: `python benchmarks/units.py [--quick]`.

C := A B, row-major (for us: the transposes in reverse), on random data: large matrices, and batches of small ones that
stay in the second cache. Ours with units (VNNI; the bf16 unit, which has to be asked for), ours without, and torch
(`_int_mm` and matmul, bmm; its products of bf16 are rounded to bf16, ours are f32) run in turn in one process a thread
count. The table shows best rates in GFLOP/s, and the median over rounds of the ratios within a round.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import machine, rows_of_children
from plot import plot
from tile_ir_cases import torch_module
from timing import in_turn, timers

Array = NDArray[Any]
_RESULTS: Final = {"i8": "i32", "bf16": "f32"}
_UNITS: Final = {"i8": "vnni", "bf16": "bf16"}
_LARGE: Final = [512, 1024, 2048, 4096]
_SMALL: Final = [16, 32, 64, 128]
_QUICK: Final = ([256, 512], [32, 64])
_BATCH_BYTES: Final = 400_000
_ERROR: Final = 1e-5
_WARM: Final = 0.03


class Case(Struct, frozen=True):
    """Products of `size` x `size` matrices of a type, `batch` of them."""

    dtype: str
    size: int
    batch: int

    @property
    def text(self) -> str:
        """The kernel: a work-group a product."""
        one, zero = ("1", "0") if self.dtype == "i8" else ("1.0", "0.0")
        result, n = _RESULTS[self.dtype], self.size
        types = {"A": self.dtype, "B": self.dtype, "C": result}
        views = "".join(
            f"%{name.lower()} = subview %{name}[0:{n},0:{n},%g] : memref<{element}x{n}x{n}>\n"
            for name, element in types.items()
        )
        parameters = ", ".join(f"%{name}: memref<{element}x{n}x{n}x?>" for name, element in types.items())
        return f"""func @k({parameters}) {{
            %one = constant {one} : {self.dtype}
            %zero = constant {zero} : {result}
            %g = group_id.x : index
            {views}
            gemm %one, %a, %b, %zero, %c
        }}"""

    def factor(self, rng: np.random.Generator) -> tuple[Array, Any]:
        """A random factor: its elements, and as a torch tensor where there is torch or bf16 is needed."""
        shape = (self.batch, self.size, self.size)
        if self.dtype == "i8":
            values = rng.integers(-128, 128, shape).astype(np.int8)
            return values, torch_module() and torch_module().from_numpy(values)
        import ml_dtypes

        values = rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
        bits = torch_module() and torch_module().from_numpy(values.view(np.int16)).view(torch_module().bfloat16)
        return values, bits


def _torch_product(case: Case, a: Any, b: Any) -> Callable[[], object] | None:
    """What torch has for the case."""
    torch = torch_module()
    if torch is None:
        return None
    if case.dtype == "i8":
        return (lambda: torch._int_mm(a[0], b[0])) if case.batch == 1 else None  # pyright: ignore[reportPrivateUsage]
    return (lambda: torch.matmul(a[0], b[0])) if case.batch == 1 else (lambda: torch.bmm(a, b))


def measure(case: Case, seconds: float, threads: int) -> dict[str, object]:
    """Best rates, ratios, relative error of ours."""
    rng = np.random.default_rng()
    (a, ta), (b, tb) = case.factor(rng), case.factor(rng)
    exact = a[0].astype(np.float64) @ b[0].astype(np.float64)
    runs: dict[str, Callable[[], object]] = {}
    errors: dict[str, float] = {}
    for name, units in (("units", _UNITS[case.dtype]), ("vector", "vector")):
        c = np.zeros(a.shape, np.int32 if case.dtype == "i8" else np.float32)
        kernel = tw.compile(case.text, cache=False, units=units).k[case.batch]
        runs[name] = lambda kernel=kernel, c=c: kernel(b.T, a.T, c.T)
        runs[name]()
        errors[name] = float(np.linalg.norm(c[0] - exact) / np.linalg.norm(exact))
    peer = _torch_product(case, ta, tb)
    if peer is not None:
        runs["torch"] = peer
    timings = in_turn(timers(runs), sys.maxsize, limit=seconds, threads=threads, warm=_WARM)
    work = 2.0 * case.size**3 * case.batch / 1e9
    return {
        "dtype": case.dtype,
        "size": case.size,
        "batch": case.batch,
        "threads": threads,
        "machine": machine(),
        "rates": {name: work / best for name, best in timings.best().items()},
        "ratios": {name: timings.ratio(name, "units") for name in runs if name != "units"},
        "errors": errors,
        "wrong": max(errors.values()) > (0 if case.dtype == "i8" else _ERROR),
    }


def _line(row: dict[str, Any]) -> str:
    batch = f" batch of {row['batch']}" if row["batch"] > 1 else ""
    rates = "".join(f"{name:>8} {rate:7.0f}" for name, rate in row["rates"].items())
    ratios = "".join(f"   x{ratio:.2f} {name}" for name, ratio in row["ratios"].items())
    wrong = f"   WRONG: {row['errors']}" if row["wrong"] else ""
    return f"{row['dtype']:4} {row['size']:5}{batch:16} {row['threads']}T  GFLOP/s:{rates}{ratios}{wrong}"


def _cases(quick: bool) -> list[Case]:
    large, small = _QUICK if quick else (_LARGE, _SMALL)
    found: list[Case] = []
    for dtype in _RESULTS:
        found += [Case(dtype, size, 1) for size in large]
        each = 4 + 2 * (1 if dtype == "i8" else 2)
        found += [Case(dtype, size, max(2, _BATCH_BYTES // (size * size * each))) for size in small]
    return found


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "units")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each case")
    parser.add_argument("--quick", action="store_true", help="few sizes, and nothing is written")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        rows: list[dict[str, object]] = []
        for case in _cases(options.quick):
            rows.append(measure(case, options.seconds, options.child))
            print(_line(rows[-1]), file=sys.stderr, flush=True)
        print(json.dumps(rows))
        return 0
    arguments = ["--seconds", str(options.seconds), *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, options.threads)
    if not options.quick:
        figures.save(options.json, rows)
        bars = [(_name(row, peer), ratio) for row in rows for peer, ratio in _ratios(row).items()]
        plot(options.json, "Products of i8 and bf16: speed with units over torch's, and without units", bars, 1.0, "x")
    return 1 if any(row["wrong"] for row in rows) else 0


def _ratios(row: dict[str, Any]) -> dict[str, float]:
    return row["ratios"]


def _name(row: dict[str, object], peer: str) -> str:
    return f"{row['dtype']} {row['size']}, batch {row['batch']}, {row['threads']}T, {peer}"


if __name__ == "__main__":
    sys.exit(main())
