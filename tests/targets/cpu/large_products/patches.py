"""Convolutions by 3 x 3 as entries of native code, called without the launcher: products of tables of positions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from code_generation import code_of
from frontends.tlx.kernels import function, ivec, load, typed
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_source
from tilewright.diagnostics import Report, Source
from tilewright.machine.native import load_object
from tilewright.program import Kernel, load_artifact
from tilewright.settings.product_units import read_units
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.target import CpuTarget

Array = NDArray[Any]
STALE = 0x55
"""What another kernel left in each byte of the thread's memory: as a distance it leads nowhere."""
_L1_BYTES, _L2_BYTES = 48 << 10, 1 << 20
"""Caches as large as the sizes of tests are chosen for, whatever this machine has."""
_DTYPES = {"i8": "b", "float": "f", "double": "d"}
_PART = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
_SHARE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_ENTRY = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


class Convolution:
    """One image of some channels, as many maps, small random integers, so that every order of sums is exact."""

    def __init__(
        self, rng: np.random.Generator, element: str, channels: int, size: int, l2_bytes: int = _L2_BYTES
    ) -> None:
        shapes = [(1, channels, size, size), (channels, channels, 3, 3), (1, channels, size - 2, size - 2)]
        image, kernel, out = (rng.integers(-3, 4, shape).astype(_DTYPES[element]) for shape in shapes)
        self.arrays: list[Array] = [image, kernel, out]
        patches = np.lib.stride_tricks.sliding_window_view(image.astype(np.int64), (3, 3), (2, 3))
        self.expected = np.einsum("nchwij,ocij->nohw", patches, kernel.astype(np.int64)).astype(out.dtype)
        vector, ones = f"<{out.size} x {element}>", ivec([1, 1])
        text = function(
            f"%x = {load('%a', element, shapes[0])}",
            f"%y = {load('%b', element, shapes[1])}",
            f"%z = call {vector} @llvm.tensor.convolution(token %x, token %y, {ones}, {ones}, {ones})",
            f"%t = call token @llvm.tensor.typeinfo({vector} %z, {typed(shapes[2])})",
            f"call void @llvm.tensor.store(ptr elementtype({element}) %c, token %t, {ivec([0] * 4)})",
        )
        target = CpuTarget(replace(machine_of(), l1_bytes=_L1_BYTES, l2_bytes=l2_bytes)).using(
            read_units("vnni,vector")
        )
        artifact = compile_source(Source("k", text), target, CompileOptions(), Report())
        self.kernel: Kernel = load_artifact(artifact, lambda: text, tuple, tuple).k

    def run(self, text: str, symbols: Mapping[str, int] | None = None, team: Team | None = None) -> Array:
        """The result of the kernel's code, perhaps changed, in memory with other things left in it."""
        info = self.kernel.info
        code = load_object(code_of(text), [info.symbol], symbols=symbols)
        memory = np.full(info.local_bytes + 128, STALE, np.uint8)
        self.memory = memory
        slots, grid = np.array([a.ctypes.data for a in self.arrays]), np.ones(3, np.int64)
        helpers = None if team is None else team.table(info.local_bytes)
        where = None if helpers is None else helpers.ctypes.data
        entry = _ENTRY(code.address(info.symbol))
        entry(slots.ctypes.data, grid.ctypes.data, 0, 1, memory.ctypes.data - memory.ctypes.data % -128, where)
        return self.arrays[2]


class Team:
    """A team that runs the positions of each job in an order of our own, each as a call of its own."""

    def __init__(self, order: Callable[[int], list[int]]) -> None:
        self.totals: list[int] = []
        self._order = order
        self._share = _SHARE(self._run)
        self._memory = np.zeros(0, np.uint8)

    def table(self, local_bytes: int) -> NDArray[np.int64]:
        """What code takes for the team."""
        self._memory = np.full(local_bytes + 128, STALE, np.uint8)
        return np.array([ctypes.cast(self._share, ctypes.c_void_p).value or 0, 2, 0, 0], np.int64)

    def _run(self, _team: int, part: int, context: int, total: int) -> int:
        self.totals.append(total)
        call = _PART(part)
        for position in self._order(total):
            scratch = self._memory.ctypes.data - self._memory.ctypes.data % -128
            call(context, position, position + 1, scratch, 1)
        return 0
