"""Arrays in host memory as a kernel on a device sees them: copied there, and back when the work is done."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tilewright.machine.cuda.driver import Context, DeviceBuffer
from tilewright.runtime.arrays import ArrayView, Device, reach, view
from tilewright.runtime.group_arguments import ArrayGroup, PointerArray

_ALIGNMENT: Final = 256
"""What the addresses of the copies have in common with those of the arrays: their rests by this."""


class _Segment(Struct, frozen=True):
    """Bytes `[low, high)` of the host with their copy, which begins at `address`."""

    low: int
    high: int
    address: int
    buffer: DeviceBuffer
    is_writeable: bool


class DeviceCopies:
    """Arguments of a launch whose arrays are NumPy's; `arguments` are those for the device.

    Arrays that share memory share that of the copies. Raises `OutOfDeviceMemory`.
    """

    def __init__(self, context: Context, arguments: Sequence[object]) -> None:
        self._context = context
        arrays = [view(array) for argument in arguments for array in _arrays_in(argument)]
        self._segments = [self._copied(part) for part in overlapping(arrays)]
        self.arguments = [self._on_device(argument) for argument in arguments]

    def send(self) -> None:
        """Let the device have the arrays as they are now, but for those that nobody may write."""
        for segment in self._segments:
            if segment.is_writeable:
                data = ctypes.string_at(segment.low, segment.high - segment.low)
                segment.buffer.write(data, segment.address - segment.buffer.address)

    def finish(self) -> None:
        """Wait for the device, and let the arrays be as the kernels have left them. Raises `DeviceFailed`."""
        self._context.synchronize()
        for segment in self._segments:
            if segment.is_writeable:
                offset, size = segment.address - segment.buffer.address, segment.high - segment.low
                ctypes.memmove(segment.low, segment.buffer.read(size, offset), size)

    def _copied(self, arrays: Sequence[ArrayView]) -> _Segment:
        ranges = [reach(array) for array in arrays]
        low, high = min(begin for begin, _ in ranges), max(end for _, end in ranges)
        offset = low % _ALIGNMENT
        buffer = self._context.allocate(offset + high - low)
        buffer.write(ctypes.string_at(low, high - low), offset)
        writeable = not all(array.readonly for array in arrays)
        return _Segment(low, high, buffer.address + offset, buffer, writeable)

    def _on_device(self, argument: object) -> object:
        if _is_array(argument):
            return self._view(view(argument))
        if isinstance(argument, PointerArray):
            return self._pointers(argument)
        if isinstance(argument, ArrayGroup):
            return ArrayGroup([self._on_device(array) for array in argument.arrays], argument.offset)
        if isinstance(argument, list):
            return [self._on_device(array) for array in cast("list[object]", argument)]
        return argument

    def _view(self, array: ArrayView) -> ArrayView:
        begin, end = reach(array)
        moved = array.address if begin == end else array.address + self._apart(array)
        return replace(array, address=moved, device=self._device)

    def _pointers(self, group: PointerArray) -> PointerArray:
        """The addresses of a group that point into one array of the host."""
        moved = group.pointers.astype(np.int64) + self._apart(view(group.owner))
        pointers = np.frombuffer(moved.astype(np.uint64).tobytes(), np.uint64)
        return dataclasses.replace(group, pointers=pointers, device=self._device)

    def _apart(self, array: ArrayView) -> int:
        """How far behind an array its copy lies."""
        begin, end = reach(array)
        segment = next(part for part in self._segments if part.low <= begin and end <= part.high)
        return segment.address - segment.low

    @property
    def _device(self) -> Device:
        return Device("cuda", self._context.description.ordinal)


def _arrays_in(argument: object) -> Sequence[object]:
    if isinstance(argument, PointerArray):
        return [argument.owner]
    if isinstance(argument, ArrayGroup):
        return [array for array in argument.arrays if array is not None]
    if isinstance(argument, list):
        return [array for array in cast("list[object]", argument) if array is not None]
    return [argument] if _is_array(argument) else []


def _is_array(argument: object) -> bool:
    return isinstance(argument, np.ndarray)


def overlapping(arrays: Sequence[ArrayView]) -> list[list[ArrayView]]:
    """Arrays with elements, put together where the ranges of their bytes overlap."""
    found: list[list[ArrayView]] = []
    end = 0
    for array in sorted((array for array in arrays if 0 not in array.shape), key=reach):
        begin, behind = reach(array)
        if found and begin < end:
            found[-1].append(array)
        else:
            found.append([array])
        end = max(end, behind)
    return found
