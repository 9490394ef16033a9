"""Batched small products with A transposed against the same without: `python benchmarks/transposes.py [--quick]`.

C_i := op(A_i) B_i + C_i, one thread, sizes whose columns fill whole vectors and sizes whose columns do not, batches of
512 KiB (in the second cache). Both run in turn on random data, timed by the thread's processor time; the table shows
median microseconds and how many times as long the transposed form takes within a round, with quartiles.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import thread_time
from typing import Final

import numpy as np

import figures
import tilewright as tw
from comparison import Comparison, line, overall
from figures import Chart
from products import DTYPES, ERRORS, batched_product
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from timing import in_turn, timers

MANY_COLUMNS: Final = ((16, 16, 16), (9, 20, 9), (9, 64, 30), (13, 13, 13), (21, 40, 11), (40, 21, 11), (56, 9, 9))
FEW_COLUMNS: Final = ((16, 1, 32), (16, 2, 32), (16, 4, 32), (21, 1, 32), (21, 2, 32), (21, 4, 32))
GROUPS: Final = {"many columns": MANY_COLUMNS, "one to four columns": FEW_COLUMNS}
_BYTES: Final = 512 * 1024
_REPEATS: Final = 20
_BAR: Final = 0.5


def measure(dtype: str, shape: tuple[int, int, int], rounds: int) -> Comparison:
    """One size in both forms."""
    m, n, k = shape
    kind, rng = DTYPES[dtype], np.random.default_rng()
    batch = max(1, _BYTES // ((m * k + k * n + m * n) * kind.itemsize))
    a, b = (rng.standard_normal(size).astype(kind) for size in ((batch, k, m), (batch, n, k)))
    flipped, c = np.ascontiguousarray(a.transpose(0, 2, 1)), np.ones((batch, n, m), kind)
    expected = 1 + b.astype(np.float64) @ a.astype(np.float64)
    calls: dict[str, Callable[[], object]] = {}
    error = 0.0
    for name, form, factor in (("plain", "n", a), ("transposed", "t", flipped)):
        artifact = tw.compile(batched_product(dtype, shape, 1, form), cache=False).artifact
        launch = bind_artifact(artifact, pool=Pool(1))["product"].prepare(batch)
        calls[name] = partial(launch, factor.transpose(2, 1, 0), b.transpose(2, 1, 0), c.transpose(2, 1, 0))
        c[...] = 1
        calls[name]()
        error = max(error, float(np.linalg.norm(c - expected) / np.linalg.norm(expected)))
    timings = in_turn(timers(calls, _REPEATS, thread_time), rounds)
    name = f"{dtype} {'x'.join(map(str, shape))}"
    return Comparison.of(name, timings, ours="plain", error=error, allowed=ERRORS[dtype])


def main() -> int:
    """Print the table; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "transposes", rounds=15)
    options = figures.parsed(parser)
    cases: dict[str, list[Comparison]] = {}
    for group, shapes in GROUPS.items():
        for dtype in DTYPES:
            for shape in shapes[:1] if options.quick else shapes:
                case = measure(dtype, shape, options.rounds)
                cases.setdefault(group, []).append(case)
                print(line(case, "us", 16))
    found = {f"times as long transposed, {group}": overall(rows) for group, rows in cases.items()}
    figures.tell(found)
    rows = [case for of_group in cases.values() for case in of_group]
    bars = [(case.name, 1 / case.ratio.median) for case in rows]
    chart = Chart("Products with A transposed: speed over that of the same without", bars, _BAR)
    figures.save(options.json, rows, found, chart)
    return 1 if any(case.wrong for case in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
