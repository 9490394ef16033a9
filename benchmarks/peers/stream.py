"""Measures the memory bandwidth that rows of the benchmarks are held against (`stream.c`, compiled by gcc)."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from timing import in_turn, timers

_SOURCE: Final = Path(__file__).with_name("stream.c")
_ELEMENTS: Final = 1 << 24
_ROUNDS: Final = 9


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """GB/s of the best round, counting what the program reads and writes (not what the caches fetch besides)."""

    read: float
    triad: float
    update: float


def measure_bandwidth(threads: int) -> Bandwidth:
    """Streams over arrays of 64 MB, an equal share for each thread; needs gcc and AVX-512."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "stream.so"
        command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(_SOURCE), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the bandwidth measurement needs gcc and AVX-512:\n{done.stderr}")
        native = ctypes.CDLL(str(library))
    a, b, c = (_aligned() for _ in range(3))
    share = _ELEMENTS // threads

    def at(array: NDArray[np.float32], thread: int) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data + 4 * share * thread)

    many = ctypes.c_long(share)
    with ThreadPoolExecutor(threads) as pool:

        def best(streams: int, run: Callable[[int], object]) -> float:
            stream = timers({"": lambda: list(pool.map(run, range(threads)))})
            return streams * 4 * share * threads / in_turn(stream, _ROUNDS).best()[""] / 1e9

        return Bandwidth(
            read=best(1, lambda t: native.stream_read(at(a, t), many)),
            triad=best(3, lambda t: native.stream_triad(at(a, t), at(b, t), at(c, t), many)),
            update=best(3, lambda t: native.stream_update(at(a, t), at(c, t), many)),
        )


def _aligned() -> NDArray[np.float32]:
    whole = np.zeros(_ELEMENTS + 16, np.float32)
    skip = -whole.ctypes.data % 64 // 4
    found = whole[skip : skip + _ELEMENTS]
    found[:] = np.random.default_rng().standard_normal(_ELEMENTS, np.float32)
    return found
