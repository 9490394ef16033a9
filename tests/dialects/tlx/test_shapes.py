"""Moves of elements against index arithmetic on logical tensors."""

from __future__ import annotations

import numpy as np
import pytest

from dialects.tlx.tensors import computed, numbers, random_type, same, value
from effort import count
from tilewright.dialects.tlx.shapes import Concat, Pad, ReshapeBlock, ReshapePermute, Transpose, swapped_layout
from tilewright.dialects.tlx.types import ELEMENTS, Dim, TensorType
from tilewright.ir.types import F32, I8, ScalarType

TRIES = count("RANDOM_TENSOR_SHAPES", 5, 200)
every_element = pytest.mark.parametrize("element", ELEMENTS, ids=str)


def random_shape(rng: np.random.Generator, ranks: int = 7) -> list[int]:
    return [int(n) for n in rng.integers(1, 5, int(rng.integers(1, ranks)))]


@every_element
def test_transpose(rng: np.random.Generator, element: ScalarType) -> None:
    for _ in range(TRIES):
        tensor = numbers(rng, element, random_shape(rng))
        type_ = random_type(rng, element, tensor.shape)
        op = Transpose(value(type_), tuple(int(d) for d in rng.permutation(tensor.ndim)))
        assert op.out.type == type_.relaid(op.new_layout)
        assert same(computed(rng, op, tensor), tensor)


def test_a_transpose_without_layout_swaps_the_last_two_positions() -> None:
    assert swapped_layout(TensorType.dense(F32, (2, 3, 4))) == (0, 2, 1)
    assert swapped_layout(TensorType(F32, (2, 3, 4), (2, 0, 1), (0, 0, 0))) == (2, 1, 0)
    assert swapped_layout(TensorType.dense(F32, (2,))) == (0,)


@every_element
def test_reshape_permute(rng: np.random.Generator, element: ScalarType) -> None:
    for _ in range(TRIES):
        tensor = numbers(rng, element, random_shape(rng))
        shape = tuple(int(n) for n in rng.permutation([*tensor.shape, 1]))
        op = ReshapePermute(value(random_type(rng, element, tensor.shape)), shape)
        assert op.out.type == TensorType.dense(element, shape)
        found = computed(rng, op, tensor)
        assert found.shape == shape
        assert found.tobytes() == tensor.tobytes()


@every_element
def test_reshape_block(rng: np.random.Generator, element: ScalarType) -> None:
    for _ in range(TRIES):
        tensor = numbers(rng, element, random_shape(rng, 4))
        dims = tuple(int(d) for d in rng.permutation(tensor.ndim)[: int(rng.integers(0, tensor.ndim + 1))])
        sizes = tuple(int(b) for b in rng.integers(1, 6, len(dims)))
        type_ = random_type(rng, element, tensor.shape)
        op = ReshapeBlock(value(type_), dims, sizes)
        assert isinstance(op.out.type, TensorType)
        assert op.out.type.layout == (*type_.layout, *range(tensor.ndim, tensor.ndim + len(dims)))
        found = computed(rng, op, tensor)
        for at in np.ndindex(found.shape):
            place = list(at[: tensor.ndim])
            for number, (dim, size) in enumerate(zip(dims, sizes, strict=True)):
                place[dim] = place[dim] * size + at[tensor.ndim + number]
            inside = all(p < n for p, n in zip(place, tensor.shape, strict=True))
            wanted = tensor[tuple(place)] if inside else np.zeros((), tensor.dtype)[()]
            assert found[at] == wanted or found[at] != found[at]


def test_blocks_as_onednn_has_them() -> None:
    """nChw16c of 20 channels: two blocks; of 10 channels: one, of which six are padding."""
    two = ReshapeBlock(value(TensorType.dense(F32, (1, 20, 5, 5))), (1,), (16,)).out.type
    one = ReshapeBlock(value(TensorType.dense(F32, (1, 10, 5, 5))), (1,), (16,)).out.type
    assert two == TensorType.dense(F32, (1, 2, 5, 5, 16))
    assert one == TensorType(F32, (1, 1, 5, 5, 16), (0, 1, 2, 3, 4), (0, 0, 0, 0, 6))


@every_element
def test_pad(rng: np.random.Generator, element: ScalarType) -> None:
    for _ in range(TRIES):
        tensor, number = numbers(rng, element, random_shape(rng, 5)), numbers(rng, element, ())
        low, high, interior = (tuple(int(n) for n in rng.integers(0, 3, tensor.ndim)) for _ in range(3))
        type_ = random_type(rng, element, tensor.shape)
        op = Pad(value(type_), value(element), low, high, interior)
        assert isinstance(op.out.type, TensorType)
        assert (op.out.type.layout, op.out.type.is_dense) == (type_.layout, True)
        found = computed(rng, op, tensor, number)
        sizes = zip(tensor.shape, low, high, interior, strict=True)
        assert found.shape == tuple(n + a + b + (n - 1) * gap for n, a, b, gap in sizes)
        for at in np.ndindex(found.shape):
            steps = [divmod(p - a, gap + 1) for p, a, gap in zip(at, low, interior, strict=True)]
            inside = all(rest == 0 and 0 <= p < n for (p, rest), n in zip(steps, tensor.shape, strict=True))
            wanted = tensor[tuple(p for p, _ in steps)] if inside else number
            assert same(np.asarray(found[at]), np.asarray(wanted))


@every_element
def test_concat(rng: np.random.Generator, element: ScalarType) -> None:
    for _ in range(TRIES):
        a = numbers(rng, element, random_shape(rng))
        dim = int(rng.integers(a.ndim))
        b = numbers(rng, element, [int(rng.integers(1, 5)) if k == dim else n for k, n in enumerate(a.shape)])
        types = [random_type(rng, element, t.shape) for t in (a, b)]
        first, second = map(value, types)
        op = Concat(first, second, dim)
        assert isinstance(op.out.type, TensorType)
        assert op.out.type.layout == types[0].layout
        wanted = [Dim(a.shape[dim] + b.shape[dim]) if k == dim else d for k, d in enumerate(types[0].dims)]
        assert list(op.out.type.dims) == wanted
        assert same(computed(rng, op, a, b), np.concatenate([a, b], dim))


def test_results_of_moves_keep_every_bit(rng: np.random.Generator) -> None:
    tensor = np.arange(6, dtype=np.int8).reshape(2, 3)
    op = Transpose(value(TensorType(I8, (4, 2), (1, 0), (1, 0))), (0, 1))
    assert computed(rng, op, tensor).tobytes() == tensor.tobytes()
