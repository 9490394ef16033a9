"""Plain streams through memory that rows of the benchmarks are held against (`stream.c`, compiled by gcc)."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

_SOURCE: Final = Path(__file__).with_name("stream.c")
_BYTES: Final = 4
_GRAIN: Final = 128
"""Elements: what the loops take in one step."""


class Streams:
    """Streams on a number of threads, an equal share each; raises RuntimeError without gcc or AVX-512."""

    def __init__(self, threads: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "stream.so"
            command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(_SOURCE), "-o", str(library)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"the streams need gcc and AVX-512:\n{done.stderr}")
            self._native = ctypes.CDLL(str(library))
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def stream(self, kind: str, size: int) -> Callable[[], object]:
        """What moves as many bytes: "read" (s += a), "triad" (c = a b past the caches) or "update" (y = s x + y).

        Of arrays of its own, none larger than it takes: what a cache keeps of them from round to round it keeps of the
        arrays of whoever moves as much. An update reads and writes y, so its arrays hold two thirds of the bytes.
        """
        count = {"read": 1, "triad": 3, "update": 3}[kind]
        share = size // _BYTES // count // self._threads // _GRAIN * _GRAIN
        arrays = [_aligned(share * self._threads) for _ in range({"read": 1, "triad": 3, "update": 2}[kind])]
        run = self._native[f"stream_{kind}"]

        def part(thread: int) -> None:
            starts = [ctypes.c_void_p(array.ctypes.data + _BYTES * share * thread) for array in arrays]
            run(*starts, ctypes.c_long(share))

        if self._threads == 1:
            return lambda: part(0)
        return lambda: list(self._pool.map(part, range(self._threads)))


def _aligned(elements: int) -> NDArray[np.float32]:
    whole = np.zeros(elements + 16, np.float32)
    skip = -whole.ctypes.data % 64 // 4
    found = whole[skip : skip + elements]
    found[:] = np.random.default_rng().standard_normal(elements, np.float32)
    return found
