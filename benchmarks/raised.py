"""Products in every language against the instruction `gemm`: `python benchmarks/raised.py [SIZE ...] [--quick]`.

C := A B row-major on random data: loops over single elements of the tensor language in every order, in tiles, unrolled
and with the sum carried by a loop; MLIR's linalg.matmul and affine loops; TLX's matmul; NumPy (OpenBLAS). All run in
turn, in one process a thread count. The table shows median rates in GFLOP/s, and how many times as fast each is as the
instruction within a round, with quartiles.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from itertools import permutations
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

_GEMM: Final = "gemm"
_NUMPY: Final = "numpy"
_SECONDS: Final = 30.0
_WARM: Final = 0.03
_TILE: Final = 48
_UNROLLED: Final = 4
_ZEROS: Final = "for %i = %c0, %n { for %j = %c0, %n { store %zero, %C[%i,%j] } }"


def _kernel(dtype: str, size: int, body: str) -> str:
    matrix = f"memref<{dtype}x{size}x{size}>"
    return f"""func @k(%A: {matrix}, %B: {matrix}, %C: {matrix} {{"noalias"=true}}) {{
        %one = constant 1.0 : {dtype}
        %zero = constant 0.0 : {dtype}
        %c0 = constant 0 : index
        %n = constant {size} : index
        {body}
    }}"""


def _update(dtype: str, position: str = "%k") -> str:
    return f"""%a = load %A[%i,{position}] : {dtype}
        %b = load %B[{position},%j] : {dtype}
        %c = load %C[%i,%j] : {dtype}
        %p = mul %a, %b : {dtype}
        %s = add %c, %p : {dtype}
        store %s, %C[%i,%j]"""


def _in_order(order: tuple[str, ...], update: str) -> str:
    for index in reversed(order):
        update = f"for %{index} = %c0, %n {{ {update} }}"
    return f"{_ZEROS} {update}"


def _tiled(update: str) -> str:
    """Three loops over tiles around three over their elements; the last tiles are smaller."""
    for index in "kji":
        update = f"for %{index} = %{index}0, %{index}1 {{ {update} }}"
    for index in "kji":
        update = f"""for %{index}0 = %c0, %n, %tile {{
            %{index}2 = add %{index}0, %tile : index
            %{index}1 = min %{index}2, %n : index
            {update} }}"""
    return f"{_ZEROS} %tile = constant {_TILE} : index {update}"


def _unrolled(dtype: str) -> str:
    parts = [
        f"{{ %by = constant {k} : index %q = add %k, %by : index {_update(dtype, '%q')} }}" for k in range(_UNROLLED)
    ]
    inside = " ".join(f"for %once{k} = %c0, %c1 {part}" for k, part in enumerate(parts))
    loops = f"for %i = %c0, %n {{ for %j = %c0, %n {{ for %k = %c0, %n, %step {{ {inside} }} }} }}"
    return f"{_ZEROS} %c1 = constant 1 : index %step = constant {_UNROLLED} : index {loops}"


def _carried(dtype: str) -> str:
    return f"""for %i = %c0, %n {{ for %j = %c0, %n {{
        %r = for %k = %c0, %n init(%sum = %zero) -> ({dtype}) {{
            %a = load %A[%i,%k] : {dtype}
            %b = load %B[%k,%j] : {dtype}
            %p = mul %a, %b : {dtype}
            %s = add %sum, %p : {dtype}
            yield (%s)
        }}
        store %r, %C[%i,%j] }} }}"""


def _forms(dtype: str) -> Iterator[tuple[str, str]]:
    """Names and bodies of the kernels."""
    for order in permutations("ijk"):
        yield "".join(order), _in_order(order, _update(dtype))
    yield "tiles", _tiled(_update(dtype))
    yield "unrolled", _unrolled(dtype)
    yield "carried", _carried(dtype)


def _linalg(dtype: str, size: int) -> str:
    matrix = f"memref<{size}x{size}x{dtype}>"
    return f"""func.func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        %zero = arith.constant 0.0 : {dtype}
        linalg.fill ins(%zero : {dtype}) outs(%C : {matrix})
        linalg.matmul ins(%A, %B : {matrix}, {matrix}) outs(%C : {matrix})
        return
    }}"""


def _affine(dtype: str, size: int) -> str:
    matrix = f"memref<{size}x{size}x{dtype}>"
    return f"""func.func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        %zero = arith.constant 0.0 : {dtype}
        affine.for %i = 0 to {size} {{
            affine.for %j = 0 to {size} {{
                affine.store %zero, %C[%i, %j] : {matrix}
                affine.for %k = 0 to {size} {{
                    %a = affine.load %A[%i, %k] : {matrix}
                    %b = affine.load %B[%k, %j] : {matrix}
                    %c = affine.load %C[%i, %j] : {matrix}
                    %p = arith.mulf %a, %b : {dtype}
                    %s = arith.addf %c, %p : {dtype}
                    affine.store %s, %C[%i, %j] : {matrix}
                }}
            }}
        }}
        return
    }}"""


def _tlx(dtype: str, size: int) -> str:
    element, pair = {"f32": "float", "f64": "double"}[dtype], "<2 x i32>"
    dense, shape, layout = "zeroinitializer", f"<i32 {size}, i32 {size}>", "<i32 0, i32 1>"
    count = size * size
    vectors = f"{pair} {shape}, {pair} {layout}, {pair} {dense}"
    return f"""declare token @llvm.tensor.load(ptr, {pair}, {pair}, {pair}, {pair})
