"""Streams whose work is being recorded as a graph, and what may be done meanwhile."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import byref, c_int, c_void_p
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

    from tilewright.machine.cuda.caller import Caller

_RELAXED: Final = 2


def is_capturing(context: Caller, stream: int) -> bool:
    """Whether work that is put into a stream is recorded and not run."""
    status = c_int()
    context.call("cuStreamIsCapturing", c_void_p(stream), byref(status))
    return status.value != 0


@contextmanager
def beside_capture(context: Caller) -> Generator[None]:
    """Let this thread allocate while a stream is captured, by it or another: what it does is no part of the graph."""
    mode = c_int(_RELAXED)
    context.call("cuThreadExchangeStreamCaptureMode", byref(mode))
    try:
        yield
    finally:
        context.call("cuThreadExchangeStreamCaptureMode", byref(mode))
