"""Swizzles: where the bytes of a shared buffer lie, so that lanes that read or write together meet different banks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct


class Swizzle(Struct, frozen=True):
    """Byte a lies at `a ^ (a >> shift & mask)`, where `mask` are `bits` ones from bit `base` on.

    Bytes that differ only below `base` stay beside each other. Written as for tensor maps: (3, 4, 3) is that of 128
    bytes. Raises ValueError unless `shift >= bits > 0`.
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        if not self.shift >= self.bits > 0 <= self.base:
            raise ValueError(f"{self} is not one of shift >= bits > 0 and base >= 0")

    @property
    def mask(self) -> int:
        """The bits that change."""
        return ((1 << self.bits) - 1) << self.base

    @property
    def block(self) -> int:
        """Bytes of which a whole number is permuted among itself."""
        return 1 << (self.base + self.bits)

    @property
    def period(self) -> int:
        """Bytes: what lies so many further on is permuted alike."""
        return 1 << (self.base + self.shift + self.bits)

    def place(self, byte: int) -> int:
        """Where a byte lies; the byte that lies there is the same function of it."""
        return byte ^ (byte >> self.shift & self.mask)

    def places(self, bytes_: Iterable[int]) -> list[int]:
        """Where each of many lies."""
        shift, mask = self.shift, self.mask
        return [byte ^ (byte >> shift & mask) for byte in bytes_]

    def __str__(self) -> str:
        return f"swizzle<{self.bits},{self.base},{self.shift}>"


SWIZZLED_LINES: Final = {128: Swizzle(3, 4, 3), 64: Swizzle(2, 4, 3), 32: Swizzle(1, 4, 3)}
"""By bytes of a line, the longest first: how 16 bytes each of eight lines that lie one behind the other are swizzled,
so that columns of 16 bytes meet different banks."""

_SWIZZLE: Final = re.compile(r"swizzle<([0-9]{1,2}),([0-9]{1,2}),([0-9]{1,2})>\Z")


def parse_swizzle(text: str) -> Swizzle:
    """The swizzle that `swizzle<bits,base,shift>` spells. Raises ValueError."""
    match = _SWIZZLE.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not a swizzle")
    return Swizzle(int(match[1]), int(match[2]), int(match[3]))
