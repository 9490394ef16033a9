"""Tiles of any extents: who holds what of them, and what they become in another shape."""

from __future__ import annotations

from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tilewright.dialects import arith, gpu, lane, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Block
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.layouts import Digit, Layout, LayoutError, Owner
from tilewright.ir.types import BOOL, C32, F32, I8, INDEX, AddressSpace, MemrefType, TileType
from tilewright.transforms.schedule.accesses import Transfer
from tilewright.transforms.schedule.moves import registers_of_move
from tilewright.transforms.schedule.ragged import neutral, ragged_dims, reshaped
from tilewright.transforms.schedule.shared_buffers import access_width
from tilewright.transforms.schedule.spreading import Teams, Wishes, registers_of, spread_layout
from tilewright.transforms.schedule.threads import Threads

REG, LANE, WARP = Owner.REG, Owner.LANE, Owner.WARP
SHAPES = st.lists(st.integers(0, 70), max_size=4).map(tuple)


@given(SHAPES, st.sampled_from([8, 16, 32]), st.integers(1, 32), st.data())
def test_every_element_is_held_as_often(shape: tuple[int, ...], lanes: int, warps: int, data: st.DataObject) -> None:
    """Lanes in powers of two; accesses of several neighbours are all inside or all outside."""
    along = data.draw(st.integers(0, max(len(shape) - 1, 0)))
    others = [None, *(k for k in range(len(shape)) if k != along)]
    wishes = Wishes(along, data.draw(st.sampled_from([1, 2, 4, 8, 16])), across=data.draw(st.sampled_from(others)))
    found = spread_layout(shape, Teams(lanes, warps), wishes)
    assert found.covers(shape)
    assert (found.count(LANE), found.count(WARP)) == (lanes, warps)
    assert all(not digit.extent & (digit.extent - 1) for digit in found.of(LANE))
    assert all(digit.dim is not None for digit in found.of(REG))
    for dim in ragged_dims(found, shape):
        assert shape[dim] % min(found.vector_width(dim), wishes.width) == 0 or dim != along
    if shape and prod(found.shape) <= 1 << 14:
        places, times = np.unique(found.table().reshape(-1, len(shape)), axis=0, return_counts=True)
        assert len(places) == prod(found.shape)
        assert len(set(times.tolist())) == 1


