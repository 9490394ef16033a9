"""Reads primitives out of a slice of a file; every fault names its byte, its section and what was expected."""

from __future__ import annotations

from typing import Final, NoReturn

from msgspec import Struct

from tilewright.frontends.tile_ir.bytecode.form import SectionId

_MAX_U64: Final = (1 << 64) - 1
_LONGEST_VARINT: Final = 10


class Fault(Exception):
    """The file is not well formed."""

    def __init__(self, code: str, offset: int, message: str, section: SectionId | None) -> None:
        super().__init__(message)
        self.code = code
        self.offset = offset
        self.message = message
        self.section = section


class Cursor(Struct):
    """Position in bytes `position` to `end` of a file. Nothing outside of them is read."""

    data: bytes
    position: int
    end: int
    section: SectionId | None = None

    def fault(self, code: str, message: str, offset: int | None = None) -> Fault:
        """A fault at an offset, or here."""
        return Fault(code, self.position if offset is None else offset, message, self.section)

    def fail(self, code: str, message: str, offset: int | None = None) -> NoReturn:
        """Raise a fault at an offset, or here."""
        raise self.fault(code, message, offset)

    @property
    def left(self) -> int:
        """Bytes that are left."""
        return self.end - self.position

    def slice(self, start: int, end: int) -> Cursor:
        """A cursor on a part of the file."""
        return Cursor(self.data, start, end, self.section)

    def byte(self, what: str) -> int:
        """One byte."""
        at = self.position
        if at >= self.end:
            self.fail("B2", f"the data ends where {what} is expected")
        self.position = at + 1
        return self.data[at]

    def bytes(self, count: int, what: str) -> bytes:
        """So many bytes."""
        at = self.position
        if count > self.end - at:
            self.fail("B2", f"{what}: {count} bytes are expected, {self.end - at} are left")
        self.position = at + count
        return self.data[at : at + count]

    def fixed(self, width: int, what: str) -> int:
        """An unsigned little-endian integer of `width` bytes."""
        return int.from_bytes(self.bytes(width, what), "little")

    def varint(self, what: str) -> int:
        """An unsigned LEB128 number of up to 64 bits."""
        at = self.position
        if at < self.end:
            first = self.data[at]
            if first < 0x80:
                self.position = at + 1
                return first
        value = self._long(what)
        if value > _MAX_U64:
            self.fail("B5", f"{what}: the number has more than 64 bits", at)
        return value

    def _long(self, what: str) -> int:
        start = self.position
        value = shift = 0
        while True:
            if self.position - start == _LONGEST_VARINT:
                self.fail("B5", f"{what}: the number has more than {_LONGEST_VARINT} bytes", start)
            byte = self.byte(what)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def svarint(self, what: str) -> int:
        """A signed number in zigzag encoding."""
        value = self.varint(what)
        return value >> 1 ^ -(value & 1)

    def wide_svarint(self, what: str) -> int:
        """A signed number that may take up to 70 bits; of its value the low 64 count.

        NVIDIA's Python writer encodes doubles with the sign bit set that way.
        """
        value = self._long(what)
        return value >> 1 ^ -(value & 1)

    def count(self, what: str, size: int = 1) -> int:
        """How many elements of at least `size` bytes follow; never more than fit."""
        at = self.position
        found = self.varint(what)
        if found * size > self.end - self.position:
            self.fail("B5", f"{what}: {found} do not fit into the {self.end - self.position} bytes that are left", at)
        return found

    def integers(self, width: int, what: str) -> tuple[int, ...]:
        """A count and so many signed integers of `width` bytes."""
        found = self.count(what, width)
        data = self.bytes(found * width, what)
        return tuple(int.from_bytes(data[i : i + width], "little", signed=True) for i in range(0, len(data), width))

    def finish(self, what: str) -> None:
        """Nothing may be left."""
        if self.position != self.end:
            self.fail("B2", f"{what} ends here, but {self.left} more bytes belong to it")

    def align(self, alignment: int, base: int) -> None:
        """Skip padding up to a multiple of `alignment` counted from `base`."""
        padding = -(self.position - base) % alignment
        self.bytes(padding, "padding")
