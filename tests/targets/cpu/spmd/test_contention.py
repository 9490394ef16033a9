"""Atomics of several threads on one element: nothing gets lost, whoever comes in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import numpy as np
import pytest

from generators.element_types import DTYPES
from targets.cpu.entry import Entry

THREADS = 4
ROUNDS = 1_000_000


def kernel(dtype: str, kind: str) -> Entry:
    """Updates one element over and over: by 1, or by ever larger numbers."""
    operand = f"%k32 = arith.cast %k -> {dtype}" if kind == "max" else ""
    value = "%k32" if kind == "max" else "%one"
    return Entry(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%t: memref<{dtype}x?>, %n: i32) {{
      %z = arith.constant {{value = 0}} -> index
      %zero = arith.constant {{value = 0}} -> i32
      %one = arith.constant {{value = {"1" if dtype[0] == "i" else "1.0"}}} -> {dtype}
      scf.for %zero, %n {{operand_segments = [1, 1, 0, 0]}} (%k: i32) {{
        {operand}
        %o = memref.atomic_rmw {value}, %t, %z {{kind = "{kind}", scope = "device"}} -> {dtype}
      }}
    }} }}""")


def together(jobs: Sequence[Callable[[], None]]) -> None:
    """Run jobs in threads of their own that start at one time."""
    start = Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        start.wait()
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(run, job) for job in jobs]:
            done.result()


@pytest.mark.parametrize(("dtype", "kind"), [("i8", "add"), ("i64", "add"), ("f32", "add"), ("f64", "add")])
def test_no_addition_is_lost(dtype: str, kind: str) -> None:
    run, total = kernel(dtype, kind), np.zeros(1, DTYPES[dtype])
    together([lambda: run({"t": total, "n": np.int32(ROUNDS)})] * THREADS)
    assert total.tolist() == np.array([THREADS * ROUNDS]).astype(DTYPES[dtype]).tolist()


@pytest.mark.parametrize("dtype", ["f64", "f16"])
def test_extrema_stay(dtype: str) -> None:
    """Each thread goes up to a bound of its own: the largest is what remains."""
    run, most = kernel(dtype, "max"), np.zeros(1, DTYPES[dtype])
    bounds = [2048, 1000, 1500, 700]
    together([partial(run, {"t": most, "n": np.int32(n + 1)}) for n in bounds])
    assert float(most[0]) == max(bounds)
