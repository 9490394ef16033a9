"""Functions of math against NumPy: `python benchmarks/functions.py [WORD ...] [--quick]`.

2^20 elements in the caches, one thread. Each row runs ours, a `linalg.generic` of MLIR with one operation, and what
NumPy has for it, in turn; the table shows medians over rounds: how many times as long NumPy takes as ours within a
round, with quartiles, and nanoseconds an element. NumPy has no error function: that is compared with torch's, where
torch is. Numbers of bf16 are ml_dtypes'. WORDs select rows whose name contains all of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import ml_dtypes
import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import rows_of_children
from comparison import OURS, Comparison, overall
from figures import Chart
from spread import Overall
from timing import in_turn, timers
from torch_forms import torch_module

Array = NDArray[Any]

_LENGTH: Final = 1 << 20
_SHORT: Final = 1 << 12
_DTYPES: Final[Mapping[str, Any]] = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
}
_ALLOWED: Final = {"f32": 1e-6, "f64": 1e-15, "f16": 2e-3, "bf16": 2e-2}
"""Of the norm of the difference over that of the result."""
_UNITS: Final = 1e9


class Function(Struct, frozen=True):
    """An operation of MLIR's math, the NumPy function that writes its value to `out`, and where arguments lie."""

    name: str
    numpy: Callable[..., object] | None
    low: float
    high: float
    operands: int = 1


def _inverse_root(x: Array, out: Array) -> None:
    np.sqrt(x, out=out)
    np.divide(out.dtype.type(1), out, out=out)


FUNCTIONS: Final = (
    Function("exp", np.exp, -8, 8),
    Function("exp2", np.exp2, -8, 8),
    Function("expm1", np.expm1, -8, 8),
    Function("log", np.log, 0.01, 8),
    Function("log2", np.log2, 0.01, 8),
    Function("log10", np.log10, 0.01, 8),
    Function("log1p", np.log1p, -0.9, 8),
    Function("sin", np.sin, -8, 8),
    Function("cos", np.cos, -8, 8),
    Function("tan", np.tan, -8, 8),
    Function("sinh", np.sinh, -8, 8),
    Function("cosh", np.cosh, -8, 8),
    Function("tanh", np.tanh, -8, 8),
    Function("erf", None, -4, 4),
    Function("sqrt", np.sqrt, 0.01, 8),
    Function("rsqrt", _inverse_root, 0.01, 8),
    Function("floor", np.floor, -8, 8),
    Function("ceil", np.ceil, -8, 8),
    Function("trunc", np.trunc, -8, 8),
    Function("roundeven", np.rint, -8, 8),
    Function("atan2", np.arctan2, -8, 8, operands=2),
    Function("powf", np.power, 0.1, 4, operands=2),
)


def text(function: Function, dtype: str) -> str:
    """A kernel of MLIR that stores the function of all elements of its operands in its last argument."""
    names = "AB"[: function.operands]
    type_ = f"memref<?x{dtype}>"
    parameters = ", ".join(f"%{name}: {type_}" for name in names)
    ins, types = ", ".join(f"%{name}" for name in names), ", ".join(type_ for _ in names)
    elements, maps = ", ".join(f"%{name.lower()}" for name in names), ", ".join("affine_map<(i) -> (i)>" for _ in names)
    block = ", ".join(f"%{name.lower()}: {dtype}" for name in names)
    return f"""func.func @k({parameters}, %C: {type_}) {{
      linalg.generic {{indexing_maps = [{maps}, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
          ins({ins} : {types}) outs(%C : {type_}) {{
        ^bb0({block}, %c: {dtype}):
          %y = math.{function.name} {elements} : {dtype}
          linalg.yield %y : {dtype}
      }}
      return
    }}"""


def _peer(function: Function, given: list[Array], out: Array) -> tuple[str, Callable[[], object]] | None:
    if function.numpy is not None:
        compute = function.numpy
        return "numpy", lambda: compute(*given, out=out)
    torch = torch_module()
    if torch is None or out.dtype == _DTYPES["bf16"]:
        return None
    torch.set_num_threads(1)
    x, into = torch.from_numpy(given[0]), torch.from_numpy(out)
    return "torch", lambda: torch.erf(x, out=into)


def measure(function: Function, dtype: str, seconds: float, length: int) -> Comparison | None:
    """Ours and NumPy's in turn; nothing where there is no one to compare with."""
    rng = np.random.default_rng()
    given = [rng.uniform(function.low, function.high, length).astype(_DTYPES[dtype]) for _ in range(function.operands)]
    mine, theirs = np.zeros_like(given[0]), np.zeros_like(given[0])
    peer = _peer(function, given, theirs)
    if peer is None:
        return None
    kernel = tw.compile(text(function, dtype), target="cpu", cache=False).k[1]
    kernel(*given, mine)
    name, run = peer
    run()
    want = theirs.astype(np.float64)
    error = float(np.linalg.norm(mine.astype(np.float64) - want) / np.linalg.norm(want))
    timings = in_turn(timers({OURS: lambda: kernel(*given, mine), name: run}), sys.maxsize, limit=seconds)
    return Comparison.of(f"{dtype} {function.name}", timings, error=error, allowed=_ALLOWED[dtype])


def table(words: list[str], seconds: float, length: int) -> Iterator[Comparison]:
    """All rows, printed as they come."""
    for dtype in _DTYPES:
        for function in FUNCTIONS:
            name = f"{dtype} {function.name}"
            if all(word in name.split(" ") for word in words):
                row = measure(function, dtype, seconds, length)
                if row is not None:
                    print(_line(row, length), file=sys.stderr, flush=True)
                    yield row


def _line(row: Comparison, length: int) -> str:
    times = "  ".join(f"{name} {spread.median * _UNITS / length:.2f}" for name, spread in row.seconds.items())
    wrong = f"  WRONG: relative error {row.error:.1e}" if row.wrong else ""
    return f"{row.name:16} x{row.ratio} {row.peer}{wrong}   ns an element: {times}"


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "functions")
    parser.add_argument("words", nargs="*", help="with any, figures are saved only where --json says")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each row (default: %(default)s)")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    seconds = 0.0 if options.quick else options.seconds
    if options.child is not None:
        rows = list(table(options.words, seconds, _SHORT if options.quick else _LENGTH))
        print(msgspec.json.encode(rows).decode())
        return 0
    arguments = [*options.words, "--seconds", str(seconds), *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, [1], Comparison)
    found = _summary(rows)
    figures.tell(found)
    partly = options.words and options.json == figures.results("functions")
    chart = Chart("Functions of math: speed over NumPy's", [(row.label, row.ratio.median) for row in rows], 1.0)
    figures.save(None if partly else options.json, rows, found, chart)
    return 1 if any(row.wrong for row in rows) else 0


def _summary(rows: list[Comparison]) -> dict[str, Overall]:
    """By type."""
    groups: dict[str, list[Comparison]] = {}
    for row in rows:
        groups.setdefault(f"{row.name.split(' ')[0]}, all", []).append(row)
    return {what: overall(of_group) for what, of_group in groups.items()}


if __name__ == "__main__":
    sys.exit(main())
