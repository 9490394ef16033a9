"""Products against einsum and loops in Python's integers, over layouts, paddings, ranks and element types."""

from __future__ import annotations

import itertools
from string import ascii_letters

import numpy as np
import pytest

from dialects.tlx.tensors import (
    FLOATS,
    INTEGERS,
    Array,
    computed,
    exact,
    in_format,
    numbers,
    random_type,
    same,
    value,
)
from effort import count
from tilewright.dialects.builder import new_region
from tilewright.dialects.tlx.products import (
    Contract,
    Convolution,
    MatMul,
    MultiplyAccumulate,
    Smma,
    Summa,
    Umma,
    Usmma,
)
from tilewright.dialects.tlx.types import ELEMENTS, TensorType
from tilewright.ir.types import BF16, F16, F32, I8, I16, I32, ScalarType, promotable

TRIES = count("RANDOM_TENSOR_PRODUCTS", 6, 200)
WIDER = [(x, y) for x, y in itertools.product(FLOATS, FLOATS) if x is not y and promotable(x, y)]
EQUAL = [(e, e) for e in ELEMENTS]
ACCUMULATORS = [(x, y, z) for x, y, z in itertools.product(INTEGERS, repeat=3) if x.bits <= z.bits >= y.bits]
FLOAT_ACCUMULATORS = [
    (x, y, z) for x, y, z in itertools.product(FLOATS, repeat=3) if promotable(x, z) and promotable(y, z)
]


def extents(rng: np.random.Generator, rank: int) -> list[int]:
    return [int(n) for n in rng.integers(1, 5, rank)]


def signed_zeros_gone(tensor: Array) -> Array:
    """Sums of no given order do not say of which sign their zeros are."""
    return tensor if tensor.dtype.kind in "iu" else (tensor + np.zeros((), tensor.dtype)).astype(tensor.dtype)


@pytest.mark.parametrize(("element", "out"), [*EQUAL, *WIDER], ids=str)
def test_matmul(rng: np.random.Generator, element: ScalarType, out: ScalarType) -> None:
    for _ in range(TRIES):
        *batch, m, k, n = extents(rng, int(rng.integers(3, 8)))
        a, b = numbers(rng, element, [*batch, m, k]), numbers(rng, element, [*batch, k, n])
        types = [random_type(rng, element, t.shape) for t in (a, b)]
        op = MatMul(*map(value, types))
        layout = tuple(int(d) for d in rng.permutation(len(batch) + 2))
        natural = op.out.type
        assert isinstance(natural, TensorType)
        assert natural.shape == (*batch, m, n)
        assert natural.dims == (*types[0].dims[:-1], types[1].dims[-1])
        op = MatMul(*map(value, types), result_types=[natural.relaid(layout).with_element(out)])
        wanted = in_format(np.einsum("...mk,...kn->...mn", exact(a), exact(b)), out)
        assert same(signed_zeros_gone(computed(rng, op, a, b)), signed_zeros_gone(wanted))


@pytest.mark.parametrize(("element", "out"), [*EQUAL, *WIDER], ids=str)
def test_contract(rng: np.random.Generator, element: ScalarType, out: ScalarType) -> None:
    for _ in range(TRIES):
        m, left, right = (int(rng.integers(0, 3)) for _ in range(3))
        least = int(m == 0)
        left, right = max(left, least), max(right, least)
        letters = ascii_letters[: m + left + right]
        sizes = dict(zip(letters, extents(rng, len(letters)), strict=True))
        shared, mine, others = letters[:m], letters[m : m + left], letters[m + left :]
        x, y = ("".join(rng.permutation(list(shared + own))) for own in (mine, others))
        a, b = (numbers(rng, element, [sizes[c] for c in word]) for word in (x, y))
        types = [random_type(rng, element, t.shape) for t in (a, b)]
        axes = [tuple(word.index(c) for c in shared) for word in (x, y)]
        x_value, y_value = map(value, types)
        op = Contract(x_value, y_value, axes[0], axes[1])
        assert isinstance(op.out.type, TensorType)
        layout = tuple(int(d) for d in rng.permutation(op.out.type.rank))
        result = op.out.type.relaid(layout).with_element(out)
        op = Contract(x_value, y_value, axes[0], axes[1], result_types=[result])
        free = "".join(c for c in x if c in mine) + "".join(c for c in y if c in others)
        product = np.einsum(f"{x},{y}->{free}", exact(a), exact(b), optimize=False)
        wanted = in_format(np.asarray(product), out)
        assert same(signed_zeros_gone(computed(rng, op, a, b)), signed_zeros_gone(wanted))


