"""The sample kernel on a long batch, all cores: `python benchmarks/fused.py [--batch COUNT] [--quick]`.

D += alpha (A B^T) C against NumPy's and (where installed) torch's formulations, each with its best order of products
and with as few temporaries as it allows, and against a floor: what loads A, loads and stores D, and multiplies nothing
(`peers/moves.c`), launched as the kernel is, with the best of a few distances of prefetching. All run in turn. A and D
fill the last level's caches four times over, as the machine gives their size, so that no contestant lives off what the
one before left there.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import last_level_cache
from comparison import OURS, Comparison
from figures import Chart
from peers.moves import moves
from spread import Spread
from tilewright.runtime.threads import available_processors
from timing import in_turn, timers

_SOURCE: Final = Path(__file__).parent.parent / "examples" / "fused_kernel.tl"
_BYTES: Final = 4 * (16 * 8 + 16 * 16)
"""Of A and D, for one matrix of the batch."""
_MOVED: Final = _BYTES + 4 * 16 * 16
"""D is read and written."""
_CACHES: Final = 4
_SMALLEST: Final = 100_000
_QUICK: Final = 2_000
_ALPHA: Final = np.float32(0.5)
_ERROR: Final = 1e-5
_PIECE: Final = 512
_WARM: Final = 0.02

Batch = NDArray[np.float32]
Peers = dict[str, Callable[[], object]]


def numpy_peers(a: Batch, b: Batch, c: Batch, d: Batch) -> Peers:
    """Formulations on row-major arrays whose matrices are the transposes of the kernel's: D' += alpha C' (B' A')."""
    left, inner = np.ascontiguousarray(_ALPHA * (c @ b.T)), np.ascontiguousarray(b.T)
    scaled, tmp, product = _ALPHA * c, np.empty_like(a), np.empty_like(d)

    def chain(first: int, last: int) -> None:
        part, held, out = a[first:last], tmp[: last - first], product[: last - first]
        np.matmul(inner, part, out=held)
        np.matmul(scaled, held, out=out)
        np.add(d[first:last], out, out=d[first:last])

    def folded(first: int, last: int) -> None:
        out = product[: last - first]
        np.matmul(left, a[first:last], out=out)
        np.add(d[first:last], out, out=d[first:last])

    def pieces(run: Callable[[int, int], None]) -> None:
        for start in range(0, len(a), _PIECE):
            run(start, min(start + _PIECE, len(a)))

    return {
        "numpy C (B A)": lambda: chain(0, len(a)),
        "numpy C (B A), in pieces": lambda: pieces(chain),
        "numpy (C B) A": lambda: folded(0, len(a)),
        "numpy (C B) A, in pieces": lambda: pieces(folded),
    }


def torch_peers(a: Batch, b: Batch, c: Batch, d: Batch) -> Peers:
    """The same with torch, which adds onto D within the product; none where torch is missing."""
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        return {}
    ta, td = torch.from_numpy(a), torch.from_numpy(d)
    inner, outer = torch.from_numpy(b.T.copy()), torch.from_numpy(c)
    left = float(_ALPHA) * (outer @ inner)
    batch = len(a)

    def chain() -> object:
        return td.baddbmm_(outer.expand(batch, 16, 8), torch.matmul(inner, ta), alpha=float(_ALPHA))

    def folded() -> object:
        return td.baddbmm_(left.expand(batch, 16, 8), ta)

    return {"torch C (B A)": chain, "torch (C B) A": folded}


class Row(Struct, frozen=True):
    """The one case; `floor` is what part of our time moving the matrices takes, in GB/s `rate` ours."""

    batch: int
    case: Comparison
    floor: Spread
    rate: Spread


def measure(batch: int, rounds: int) -> Row:
    """Ours, all peers and the floor on the same random data."""
    rng = np.random.default_rng()
    a = rng.standard_normal((batch, 8, 16), np.float32)
    b, c = rng.standard_normal((8, 8), np.float32), rng.standard_normal((16, 8), np.float32)
    d = rng.standard_normal((batch, 16, 16), np.float32)
    program = tw.compile(_SOURCE, cache=False)
    kernel = program.fused_kernel[batch]
    mine, theirs = d.copy(), d.copy()
    arguments = (_ALPHA, tw.PointerArray.of(a), b.T, c.T, mine.transpose(2, 1, 0))
    peers = numpy_peers(a, b, c, theirs) | torch_peers(a, b, c, theirs)
    kernel(*arguments)
    errors = [_error(mine, a, b, c, d)]
    for run in peers.values():
        theirs[:] = d
        run()
        errors.append(_error(theirs, a, b, c, d))
    del d
    parts = {name: bound.prepare(batch) for name, bound in moves(program.artifact).items()}
    runs: Peers = {OURS: lambda: kernel(*arguments), **peers}
    runs |= {name: lambda part=part: part(*arguments) for name, part in parts.items()}
    timings = in_turn(timers(runs), rounds, threads=available_processors(), warm=_WARM)
    threads = available_processors()
    case = Comparison.of("sample kernel", timings, peers, threads=threads, error=max(errors), allowed=_ERROR)
    floor = case.ratios[timings.fastest(parts)]
    rate = Spread.of([_MOVED * batch / second / 1e9 for second in timings.rounds[OURS]])
    return Row(batch, case, floor, rate)


def _error(found: Batch, a: Batch, b: Batch, c: Batch, d: Batch) -> float:
    """Relative, of pieces of the batch: the whole of it in f64 might not fit into memory."""
    wide_b, wide_c = b.astype(np.float64), c.astype(np.float64)
    off = whole = 0.0
    for start in range(0, len(a), _PIECE):
        piece = slice(start, start + _PIECE)
        expected = d[piece].astype(np.float64) + float(_ALPHA) * (wide_c @ (wide_b.T @ a[piece].astype(np.float64)))
        off += float(np.square(found[piece] - expected).sum())
        whole += float(np.square(expected).sum())
    return (off / whole) ** 0.5


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "fused", rounds=25)
    parser.add_argument("--batch", type=int, help="(default: what fills the last level's caches four times)")
    options = figures.parsed(parser)
    cache = last_level_cache()
    batch = options.batch or (_QUICK if options.quick else max(_SMALLEST, -(-_CACHES * cache // _BYTES)))
    row = measure(batch, options.rounds)
    case = row.case
    for name, spread in case.seconds.items():
        ratio = f"{case.ratios[name]} x" if name in case.ratios else ""
        print(f"{name:28}{spread.scaled(1e3)!s:>24} ms   {ratio}")
    filled = batch * _BYTES / cache
    print(f"{batch:,} matrices, {filled:.1f} times the last level's caches; {row.rate} GB/s")
    found = {"speed over the fastest peer": case.ratio, "part of our time that moving the matrices takes": row.floor}
    figures.tell(found)
    print(f"worst error {case.error:.1e}{'  WRONG' if case.wrong else ''}")
    bars = [(name, ratio.median) for name, ratio in case.ratios.items()]
    figures.save(options.json, [row], found, Chart(f"Sample kernel, {batch:,} matrices: speed over", bars, 1.0))
    return 1 if case.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
