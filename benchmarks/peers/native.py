"""Compiles and loads libxsmm (Debian `libxsmm-dev`), the native timing loop for our own kernels (`batched.c`), and
loops that do a part of a product's work only (`limits.c`).
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.artifacts.artifact import Artifact, block_size, slot_layout
from tilewright.machine.native import load_object

Array = NDArray[np.float32 | np.float64]
_SOURCES: Final = tuple(str(Path(__file__).with_name(name)) for name in ("batched.c", "limits.c"))
_MOST_ROWS: Final = 8
_FACTORS: Final = 256
_BYTES: Final = {"f32": 4, "f64": 8}
_LINK: Final = ("-lxsmm", "-lxsmmnoblas", "-ldl", "-lpthread", "-lm")
_AUTO: Final = -1
_NONE: Final = 0
_STRATEGIES: Final = {_NONE: "none", 2: "AL2", 4: "BL2viaC", 6: "AL2_BL2viaC", 8: "curAL2", 12: "curAL2_BL2viaC"}
"""The names of libxsmm's manual (libxsmm_be.md, "Prefetch strategy")."""


class Xsmm(Struct, frozen=True):
    """A kernel of libxsmm: where it is, what for, which prefetch strategy it has."""

    address: int
    dtype: str
    size: tuple[int, int, int]
    strategy: str


class Native:
    """The compiled peers; raises RuntimeError where gcc or libxsmm is missing."""

    def __init__(self) -> None:
        # else libxsmm asks OpenMP to bind threads, and torch, loaded later, binds this one to the first core
        os.environ.setdefault("OMP_PROC_BIND", "FALSE")
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "peers.so"
            command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", *_SOURCES, "-o", str(library), *_LINK]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"the peers need gcc and libxsmm-dev:\n{done.stderr}")
            self._library = ctypes.CDLL(str(library))
        self._functions: dict[str, Any] = {}
        pointer, number, many = ctypes.c_void_p, ctypes.c_int, ctypes.c_long
        for dtype, real in (("f32", ctypes.c_float), ("f64", ctypes.c_double)):
            self._declare(f"xsmm_{dtype}", pointer, [number] * 3 + [real, number])
            self._declare(f"xsmm_strategy_{dtype}", number, [pointer])
            for loop in ("time_xsmm", "time_xsmm_next"):
                self._declare(f"{loop}_{dtype}", ctypes.c_double, [pointer] * 4 + [number] * 3 + [many, number])
            self._declare(f"time_multiplies_{dtype}", ctypes.c_double, [pointer, many, number])
        self._declare("time_entry", ctypes.c_double, [pointer] * 4 + [number])
        self._declare("time_bytes", ctypes.c_double, [pointer] * 4 + [many, number, number])

    def _declare(
        self, name: str, result: type[ctypes.c_void_p | ctypes.c_double | ctypes.c_int], arguments: list[type]
    ) -> None:
        function = self._functions[name] = self._library[name]
        function.restype, function.argtypes = result, arguments

    def xsmm(self, dtype: str, size: tuple[int, int, int], beta: float, *, prefetch: bool) -> Xsmm:
        """libxsmm's kernel for dense column-major matrices, with the prefetch strategy that it chooses or without."""
        found = self._functions[f"xsmm_{dtype}"](*size, beta, _AUTO if prefetch else _NONE)
        if not found:
            raise RuntimeError(f"libxsmm has no kernel for {size} {dtype}")
        strategy = self._functions[f"xsmm_strategy_{dtype}"](found)
        return Xsmm(int(found), dtype, size, _STRATEGIES.get(strategy, str(strategy)))

    def time_xsmm(self, kernel: Xsmm, arrays: tuple[Array, Array, Array], repeats: int) -> float:
        """Seconds for `repeats` passes over the batch; kernels that prefetch are told where the next matrices lie."""
        loop = "time_xsmm" if kernel.strategy == _STRATEGIES[_NONE] else "time_xsmm_next"
        a, b, c = (x.ctypes.data for x in arrays)
        run = self._functions[f"{loop}_{kernel.dtype}"]
        return float(run(kernel.address, a, b, c, *kernel.size, len(arrays[0]), repeats))

    def time_entry(self, entry: BatchEntry, repeats: int) -> float:
        """Seconds for `repeats` launches of a kernel on the calling thread."""
        return float(self._functions["time_entry"](entry.address, entry.slots, entry.grid, entry.scratch, repeats))

    def time_multiplies(self, dtype: str, size: tuple[int, int, int], count: int) -> float:
        """Seconds for the multiplications of `count` products whose vectors run along columns of C."""
        m, n, k = size
        vectors = -(-m * _BYTES[dtype] // self._library.vector_bytes())
        panels = -(-vectors // _MOST_ROWS)
        rows = -(-vectors // panels)
        factors = np.ones(_FACTORS, np.float64)
        steps = panels * n * k * count
        return float(self._functions[f"time_multiplies_{dtype}"](factors.ctypes.data, steps, rows))

    def time_bytes(self, arrays: tuple[Array, Array, Array], read_c: bool, repeats: int) -> float:
        """Seconds for `repeats` times loading all of A and B (and C), and storing zeros to C, matrix by matrix."""
        sizes = np.array([x.nbytes // len(x) for x in arrays], np.int_)
        a, b, c = (x.ctypes.data for x in arrays)
        return float(self._functions["time_bytes"](a, b, c, sizes.ctypes.data, len(arrays[0]), read_c, repeats))


class BatchEntry:
    """A compiled kernel with its arguments, ready for calls of its native entry."""

    def __init__(self, artifact: Artifact, arguments: dict[str, Array], groups: int) -> None:
        info = artifact.kernels[0]
        self._library = load_object(artifact.payload, [info.symbol])
        self.address = self._library.address(info.symbol)
        self._block = np.zeros(block_size(info.parameters) // 8 + 2, np.int64)
        for slot in slot_layout(info.parameters):
            array = arguments[slot.parameter]
            value = array.ctypes.data if slot.role == "pointer" else len(array)
            self._block[slot.offset // 8] = value
        self._grid = np.array([groups, 1, 1], np.int64)
        self._scratch = np.zeros(info.local_bytes + 4096, np.uint8)
        self.slots, self.grid = self._block.ctypes.data, self._grid.ctypes.data
        self.scratch = -(-self._scratch.ctypes.data // 128) * 128
