"""Atomics of several threads on one element: nothing gets lost, whoever comes in between.

On a machine it is chance whether anybody does. So the LLVM text is also given to the emulator of `targets/nvidia`,
whose threads all read before the first of them writes.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import numpy as np
import pytest

from generators.element_types import DTYPES
from targets.cpu.entry import Entry
from targets.nvidia.emulator.machine import Device, Program

THREADS = 4
ROUNDS = 200_000
additions = pytest.mark.parametrize("dtype", ["i8", "i64", "f32", "f64", "c64"])


def kernel(dtype: str, kind: str) -> Entry:
    """Updates one element over and over: by 1, or by ever larger numbers."""
    operand = f"%k32 = arith.cast %k -> {dtype}" if kind == "max" else ""
    value = "%k32" if kind == "max" else "%one"
    one = {"i": "1", "c": "(1.0, 2.0)"}.get(dtype[0], "1.0")
    return Entry(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%t: memref<{dtype}x1>, %n: i32) {{
      %z = arith.constant {{value = 0}} -> index
      %zero = arith.constant {{value = 0}} -> i32
      %one = arith.constant {{value = {one}}} -> {dtype}
      scf.for %zero, %n {{operand_segments = [1, 1, 0, 0]}} (%k: i32) {{
        {operand}
        %o = memref.atomic_rmw {value}, %t, %z {{kind = "{kind}", scope = "device"}} -> {dtype}
      }}
    }} }}""")


def sum_of(dtype: str, count: int) -> complex:
    """So many times the number that is added, in the arithmetic of the type."""
    return complex(np.array([count * (1 + 2j if dtype[0] == "c" else 1)]).astype(DTYPES[dtype])[0])


def together(jobs: Sequence[Callable[[], None]]) -> None:
    """Run jobs in threads of their own that start at one time."""
    start = Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        start.wait()
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(run, job) for job in jobs]:
            done.result()


@additions
def test_no_addition_is_lost(dtype: str) -> None:
    run, total = kernel(dtype, "add"), np.zeros(1, DTYPES[dtype])
    together([lambda: run({"t": total, "n": np.int32(ROUNDS)})] * THREADS)
    assert complex(total[0]) == sum_of(dtype, THREADS * ROUNDS)


@pytest.mark.parametrize("dtype", ["f64", "f16"])
def test_extrema_stay(dtype: str) -> None:
    """Each thread goes up to a bound of its own: the largest is what remains."""
    run, most = kernel(dtype, "max"), np.zeros(1, DTYPES[dtype])
    bounds = [2048, 1000, 1500, 700]
    together([partial(run, {"t": most, "n": np.int32(n + 1)}) for n in bounds])
    assert float(most[0]) == max(bounds)


def emulated(entry: Entry, dtype: str, rounds: int, schedule: random.Random | None) -> complex:
    """What the element is after 64 threads have updated it from 0 on."""
    device = Device(schedule)
    cell, slots, grid = (device.memory.allocate(64) for _ in range(3))
    cell.write(bytes(64))
    slots.write(struct.pack("<Qi", cell.address, rounds))
    grid.write(struct.pack("<qqq", 1, 1, 1))
    device.call(Program(entry.text), entry.info.symbol, 64, [slots.address, grid.address, 0, 1, 0, 0])
    return complex(np.frombuffer(cell.read(), DTYPES[dtype])[0])


@additions
def test_no_addition_is_lost_among_many(dtype: str, seed: int) -> None:
    entry = kernel(dtype, "add")
    for schedule in (None, random.Random(seed)):
        assert emulated(entry, dtype, 3, schedule) == sum_of(dtype, 3 * 64)


@pytest.mark.parametrize("dtype", ["f64", "f16", "bf16"])
def test_extrema_among_many(dtype: str, seed: int) -> None:
    assert emulated(kernel(dtype, "max"), dtype, 9, random.Random(seed)) == 8
