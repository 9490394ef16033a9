"""A device that is played, whose kernels the emulator runs: arrays of the host say that they lie on it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from machine.cuda.fake_driver import FakeDriver, Launched
from targets.nvidia.emulator.machine import Device
from targets.nvidia.emulator.machine import Program as Code
from targets.nvidia.launching import Copy, moved
from tilewright.program import Program

_MOST = 1 << 16
"""Bytes of what was allocated that the emulator has room for; of records no launch here leaves more."""


class OnDevice:
    """An array of the host that says it lies on a device."""

    def __init__(self, array: NDArray[Any], readonly: bool = False) -> None:
        self.array = array
        low, high = np.lib.array_utils.byte_bounds(array)
        self.low, self.high = int(low), int(high)
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3}
        self.__cuda_array_interface__["data"] = (array.ctypes.data, readonly)


def runs(played: FakeDriver, program: Callable[[], Program], arrays: Sequence[OnDevice]) -> None:
    """Let the kernel that is launched run on the emulator, on arrays and on whatever was allocated on the device."""

    def run(launched: Launched) -> None:
        device = Device()
        allocated = {address: min(ctypes.sizeof(memory), _MOST) for address, memory in played.memory.items()}
        ranges = [(a.low, a.high) for a in arrays] + [(at, at + size) for at, size in allocated.items()]
        copies = [Copy.of(device.memory, low, high) for low, high in ranges if high > low]
        for copy in copies:
            if copy.low in allocated:
                _translate(copy, copies)
        slots = np.array([moved(copies, word) for word in launched.words], np.int64).tobytes()
        code = Code(program().text("llvm"))
        x, y, z = launched.grid
        device.launch(code, launched.function, (x, y, z), slots, launched.shared_bytes)
        for copy in copies:
            copy.back()

    played.everywhere, played.doing = True, run


def _translate(copy: Copy, copies: Sequence[Copy]) -> None:
    """Addresses among the words of a table are those of the copies."""
    data = copy.buffer.read(copy.high - copy.low, copy.offset)
    whole = len(data) // 8 * 8
    words = [moved(copies, word) for word in np.frombuffer(data[:whole], np.int64).tolist()]
    copy.buffer.write(np.array(words, np.int64).tobytes(), copy.offset)