@pytest.mark.parametrize("cls", [Umma, Smma, Usmma, Summa])
def test_accumulating_products_of_integers(rng: np.random.Generator, cls: type[MultiplyAccumulate]) -> None:
    """Each factor by its own sign, which the letters name in order, exact modulo the accumulator's width."""
    signs: dict[type[MultiplyAccumulate], tuple[bool, bool]] = {
        Umma: (True, True),
        Smma: (False, False),
        Usmma: (True, False),
        Summa: (False, True),
    }
    unsigned = signs[cls]
    for left, right, out in ACCUMULATORS:
        *batch, m, k, n = extents(rng, int(rng.integers(3, 6)))
        a, b = numbers(rng, left, [*batch, m, k]), numbers(rng, right, [*batch, k, n])
        acc = numbers(rng, out, [*batch, m, n])
        types = [random_type(rng, e, t.shape) for e, t in ((out, acc), (left, a), (right, b))]
        op = cls(*map(value, types))
        assert op.out.type == types[0]
        product = np.einsum("...mk,...kn->...mn", exact(a, unsigned[0]), exact(b, unsigned[1]))
        assert same(computed(rng, op, acc, a, b), in_format(exact(acc) + product, out))


def test_extreme_bytes_of_every_sign(rng: np.random.Generator) -> None:
    """-128 and 255 in every pair, where operands extended by the wrong sign give other numbers."""
    a, b = (np.array(x, np.uint8).view(np.int8) for x in ([[0x80, 0xFF]], [[0x80], [0xFF]]))
    acc = np.array([[7]], np.int32)
    wanted: dict[type[MultiplyAccumulate], int] = {
        Umma: 7 + 128 * 128 + 255 * 255,
        Smma: 7 + 128 * 128 + 1,
        Usmma: 7 - 128 * 128 - 255,
        Summa: 7 - 128 * 128 - 255,
    }
    for cls, number in wanted.items():
        types = [TensorType.dense(e, t.shape) for e, t in ((I32, acc), (I8, a), (I8, b))]
        assert computed(rng, cls(*map(value, types)), acc, a, b)[0, 0] == number
    mixed = np.array([[0x80, 1]], np.uint8).view(np.int8)
    other = np.array([[1], [0x80]], np.uint8).view(np.int8)
    for cls, number in {Usmma: 7 + 128 - 128, Summa: 7 - 128 + 128}.items():
        types = [TensorType.dense(e, t.shape) for e, t in ((I32, acc), (I8, mixed), (I8, other))]
        assert computed(rng, cls(*map(value, types)), acc, mixed, other)[0, 0] == number


@pytest.mark.parametrize(("left", "right", "out"), FLOAT_ACCUMULATORS, ids=str)
def test_accumulating_products_of_floats(
    rng: np.random.Generator, left: ScalarType, right: ScalarType, out: ScalarType
) -> None:
    m, k, n = extents(rng, 3)
    a, b, acc = numbers(rng, left, [m, k]), numbers(rng, right, [k, n]), numbers(rng, out, [m, n])
    types = [random_type(rng, e, t.shape) for e, t in ((out, acc), (left, a), (right, b))]
    wanted = in_format(exact(acc) + exact(a) @ exact(b), out)
    found = computed(rng, Smma(*map(value, types)), acc, a, b)
    assert same(signed_zeros_gone(found), signed_zeros_gone(wanted))


def test_sums_are_not_rounded_to_narrow_factors(rng: np.random.Generator) -> None:
    """2^11 + 1 - 2^11 in f16, and a bf16 sum of 300 ones into f32: both are lost where sums are as narrow."""
    a = np.array([[2048, 1, -2048]], np.float16)
    types = [TensorType.dense(F16, (1, 3)), TensorType.dense(F16, (3, 1))]
    assert computed(rng, MatMul(*map(value, types)), a, np.ones((3, 1), np.float16))[0, 0] == 1
    ones = numbers(rng, BF16, [1, 300])
    ones[:] = 1
    types = [TensorType.dense(BF16, (1, 300)), TensorType.dense(BF16, (300, 1))]
    op = MatMul(*map(value, types), result_types=[TensorType.dense(F32, (1, 1))])
    assert computed(rng, op, ones, ones.T)[0, 0] == 300


