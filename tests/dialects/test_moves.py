"""Where operations that move elements say they come from, against NumPy on the numbers of the elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.dialects import tile
from tilewright.ir.core import Block, Value
from tilewright.ir.index_map import Coordinate, along, renumbered
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import I32, TileType

Numbers = NDArray[np.int64]


def numbered(shape: Sequence[int], first: int = 0) -> Numbers:
    """A tile whose elements are all different."""
    return np.arange(first, first + prod(shape)).reshape(shape)


def argument(*shape: int) -> Value:
    return Block().add_argument(TileType(shape, I32))


def gathered(op: MovesElements, sources: Sequence[Numbers]) -> Numbers:
    """The result, put together as the moves say, element by element; each exactly once."""
    type_ = op.results[0].type
    assert isinstance(type_, TileType)
    found: Any = np.full(type_.shape, -1)
    for move in op.moves():
        for at in np.ndindex(move.shape):
            place = tuple(s + k for s, k in zip(move.start, at, strict=True))
            assert found[place] == -1
            found[place] = sources[move.operand][move.at(at)]
    return found


@pytest.mark.parametrize(
    ("source", "shape"),
    [((1, 5), (3, 5)), ((3, 1), (3, 5)), ((1, 1), (2, 2)), ((4,), (4,)), ((1,), (6,)), ((2, 1, 3), (2, 4, 3))],
)
def test_broadcast(source: tuple[int, ...], shape: tuple[int, ...]) -> None:
    op = tile.Broadcast(argument(*source), result_types=[TileType(shape, I32)])
    assert np.array_equal(gathered(op, [numbered(source)]), np.broadcast_to(numbered(source), shape))


SHAPES = [(24,), (6, 4), (4, 6), (2, 12), (6, 1, 4), (1, 24), (2, 3, 4), (4, 3, 2), (24, 1), (1, 6, 1, 4)]


@pytest.mark.parametrize("source", SHAPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_reshape(source: tuple[int, ...], shape: tuple[int, ...]) -> None:
    op = tile.Reshape(argument(*source), result_types=[TileType(shape, I32)])
    wanted = numbered(source).reshape(shape, order="F")
    assert np.array_equal(gathered(op, [numbered(source)]), wanted)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_permute(order: tuple[int, ...]) -> None:
    source = (2, 3, 4)
    assert np.array_equal(
        gathered(tile.Permute(argument(*source), order), [numbered(source)]), numbered(source).transpose(order)
    )


@pytest.mark.parametrize(("offsets", "shape"), [((0, 0), (2, 3)), ((1, 2), (3, 2)), ((3, 0), (1, 5)), ((2, 4), (1, 1))])
def test_extract(offsets: tuple[int, int], shape: tuple[int, int]) -> None:
    op = tile.Extract(argument(4, 5), offsets, result_types=[TileType(shape, I32)])
    box = tuple(slice(o, o + n) for o, n in zip(offsets, shape, strict=True))
    assert np.array_equal(gathered(op, [numbered((4, 5))]), numbered((4, 5))[box])


@pytest.mark.parametrize("dim", [0, 1])
def test_cat(dim: int) -> None:
    shapes = [tuple(n if k == dim else 3 for k in range(2)) for n in (2, 1, 4)]
    sources = [numbered(shape, 100 * k) for k, shape in enumerate(shapes)]
    shape = tuple(7 if k == dim else 3 for k in range(2))
    op = tile.Cat([argument(*shape) for shape in shapes], dim, result_types=[TileType(shape, I32)])
    assert np.array_equal(gathered(op, sources), np.concatenate(sources, axis=dim))


def test_dimensions_of_one_element_leave_no_division_behind() -> None:
    shape = (6, 4)
    for source in [(6, 1, 4), (1, 6, 4), (24,), (6, 4, 1)]:
        assert all(c.simplified(shape).is_linear for c in renumbered(source, shape))
    assert not all(c.simplified((24,)).is_linear for c in renumbered((6, 4), (24,)))


@pytest.mark.parametrize("factors", [(1, 6), (3, -1), (-2, 12), (7, 0), (12, 1)])
@pytest.mark.parametrize("divisor", [1, 3, 6])
@pytest.mark.parametrize("modulus", [0, 4, 6])
@pytest.mark.parametrize("offset", [12, 13])
def test_simplified_coordinates_say_the_same(factors: tuple[int, int], divisor: int, modulus: int, offset: int) -> None:
    shape = (6, 4)
    whole = Coordinate(offset, factors, divisor, modulus)
    simple = whole.simplified(shape)
    assert [simple.at(at) for at in np.ndindex(shape)] == [whole.at(at) for at in np.ndindex(shape)]


def test_what_a_rearrangement_is() -> None:
    def moves(op: MovesElements) -> tuple[bool, bool]:
        (move,) = op.moves()
        return move.is_rearrangement, move.is_identity

    assert moves(tile.Permute(argument(2, 3), (1, 0))) == (True, False)
    assert moves(tile.Permute(argument(2, 3), (0, 1))) == (True, True)
    assert moves(tile.Extract(argument(4, 5), (1, 0), result_types=[TileType((3, 5), I32)])) == (True, False)
    assert moves(tile.Reshape(argument(2, 3), result_types=[TileType((6,), I32)])) == (False, False)
    assert along(1, 2).dim == 1
    assert along(1, 2, 4, -1).dim == 1
    assert along(1, 2, 0, 2).dim is None
