"""Where elements of views lie, as their definitions say it, against NumPy's strides; and what else they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.dialects import memref
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Block, Value
from tilewright.ir.interfaces import Layout, LengthArithmetic, ViewLike, root_of
from tilewright.ir.types import F32, INDEX, AddressSpace, MemrefType

SHAPE = (6, 4, 5)


def argument(shape: Sequence[int | None] = SHAPE) -> Value:
    strides = [1]
    for extent in shape[:-1]:
        strides.append(strides[-1] * (extent or 1))
    return Block().add_argument(MemrefType(F32, tuple(shape), tuple(strides), AddressSpace.GLOBAL))


def of(view: type[ViewLike], *arguments: Any, order: int) -> ViewLike:
    type_ = MemrefType(F32, (None,) * order, (None,) * order, AddressSpace.GLOBAL)
    return view(argument(), *arguments, result_types=[type_])


def array() -> NDArray[np.int64]:
    return np.arange(6 * 4 * 5).reshape(SHAPE, order="F")


def number(length: int | Value) -> int:
    assert isinstance(length, int)
    return length


VIEWS = [
    (memref.Permute(argument(), (2, 0, 1)), array().transpose(2, 0, 1)),
    (of(memref.Subview, [], [], (1, 2, 0), (3, 2, 5), order=3), array()[1:4, 2:4, :]),
    (of(memref.Subview, [], [], (1, 2, 3), (3, 0, 2), order=2), array()[1:4, 2, 3:5]),
    (of(memref.Expand, [], 0, (2, 3), order=4), array().reshape(2, 3, 4, 5, order="F")),
    (of(memref.Expand, [], 1, (2, 1, 2), order=5), array().reshape(6, 2, 1, 2, 5, order="F")),
    (of(memref.Fuse, 0, 1, order=2), array().reshape(24, 5, order="F")),
    (of(memref.Fuse, 0, 2, order=1), array().reshape(120, order="F")),
    (of(memref.Fuse, 1, 1, order=3), array()),
]


@pytest.mark.parametrize(("op", "wanted"), VIEWS, ids=lambda x: x.name if isinstance(x, ViewLike) else "")
def test_layouts(op: ViewLike, wanted: NDArray[np.int64]) -> None:
    def plus(a: int, b: int) -> int:
        return a + b

    def times(a: int, b: int) -> int:
        return a * b

    found = LengthArithmetic(number, plus, times).layout_of(op, Layout(0, SHAPE, (1, 6, 24)))
    assert found.sizes == wanted.shape
    places = np.full(wanted.shape, found.offset)
    for at in np.ndindex(wanted.shape):
        places[at] += sum(index * stride for index, stride in zip(at, found.strides, strict=True))
    assert np.array_equal(places, wanted)


def test_modes_that_are_followed() -> None:
    def followed(op: ViewLike) -> list[int | None]:
        return [op.source_of(mode) for mode in range(len(op.source_modes()))]

    assert [followed(op) for op, _ in VIEWS] == [
        [2, 0, 1],
        [0, 1, 2],
        [0, 2],
        [None, None, 1, 2],
        [0, None, None, None, 2],
        [None, 2],
        [None],
        [0, 1, 2],
    ]


def test_roots() -> None:
    memory = argument()
    inner = memref.Permute(memory, (2, 1, 0)).out
    outer = memref.Fuse(inner, 0, 1, result_types=[MemrefType(F32, (20, 6), (6, 1), AddressSpace.GLOBAL)])
    assert root_of(outer.out) is memory
    assert root_of(memory) is memory


def test_boxes_inside() -> None:
    def box(view: Value, offset: int | Value, size: int | Value) -> memref.Subview:
        offsets, sizes = ([v] if isinstance(v, Value) else [] for v in (offset, size))
        from_, count = (None if isinstance(v, Value) else v for v in (offset, size))
        type_ = MemrefType(F32, (None,), (1,), AddressSpace.GLOBAL)
        return memref.Subview(view, offsets, sizes, (from_,), (count,), result_types=[type_])

    known, open_, other = argument([8]), argument([None]), argument([None])
    build = Builder.at_end(Block())
    size, elsewhere, index = (build(memref.Size(v, 0)).out for v in (open_, other, open_))
    offset = Block().add_argument(INDEX)
    inside = [box(known, 2, 6), box(known, 7, 0), box(open_, 0, size), box(open_, 0, index)]
    outside = [box(known, 2, 7), box(known, 8, 0), box(known, offset, 1), box(open_, 1, size), box(open_, 0, elsewhere)]
    assert all(view.is_contained for view in inside)
    assert not any(view.is_contained for view in outside)
