"""What kernels on a device report: records in memory that a launch gives, read and told when it is over
(`targets/nvidia/reports.py`)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_void_p
from typing import TYPE_CHECKING, Final

from tilewright.artifacts.parameters import REPORTS, KernelInfo
from tilewright.artifacts.report_sites import (
    DEVICE_HEAD_WORDS,
    DEVICE_RECORD_WORDS,
    ReportSite,
    device_words,
    read_sites,
    value_words,
)
from tilewright.machine.cuda.capture import beside_capture, is_capturing
from tilewright.machine.cuda.driver import Context, DeviceBuffer
from tilewright.runtime.errors import LaunchError

if TYPE_CHECKING:
    from tilewright.runtime.reports import Record

_HEAD: Final = struct.Struct(f"<{DEVICE_HEAD_WORDS}q")
_RECORD: Final = struct.Struct(f"<{DEVICE_RECORD_WORDS}q")
_WORD_BYTES: Final = 8


class DeviceRecords:
    """The reports of one kernel on a device. Each launch has memory of its own, which later ones take again."""

    def __init__(self, kernel: str, context: Context, sites: tuple[ReportSite, ...]) -> None:
        self._kernel, self._context, self._sites = kernel, context, sites
        self._words = device_words(sites)
        self._free: list[DeviceBuffer] = []

    @staticmethod
    def of(info: KernelInfo, context: Context) -> DeviceRecords | None:
        """None for a kernel that reports nothing."""
        found = read_sites(info.facts) if REPORTS in info.facts else None
        return None if found is None else DeviceRecords(info.name, context, found[1])

    @contextmanager
    def delivering(self, stream: int) -> Generator[Sequence[int]]:
        """The slots for a launch that the block puts into a stream; what it reports is delivered when it is over.

        Raises `LaunchError` where the stream is being captured, since nobody would tell what a graph reports; behind
        the launch what `runtime.reports.deliver` raises.
        """
        if is_capturing(self._context, stream):
            raise LaunchError(
                f"kernel {self._kernel} prints, asserts or was compiled with checked=True: its launch waits for what "
                f"it says, and cannot be captured; launch it outside of the graph"
            )
        buffer = self._buffer()
        self._context.call("cuMemcpyHtoDAsync_v2", buffer.address, self._empty(), _HEAD.size, c_void_p(stream))
        yield buffer.address, self._words
        records, lost = self._read(buffer, stream)
        self._free.append(buffer)
        if records or lost:
            from tilewright.runtime.reports import deliver

            deliver(self._kernel, records, lost)

    def _buffer(self) -> DeviceBuffer:
        # popping and appending are atomic
        try:
            return self._free.pop()
        except IndexError:
            with beside_capture(self._context):
                return self._context.allocate(_HEAD.size + self._words * _WORD_BYTES)

    def _empty(self) -> bytes:
        return _HEAD.pack(0, self._words, 0, 0)

    def _read(self, buffer: DeviceBuffer, stream: int) -> tuple[list[Record], int]:
        """Wait for the launch; its records, and how many found no room."""
        claimed, room, lost, _ = _HEAD.unpack(self._copied(buffer.address, _HEAD.size, stream))
        size = min(claimed, room) * _WORD_BYTES
        content = self._copied(buffer.address + _HEAD.size, size, stream) if size else b""
        return list(_records(content, self._sites)), lost

    def _copied(self, address: int, size: int, stream: int) -> bytes:
        """What is there when the work enqueued so far is done."""
        host = ctypes.create_string_buffer(size)
        self._context.call("cuMemcpyDtoHAsync_v2", host, address, size, c_void_p(stream))
        self._context.call("cuStreamSynchronize", c_void_p(stream))
        return host.raw


def _records(content: bytes, sites: Sequence[ReportSite]) -> Iterator[Record]:
    from tilewright.runtime.reports import Record

    offset = 0
    while offset < len(content):
        number, x, y, z = _RECORD.unpack_from(content, offset)
        begin = offset + _RECORD.size
        offset = begin + value_words(sites[int(number)]) * _WORD_BYTES
        yield Record(sites[int(number)], (x, y, z), content[begin:offset])
