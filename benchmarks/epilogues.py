"""What follows a product element by element: `python benchmarks/epilogues.py [SIZE ...] [--quick]`.

Y := f(X W, ..) row-major in f32, from linalg: bias and relu, bias and gelu (tanh), a scale and a residual sum. Against
the product alone, against the product and then the rest in a launch of its own, and against torch (where installed):
addmm into Y, then relu in place. All run in turn, in one process a thread count. The table shows how many times as long
each takes as the product alone within a round, with quartiles.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import rows_of_children
from comparison import Comparison, overall
from figures import Chart
from timing import in_turn, timers
from torch_forms import torch_module

Array = NDArray[np.float32]

_PRODUCT: Final = "product"
_SEPARATE: Final = "bias, relu in a launch of its own"
_SECONDS: Final = 25.0
_WARM: Final = 0.03
_ERROR: Final = 1e-5

_HEAD: Final = """#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
"""
_MULTIPLY: Final = """
    linalg.fill ins(%zero : f32) outs(%Y : MATRIX)
    linalg.matmul ins(%X, %W : MATRIX, MATRIX) outs(%Y : MATRIX)
"""
_AFTER: Final = """
    linalg.generic {indexing_maps = [MAP, #id], iterator_types = ["parallel", "parallel"]}
        ins(OPERAND : TYPE) outs(%Y : MATRIX) {
    ^bb0(%c: f32, %y: f32):
        BODY
        linalg.yield %r : f32
    }
"""
_BIAS: Final = _AFTER.replace("MAP", "#row").replace("OPERAND", "%b").replace("TYPE", "VECTOR")
_RELU: Final = "%s = arith.addf %y, %c : f32 %r = arith.maximumf %s, %zero : f32"
_GELU: Final = """%x = arith.addf %y, %c : f32
        %x2 = arith.mulf %x, %x : f32
        %x3 = arith.mulf %x2, %x : f32
        %p = arith.mulf %x3, %cubic : f32
        %q = arith.addf %x, %p : f32
        %u = arith.mulf %q, %root : f32
        %t = math.tanh %u : f32
        %v = arith.addf %t, %one : f32
        %w = arith.mulf %x, %half : f32
        %r = arith.mulf %w, %v : f32"""
_SCALED: Final = "%s = arith.mulf %y, %half : f32 %r = arith.addf %s, %c : f32"
_RESIDUAL: Final = _AFTER.replace("MAP", "#id").replace("OPERAND", "%R").replace("TYPE", "MATRIX")
_EPILOGUES: Final[Mapping[str, str]] = {
    _PRODUCT: "",
    "bias, relu": _BIAS.replace("BODY", _RELU),
    "bias, gelu": _BIAS.replace("BODY", _GELU),
    "scale, residual": _RESIDUAL.replace("BODY", _SCALED),
}


def _kernel(size: int, body: str) -> Callable[..., object]:
    text = f"""{_HEAD}func.func @k(%X: MATRIX, %W: MATRIX, %b: VECTOR, %R: MATRIX, %Y: MATRIX) {{
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %cubic = arith.constant 0.044715 : f32
    %root = arith.constant 0.7978845608 : f32
    {body}
    return
}}"""
    text = text.replace("MATRIX", f"memref<{size}x{size}xf32>").replace("VECTOR", f"memref<{size}xf32>")
    return tw.compile(text, target="cpu", cache=False).k[1]


def _expected(x: Array, w: Array, b: Array, r: Array) -> dict[str, Array]:
    product = x @ w
    biased = product + b
    gelu = 0.5 * biased * (1 + np.tanh(0.7978845608 * (biased + 0.044715 * biased**3)))
    relu = np.maximum(biased, 0)
    return {
        _PRODUCT: product,
        "bias, relu": relu,
        "bias, gelu": gelu,
        "scale, residual": product * np.float32(0.5) + r,
        _SEPARATE: relu,
    }


class Row(Struct, frozen=True):
    """All contestants of one size with a number of threads."""

    gigaflops: float
    case: Comparison

    def lines(self) -> str:
        """The rate of the product, and how much longer everything takes."""
        case = self.case
        rate = self.gigaflops / case.seconds[_PRODUCT].median
        head = f"{case.label}: product {rate:.1f} GFLOP/s{'  WRONG' if case.wrong else ''}"
        return "\n".join([head, *(f"    {name:36} x{ratio}" for name, ratio in case.ratios.items())])


def measure(size: int, rounds: int, threads: int) -> Row:
    """All contestants in turn."""
    rng = np.random.default_rng()
    x, w, r = (rng.standard_normal((size, size), np.float32) for _ in range(3))
    b = rng.standard_normal(size, np.float32)
    expected = _expected(x, w, b, r)
    results: dict[str, Array] = {}
    runs: dict[str, Callable[[], object]] = {}
    for name, after in _EPILOGUES.items():
        kernel, y = _kernel(size, _MULTIPLY + after), np.full_like(x, np.nan)
        results[name] = y
        runs[name] = lambda kernel=kernel, y=y: kernel(x, w, b, r, y)
    first, second = _kernel(size, _MULTIPLY), _kernel(size, _EPILOGUES["bias, relu"])
    results[_SEPARATE] = apart = np.full_like(x, np.nan)
    runs[_SEPARATE] = lambda: (first(x, w, b, r, apart), second(x, w, b, r, apart))
    if (torch := torch_module()) is not None:
        torch.set_num_threads(threads)
        tx, tw_, tb = map(torch.from_numpy, (x, w, b))
        into = torch.empty_like(tx)
        runs["torch addmm, relu_"] = lambda: torch.addmm(tb, tx, tw_, out=into).relu_()
        runs["torch mm"] = lambda: torch.mm(tx, tw_, out=into)
    timings = in_turn(timers(runs), rounds, limit=_SECONDS, threads=threads, warm=_WARM)
    errors = [float(np.linalg.norm(results[name] - e) / np.linalg.norm(e)) for name, e in expected.items()]
    case = Comparison.of(f"f32 {size}", timings, ours=_PRODUCT, threads=threads, error=max(errors), allowed=_ERROR)
    return Row(2.0 * size**3 / 1e9, case)


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "epilogues", rounds=15)
    parser.add_argument("sizes", type=int, nargs="*", default=[1024, 2048])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    sizes = [256] if options.quick else options.sizes
    if options.child is not None:
        rows = [measure(size, options.rounds, options.child) for size in sizes]
        print("\n".join(row.lines() for row in rows), file=sys.stderr, flush=True)
        print(msgspec.json.encode(rows).decode())
        return 0
    rows = rows_of_children(__file__, [*map(str, sizes), "--rounds", str(options.rounds)], options.threads, Row)
    cases = [row.case for row in rows]
    found = {f"{name}, over the product": overall(cases, name) for name in (*list(_EPILOGUES)[1:], _SEPARATE)}
    figures.tell(found)
    bars = [(f"{case.label} {name}", ratio.median) for case in cases for name, ratio in case.ratios.items()]
    figures.save(options.json, rows, found, Chart("Products with epilogues: time over the product's", bars, 1.0))
    return 1 if any(case.wrong for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
