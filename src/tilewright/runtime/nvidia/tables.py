"""Tables of groups, and of other addresses, on their way to a device.

The table of a `PointerArray` that cannot change is copied once for each kernel and device, and lives as long as that
object. Any other is copied for a launch, in the order of its stream; where the stream is being captured, for as long as
the kernel, since a graph may be run at any time.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_uint64, c_void_p
from itertools import accumulate
from threading import Lock

from msgspec import Struct, field

from tilewright.machine.cuda.capture import beside_capture, is_capturing
from tilewright.machine.cuda.driver import Context, DeviceBuffer
from tilewright.runtime.arrays import AnyArray

_ALIGNMENT = 16


class AddressWords(Struct, frozen=True, eq=False):
    """Words for a pointer parameter, among them `addresses` of a device's memory; what they are of is `owner`."""

    words: AnyArray
    addresses: tuple[int, ...]
    owner: tuple[object, ...]


class HostTable(Struct):
    """Columns of 64-bit words, the addresses first, of the parameter `name`. `owners` keep the memory alive.

    One that `is_lasting` never changes; `copy` is that on the device, once there is one.
    """

    name: str
    columns: tuple[AnyArray, ...]
    owners: tuple[object, ...]
    is_lasting: bool = False
    copy: DeviceBuffer | None = None

    def image(self) -> bytes:
        """The columns one behind the other."""
        return b"".join(column.tobytes() + bytes(-column.nbytes % _ALIGNMENT) for column in self.columns)

    def starts(self) -> list[int]:
        """Where each column begins in the image."""
        ends = accumulate(column.nbytes + -column.nbytes % _ALIGNMENT for column in self.columns)
        return [0, *ends][: len(self.columns)]


class DeviceTables(Struct):
    """The tables of one kernel on a device; `captured` are those that graphs refer to."""

    context: Context
    captured: list[DeviceBuffer] = field(default_factory=list[DeviceBuffer])
    mutex: Lock = field(default_factory=Lock)

    @contextmanager
    def placed(self, tables: Sequence[HostTable], stream: int) -> Generator[dict[str, list[int]]]:
        """Addresses of the columns of each table on the device, for work that the block puts into the stream."""
        temporary: list[int] = []
        try:
            yield {table.name: self._addresses(table, stream, temporary) for table in tables}
        finally:
            for address in temporary:
                self.context.call("cuMemFreeAsync", address, c_void_p(stream))

    def _addresses(self, table: HostTable, stream: int, temporary: list[int]) -> list[int]:
        base = self._base(table, stream, temporary)
        return [base + start for start in table.starts()]

    def _base(self, table: HostTable, stream: int, temporary: list[int]) -> int:
        if table.is_lasting:
            with self.mutex:
                if table.copy is None:
                    table.copy = self._copied(table.image())
            return table.copy.address
        if is_capturing(self.context, stream):
            copy = self._copied(table.image())
            self.captured.append(copy)
            return copy.address
        return self._for_a_launch(table.image(), stream, temporary)

    def _copied(self, data: bytes) -> DeviceBuffer:
        """A copy that is there when this returns, also while streams are captured, of which it is no part."""
        with beside_capture(self.context):
            buffer = self.context.allocate(max(len(data), _ALIGNMENT))
            aside = self.context.stream()
            self.context.call("cuMemcpyHtoDAsync_v2", buffer.address, data, len(data), c_void_p(aside.handle))
            aside.synchronize()
        return buffer

    def _for_a_launch(self, data: bytes, stream: int, temporary: list[int]) -> int:
        """Memory that belongs to the stream's order; the driver has read `data` when the copy is enqueued."""
        pointer = c_uint64()
        self.context.call("cuMemAllocAsync", byref(pointer), max(len(data), _ALIGNMENT), c_void_p(stream))
        temporary.append(pointer.value)
        self.context.call("cuMemcpyHtoDAsync_v2", pointer.value, data, len(data), c_void_p(stream))
        return pointer.value