@given(SHAPES.filter(prod), st.sampled_from([8, 16, 32]), st.integers(1, 32), st.data())
def test_what_fits_fits_in_any_order(shape: tuple[int, ...], lanes: int, warps: int, data: st.DataObject) -> None:
    """And so do parts of it, as those from which and to which it is moved; layouts take as many or more."""
    teams = Teams(lanes, warps)
    found = registers_of(shape, teams)
    assert -(-prod(shape) // teams.threads) <= found <= spread_layout(shape, teams, Wishes()).count(REG)
    part = tuple(data.draw(st.integers(1, extent)) for extent in shape)
    assert registers_of(part, teams) <= found
    assert registers_of((1, *data.draw(st.permutations(shape)), 1), teams) == found


@pytest.mark.parametrize(
    ("shape", "teams", "wanted"),
    [((16, 2, 2), Teams(16, 7), 1), ((31, 2, 3), Teams(16, 26), 1), ((32, 6, 6), Teams(32, 5), 9)],
)
def test_more_threads_than_a_first_extent_wants(shape: tuple[int, ...], teams: Teams, wanted: int) -> None:
    """28 of 112 for 16, 52 of 416 for 31, 40 of 160 for 32: the next divisors leave too few for the other extents."""
    assert {registers_of(each, teams) for each in permutations(shape)} == {wanted}


@pytest.mark.parametrize(
    ("shape", "teams", "text"),
    [
        ((56, 9), Teams(32, 4), "reg (5, 1, 2); lane (32, 0, 1); warp (2, 0, 32) (2, 1, 1)"),
        ((5, 7, 3), Teams(32, 4), "reg (2, 2, 2); lane (8, 0, 1) (4, 1, 1); warp (2, 1, 4) (2, 2, 1)"),
        ((65, 24), Teams(16, 5), "reg (4, 0, 20) (6, 1, 4); lane (4, 0, 1) (4, 1, 1); warp (5, 0, 4)"),
        ((24, 65), Teams(16, 5), "reg (3, 0, 8) (7, 1, 10); lane (8, 0, 1) (2, 1, 1); warp (5, 1, 2)"),
        ((6,), Teams(32, 3), "lane (8, 0, 1) (4); warp (3)"),
        ((128,), Teams(32, 12), "lane (32, 0, 1); warp (4, 0, 32) (3)"),
        ((0, 3), Teams(32, 2), "lane (4, 1, 1) (8); warp (2)"),
    ],
)
def test_few_registers_and_few_idle_threads(shape: tuple[int, ...], teams: Teams, text: str) -> None:
    assert str(spread_layout(shape, teams, Wishes())) == f"#layout<{text}>"


RAGGED = Layout((16, 12), (Digit(LANE, 16, 0, 1), Digit(LANE, 2, 1, 1), Digit(REG, 6, 1, 2)))


def test_only_extents_of_one_come_and_go_where_digits_are_ragged() -> None:
    found = reshaped(RAGGED, (9, 11), (1, 9, 1, 11))
    assert found.shape == (1, 16, 1, 12)
    assert reshaped(found, (1, 9, 1, 11), (9, 11)) == RAGGED
    assert reshaped(RAGGED, (16, 12), (192,)) == RAGGED.reshape((192,))
    with pytest.raises(LayoutError, match="no layout of one of"):
        reshaped(RAGGED, (9, 11), (99,))
    with pytest.raises(LayoutError, match="no layout of one of"):
        reshaped(RAGGED, (9, 11), (11, 9))


def moved(kind: type[MovesElements], source: TileType, target: TileType) -> tuple[int, ...] | None:
    (value,) = Block([source]).arguments
    op = kind.of_parts([value], [target], {})
    layouts = {value: source.layout, op.results[0]: target.layout}

    def layout_of(value: object) -> Layout:
        found = next(layout for key, layout in layouts.items() if key is value)
        assert found is not None
        return found

    return registers_of_move(op, layout_of)


def test_what_is_beyond_a_tile_comes_from_anywhere_and_nobody_takes_it() -> None:
    """From 12 columns to 16 and back in registers of a thread; not to other rows in each lane."""
    wider = Layout((16, 16), (Digit(LANE, 16, 0, 1), Digit(LANE, 2, 1, 1), Digit(REG, 8, 1, 2)))
    here, there = TileType((9, 11), F32, RAGGED), TileType((9, 11), F32, wider)
    assert moved(gpu.ConvertLayout, here, there) == (0, 1, 2, 3, 4, 5, 0, 0)
    assert moved(gpu.ConvertLayout, there, here) == (0, 1, 2, 3, 4, 5)
    rows = Layout((16, 11), (Digit(LANE, 2, 0, 8), Digit(LANE, 8, 0, 1), Digit(LANE, 2), Digit(REG, 11, 1, 1)))
    assert moved(gpu.ConvertLayout, here, TileType((9, 11), F32, rows)) is None
    assert moved(tile.Broadcast, TileType((9, 1), F32, RAGGED.collapse(1)), here) == (0,) * 6


def test_beyond_one_row_is_not_the_next_one() -> None:
    """Element (9, 0) of a box around 9 x 11 would have the number of (0, 1)."""
    source = Layout((16, 11), (Digit(REG, 16, 0, 1), Digit(REG, 11, 1, 1)))
    found = moved(gpu.ConvertLayout, TileType((9, 11), F32, source), TileType((9, 11), F32, source))
    assert found is not None
    for column, row in product(range(11), range(9)):
        assert found[16 * column + row] == 16 * column + row


@pytest.mark.parametrize(("extent", "width"), [(12, 4), (10, 2), (11, 1)])
def test_one_access_is_all_inside_or_all_outside(extent: int, width: int) -> None:
    """Three threads hold four neighbours each: of the last ones two may be none of the tile's, or three."""
    layout = Layout((12,), (Digit(REG, 4, 0, 1), Digit(LANE, 3, 0, 4)))
    memory = MemrefType(F32, (16,), (1,), AddressSpace.LOCAL)
    assert access_width(layout, replace(memory, shape=(extent,))) == width
    block = Block([memory, INDEX])
    build = Builder.at_end(block)
    view, start = block.arguments
    Transfer(view, [start], (), layout, (extent,)).load(build, Threads(build, Teams(4, 1)))
    widths = {op.width for outer in block for op in (outer, *outer.walk()) if isinstance(op, lane.Load)}
    assert widths == {width, 1}


def test_neutral_elements() -> None:
    assert str(neutral(arith.Add, F32)) == "-0.0"
    assert neutral(arith.Min, I8) == 127
    assert neutral(arith.And, BOOL) is True
    assert neutral(arith.Mul, C32) is None, "1 times infinity is not infinity"
