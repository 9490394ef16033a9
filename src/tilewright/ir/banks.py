"""What accesses of a warp to memory cost: passes over the banks of shared memory, sectors of global memory.

A thread accesses `width` neighbours at a time, the memory's mode k being dimension k of the layout. Counts are those of
the first access of the first warp. All others take as many: what they add to the addresses of its lanes is the same for
all lanes, and turns the banks; through a swizzle it exchanges them, if no two digits of the layout share a bit. (Where
extents are no powers of two, this holds for accesses of whole words.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import MemrefType

BANKS: Final = 32
BANK_BYTES: Final = 4
SECTOR_BYTES: Final = 32


def bank_passes(layout: Layout, memory: MemrefType, width: int) -> int:
    """Times that an access of a warp goes over the banks of shared memory.

    Without conflicts that is once for each 128 bytes that it moves. Raises ValueError for a swizzle that a layout does
    not fit, whose accesses differ from each other.
    """
    if memory.swizzle is not None and not _bits_are_apart(layout, memory):
        raise ValueError(f"{layout} meets the bits of {memory} more than once")
    return sum(max(_words_by_bank(phase, memory, width).values()) for phase in _phases(layout, memory, width))


def bank_conflicts(layout: Layout, memory: MemrefType, width: int) -> int:
    """Passes beyond those that an access of a warp takes at least."""
    return bank_passes(layout, memory, width) - least_passes(layout, memory, width)


def least_passes(layout: Layout, memory: MemrefType, width: int) -> int:
    """Passes of an access of a warp without conflicts."""
    return -(-layout.count(Owner.LANE) // _together(memory, width))


def sectors(layout: Layout, memory: MemrefType, width: int) -> int:
    """Sectors of 32 bytes that an access of a warp touches, if the first element lies on one's edge."""
    size = memory.element.bytes
    touched = {
        byte // SECTOR_BYTES
        for address in _lane_addresses(layout, memory)
        for byte in range(address, address + width * size, size)
    }
    return len(touched)


def _phases(layout: Layout, memory: MemrefType, width: int) -> Iterator[list[int]]:
    """Addresses of the lanes that are served together: those that move 128 bytes."""
    together = _together(memory, width)
    addresses = _lane_addresses(layout, memory)
    for first in range(0, len(addresses), together):
        yield addresses[first : first + together]


def _together(memory: MemrefType, width: int) -> int:
    """Lanes that are served together."""
    return min(BANKS * BANK_BYTES // (memory.element.bytes * width), BANKS)


def _words_by_bank(addresses: list[int], memory: MemrefType, width: int) -> Counter[int]:
    """How many different words each bank gives."""
    size = width * memory.element.bytes
    touched = [byte for first in addresses for byte in range(first, first + size, BANK_BYTES)]
    if memory.swizzle is not None:
        touched = memory.swizzle.places(touched)
    return Counter([word % BANKS for word in {byte // BANK_BYTES for byte in touched}])


def _lane_addresses(layout: Layout, memory: MemrefType) -> list[int]:
    """The byte at which each lane begins, before it is swizzled."""
    found = [0]
    for digit in layout.of(Owner.LANE):
        step = 0 if digit.dim is None else digit.stride * _bytes(memory, digit.dim)
        found = [address + value * step for value in range(digit.extent) for address in found]
    return found


def _bits_are_apart(layout: Layout, memory: MemrefType) -> bool:
    """Whether each bit of an address comes from one digit, so that addresses are xored from those of digits."""
    seen = memory.element.bytes - 1
    for digit in layout.digits:
        if digit.dim is not None:
            step = digit.stride * _bytes(memory, digit.dim)
            bits = step * (digit.extent - 1)
            if step & (step - 1) or digit.extent & (digit.extent - 1) or bits & seen:
                return False
            seen |= bits
    return True


def _bytes(memory: MemrefType, mode: int) -> int:
    stride = memory.strides[mode]
    assert stride is not None, "buffers are static"
    return stride * memory.element.bytes
