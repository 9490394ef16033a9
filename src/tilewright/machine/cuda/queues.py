"""Streams of a device, and events in them."""

from __future__ import annotations

from ctypes import byref, c_float, c_void_p
from typing import TYPE_CHECKING

from tilewright.machine.cuda.handles import finalizer

if TYPE_CHECKING:
    from tilewright.machine.cuda.caller import Caller


class Stream:
    """A queue of work; `handle` is what `KernelFunction.launch` takes."""

    def __init__(self, context: Caller) -> None:
        self.context = context
        handle = c_void_p()
        non_blocking = 1
        context.call("cuStreamCreate", byref(handle), non_blocking)
        self.handle: int = handle.value or 0
        self.destroy = finalizer(self, context, "cuStreamDestroy_v2", handle)

    def synchronize(self) -> None:
        """Wait for the work enqueued so far."""
        self.context.call("cuStreamSynchronize", c_void_p(self.handle))


class Event:
    """A point in a stream, with the time at which it was reached."""

    def __init__(self, context: Caller) -> None:
        self.context = context
        handle = c_void_p()
        context.call("cuEventCreate", byref(handle), 0)
        self._handle = handle
        self.destroy = finalizer(self, context, "cuEventDestroy_v2", handle)

    def record(self, stream: int = 0) -> None:
        """Put the event behind the work now in a stream."""
        self.context.call("cuEventRecord", self._handle, c_void_p(stream))

    def milliseconds_since(self, earlier: Event) -> float:
        """Wait for this event and tell the time since another one."""
        self.context.call("cuEventSynchronize", self._handle)
        elapsed = c_float()
        self.context.call("cuEventElapsedTime", byref(elapsed), earlier._handle, self._handle)
        return elapsed.value