@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_nan_and_infinities_spread_in_products(rng: np.random.Generator, element: ScalarType) -> None:
    a = in_format(np.array([[np.inf, 1.0], [np.nan, 1.0], [2.0, 1.0]]), element)
    b = in_format(np.array([[0.0, 1.0], [3.0, np.inf]]), element)
    types = [random_type(rng, element, t.shape) for t in (a, b)]
    found = computed(rng, MatMul(*map(value, types)), a, b).astype(np.float64)
    assert np.array_equal(found, [[np.nan, np.inf], [np.nan, np.nan], [3.0, np.inf]], equal_nan=True)


def correlation(a: Array, b: Array, strides: list[int], dilations: list[int], kernel_dilations: list[int]) -> Array:
    """By the formula, one element of the result after the other; a and b are N,C,H,W and O,C,H,W."""
    d, e = ([max(x, 1) for x in xs] for xs in (dilations, kernel_dilations))
    size = [(n - 1) * x + 1 for n, x in zip(a.shape[2:], d, strict=True)]
    reach = [(n - 1) * x + 1 for n, x in zip(b.shape[2:], e, strict=True)]
    out = [(n - k) // s + 1 for n, k, s in zip(size, reach, strides, strict=True)]
    found = np.zeros((a.shape[0], b.shape[0], *out), a.dtype)
    for n, o, y, x in np.ndindex(found.shape):
        for c, i, j in np.ndindex(b.shape[1:]):
            row, column = y * strides[0] + i * e[0], x * strides[1] + j * e[1]
            if row % d[0] == 0 and column % d[1] == 0:
                found[n, o, y, x] += a[n, c, row // d[0], column // d[1]] * b[o, c, i, j]
    return found


@pytest.mark.parametrize(("element", "out"), [*EQUAL, *WIDER], ids=str)
@pytest.mark.parametrize("rank", [2, 4])
def test_convolution(rng: np.random.Generator, element: ScalarType, out: ScalarType, rank: int) -> None:
    for _ in range(TRIES):
        leading, channels, maps = extents(rng, 3)
        kernel = extents(rng, 2)
        strides = [int(s) for s in rng.integers(1, 4, 2)]
        dilations, kernel_dilations = ([int(d) for d in rng.integers(0, 3, 2)] for _ in range(2))
        size = [
            (k - 1) * max(e, 1) + 1 + int(rng.integers(0, 4)) for k, e in zip(kernel, kernel_dilations, strict=True)
        ]
        a = numbers(rng, element, [leading, channels, *size])
        b = numbers(rng, element, [maps, channels, *kernel])
        if rank == 2:
            a, b = a[:1, :1], b[:1, :1]
        wanted = in_format(correlation(exact(a), exact(b), strides, dilations, kernel_dilations), out)
        if rank == 2:
            a, b, wanted = a[0, 0], b[0, 0], wanted[0, 0]
        types = [random_type(rng, element, t.shape) for t in (a, b)]
        source, weights = map(value, types)
        s, d, e = (tuple(x) for x in (strides, dilations, kernel_dilations))
        op = Convolution(source, weights, s, d, e)
        assert isinstance(op.out.type, TensorType)
        result = op.out.type.relaid([int(d) for d in rng.permutation(rank)]).with_element(out)
        op = Convolution(source, weights, s, d, e, result_types=[result])
        assert same(signed_zeros_gone(computed(rng, op, a, b)), signed_zeros_gone(wanted))


def test_sums_of_full_range_wrap(rng: np.random.Generator) -> None:
    """i16 products of -32768 wrap to 0 in i16 and, added twice, to -2^31 in i32."""
    a = np.full((1, 2), -32768, np.int16)
    types = [TensorType.dense(I16, (1, 2)), TensorType.dense(I16, (2, 1))]
    assert computed(rng, MatMul(*map(value, types)), a, a.T)[0, 0] == 0
    acc = np.zeros((1, 1), np.int32)
    op = Smma(value(TensorType.dense(I32, (1, 1))), *map(value, types))
    assert computed(rng, op, acc, a, a.T)[0, 0] == -(2**31)


def test_results_follow_from_all_operands() -> None:
    """Though what an operation gives is remembered with the type of the first one."""
    shapes = ((2, 5), (5, 3), (5, 4))
    _, block = new_region([TensorType.dense(F32, shape) for shape in shapes])
    a, b, c = block.arguments
    for other, wanted in ((b, (2, 3)), (c, (2, 4)), (b, (2, 3))):
        assert MatMul(a, other).out.type == TensorType.dense(F32, wanted)
