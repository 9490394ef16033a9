"""The sample kernel on a long batch, all cores: `python benchmarks/fused.py [--batch 100000]`.

D += alpha (A B^T) C against NumPy's and (where installed) torch's formulations, each with its best order of products
and with as few temporaries as it allows. Beside them the bandwidth that the kernel reaches, and what a plain stream of
the same shape reaches: y := s x + y of `peers/stream.c`, as D is read and written and A read.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import figures
import tilewright as tw
from peers.stream import measure_bandwidth
from plot import plot
from tilewright.runtime.threads import available_processors
from timing import in_turn, timers

_SOURCE: Final = Path(__file__).parent.parent / "examples" / "fused_kernel.tl"
_BYTES: Final = 4 * (16 * 8 + 2 * 16 * 16)
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


@dataclass(frozen=True, slots=True)
class Figures:
    """Times of ours and of all peers, run in turn; the worst relative error of any."""

    batch: int
    error: float
    milliseconds: dict[str, float]
    best_milliseconds: dict[str, float]


def measure(batch: int, rounds: int) -> Figures:
    """Ours and all peers on the same random data."""
    rng = np.random.default_rng()
    a = rng.standard_normal((batch, 8, 16), np.float32)
    b, c = rng.standard_normal((8, 8), np.float32), rng.standard_normal((16, 8), np.float32)
    d = rng.standard_normal((batch, 16, 16), np.float32)
    expected = _reference(*(x.astype(np.float64) for x in (a, b, c, d)))
    kernel = tw.compile(_SOURCE, cache=False).fused_kernel[batch]
    mine, theirs = d.copy(), d.copy()
    arguments = (_ALPHA, tw.PointerArray.of(a), b.T, c.T, mine.transpose(2, 1, 0))
    kernel(*arguments)
    error = float(np.linalg.norm(mine - expected) / np.linalg.norm(expected))
    runs: Peers = {"tilewright": lambda: kernel(*arguments)}
    runs |= numpy_peers(a, b, c, theirs) | torch_peers(a, b, c, theirs)
    errors: dict[str, float] = {}
    for name in list(runs)[1:]:
        theirs[:] = d
        runs[name]()
        errors[name] = float(np.linalg.norm(theirs - expected) / np.linalg.norm(expected))
    timings = in_turn(timers(runs), rounds, threads=available_processors(), warm=_WARM)
    return Figures(batch, max(error, *errors.values()), timings.median(1e3), timings.best(1e3))


def _reference(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> NDArray[np.float64]:
    return d + 0.5 * (c @ (b.T @ a))


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "fused")
    parser.add_argument("--batch", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    found = measure(options.batch, options.rounds)
    stream = measure_bandwidth(available_processors()).update
    medians, fastest = found.milliseconds, found.best_milliseconds
    ours = medians["tilewright"]
    for name, milliseconds in medians.items():
        print(f"{name:28}{milliseconds:9.2f} ms{fastest[name]:9.2f} (best){milliseconds / ours:8.2f} x")
    moved = _BYTES * options.batch / 1e6
    rate, best = moved / ours, moved / fastest["tilewright"]
    print(f"bandwidth {rate:.1f} GB/s (best round {best:.1f}), stream {stream:.1f}: {rate / stream:.0%}")
    print(f"worst error {found.error:.1e}")
    result = {**asdict(found), "gigabytes_per_second": rate, "stream": stream}
    figures.save(options.json, result)
    bars = [(name, milliseconds / ours) for name, milliseconds in medians.items() if name != "tilewright"]
    plot(options.json, f"Sample kernel, {options.batch:,} matrices: speed over", bars, 4.0, "x")
    return 1 if not found.error <= _ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
