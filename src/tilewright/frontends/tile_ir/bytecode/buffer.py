"""Bytes being written."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.frontends.tile_ir.bytecode.form import PADDING


class Buffer:
    """Primitives one after the other."""

    __slots__ = ("data",)

    def __init__(self) -> None:
        self.data = bytearray()

    def __len__(self) -> int:
        return len(self.data)

    def byte(self, value: int) -> None:
        """One byte."""
        self.data.append(value)

    def bytes(self, value: bytes | bytearray) -> None:
        """Some bytes."""
        self.data += value

    def fixed(self, value: int, width: int) -> None:
        """An unsigned little-endian integer of `width` bytes."""
        self.data += value.to_bytes(width, "little")

    def varint(self, value: int) -> None:
        """An unsigned LEB128 number."""
        while value >= 0x80:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)

    def svarint(self, value: int) -> None:
        """A signed number of 64 bits in zigzag encoding."""
        self.varint((value << 1 ^ value >> 63) & ((1 << 64) - 1))

    def integers(self, values: Iterable[int], width: int) -> None:
        """A count and so many signed integers of `width` bytes."""
        found = tuple(values)
        self.varint(len(found))
        for value in found:
            self.data += value.to_bytes(width, "little", signed=True)

    def align(self, alignment: int) -> None:
        """Pad to a multiple of `alignment`."""
        self.data += bytes([PADDING]) * (-len(self.data) % alignment)


def table(entries: list[bytes], width: int) -> bytes:
    """A table with offsets of `width` bytes."""
    out = Buffer()
    out.varint(len(entries))
    if entries:
        out.align(width)
        offset = 0
        for entry in entries:
            out.fixed(offset, width)
            offset += len(entry)
        for entry in entries:
            out.bytes(entry)
    return bytes(out.data)
