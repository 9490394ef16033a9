"""Memory of Tile IR kernels: a private address space in which every array, global and allocation is a run of bytes.

Buffers lie far apart, so that an access outside of one is noticed. Arrays that share memory share a buffer, and an
array's address is congruent to the real one modulo the page size: alignment is that of the caller's array.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.types import ElementType
from tilewright.interpreter.tile_ir.values import dtype_of

Array = NDArray[Any]

PAGE: Final = 4096
_GAP: Final = 1 << 20
_FIRST: Final = 1 << 32


class Buffer(Struct, eq=False):
    """A run of bytes at an address."""

    name: str
    base: int
    data: Array
    readonly: bool = False
    alive: bool = True
    uninitialised: bool = False
    views: dict[str, tuple[int, Array]] = field(default_factory=dict[str, tuple[int, Array]])

    def typed(self, dtype: np.dtype[Any]) -> tuple[int, Array]:
        """The bytes as elements, and how many bytes come before the first aligned one."""
        found = self.views.get(dtype.name)
        if found is None:
            lead = -self.base % dtype.itemsize
            count = max(0, len(self.data) - lead) // dtype.itemsize
            found = self.views[dtype.name] = (lead, self.data[lead : lead + count * dtype.itemsize].view(dtype))
        return found


class Place(Struct, frozen=True):
    """Elements in one buffer: positions of their first bytes, and which of the accessed ones they are."""

    buffer: Buffer
    at: Array
    chosen: Array | None


class Memory:
    """All buffers of a launch."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._buffers: list[Buffer] = []
        # room in front of the first buffer too, wherever in a page it begins
        self._next = _FIRST + _GAP

    def add(self, name: str, data: Array, phase: int = 0, readonly: bool = False, alignment: int = PAGE) -> Buffer:
        """A buffer over bytes; its address is `phase` modulo the page size, or a multiple of a larger alignment."""
        self._next = -(-self._next // alignment) * alignment
        buffer = Buffer(name, self._next + phase % PAGE, data, readonly)
        self._bases.append(buffer.base)
        self._buffers.append(buffer)
        self._next = -(-(buffer.base + len(data) + _GAP) // PAGE) * PAGE
        return buffer

    def allocate(self, name: str, size: int, alignment: int) -> Buffer:
        """Uninitialised memory."""
        buffer = self.add(name, np.full(size, 0xA5, np.uint8), alignment=max(alignment, PAGE))
        buffer.uninitialised = True
        return buffer

    def forget(self, buffers: Sequence[Buffer]) -> None:
        """Take buffers out of the address space."""
        gone = {id(b) for b in buffers}
        self._buffers = [b for b in self._buffers if id(b) not in gone]
        self._bases = [b.base for b in self._buffers]

    def locate(self, addresses: Array, size: int, where: Location, what: str) -> list[Place]:
        """The elements at addresses (one dimension); an address outside of every buffer stops the kernel."""
        if not addresses.size:
            return []
        low, high = int(addresses.min()), int(addresses.max())
        buffer = self._holding(low)
        if buffer is not None and high + size <= buffer.base + len(buffer.data):
            return [self._place(buffer, addresses, None, size, where, what)]
        owners = np.searchsorted(np.array(self._bases, np.uint64), addresses, "right") - 1
        places: list[Place] = []
        for owner in np.unique(owners):
            chosen = np.flatnonzero(owners == owner)
            inside = self._buffers[int(owner)] if owner >= 0 else None
            outside = addresses[chosen]
            if inside is not None:
                end = inside.base + len(inside.data)
                outside = outside[(outside > np.uint64(max(0, end - size))) | (end - inside.base < size)]
            if outside.size:
                self._outside(int(outside[0]), size, where, what)
            assert inside is not None
            places.append(self._place(inside, addresses[chosen], chosen, size, where, what))
        return places

    def _holding(self, address: int) -> Buffer | None:
        number = bisect_right(self._bases, address) - 1
        return self._buffers[number] if number >= 0 else None

    def _place(
        self, buffer: Buffer, addresses: Array, chosen: Array | None, size: int, where: Location, what: str
    ) -> Place:
        if not buffer.alive:
            fail("R010", where, f"{what} {buffer.name}, which has gone with the block that allocated it")
        if size > 1 and (addresses & np.uint64(size - 1)).any():
            wrong = addresses[(addresses & np.uint64(size - 1)) != 0]
            message = f"{what} address {int(wrong[0]):#x} of {buffer.name}, which is no multiple of {size} bytes"
            fail("R033", where, message)
        return Place(buffer, (addresses - np.uint64(buffer.base)).astype(np.int64), chosen)

    def _outside(self, address: int, size: int, where: Location, what: str) -> None:
        if address < _FIRST:
            fail("R010", where, f"{what} address {address:#x}, which is null or made up")
        number = bisect_right(self._bases, address) - 1
        near = [b for b in self._buffers[max(0, number) : number + 2] if abs(address - b.base) < len(b.data) + _GAP]
        message = f"{what} {size} bytes at address {address:#x}, outside of all memory of the kernel"
        if near:
            closest = min(near, key=lambda b: max(b.base - address, address - b.base - len(b.data)))
            distance = address - closest.base
            message = f"{what} {size} bytes at offset {distance} of {closest.name}, which has {len(closest.data)}"
        fail("R010", where, message)


def read(place: Place, element: ElementType) -> Array:
    """Elements of a buffer."""
    dtype = dtype_of(element)
    if element is t.I1:
        return place.buffer.data[place.at] != 0
    lead, data = place.buffer.typed(dtype)
    found = data[(place.at - lead) // dtype.itemsize]
    if element is t.TF32:
        return (found.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return found


def write(place: Place, element: ElementType, values: Array) -> None:
    """Store elements; of several for one place the last one wins."""
    dtype = dtype_of(element)
    lead, data = place.buffer.typed(np.dtype(np.uint8) if element is t.I1 else dtype)
    data[(place.at - lead) // element.memory_bytes] = values


# Arguments


class AddressTable(Struct, frozen=True, eq=False):
    """Words in memory, of which those at some positions are the addresses of arrays."""

    words: NDArray[np.int64]
    arrays: Mapping[int, Array]


def _span(array: Array) -> tuple[int, int]:
    """Lowest address and length in bytes of an array's memory."""
    if array.size == 0:
        return array.ctypes.data, 0
    reach = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    return array.ctypes.data + sum(r for r in reach if r < 0), sum(abs(r) for r in reach) + array.itemsize


def _bytes_at(start: int, length: int) -> Array:
    """The memory of the caller's arrays, which live longer than the launch."""
    if not length:
        return np.empty(0, np.uint8)
    return np.frombuffer(memoryview((ctypes.c_uint8 * length).from_address(start)), np.uint8)


def map_arrays(memory: Memory, arrays: Sequence[tuple[str, Array]]) -> list[int]:
    """Give arrays addresses: that of the first element, for each."""
    order = sorted(range(len(arrays)), key=lambda i: (_span(arrays[i][1])[0], -_span(arrays[i][1])[1]))
    addresses = [0] * len(arrays)
    group: list[int] = []
    end = -1
    for index in order:
        start, length = _span(arrays[index][1])
        if group and start >= end:
            _map_group(memory, arrays, group, addresses)
            group = []
        end = max(end, start + length) if group else start + length
        group.append(index)
    if group:
        _map_group(memory, arrays, group, addresses)
    return addresses


def _map_group(memory: Memory, arrays: Sequence[tuple[str, Array]], group: list[int], addresses: list[int]) -> None:
    spans = [_span(arrays[i][1]) for i in group]
    start, end = spans[0][0], max(s + n for s, n in spans)
    name = ", ".join(arrays[i][0] for i in sorted(group))
    readonly = not any(arrays[i][1].flags.writeable for i in group)
    buffer = memory.add(name, _bytes_at(start, end - start), start, readonly)
    for index in group:
        addresses[index] = buffer.base + arrays[index][1].ctypes.data - start
