"""Types of tensors: extents, layouts, padding, distances, by the formulas of the reference and by NumPy's strides."""

from __future__ import annotations

import numpy as np
import pytest

from dialects.tlx.tensors import got, numbers, put, random_type
from effort import count
from tilewright.dialects.tlx.layouts import logical, stored
from tilewright.dialects.tlx.types import (
    ELEMENTS,
    TensorType,
    dense_distances,
    distances_of,
    row_major,
    surely_collide,
)
from tilewright.ir.types import F32, I8

TENSORS = count("RANDOM_TENSOR_LAYOUTS", 100, 5_000)


def random_shape(rng: np.random.Generator) -> list[int]:
    return [int(n) for n in rng.integers(1, 5, int(rng.integers(1, 7)))]


def test_layouts_of_random_tensors(rng: np.random.Generator) -> None:
    for _ in range(TENSORS):
        shape = random_shape(rng)
        type_ = random_type(rng, ELEMENTS[int(rng.integers(len(ELEMENTS)))], shape)
        assert type_.is_sound
        tensor = numbers(rng, type_.element, shape)
        assert type_.shape == tensor.shape
        elements = put(rng, type_, tensor)
        assert type_.size == elements.size
        assert logical(type_, elements).tobytes() == tensor.tobytes()
        assert got(type_, stored(type_, tensor)).tobytes() == tensor.tobytes()


def test_a_relaid_tensor_is_the_same_one(rng: np.random.Generator) -> None:
    for _ in range(TENSORS):
        shape = random_shape(rng)
        type_ = random_type(rng, F32, shape)
        layout = tuple(int(d) for d in rng.permutation(len(shape)))
        moved = type_.relaid(layout)
        assert (moved.layout, moved.shape, moved.dims) == (layout, type_.shape, type_.dims)
        assert moved.relaid(type_.layout) == type_


def test_the_transpose_of_the_rfc() -> None:
    """16x5x3 relaid to <2,0,1> has shape <3,16,5> and padding <1,3,2>."""
    found = TensorType(F32, (16, 5, 3), (0, 1, 2), (3, 2, 1)).relaid((2, 0, 1))
    assert (found.extents, found.padding) == ((3, 16, 5), (1, 3, 2))


def test_dense_distances_are_those_of_numpy(rng: np.random.Generator) -> None:
    for _ in range(TENSORS):
        type_ = random_type(rng, I8, random_shape(rng))
        assert dense_distances(type_) == np.zeros(type_.extents, np.int8).strides
        assert dense_distances(type_) == distances_of((0,) * type_.rank, type_.extents)


@pytest.mark.parametrize(
    ("strides", "extents", "wanted"),
    [
        ((0, 0, 8), (4, 5, 6), (40, 8, 1)),
        ((0, 12, 10), (2, 3, 4), (30, 10, 12)),
        ((0, 4), (3, 2), (4, 1)),
        ((2, 0), (3, 5), (10, 2)),
        ((3,), (5,), (3,)),
        ((0,), (5,), (1,)),
        ((99, 0, 0, 7), (2, 3, 4, 5), (99, 28, 7, 1)),
    ],
)
def test_distances_that_strides_mean(
    strides: tuple[int, ...], extents: tuple[int, ...], wanted: tuple[int, ...]
) -> None:
    assert distances_of(strides, extents) == wanted


def test_collisions_are_those_of_all_addresses(rng: np.random.Generator) -> None:
    """Along up to two positions the answer is exact; along more, what is claimed is so."""
    for _ in range(TENSORS):
        valid = [int(n) for n in rng.integers(1, 5, int(rng.integers(1, 5)))]
        distances = [int(d) for d in rng.integers(0, 7, len(valid))]
        addresses = sum(np.ix_(*(np.arange(n) * d for n, d in zip(valid, distances, strict=True))), np.zeros((), int))
        collide = len(np.unique(addresses)) < np.prod(valid)
        found = surely_collide(valid, distances)
        assert not found or collide
        if sum(n > 1 for n in valid) <= 2:
            assert (found is not None) == collide
    assert surely_collide((4, 4), (None, 1)) is None


def test_types_print_what_they_are() -> None:
    assert str(TensorType.dense(F32, (2, 5))) == "tensor<2x5xf32>"
    assert str(TensorType(I8, (2, 8), (1, 0), (0, 3))) == "tensor<2x8xi8, layout <1,0>, padding <0,3>>"
    assert str(row_major(F32, [])) == "tensor<f32>"
