"""Contractions of quantum chemistry in TLX against NumPy and torch: `benchmarks/contractions.py [--quick] [WORD ..]`.

Tensors of rank 3 to 5 as coupled-cluster methods multiply them (a, b, c, d: 40 virtual orbitals, i, j, k: 16 occupied
ones), row-major, on random data. Ours, `numpy.einsum(optimize=True)` and `torch.einsum` run in turn, and as a floor our
own product of two row-major matrices of the same extents, which nothing has to be gathered for. So do two that do a
part of the work only (`vector_ceiling.py`): the multiply-adds of registers, and those of register blocks whose factors
lie packed in the first cache (`panels`). Behind `at most` stands how many times as fast as NumPy either is: any code,
and any that loads what it multiplies.
The table shows median rates in GFLOP/s and how many times as fast ours is within a round, with quartiles. One process
a thread count.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from math import prod
from typing import Final

import msgspec
import numpy as np

import figures
import tilewright as tw
from children import rows_of_children
from comparison import OURS, Comparison, overall
from figures import Chart
from products import DTYPES, ERRORS
from rated import Row
from spread import Overall, Spread
from timing import in_turn, timers
from tlx_texts import contraction
from torch_forms import torch_module
from vector_ceiling import multiply_adds, panels

_SIZES: Final = {**dict.fromkeys("abcd", 40), **dict.fromkeys("ijk", 16)}
_QUICK: Final = {**dict.fromkeys("abcd", 10), **dict.fromkeys("ijk", 7)}
_CASES: Final = [
    ("abcd", "cdij", "abij"),
    ("abij", "ijcd", "abcd"),
    ("acik", "kbcj", "abij"),
    ("caik", "bkcj", "abij"),
    ("abij", "kjic", "abkc"),
    ("abid", "dcj", "abcij"),
    ("abcij", "kijc", "abk"),
]
_NUMPY: Final = "numpy"
_TORCH: Final = "torch"
_FLOOR: Final = "matrices"
_REGISTERS: Final = "multiply-adds"
_PANELS: Final = "panels"
_WARM: Final = 0.02


class Contraction(Row, frozen=True):
    """`most`: how many times as fast as NumPy the multiply-adds alone are, `most_by_panels`: and those of panels."""

    most: Spread
    most_by_panels: Spread

    def line(self) -> str:
        """One line of the table."""
        return f"{super().line()}   at most x{self.most}, by {_PANELS} x{self.most_by_panels} {_NUMPY}"


def measure(
    dtype: str, letters: tuple[str, str, str], sizes: dict[str, int], seconds: float, threads: int
) -> Contraction:
    """Ours and the others in turn."""
    rng, (left, right, result) = np.random.default_rng(), letters
    a, b = (rng.standard_normal([sizes[c] for c in word]).astype(DTYPES[dtype]) for word in (left, right))
    c = np.full([sizes[letter] for letter in result], np.nan, DTYPES[dtype])
    kernel = tw.compile(contraction(dtype, letters, sizes), target="cpu", cache=False).k
    spec, operations = _spec(letters), 2.0 * prod(sizes[letter] for letter in {*left, *right})
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: kernel(a, b, c),
        _NUMPY: lambda: np.einsum(spec, a, b, optimize=True),
        **_torch(spec, a, b),
        _FLOOR: _matrices(dtype, letters, sizes, rng),
        _REGISTERS: multiply_adds(dtype, operations, threads),
        _PANELS: panels(dtype, operations, threads),
    }
    timings = in_turn(timers(runs), sys.maxsize, limit=seconds, threads=threads, warm=_WARM)
    exact = np.einsum(spec, a.astype(np.float64), b.astype(np.float64), optimize=True)
    error = float(np.linalg.norm(c - exact) / np.linalg.norm(exact))
    peers = [name for name in runs if name in (_NUMPY, _TORCH)]
    found = Comparison.of(f"{dtype} {spec}", timings, peers, threads=threads, error=error, allowed=ERRORS[dtype])
    most, by_panels = (timings.ratios(_NUMPY, part) for part in (_REGISTERS, _PANELS))
    return Contraction(dtype, 1e-9 * operations, found, most, by_panels)


def _spec(letters: tuple[str, str, str]) -> str:
    return "{},{}->{}".format(*letters)


def _cases(words: list[str]) -> list[tuple[str, tuple[str, str, str]]]:
    """The cases with one of the words in their names, all if there are none."""
    found = [(dtype, letters) for dtype in DTYPES for letters in _CASES]
    return [case for case in found if not words or any(word in f"{case[0]} {_spec(case[1])}" for word in words)]


def _torch(spec: str, a: object, b: object) -> dict[str, Callable[[], object]]:
    torch = torch_module()
    if torch is None:
        return {}
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    return {_TORCH: lambda: torch.einsum(spec, x, y)}


def _matrices(
    dtype: str, letters: tuple[str, str, str], sizes: dict[str, int], rng: np.random.Generator
) -> Callable[[], object]:
    left, right, result = letters
    groups = ([c for c in left if c in result], [c for c in left if c not in result], [c for c in right if c in result])
    m, k, n = (prod(sizes[c] for c in group) for group in groups)
    kernel = tw.compile(contraction(dtype, ("mk", "kn", "mn"), {"m": m, "k": k, "n": n}), cache=False).k
    a, b, c = (rng.standard_normal(shape).astype(DTYPES[dtype]) for shape in ((m, k), (k, n), (m, n)))
    return lambda: kernel(a, b, c)


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "contractions")
    parser.add_argument("words", nargs="*", help="only cases with one; figures are saved only where --json says then")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=0.8, help="for each case (default: %(default)s)")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    if options.child is not None:
        rows: list[Contraction] = []
        for dtype, letters in _cases(options.words):
            sizes = _QUICK if options.quick else _SIZES
            rows.append(measure(dtype, letters, sizes, options.seconds, options.child))
            print(rows[-1].line(), file=sys.stderr, flush=True)
        print(msgspec.json.encode(rows).decode())
        return 0
    seconds = 0.0 if options.quick else options.seconds
    arguments = [*options.words, "--seconds", str(seconds), *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, options.threads, Contraction)
    found = _overall(rows)
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    partly = options.words and options.json == figures.results("contractions")
    path = None if partly else options.json
    figures.save(path, rows, found, Chart("Contractions: speed over NumPy's and torch's", bars, 1.0))
    return 1 if any(row.case.wrong for row in rows) else 0


def _overall(rows: list[Contraction]) -> dict[str, Overall]:
    """Over each of the others, by type and number of threads; what could be had at most over NumPy."""
    found: dict[str, Overall] = {}
    for name in (_NUMPY, _TORCH, _FLOOR):
        groups: dict[str, list[Comparison]] = {}
        for row in rows:
            if name in row.case.ratios:
                groups.setdefault(f"{row.dtype}, {row.case.threads} threads, over {name}", []).append(row.case)
        found |= {what: overall(cases, name) for what, cases in groups.items()}
    most: dict[str, dict[str, Spread]] = {}
    for row in rows:
        for part, spread in ((_REGISTERS, row.most), (_PANELS, row.most_by_panels)):
            what = f"{row.dtype}, {row.case.threads} threads, {part} over {_NUMPY}"
            most.setdefault(what, {})[row.case.label] = spread
    return found | {what: Overall.of(cases) for what, cases in most.items()}


if __name__ == "__main__":
    sys.exit(main())
