"""Bank conflicts by formula against all addresses of all accesses; the buffers found against every other."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.ir.banks import bank_conflicts, bank_passes, sectors
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import F16, F32, F64, I8, AddressSpace, MemrefType, ScalarType, memref
from tilewright.transforms.schedule.shared_buffers import access_width, shared_buffer

REG, LANE, WARP = Owner.REG, Owner.LANE, Owner.WARP


_MOST_ELEMENTS = 2048
"""The address of each is computed in Python, for each of many buffers."""


@st.composite
def layouts(draw: st.DrawFn, extents: tuple[int, ...], count: int = 1) -> list[Layout]:
    """Layouts of one shape, of few elements and at most 32 lanes, whose digits have these extents."""
    parts = [draw(st.lists(st.sampled_from(extents), min_size=1, max_size=4)) for _ in range(2)]
    while prod(prod(part) for part in parts) > _MOST_ELEMENTS:
        max(parts, key=prod).pop()
    shape = tuple(prod(part) for part in parts)
    warps = draw(st.booleans())
    found: list[Layout] = []
    for _ in range(count):
        digits: list[Digit] = []
        held = 1
        for dim, part in enumerate(parts):
            for k, extent in enumerate(part):
                owners: list[Owner] = [REG, LANE, LANE, *([WARP] if warps and count == 1 else [])]
                owner = draw(st.sampled_from(owners))
                owner = REG if owner is LANE and held * extent > 32 else owner
                held *= extent if owner is LANE else 1
                digits.append(Digit(owner, extent, dim, prod(part[:k])))
        found.append(Layout(shape, tuple(draw(st.permutations(digits)))))
    return found


def byte_of(memory: MemrefType, element: tuple[int, ...]) -> int:
    byte = sum(c * (s or 0) for c, s in zip(element, memory.strides, strict=True)) * memory.element.bytes
    if memory.swizzle is None:
        return byte
    bits = [(byte >> (memory.swizzle.base + memory.swizzle.shift + k)) & 1 for k in range(memory.swizzle.bits)]
    return byte ^ sum(bit << (memory.swizzle.base + k) for k, bit in enumerate(bits))


def all_passes(layout: Layout, memory: MemrefType, width: int) -> list[tuple[int, int]]:
    """Passes and the least possible ones of every access of every warp, address by address."""
    mode = memory.strides.index(1)
    table = layout.table()[:, :, :, 0]
    size = memory.element.bytes
    together = min(32, 128 // (size * width))
    found: list[tuple[int, int]] = []
    for register, warp in product(range(table.shape[0]), range(table.shape[2])):
        lanes = [tuple(int(c) for c in at) for at in table[register, :, warp]]
        if any(at[mode] % width for at in lanes):
            assert all(at[mode] % width for at in lanes)
            continue
        phases = [lanes[k : k + together] for k in range(0, len(lanes), together)]
        passes = 0
        for phase in phases:
            neighbours = [tuple(c + i * (k == mode) for k, c in enumerate(at)) for at in phase for i in range(width)]
            words = {byte_of(memory, at) // 4 for at in neighbours} | {
                (byte_of(memory, at) + size - 1) // 4 for at in neighbours
            }
            if size > 4:
                words |= {byte_of(memory, at) // 4 + k for at in neighbours for k in range(size // 4)}
            passes += max(Counter(word % 32 for word in words).values())
        found.append((passes, len(phases)))
    return found


@settings(max_examples=30)
@given(layouts((1, 2, 4, 8)), st.sampled_from([I8, F16, F32, F64]), st.data())
def test_conflicts_are_those_of_every_access(found: list[Layout], element: ScalarType, data: st.DataObject) -> None:
    (layout,) = found
    mode = data.draw(st.integers(0, 1))
    strides = (1, layout.shape[0]) if mode == 0 else (layout.shape[1], 1)
    plain = MemrefType(element, layout.shape, strides, AddressSpace.LOCAL)
    width = access_width(layout, plain)
    base = max(width * element.bytes, 4).bit_length() - 1
    swizzles = [
        Swizzle(bits, base, shift)
        for bits, shift in product(range(1, 4), range(1, 9))
        if shift >= bits and prod(layout.shape) * element.bytes % (1 << (base + bits)) == 0
    ]
    memory = MemrefType(
        element, layout.shape, strides, AddressSpace.LOCAL, data.draw(st.sampled_from([None, *swizzles]))
    )
    brute = all_passes(layout, memory, width)
    assert {passes for passes, _ in brute} == {bank_passes(layout, memory, width)}
    assert {passes - least for passes, least in brute} == {bank_conflicts(layout, memory, width)}


@settings(max_examples=30)
@given(layouts((1, 2, 3, 5, 7)), st.sampled_from([F32, F64]), st.integers(0, 5))
def test_conflicts_in_mixed_radix_and_padded_lines(found: list[Layout], element: ScalarType, padding: int) -> None:
    (layout,) = found
    memory = memref(element, layout.shape, (1, layout.shape[0] + padding), AddressSpace.LOCAL)
    assert {passes for passes, _ in all_passes(layout, memory, 1)} == {bank_passes(layout, memory, 1)}


def total_passes(layouts: list[Layout], memory: MemrefType) -> int:
    return sum(passes for layout in layouts for passes, _ in all_passes(layout, memory, access_width(layout, memory)))


@settings(max_examples=20)
@given(layouts((1, 2, 4), 2), st.sampled_from([F16, F32]))
def test_no_swizzle_or_padding_is_better_than_the_one_found(pair: list[Layout], element: ScalarType) -> None:
    found = shared_buffer(element, tuple(pair))
    assert found.passes == total_passes(pair, found.type)
    shape = (rows, columns) = pair[0].shape
    size = rows * columns * element.bytes
    for strides in ((1, rows), (columns, 1)):
        for padding in (8, 16):
            pitched = (1, rows + padding) if strides[0] == 1 else (columns + padding, 1)
            assert total_passes(pair, MemrefType(element, shape, pitched, AddressSpace.LOCAL)) >= found.passes
        for swizzle in (Swizzle(1, 4, 1), Swizzle(2, 4, 2), Swizzle(3, 4, 3), Swizzle(3, 4, 4), Swizzle(2, 5, 3)):
            if size % swizzle.block == 0:
                memory = MemrefType(element, shape, strides, AddressSpace.LOCAL, swizzle)
                assert total_passes(pair, memory) >= found.passes


def block_transposes(element: ScalarType, extent: int) -> tuple[Layout, Layout]:
    """Blocks of 16 bytes by 16 bytes a thread, lanes along the rows and along the columns: a transpose of a square."""
    vector = 16 // element.bytes
    across = extent // vector
    lanes = min(across, 32)
    down = 32 // lanes
    warps = across // down
    first = Layout(
        (extent, extent),
        (
            Digit(REG, vector, 0, 1),
            Digit(REG, vector, 1, 1),
            Digit(LANE, lanes, 0, vector),
            Digit(LANE, down, 1, vector),
            Digit(WARP, warps, 1, vector * down),
        ),
    )
    return first, first.permute((1, 0))


@pytest.mark.parametrize(("element", "extent"), [(F32, 32), (F32, 64), (F32, 128), (F16, 64), (F16, 128), (F64, 32)])
def test_transposes_meet_no_bank_twice(element: ScalarType, extent: int) -> None:
    """By 16 bytes both ways, through a swizzle; without one they conflict."""
    layouts = block_transposes(element, extent)
    found = shared_buffer(element, tuple(layouts))
    assert found.type.swizzle is not None
    assert [access_width(layout, found.type) * element.bytes for layout in layouts] == [16, 16]
    assert found.conflicts == 0
    for layout in layouts:
        assert all(passes == least for passes, least in all_passes(layout, found.type, 16 // element.bytes))
    plain = MemrefType(element, found.type.shape, found.type.strides, AddressSpace.LOCAL)
    assert any(bank_conflicts(layout, plain, 16 // element.bytes) for layout in layouts)


@pytest.mark.parametrize("element", [F32, F16, F64])
def test_lines_by_16_bytes_touch_the_fewest_sectors(element: ScalarType) -> None:
    vector = 16 // element.bytes
    along, _ = block_transposes(element, 64)
    columns = memref(element, (64, 64), (1, 8192))
    assert sectors(along, columns, vector) == 32 * 16 // 32
    single = Layout((32, 32), (Digit(LANE, 32, 0, 1), Digit(REG, 32, 1, 1)))
    assert sectors(single, columns, 1) == element.bytes
    assert sectors(single, memref(element, (32, 32), (8192, 1)), 1) == 32
