"""Schedules as one line: what is printed is read again, and nothing else is a schedule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.ir.schedules import (
    Chunk,
    Copies,
    ProductChoice,
    Schedule,
    ScheduleError,
    Slices,
    Tile,
    Way,
    changed,
    in_common,
    parse_line,
)

COUNTS = st.integers(1, 999_999_999)
TILES = st.tuples(COUNTS, COUNTS, COUNTS)
NAMES = st.text("abcm0189_.", min_size=1, max_size=20)
WARPS = st.tuples(COUNTS, COUNTS)


@st.composite
def choices(draw: st.DrawFn, tile: Tile) -> ProductChoice:
    warps = draw(st.none() | WARPS)
    return ProductChoice(tile, draw(NAMES), warps, None if warps is None else draw(st.none() | COUNTS))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    products = tuple(draw(choices(tile)) for tile in draw(st.lists(TILES, unique=True, max_size=3)))
    reason = draw(st.text("abc# tile<8x8>=", max_size=20)).strip()
    way, threads, tile = draw(st.tuples(st.none() | st.sampled_from(Way), st.none() | COUNTS, st.none() | TILES))
    spread, groups = draw(st.tuples(st.none() | st.booleans(), st.none() | COUNTS))
    copies = draw(st.none() | st.sampled_from(Copies))
    chunk = draw(st.none() | st.builds(Chunk, COUNTS, COUNTS, COUNTS))
    divide = draw(st.none() | st.builds(Slices, WARPS, st.none() | COUNTS))
    return Schedule(way, threads, tile, products, reason, spread, groups, copies, chunk, divide=divide)


@given(schedules())
def test_what_is_printed_is_read_again(schedule: Schedule) -> None:
    assert parse_line(str(schedule)) == schedule
    assert "\n" not in str(schedule)


@pytest.mark.parametrize(
    ("line", "wrong", "said"),
    [
        ("lane", "lane", "'lane' is no entry"),
        ("threads=4 lanes", "lanes", "'lanes' is no entry"),
        ("lanes threads=0", "threads=0", "a number greater than 0, not '0'"),
        ("lanes threads=-4", "threads=-4", "not '-4'"),
        ("threads=\u0663", "threads=\u0663", "threads takes a number"),
        ("threads=9999999999", "threads=9999999999", "threads takes a number"),
        ("threads=4 threads=4", "threads=4", "threads is given twice"),
        ("tile=4x4", "tile=4x4", "three extents"),
        ("tile=4x4x0", "tile=4x4x0", "three extents"),
        ("warps=4", "warps=4", "'warps=4' is no entry"),
        ("product=4x4x4", "product=4x4x4", "product takes extents"),
        ("product=4x4x4:", "product=4x4x4:", "product takes extents"),
        ("product=4x4x4:m8n8k4/4", "product=4x4x4:m8n8k4/4", "product takes extents"),
        ("product=4x4x4:m8n8k4/4x1/", "product=4x4x4:m8n8k4/4x1/", "product takes extents"),
        ("product=4x4x4:m8n8k4/4x1/2/2", "product=4x4x4:m8n8k4/4x1/2/2", "product takes extents"),
        ("product=4x4x4:a product=4x4x4:b", "product=4x4x4:b", "products of 4x4x4 are given twice"),
        ("chunk=4x4", "chunk=4x4", "chunk takes items, threads an item and threads of a crew"),
        ("chunk=4x0/32", "chunk=4x0/32", "chunk takes items"),
        ("divide=2", "divide=2", "divide takes slices along the modes of results"),
        ("divide=2x1/0", "divide=2x1/0", "divide takes slices"),
    ],
)
def test_mistakes_have_a_place(line: str, wrong: str, said: str) -> None:
    with pytest.raises(ScheduleError) as error:
        parse_line(line)
    assert said in str(error.value)
    assert line[error.value.start : error.value.end] == wrong
    assert error.value.end == len(line) or line.count(wrong) == 1


def test_products_of_one_extent_say_what_they_share() -> None:
    tile, other = (8, 8, 4), (4, 4, 4)
    found = in_common(
        [
            ProductChoice(tile, "a", (1, 2), 3),
            ProductChoice(tile, "a", (1, 2), 1),
            ProductChoice(other, "a", (1, 1), 1),
            ProductChoice(other, "b", (1, 1), 1),
        ]
    )
    assert found == (ProductChoice(tile, "a", (1, 2)),), "two instructions for 4x4x4 are no choice"
    assert in_common([ProductChoice(tile, "a", (1, 2), 3), ProductChoice(tile, "a", (2, 1), 3)]) == (
        ProductChoice(tile, "a"),
    )


def test_what_a_choice_allows() -> None:
    taken = ProductChoice((8, 8, 4), "a", (1, 2), 3)
    allowed = [ProductChoice((8, 8, 4), "a"), ProductChoice((8, 8, 4), "a", (1, 2)), taken]
    refused = [
        ProductChoice((8, 8, 8), "a"),
        ProductChoice((8, 8, 4), "b"),
        ProductChoice((8, 8, 4), "a", (2, 1)),
        ProductChoice((8, 8, 4), "a", (1, 2), 2),
    ]
    assert all(choice.allows(taken) for choice in allowed)
    assert not any(choice.allows(taken) for choice in refused)


@pytest.mark.parametrize(
    ("line", "move", "after"),
    [
        ("lanes threads=64", "threads=128", "lanes threads=128"),
        ("lanes threads=64 spread=yes", "spread=no", "lanes threads=64 spread=no"),
        ("lanes threads=32 groups=8", "groups=4", "lanes threads=32 groups=4"),
        ("lanes threads=32 groups=8", "threads=64", "lanes threads=64"),
        ("packed threads=64 chunk=4x8/32", "threads=64 chunk=8x8/32", "packed threads=64 chunk=8x8/32"),
        ("packed threads=64 chunk=4x8/32", "threads=128 chunk=6x42/128", "packed threads=128 chunk=6x42/128"),
        ("packed threads=64 chunk=4x8/32", "threads=64 chunk=14x64/64:7", "packed threads=64 chunk=14x64/64:7"),
        ("packed threads=64 chunk=4x8/32", "lanes", "lanes"),
        (
            "lanes threads=128 product=8x8x8:fma/1x4/2",
            "product=8x8x8:fma/1x4/3",
            "lanes threads=128 product=8x8x8:fma/1x4/3",
        ),
        ("lanes threads=128 product=8x8x8:fma/1x4/2", "product=8x8x8:mma", "lanes threads=128 product=8x8x8:mma"),
        (
            "lanes product=8x8x8:fma product=4x4x4:fma",
            "product=8x8x8:mma",
            "lanes product=4x4x4:fma product=8x8x8:mma",
        ),
        ("lanes threads=128 product=8x8x8:fma/1x4/2", "threads=256", "lanes threads=256"),
        ("lanes threads=128 product=8x8x8:fma/1x4/2", "tile=16x8x8", "lanes threads=128 tile=16x8x8"),
        (
            "lanes product=8x8x8:wgmma/1x1/3 copies=tensor",
            "copies=threads",
            "lanes product=8x8x8:wgmma/1x1/3 copies=threads",
        ),
        (
            "lanes product=8x8x8:wgmma/1x1/3 copies=tensor",
            "product=8x8x8:wgmma/1x1/4",
            "lanes product=8x8x8:wgmma/1x1/4 copies=tensor",
        ),
        (
            "lanes product=8x8x8:wgmma/1x1/3 copies=tensor stores=tensor",
            "stores=threads",
            "lanes product=8x8x8:wgmma/1x1/3 copies=tensor stores=threads",
        ),
        ("lanes product=8x8x8:wgmma/1x1/3 copies=tensor stores=tensor", "product=8x8x8:mma", "lanes product=8x8x8:mma"),
        ("lanes threads=128 # the reason of another", "threads=128", "lanes threads=128"),
    ],
)
def test_a_move_leaves_what_does_not_hang_on_it(line: str, move: str, after: str) -> None:
    assert str(changed(parse_line(line), parse_line(move))) == after


def test_other_slices_have_other_products() -> None:
    """And are spread over blocks again, or not."""
    taken = parse_line("lanes threads=128 product=128x64x64:a/1x1/8 spread=yes copies=tensor order=16 divide=1x2")
    assert str(changed(taken, Schedule(divide=Slices((1, 1))))) == "lanes threads=128 divide=1x1"
    assert changed(taken, Schedule(divide=Slices((1, 2)))) == taken
