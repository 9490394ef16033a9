"""How a tile lies in shared memory on its way from one layout to another: so that its accesses are wide and few.

Each dimension in turn is the one of neighbours, for each the plain order, swizzles and padded pitches are tried, and
the passes over the banks counted that all accesses take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import gcd, prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.banks import BANK_BYTES, BANKS, bank_passes, least_passes
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import AddressSpace, MemrefType, ScalarType

VECTOR_BYTES: Final = 16
_PADDINGS: Final = 8
"""Steps of the widest access by which a pitch is widened at most."""
_REMEMBERED: Final = 256
"""Buffers: a kernel has few kinds, of which each is asked for often, and tries many ways for each."""


class SharedBuffer(Struct, frozen=True):
    """The type of a buffer, what all accesses to it take, and how many of that are conflicts."""

    type: MemrefType
    passes: int
    conflicts: int


def access_width(layout: Layout, memory: MemrefType) -> int:
    """Neighbours in memory that one access of a thread moves: a power of two, no more than 16 bytes.

    None of them is beyond the edge of the memory if the first is not.
    """
    mode = memory.strides.index(1) if 1 in memory.strides else None
    if mode is None:
        return 1
    held = gcd(layout.vector_width(mode), memory.shape[mode] or 0)
    return min(held & -held, max(VECTOR_BYTES // memory.element.bytes, 1))


@lru_cache(_REMEMBERED)
def shared_buffer(
    element: ScalarType, layouts: tuple[Layout, ...], shape: tuple[int, ...] | None = None
) -> SharedBuffer:
    """A buffer for tiles of one shape that are accessed in these layouts: the fewest passes, then the fewest bytes.

    The shape is by default that which the layouts cover.
    """
    shape = layouts[0].shape if shape is None else shape
    found = [_counted(_swizzled_or_padded(element, shape, mode, layouts), layouts) for mode in range(len(shape))]
    return min(found or [_counted(MemrefType(element, (), (), AddressSpace.LOCAL), layouts)], key=_cost)


def _cost(buffer: SharedBuffer) -> tuple[int, int]:
    return buffer.passes, buffer.type.span or 0


def _counted(type_: MemrefType, layouts: Sequence[Layout]) -> SharedBuffer:
    passes = conflicts = 0
    for layout in layouts:
        width = access_width(layout, type_)
        times = layout.count(Owner.REG) // width
        found = bank_passes(layout, type_, width)
        passes += times * found
        conflicts += times * (found - least_passes(layout, type_, width))
    return SharedBuffer(type_, passes, conflicts)


def _swizzled_or_padded(
    element: ScalarType, shape: tuple[int, ...], mode: int, layouts: Sequence[Layout]
) -> MemrefType:
    """The best with neighbours along `mode`."""
    best: SharedBuffer | None = None
    plain = _pitched(element, shape, mode, shape[mode])
    widest = max(access_width(layout, plain) for layout in layouts)
    for candidate in (plain, *_swizzles(plain, widest), *_paddings(plain, mode, widest)):
        try:
            found = _counted(candidate, layouts)
        except ValueError:
            # a swizzle that these layouts do not fit
            continue
        if best is None or _cost(found) < _cost(best):
            best = found
        if not found.conflicts:
            break
    assert best is not None
    return best.type


def _pitched(element: ScalarType, shape: tuple[int, ...], mode: int, pitch: int) -> MemrefType:
    """Neighbours along `mode`, lines of `pitch` elements, the other modes in order."""
    strides: dict[int, int] = {mode: 1}
    stride = pitch
    for other, extent in enumerate(shape):
        if other != mode:
            strides[other] = stride
            stride *= extent
    return MemrefType(element, shape, tuple(strides[k] for k in range(len(shape))), AddressSpace.LOCAL)


def _swizzles(plain: MemrefType, widest: int) -> Iterator[MemrefType]:
    """Those that keep together what the widest access moves, and change nothing above the banks."""
    size = (plain.span or 0) * plain.element.bytes
    least = max(widest * plain.element.bytes, BANK_BYTES).bit_length() - 1
    above = (BANKS * BANK_BYTES).bit_length() - 1
    for base in range(least, above):
        for bits in range(1, above - base + 1):
            for shift in range(bits, max(size.bit_length() - base, 0)):
                if size % (1 << (base + bits)) == 0:
                    yield replace(plain, swizzle=Swizzle(bits, base, shift))


def _paddings(plain: MemrefType, mode: int, widest: int) -> Iterator[MemrefType]:
    step = max(widest, BANK_BYTES // plain.element.bytes)
    extent = plain.shape[mode]
    assert extent is not None
    first = -(-extent // step) * step
    if prod(e or 0 for e in plain.shape) > extent:
        for more in range(_PADDINGS + 1):
            yield _pitched(plain.element, tuple(e or 0 for e in plain.shape), mode, first + more * step)
