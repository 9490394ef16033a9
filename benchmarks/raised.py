"""Loops over single elements against the instruction `gemm`: `python benchmarks/raised.py [SIZE ...] [--quick]`.

C := A B column-major on random data, in loops of every order, in tiles, unrolled, and with the sum carried by a loop;
each form runs in turn with the instruction, in one process, on two threads. The table shows the best rate of each in
GFLOP/s and the median over rounds of the speed over that of the instruction within a round.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import permutations
from typing import Final

import numpy as np

import figures
import tilewright as tw
from children import machine
from plot import plot
from timing import in_turn, timers

_DTYPES: Final[dict[str, np.dtype[np.float32 | np.float64]]] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
_ERRORS: Final = {"f32": 1e-5, "f64": 1e-13}
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


def measure(dtype: str, size: int, form: str, body: str, rounds: int) -> dict[str, object]:
    """Best rates, speed over the instruction, relative error."""
    loops = tw.compile(_kernel(dtype, size, body), target="cpu", cache=False).k[1]
    text = _kernel(dtype, size, "gemm %one, %A, %B, %zero, %C")
    instruction = tw.compile(text, target="cpu", cache=False).k[1]
    rng = np.random.default_rng()
    a, b = (np.asfortranarray(rng.standard_normal((size, size)).astype(_DTYPES[dtype])) for _ in range(2))
    c, other = np.full_like(a, np.nan), np.empty_like(a)
    runs = {"loops": lambda: loops(a, b, c), "gemm": lambda: instruction(a, b, other)}
    timings = in_turn(timers(runs), rounds, threads=2, warm=_WARM)
    best = timings.best()
    flops = 2.0 * size**3 / 1e9
    expected = a.astype(np.float64) @ b.astype(np.float64)
    error = float(np.linalg.norm(c - expected) / np.linalg.norm(expected))
    return {
        "dtype": dtype,
        "size": size,
        "form": form,
        "machine": machine(),
        "loops": flops / best["loops"],
        "gemm": flops / best["gemm"],
        "ratio": timings.ratio("gemm", "loops"),
        "wrong": not error <= _ERRORS[dtype],
    }


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "raised")
    parser.add_argument("sizes", type=int, nargs="*", default=[1024, 2048])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="f32 of 512 only, three rounds")
    options = parser.parse_args()
    sizes, rounds = ([512], 3) if options.quick else (options.sizes, options.rounds)
    rows: list[dict[str, object]] = []
    for dtype in ["f32"] if options.quick else list(_DTYPES):
        for size in sizes:
            for form, body in _forms(dtype):
                row = measure(dtype, size, form, body, rounds)
                note = "  WRONG" if row["wrong"] else ""
                rates = f"loops {row['loops']:6.1f}  gemm {row['gemm']:6.1f}  x{row['ratio']:.2f}{note}"
                print(f"{dtype} {size:5} {form:9} {rates}", flush=True)
                rows.append(row)
    figures.save(options.json, rows)
    bars = [(f"{r['dtype']} {r['size']} {r['form']}", float(str(r["ratio"]))) for r in rows]
    plot(options.json, "Products in loops: median over rounds of the speed over gemm's", bars, 1.0, "x")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
