"""Batches of small products of bf16 against libxsmm, one thread: `bf16_batches.py [--library PATH] [--quick]`.

C := A B, row-major, sums in f32, on random data that stays in the second cache or comes from memory. Ours (with AMX or
the bf16 unit where they are, which have to be asked for), libxsmm, whose kernels take one factor with pairs of terms
side by side, and which is packed so in the call, and libxsmm with that factor packed ahead, which is less work, run in
turn. Debian's libxsmm 1.17 knows `vdpbf16ps` and no AMX. The table shows median rates in GFLOP/s and how many times as
fast ours is within a round, with quartiles. Pin it (`taskset -c 2`) where other processors are busy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import figures
import tilewright as tw
from comparison import OURS, Comparison, overall
from figures import Chart
from peers.pairs import Pairs
from rated import Row
from timing import Timer, in_turn, seconds
from units import Case

Array = NDArray[Any]
_SIZES: Final = [16, 32, 64, 128]
_BYTES: Final = {"L2": 400_000, "memory": 60_000_000}
_QUICK: Final = {"L2": 100_000}
_XSMM: Final = "libxsmm"
_AHEAD: Final = "libxsmm, packed ahead"
_ERROR: Final = 1e-5
_LEAST_SECONDS: Final = 1e-3
_RATE: Final = 2e11


def measure(pairs: Pairs, size: int, where: str, bytes_: int, limit: float) -> Row:
    """One size, in one place."""
    import ml_dtypes

    rng, batch = np.random.default_rng(), max(2, bytes_ // (size * size * 8))
    a, b = (_aligned(rng.standard_normal((batch, size, size)).astype(ml_dtypes.bfloat16)) for _ in "ab")
    c = _aligned(np.zeros((batch, size, size), np.float32))
    call = tw.compile(Case("bf16", size, batch).text, cache=False, units="amx,bf16").k[batch]
    kernel, packed, one = pairs.kernel(size), pairs.packed(b), _aligned(np.zeros((1, size, size), np.uint16))
    work = 2.0 * size**3 * batch
    repeats = max(1, int(_LEAST_SECONDS * _RATE / work))
    # a row-major product is the column-major one of the factors in reverse
    runs: dict[str, Timer] = {
        OURS: lambda: seconds(lambda: call(b.T, a.T, c.T), repeats),
        _XSMM: lambda: pairs.seconds(kernel, (b, a, c), repeats, one),
        _AHEAD: lambda: pairs.seconds(kernel, (packed, a, c), repeats),
    }
    exact = np.matmul(a[:4].astype(np.float64), b[:4].astype(np.float64))
    errors = [_error(run, c, exact) for run in runs.values()]
    timings = in_turn(runs, sys.maxsize, limit=limit)
    name = f"bf16 {size} batch of {batch} in {where}"
    return Row("bf16", work / 1e9, Comparison.of(name, timings, [_XSMM], error=max(errors), allowed=_ERROR))


def _error(run: Callable[[], object], c: Array, exact: Array) -> float:
    c[...] = np.nan
    run()
    return float(np.linalg.norm(c[: len(exact)] - exact) / np.linalg.norm(exact))


def _aligned(array: Array) -> Array:
    """A copy that begins with a cache line, as libxsmm likes it."""
    raw = np.zeros(array.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    found = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def main() -> int:
    """Print the table; exit code 1 if a result is wrong, 2 without libxsmm."""
    parser = figures.options(__doc__, "bf16_batches")
    parser.add_argument("--library", type=Path, help="peers/pairs.c, compiled, where libxsmm is not installed")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each case (default: %(default)s)")
    options = figures.parsed(parser)
    try:
        pairs = Pairs(options.library)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"libxsmm's target {pairs.target}", file=sys.stderr)
    rows: list[Row] = []
    for where, bytes_ in (_QUICK if options.quick else _BYTES).items():
        for size in _SIZES:
            rows.append(measure(pairs, size, where, bytes_, 0.0 if options.quick else options.seconds))
            print(rows[-1].line(), file=sys.stderr, flush=True)
    found = {
        f"{where}, over {peer}": overall([row.case for row in rows if row.case.name.endswith(where)], peer)
        for where in (_QUICK if options.quick else _BYTES)
        for peer in (_XSMM, _AHEAD)
    }
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    figures.save(options.json, rows, found, Chart("Batches of bf16: speed over libxsmm's", bars, 1.0))
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