declare token @llvm.tensor.typeinfo(<{count} x {element}>, {pair}, {pair}, {pair})
declare <{count} x {element}> @llvm.tensor.matmul(token, token)
declare void @llvm.tensor.store(ptr, token, {pair})
define void @k(ptr %a, ptr %b, ptr %c) {{
  %ta = call token @llvm.tensor.load(ptr elementtype({element}) %a, {vectors}, {pair} {dense})
  %tb = call token @llvm.tensor.load(ptr elementtype({element}) %b, {vectors}, {pair} {dense})
  %v = call <{count} x {element}> @llvm.tensor.matmul(token %ta, token %tb)
  %tc = call token @llvm.tensor.typeinfo(<{count} x {element}> %v, {vectors})
  call void @llvm.tensor.store(ptr elementtype({element}) %c, token %tc, {pair} {dense})
  ret void
}}"""


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
    """All forms in turn."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal((size, size)).astype(DTYPES[dtype]) for _ in range(2))
    expected = np.matmul(a, b)
    runs: dict[str, Callable[[], object]] = {_NUMPY: lambda: np.matmul(a, b, out=expected)}
    found: dict[str, np.ndarray] = {}

    def contestant(name: str, text: str, transposed: bool) -> None:
        kernel, c = tw.compile(text, target="cpu", cache=False).k[1], np.full_like(a, np.nan)
        arrays = (b.T, a.T, c.T) if transposed else (a, b, c)
        found[name] = c
        runs[name] = lambda: kernel(*arrays)

    contestant(_GEMM, _kernel(dtype, size, "gemm %one, %A, %B, %zero, %C"), True)
    for form, body in _forms(dtype):
        contestant(form, _kernel(dtype, size, body), True)
    contestant("linalg.matmul", _linalg(dtype, size), False)
    contestant("affine loops", _affine(dtype, size), False)
    contestant("TLX matmul", _tlx(dtype, size), False)
    timings = in_turn(timers(runs), rounds, limit=_SECONDS, threads=threads, warm=_WARM)
    scale = float(np.linalg.norm(expected.astype(np.float64)))
    rows: list[Row] = []
    for form in runs:
        if form == _GEMM:
            continue
        error = float(np.linalg.norm((found.get(form, expected) - expected).astype(np.float64))) / scale
        allowed = ERRORS[dtype]
        case = Comparison.of(
            f"{dtype} {size} {form}", timings, [_GEMM], ours=form, threads=threads, error=error, allowed=allowed
        )
        rows.append(Row("NumPy" if form == _NUMPY else "other forms", 2.0 * size**3 / 1e9, case))
    return rows


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "raised", rounds=11)
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
    rows = rows_of_children(__file__, [*map(str, sizes), "--rounds", str(options.rounds)], options.threads, Row)
    found = {
        f"{group}, {threads} threads, over gemm": overall(
            [row.case for row in rows if row.group == group and row.case.threads == threads]
        )
        for group in ("other forms", "NumPy")
        for threads in options.threads
    }
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    figures.save(options.json, rows, found, Chart("Products in every form: speed over gemm's", bars, 1.0))
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
