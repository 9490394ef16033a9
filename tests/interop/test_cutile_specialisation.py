"""Facts by which kernels of NVIDIA's front end are specialised.

The expected values are what `cuda-tile` 1.7.0 itself found out about arrays with these addresses, shapes and strides.
"""

from __future__ import annotations

import math
from enum import Enum

import pytest

from tilewright.interop.cutile.annotations import PLAIN, ArrayNote
from tilewright.interop.cutile.specialisation import ArrayFacts, array_facts, common, constant_facts


def facts(
    shape: tuple[int, ...], strides: tuple[int, ...], *, item: int = 4, address: int = 0x1000, note: ArrayNote = PLAIN
) -> ArrayFacts:
    return array_facts("float32", item, address, shape, strides, note)


@pytest.mark.parametrize(("address", "expected"), [(0x1000, 16), (0x1008, 1), (0x1004, 1), (0x1020, 16), (0, 16)])
def test_addresses(address: int, expected: int) -> None:
    assert facts((128,), (1,), address=address).base_divisible == expected


@pytest.mark.parametrize(
    ("extent", "divisible", "constant"),
    [
        (16, 16, None),
        (8, 1, None),
        (24, 1, None),
        (48, 16, None),
        (0, 16, None),
        (1, 1, 1),
        (2, 1, None),
        (17, 1, None),
    ],
)
@pytest.mark.parametrize("item", [1, 4, 8])
def test_extents(extent: int, divisible: int, constant: int | None, item: int) -> None:
    found = facts((extent,), (1,), item=item)
    assert (found.shape_divisible, found.shape_constant) == ((divisible,), (constant,))


@pytest.mark.parametrize(
    ("stride", "item", "divisible", "constant", "overlaps"),
    [
        (16, 4, 4, None, False),
        (24, 4, 4, None, False),
        (20, 4, 4, None, False),
        (4, 4, 4, None, True),
        (1, 4, 1, 1, True),
        (3, 4, 1, None, True),
        (0, 4, 4, None, True),
        (16, 2, 8, None, False),
        (4, 2, 1, None, True),
        (16, 1, 16, None, False),
        (24, 1, 1, None, False),
        (8, 8, 2, None, False),
        (3, 8, 1, None, True),
    ],
)
def test_strides(stride: int, item: int, divisible: int, constant: int | None, overlaps: bool) -> None:
    found = facts((128, 7), (stride, 1), item=item)
    assert found.stride_divisible == (divisible, 1)
    assert found.stride_constant == (constant, 1)
    assert found.overlaps == overlaps


@pytest.mark.parametrize(
    ("shape", "strides", "overlaps"),
    [
        ((4, 4), (1, 4), False),
        ((4, 4), (3, 1), True),
        ((1, 4), (0, 1), True),
        ((4, 1), (1, 0), True),
        ((7, 1), (1, 1), False),
        ((4, 4, 4), (16, 0, 1), True),
        ((0, 4), (0, 1), True),
        ((2, 2, 2), (1, 2, 4), False),
        ((2, 3, 2), (1, 2, 4), True),
        ((3, 2), (2, 5), True),
        ((2, 3), (7, 3), True),
        ((5,), (0,), True),
        ((1,), (0,), True),
        ((2,) * 6, (32, 16, 8, 4, 2, 1), False),
        ((2,) * 6, (0,) * 6, True),
    ],
)
def test_overlap(shape: tuple[int, ...], strides: tuple[int, ...], overlaps: bool) -> None:
    assert facts(shape, strides).overlaps == overlaps


def test_more_than_five_dimensions_are_not_looked_at() -> None:
    found = facts((16,) * 6, tuple(16**k for k in range(5, -1, -1)))
    assert (found.shape_constant, found.stride_constant) == ((None,) * 6, (None,) * 6)
    assert (found.shape_divisible, found.stride_divisible) == ((1,) * 6, (1,) * 6)
    assert facts((2,) * 6, (1,) * 6, note=ArrayNote(static_shape=(5,))).shape_constant == (*[None] * 5, 2)


def test_annotated_axes() -> None:
    shape, strides = (1, 64, 7, 5), (4096, 64, 2, 1)
    plain = facts(shape, strides)
    assert (plain.shape_constant, plain.shape_divisible) == ((1, None, None, None), (1, 16, 1, 1))
    named = facts(shape, strides, note=ArrayNote(static_shape=(1, -1)))
    assert (named.shape_constant, named.shape_divisible) == ((None, 64, None, 5), (1, 1, 1, 1))
    assert named.stride_constant == (None, None, None, 1)
    stepped = facts(shape, strides, note=ArrayNote(static_strides=(0, 2)))
    assert (stepped.stride_constant, stepped.stride_divisible) == ((4096, None, 2, None), (1, 4, 1, 1))
    with pytest.raises(ValueError, match="static_stride_dims names axis 7 of an array of rank 4"):
        facts(shape, strides, note=ArrayNote(static_strides=(0, 7)))
    with pytest.raises(ValueError, match="static_stride_dims names axis -4 of an array of rank 4 twice"):
        facts(shape, strides, note=ArrayNote(static_strides=(0, 2, -4)))


def test_what_the_arrays_of_a_list_have_in_common() -> None:
    one, sixteen, odd = facts((1,), (1,)), facts((16,), (1,)), facts((17,), (1,), address=0x1008)
    assert common(one, one, PLAIN) == one
    mixed = common(one, sixteen, PLAIN)
    assert (mixed.shape_constant, mixed.shape_divisible) == ((None,), (1,))
    assert common(sixteen, odd, PLAIN).base_divisible == 1
    both = common(facts((3, 4), (4, 1)), facts((3, 4), (8, 4)), PLAIN)
    assert both.stride_constant == (None, None)
    assert both.stride_divisible == (4, 1)
    assert both.overlaps


def test_arrays_of_a_list_agree_in_annotated_axes() -> None:
    shape, strides = ArrayNote(static_shape=(-1,)), ArrayNote(static_strides=(0,))
    for note in (shape, strides):
        kept = common(facts((2, 16), (16, 1), note=note), facts((4, 16), (16, 1), note=note), note)
        assert (kept.shape_constant[1], kept.stride_constant[0]) == ((16, None) if note is shape else (None, 16))
    with pytest.raises(ValueError, match=r"Arrays in list vary in static shape at axis 1 \(16 vs 17\)"):
        common(facts((2, 16), (17, 1), note=shape), facts((2, 17), (17, 1), note=shape), shape)
    with pytest.raises(ValueError, match=r"Arrays in list vary in static stride at axis 0 \(16 vs 32\)"):
        common(facts((2, 16), (16, 1), note=strides), facts((2, 16), (32, 1), note=strides), strides)


class _Numbered(int, Enum):
    """Integers whose text is another than their number's."""

    THREE = 3


def test_constants_of_different_types_differ() -> None:
    assert (
        len({constant_facts(1), constant_facts(True), constant_facts(1.0), constant_facts(0.0), constant_facts(-0.0)})
        == 5
    )
    assert constant_facts(math.nan) == constant_facts(math.nan)
    assert constant_facts(_Numbered.THREE) == constant_facts(3)
    for value in (1, True, False, -5, 1 << 63, 0.1, math.inf, -0.0):
        assert constant_facts(value).value == value
        assert type(constant_facts(value).value) is type(value)
