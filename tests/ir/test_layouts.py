"""Layouts against their tables, and against fragments as gpu.md and the PTX ISA write them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.ir.layouts import Digit, Layout, LayoutError, Owner, parse_layout
from tilewright.ir.type_parser import TypeSyntaxError, parse_type
from tilewright.ir.types import F16, F32, TileType, with_element

REG, LANE, WARP, BLOCK = Owner

Element = tuple[int, ...]
Holders = dict[tuple[int, ...], Element]


def holders(layout: Layout) -> Holders:
    """The element of each (register, lane, warp, block), from the table."""
    table = layout.table()
    return {at: tuple(int(c) for c in table[at]) for at in np.ndindex(*table.shape[:-1])}


_MOST_ELEMENTS = 2048
"""Three digits of 7 along each of three dimensions were 40 million, which took minutes."""


@st.composite
def layouts(draw: st.DrawFn, most: int = 3) -> Layout:
    """Any layout of few elements: digits along each dimension, given to owners in any order, and copies."""
    digits: list[Digit] = []
    shape: list[int] = []
    for dim in range(draw(st.integers(1, most))):
        extents = draw(st.lists(st.sampled_from([1, 2, 3, 4, 5, 7]), max_size=3))
        while prod(shape) * prod(extents) > _MOST_ELEMENTS:
            extents.pop()
        digits += [Digit(draw(st.sampled_from(Owner)), n, dim, prod(extents[:k])) for k, n in enumerate(extents)]
        shape.append(prod(extents))
    digits += [Digit(draw(st.sampled_from(Owner)), n) for n in draw(st.lists(st.sampled_from([2, 3]), max_size=1))]
    return Layout(tuple(shape), tuple(draw(st.permutations(digits))))


def plainly(shape: Sequence[int], digits: Sequence[Digit]) -> Holders:
    """The table by the sentence that defines it, number by number."""
    counts = [prod(d.extent for d in digits if d.owner is owner) for owner in Owner]
    found: Holders = {}
    for numbers in np.ndindex(*counts):
        left, at = dict(zip(Owner, numbers, strict=True)), [0] * len(shape)
        for digit in digits:
            left[digit.owner], value = divmod(left[digit.owner], digit.extent)
            if digit.dim is not None:
                at[digit.dim] += value * digit.stride
        found[numbers] = tuple(at)
    return found


@given(layouts())
def test_tables_are_what_the_digits_say(layout: Layout) -> None:
    assert holders(layout) == plainly(layout.shape, layout.digits)
    assert set(holders(layout).values()) == set(np.ndindex(*layout.shape))


@given(layouts(), layouts())
def test_layouts_are_equal_exactly_if_their_tables_are(a: Layout, b: Layout) -> None:
    assert (a == b) == (a.shape == b.shape and holders(a) == holders(b))


def test_digits_that_count_on_are_one() -> None:
    split = Layout((8, 4), (Digit(LANE, 2, 0, 1), Digit(REG, 4, 1, 1), Digit(LANE, 4, 0, 2), Digit(WARP, 1, 1, 7)))
    assert split == Layout((8, 4), (Digit(REG, 4, 1, 1), Digit(LANE, 8, 0, 1)))
    assert hash(split) == hash(Layout((8, 4), (Digit(REG, 4, 1, 1), Digit(LANE, 8, 0, 1))))


@given(layouts(), st.data())
def test_permuting_moves_the_columns_of_the_table(layout: Layout, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(layout.shape))))
    assert holders(layout.permute(order)) == {
        at: tuple(element[k] for k in order) for at, element in holders(layout).items()
    }


def of_lanes(found: Holders) -> dict[tuple[int, ...], set[Element]]:
    """Of each lane of each warp of each block the elements that its registers hold."""
    sets: dict[tuple[int, ...], set[Element]] = {}
    for (_, *lane), element in found.items():
        sets.setdefault(tuple(lane), set()).add(element)
    return sets


@given(layouts(), st.data())
def test_reducing_leaves_the_result_with_all_that_held_parts(layout: Layout, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, len(layout.shape) - 1))
    left = layout.reduce_dim(dim)
    assert layout.collapse(dim).reshape(left.shape) == left

    whole = {at: element[:dim] + element[dim + 1 :] for at, element in holders(layout).items()}
    assert of_lanes(holders(left)) == of_lanes(whole)
    assert left.count(REG) == layout.count(REG) // prod(d.extent for d in layout.of(REG) if d.dim == dim)


@given(layouts(), st.data())
def test_blocks_belong_to_all_that_held_a_part(layout: Layout, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, len(layout.shape) - 1))
    steps = [place.digit.stride for place in layout.along(dim)]
    step = data.draw(st.sampled_from([*steps, layout.shape[dim]]))
    blocks = {at: (*e[:dim], e[dim] // step, *e[dim + 1 :]) for at, e in holders(layout).items()}
    assert of_lanes(holders(layout.coarsen(dim, step))) == of_lanes(blocks)


@given(layouts(), st.data())
def test_boxes_are_registers_of_the_same_lanes(layout: Layout, data: st.DataObject) -> None:
    """Or no layout: where threads hold parts of one box only."""
    shape = tuple(data.draw(st.sampled_from([k for k in range(1, n + 1) if n % k == 0])) for n in layout.shape)
    lanes = of_lanes(holders(layout))
    boxes = [[tuple(c // n for c, n in zip(e, shape, strict=True)) for e in found] for found in lanes.values()]
    try:
        left = layout.narrow(shape)
    except LayoutError:
        count = prod(n // k for n, k in zip(layout.shape, shape, strict=True))
        assert any(len(set(found)) < count for found in boxes) or not _divides(layout, shape)
        return
    inside = {
        lane: {e for e in found if all(c < n for c, n in zip(e, shape, strict=True))} for lane, found in lanes.items()
    }
    assert of_lanes(holders(left)) == inside


def _divides(layout: Layout, shape: tuple[int, ...]) -> bool:
    """Whether the boxes end where digits, or steps of one, do."""
    ends = [[(p.digit.stride, p.digit.extent) for p in layout.along(k)] for k in range(len(shape))]
    return all(
        n == 1 or any(n % stride == 0 and n // stride <= extent for stride, extent in found)
        for n, found in zip(shape, ends, strict=True)
    )


@given(layouts(), st.data())
def test_reshaping_keeps_column_major_numbers(layout: Layout, data: st.DataObject) -> None:
    shapes = [layout.shape, (prod(layout.shape),), (*layout.shape, 1), (prod(layout.shape[:1]), prod(layout.shape[1:]))]
    shape = data.draw(st.sampled_from(shapes))

    def numbers(found: Layout) -> dict[tuple[int, ...], int]:
        weights = [prod(found.shape[:k]) for k in range(len(found.shape))]
        return {at: int(np.dot(weights, element)) for at, element in holders(found).items()}

    assert numbers(layout.reshape(shape)) == numbers(layout)
    assert layout.reshape(shape).reshape(layout.shape) == layout


def test_reshaping_across_an_edge_is_refused() -> None:
    threes = Layout((12,), (Digit(LANE, 3, 0, 1), Digit(REG, 4, 0, 3)))
    assert threes.reshape((6, 2)) == Layout((6, 2), (Digit(LANE, 3, 0, 1), Digit(REG, 2, 0, 3), Digit(REG, 2, 1, 1)))
    with pytest.raises(LayoutError, match="no digits in a shape"):
        threes.reshape((4, 3))


@given(layouts())
def test_text_reads_back(layout: Layout) -> None:
    assert parse_layout(str(layout), layout.shape) == layout
    type_ = TileType(layout.shape, F16, layout)
    assert parse_type(str(type_)) == type_
    assert with_element(type_, F32) == TileType(layout.shape, F32, layout)


def test_spelling() -> None:
    layout = Layout((16, 16), (Digit(REG, 2, 0, 1), Digit(LANE, 8, 0, 2), Digit(LANE, 4), Digit(WARP, 16, 1, 1)))
    assert str(layout) == "#layout<reg (2, 0, 1); lane (8, 0, 2) (4); warp (16, 1, 1)>"
    assert str(TileType((16, 16), F16, layout)) == f"tile<16x16xf16, {layout}>"
    assert str(Layout((1, 1), ())) == "#layout<>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#layout<reg (4, 0, 1)>", "reach 4 of 8"),
        ("#layout<reg (4, 0, 1); lane (2, 0, 3)>", "stride 3 where 4 is due"),
        ("#layout<reg (8, 0, 1); lane (2, 0, 4)>", "stride 4 where 8 is due"),
        ("#layout<reg (2, 0, 1); lane (16, 0, 4)>", "stride 4 where 2 is due"),
        ("#layout<reg (8, 1, 1)>", "dimension 1 of 1"),
        ("#layout<reg (8, 0, 1) (0)>", "extent 0"),
        ("#layout<regs (8, 0, 1)>", "not an owner"),
        ("#layout<reg (8, 0)>", "not an owner"),
        ("layout", "not a layout"),
        ("#layout<reg (٨, 0, 1)>", "not an owner"),
        (f"#layout<reg ({'9' * 5000}, 0, 1)>", "not an owner"),
    ],
)
def test_what_is_no_layout_is_refused(text: str, words: str) -> None:
    with pytest.raises(TypeSyntaxError, match=words):
        parse_type(f"tile<8xf32, {text}>")


def test_a_layout_may_cover_more_than_a_tile() -> None:
    layout = Layout((64, 12), (Digit(LANE, 32, 0, 1), Digit(REG, 2, 0, 32), Digit(WARP, 4, 1, 1), Digit(REG, 3, 1, 4)))
    type_ = TileType((56, 9), F16, layout)
    assert parse_type(str(type_)) == type_
    assert [layout.covers(shape) for shape in ((56, 9), (0, 12), (65, 12), (56,))] == [True, True, False, False]


def test_a_layout_of_another_shape_is_refused() -> None:
    with pytest.raises(LayoutError, match=r"layout of \(8, 1\)"):
        TileType((9, 1), F32, Layout((8, 1), (Digit(LANE, 8, 0, 1),)))
    with pytest.raises(LayoutError, match=r"layout of \(8,\)"):
        TileType((4, 2), F32, Layout((8,), (Digit(LANE, 8, 0, 1),)))


def test_mixed_radix_needs_no_padding() -> None:
    """56x9 and 20x9x20 (the small products of gpu.md part g) in lanes and registers of their own numbers."""
    stiff = Layout((56, 9), (Digit(LANE, 28, 0, 1), Digit(REG, 2, 0, 28), Digit(REG, 3, 1, 1), Digit(WARP, 3, 1, 3)))
    assert (stiff.count(REG), stiff.count(LANE), stiff.count(WARP)) == (6, 28, 3)
    assert sorted(holders(stiff).values()) == list(np.ndindex(56, 9))
    cube = Layout(
        (20, 9, 20),
        (Digit(REG, 4, 0, 1), Digit(LANE, 5, 0, 4), Digit(LANE, 5, 2, 4), Digit(REG, 4, 2, 1), Digit(WARP, 9, 1, 1)),
    )
    assert (cube.count(REG), cube.count(LANE), cube.count(WARP)) == (16, 25, 9)
    assert sorted(holders(cube).values()) == list(np.ndindex(20, 9, 20))


# As the PTX ISA numbers them: g = lane // 4, t = lane % 4.
M, N, K = 0, 1, 1
MMA_A = Layout(
    (16, 16),
    (Digit(REG, 2, K, 1), Digit(REG, 2, M, 8), Digit(REG, 2, K, 8), Digit(LANE, 4, K, 2), Digit(LANE, 8, M, 1)),
)
MMA_B = Layout((16, 8), (Digit(REG, 2, 0, 1), Digit(REG, 2, 0, 8), Digit(LANE, 4, 0, 2), Digit(LANE, 8, 1, 1)))
MMA_C = Layout((16, 8), (Digit(REG, 2, N, 1), Digit(REG, 2, M, 8), Digit(LANE, 4, N, 2), Digit(LANE, 8, M, 1)))


def wgmma_accumulator(columns: int) -> Layout:
    """The result of wgmma m64nN."""
    registers = (Digit(REG, 2, N, 1), Digit(REG, 2, M, 8), Digit(REG, columns // 8, N, 8))
    return Layout((64, columns), (*registers, Digit(LANE, 4, N, 2), Digit(LANE, 8, M, 1), Digit(WARP, 4, M, 16)))


def test_fragments_of_mma() -> None:
    """Reference gpu.md, sm_80 path: A {(g,2t..), (g+8,2t..), (g,2t+8..), (g+8,2t+8..)}, B, C."""
    a, b, c = MMA_A.table(), MMA_B.table(), MMA_C.table()
    assert (a.shape, b.shape, c.shape) == ((8, 32, 1, 1, 2), (4, 32, 1, 1, 2), (4, 32, 1, 1, 2))
    for lane in range(32):
        g, t = divmod(lane, 4)
        pairs = [(g, 2 * t), (g + 8, 2 * t), (g, 2 * t + 8), (g + 8, 2 * t + 8)]
        assert a[:, lane, 0, 0].tolist() == [[row, column + i] for row, column in pairs for i in (0, 1)]
        assert b[:, lane, 0, 0].tolist() == [[row + i, g] for row in (2 * t, 2 * t + 8) for i in (0, 1)]
        assert c[:, lane, 0, 0].tolist() == [[row, 2 * t + i] for row in (g, g + 8) for i in (0, 1)]


def test_accumulator_of_wgmma() -> None:
    """Reference gpu.md: d[4j], d[4j+1] = row l/4, columns 8j + 2(l%4) + {0,1}; d[4j+2], d[4j+3] = row l/4 + 8."""
    table = wgmma_accumulator(32).table()
    for warp, lane, j in np.ndindex(4, 32, 4):
        row, column = 16 * warp + lane // 4, 8 * j + 2 * (lane % 4)
        expected = [[row, column], [row, column + 1], [row + 8, column], [row + 8, column + 1]]
        assert table[4 * j : 4 * j + 4, lane, warp, 0].tolist() == expected


def test_the_accumulator_of_one_product_is_an_operand_of_the_next() -> None:
    """Design 2.1: attention needs no exchange between its two products: by 16 columns, registers follow each other."""
    operand, sums = MMA_A.table(), wgmma_accumulator(32).table()
    for warp, step in np.ndindex(4, 2):
        assert (sums[8 * step : 8 * step + 8, :, warp, 0] == operand[:, :, 0, 0] + (16 * warp, 16 * step)).all()


@pytest.mark.parametrize("dim", [0, 1])
def test_vector_width(dim: int) -> None:
    """Design 2.1: 16-byte rows of an f16 64x64."""
    rows = Layout(
        (64, 64),
        (Digit(REG, 8, 1, 1), Digit(LANE, 8, 1, 8), Digit(LANE, 4, 0, 1), Digit(WARP, 4, 0, 4), Digit(REG, 4, 0, 16)),
    )
    assert rows.vector_width(dim) == (1, 8)[dim]


@given(layouts())
def test_the_first_thread_is_that_of_the_table(layout: Layout) -> None:
    np.testing.assert_array_equal(layout.first_thread(), layout.table()[:, 0, 0, 0])
