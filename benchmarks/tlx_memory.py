"""What memory bounds in TLX against NumPy: `python benchmarks/tlx_memory.py [WORD ...] [--threads 1 2] [--quick]`.

Ten million elements, row-major: functions and sums element by element, dimensions in another order, reductions. Ours,
NumPy's (into an array that exists) and a plain stream that moves as many bytes (`peers/stream.c`), which is a floor
where its ratio is below 1, run in turn. The table shows how many times as long NumPy takes as ours within a round, with
quartiles, the same of the stream, and milliseconds. WORDs select rows whose name contains all of them. One process a
thread count; NumPy has one thread for all of this.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
import tlx_texts as texts
from children import rows_of_children
from comparison import OURS, Comparison, line, overall
from figures import Chart
from peers.stream import Streams
from products import DTYPES, ERRORS
from spread import Overall
from timing import in_turn, timers

Array = NDArray[Any]
_NUMPY: Final = "numpy"
_STREAM: Final = "stream"
_MATRIX: Final = [2500, 4000]
_TENSOR: Final = [50, 40, 50, 100]
_QUICK: Final = ("f32 relu", "f32 max of rows")


class Case(Struct, frozen=True):
    """A kernel of one or two tensors, what NumPy computes into `out`, and the stream that moves as much."""

    name: str
    text: str
    inputs: tuple[Array, ...]
    out: Array
    numpy: Callable[[Array], object]
    stream: str = "triad"


def _cases(dtype: str) -> Iterator[Case]:
    rng, kind = np.random.default_rng(), DTYPES[dtype]
    a, b = (rng.standard_normal(_MATRIX).astype(kind) for _ in range(2))
    positive, tensor = np.abs(b), a.reshape(_TENSOR)
    functions: dict[str, tuple[Array, Callable[[Array], object]]] = {
        "relu": (a, lambda out: np.maximum(a, 0, out=out)),
        "sqrt": (positive, lambda out: np.sqrt(positive, out=out)),
        "fabs": (a, lambda out: np.abs(a, out=out)),
        "floor": (a, lambda out: np.floor(a, out=out)),
        "exp": (a, lambda out: np.exp(a, out=out)),
        "log": (positive, lambda out: np.log(positive, out=out)),
        "log2": (positive, lambda out: np.log2(positive, out=out)),
        "log10": (positive, lambda out: np.log10(positive, out=out)),
        "tanh": (a, lambda out: np.tanh(a, out=out)),
    }
    for op, (source, run) in functions.items():
        yield Case(f"{dtype} {op}", texts.unary(dtype, op, _MATRIX), (source,), np.empty_like(a), run)
    for op, function in (("fadd", np.add), ("fmul", np.multiply)):
        text = texts.binary(dtype, op, _MATRIX)
        yield Case(f"{dtype} {op}", text, (a, b), np.empty_like(a), lambda out, f=function: f(a, b, out=out))
    for source, order in ((a, (1, 0)), (tensor, (0, 2, 1, 3)), (tensor, (0, 3, 1, 2)), (tensor, (3, 2, 1, 0))):
        turned = source.transpose(order)
        text = texts.transpose(dtype, source.shape, order)
        name = f"{dtype} transpose {''.join(map(str, order))}"
        yield Case(name, text, (source,), np.empty(turned.shape, kind), lambda out, t=turned: np.copyto(out, t))
    for op, function in (("add", np.add), ("max", np.maximum)):
        for what, count, axis in (("all", 2, None), ("rows", 1, 1)):
            text = texts.reduction(dtype, op, _MATRIX, count)
            out = np.empty([1, 1] if count == 2 else [_MATRIX[0], 1], kind)
            yield Case(
                f"{dtype} {op} of {what}",
                text,
                (a,),
                out,
                lambda out, f=function, axis=axis: f.reduce(a, axis=axis, keepdims=True, out=out),
                "read",
            )


def measure(case: Case, seconds: float, streams: Streams, threads: int) -> Comparison:
    """Ours, NumPy's and the stream in turn."""
    kernel = tw.compile(case.text, target="cpu", cache=False).k
    wanted, moved = np.empty_like(case.out), sum(x.nbytes for x in (*case.inputs, case.out))
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: kernel(*case.inputs, case.out),
        _NUMPY: lambda: case.numpy(wanted),
        _STREAM: streams.stream(case.stream, moved),
    }
    timings = in_turn(timers(runs), sys.maxsize, limit=seconds, threads=threads)
    exact = wanted.astype(np.float64)
    error = float(np.linalg.norm(case.out - exact) / np.linalg.norm(exact))
    allowed = ERRORS[case.name.partition(" ")[0]]
    return Comparison.of(case.name, timings, [_NUMPY], threads=threads, error=error, allowed=allowed)


def table(threads: int, words: list[str], seconds: float, *, quick: bool) -> list[Comparison]:
    """All rows at one thread count, printed as they come."""
    streams, rows = Streams(threads), list[Comparison]()
    for dtype in DTYPES:
        for case in _cases(dtype):
            if all(word in case.name for word in words) and (not quick or case.name in _QUICK):
                rows.append(measure(case, seconds, streams, threads))
                print(f"{line(rows[-1])}   stream x{rows[-1].ratios[_STREAM]}", file=sys.stderr, flush=True)
    return rows


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "tlx_memory")
    parser.add_argument("words", nargs="*", help="with any, figures are saved only where --json says")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=0.5, help="for each case (default: %(default)s)")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    seconds = 0.0 if options.quick else options.seconds
    if options.child is not None:
        print(msgspec.json.encode(table(options.child, options.words, seconds, quick=options.quick)).decode())
        return 0
    arguments = [*options.words, "--seconds", str(seconds), *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, options.threads, Comparison)
    groups: dict[str, list[Comparison]] = {}
    for row in rows:
        groups.setdefault(f"{row.threads} threads, {row.name.partition(' ')[0]}, over NumPy", []).append(row)
    found: dict[str, Overall] = {what: overall(cases) for what, cases in groups.items()}
    figures.tell(found)
    partly = options.words and options.json == figures.results("tlx_memory")
    chart = Chart("Ten million elements in TLX: speed over NumPy's", [(r.label, r.ratio.median) for r in rows], 1.0)
    figures.save(None if partly else options.json, rows, found, chart)
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
