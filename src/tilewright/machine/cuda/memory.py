"""Memory of a device."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from ctypes import byref, c_uint64, c_void_p
from threading import Lock
from typing import TYPE_CHECKING, cast

from tilewright.machine.cuda.capture import beside_capture, is_capturing
from tilewright.machine.cuda.errors import OutOfDeviceMemory, error_of
from tilewright.machine.cuda.handles import finalizer

if TYPE_CHECKING:
    from collections.abc import Generator

    from tilewright.machine.cuda.caller import Caller


class DeviceBuffer:
    """Bytes on a device."""

    def __init__(self, context: Caller, size: int) -> None:
        if size <= 0:
            raise ValueError(f"a device buffer needs a positive size, not {size}")
        self.context = context
        self.size = size
        pointer = c_uint64()
        try:
            context.call("cuMemAlloc_v2", byref(pointer), size)
        except OutOfDeviceMemory as error:
            raise _no_room(context, error, size) from None
        self.address: int = pointer.value
        self.free = finalizer(self, context, "cuMemFree_v2", pointer.value)

    def _check(self, offset: int, size: int) -> None:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset}..{offset + size} lie outside a device buffer of {self.size}")

    def write(self, data: bytes, offset: int = 0) -> None:
        """Copy from host to device; returns when done."""
        self._check(offset, len(data))
        self.context.call("cuMemcpyHtoD_v2", self.address + offset, data, len(data))

    def read(self, size: int | None = None, offset: int = 0) -> bytes:
        """Copy from device to host; waits for the default stream."""
        count = self.size - offset if size is None else size
        self._check(offset, count)
        host = ctypes.create_string_buffer(max(count, 1))
        self.context.call("cuMemcpyDtoH_v2", host, self.address + offset, count)
        return host.raw[:count]

    def fill(self, byte: int, stream: int = 0) -> None:
        """Set every byte, in the order of a stream."""
        self.context.call("cuMemsetD8Async", self.address, byte, self.size, c_void_p(stream))


@contextmanager
def stream_memory(context: Caller, size: int, stream: int) -> Generator[int]:
    """The address of memory for work that the block puts into a stream, or into the graph that it is captured for.

    Raises `OutOfDeviceMemory`.
    """
    pointer = c_uint64()
    try:
        context.call("cuMemAllocAsync", byref(pointer), size, c_void_p(stream))
    except OutOfDeviceMemory as error:
        raise _no_room(context, error, size) from None
    try:
        yield pointer.value
    finally:
        context.call("cuMemFreeAsync", pointer.value, c_void_p(stream))


class StreamFlags:
    """Memory of a context's streams whose beginning is 0 before a launch, and which the launch leaves so.

    Launches of a stream come one after the other, so each stream keeps what has been made for the largest so far, for
    each size of beginnings: behind a shorter one lies what is not 0. It is a stream by the driver's number, which no
    other one ever has: a handle is that of another stream in each thread, or when the first one is gone.
    """

    def __init__(self, context: Caller) -> None:
        self._context = context
        self._kept: dict[tuple[int, int], DeviceBuffer] = {}
        self._mutex = Lock()

    @contextmanager
    def memory(self, size: int, flags: int, stream: int) -> Generator[int]:
        """The address of so many bytes for work that the block puts into a stream; the first of them are `flags`.

        What is captured for a graph, which other streams may run, has memory and zeros of its own. Raises
        `OutOfDeviceMemory`.
        """
        if is_capturing(self._context, stream):
            with stream_memory(self._context, size, stream) as address:
                self._context.call("cuMemsetD8Async", address, 0, flags, c_void_p(stream))
                yield address
            return
        number = c_uint64()
        self._context.call("cuStreamGetId", c_void_p(stream), byref(number))
        key = (number.value, flags)
        with self._mutex:
            found = self._kept.get(key)
            if found is None or found.size < size:
                # what runs in the stream may still need the smaller one
                with beside_capture(self._context):
                    self._context.call("cuStreamSynchronize", c_void_p(stream))
                    found = self._kept[key] = DeviceBuffer(self._context, size)
                    found.fill(0, stream)
            yield found.address


def _no_room(context: Caller, error: OutOfDeviceMemory, size: int) -> OutOfDeviceMemory:
    free, total = context.free_memory()
    said = f"{error.text}; {size:,} bytes are wanted, {free:,} of {total:,} are free"
    return cast("OutOfDeviceMemory", error_of(error.call, error.code, error.name, said))
