"""What is stored while something is read: overlapping memory, order of reads and writes, results computed in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.dialects import arith, scf, tile, tl
from tilewright.dialects.builder import Builder
from tilewright.dialects.tlx.elementwise import Fabs, Floor, Relu
from tilewright.dialects.tlx.memory import ToVector, TypeInfo
from tilewright.dialects.tlx.products import MatMul
from tilewright.dialects.tlx.shapes import Transpose
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Value
from tilewright.ir.types import (
    F32,
    I64,
)
from tilewright.transforms.tile_values import tile_type
from transforms.lower_tlx.memory_programs import (
    POINTER,
    at_both_limits,
    load,
    module_of,
    programs,
    store,
)
from transforms.lower_tlx.programs import compiled, lowered

Array = NDArray[Any]


@at_both_limits
def test_what_is_stored_does_not_change_what_was_loaded(rng: np.random.Generator, limit: int) -> None:
    """B := relu A, then C := |A as it was|, where B is A."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        a = load(b, given[0])
        store(b, given[1], b(Relu(a)).out)
        store(b, given[2], b(Fabs(a)).out)

    for name, run in programs(lambda: module_of([POINTER] * 3, body), limit).items():
        a, c = rng.standard_normal(36).astype(np.float32), np.zeros(36, np.float32)
        wanted = np.maximum(a, 0), np.abs(a)
        run["f"][1](a, a, c)
        assert np.array_equal(a, wanted[0]), name
        assert np.array_equal(c, wanted[1]), name


def test_copies_into_another_order_take_lines_of_both() -> None:
    """A box with short rows would read or write a little of each line."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[1], b(Transpose(load(b, given[0], TensorType.dense(F32, (64, 64))), (1, 0))).out)

    loads = [op for op in lowered(module_of([POINTER] * 2, body), 256).walk() if isinstance(op, tile.Load)]
    turned, turned_into_copy, straight = (tile_type(op.out).shape for op in loads)
    assert turned == turned_into_copy == (16, 16)
    assert straight == (4, 64)


@at_both_limits
def test_a_result_is_not_written_before_what_stands_in_front_of_its_store_is_read(
    rng: np.random.Generator, limit: int
) -> None:
    """y := relu A; z := |W|; C := y; D := z, where C is W."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        a, w = load(b, given[0]), load(b, given[1])
        y, z = b(Relu(a)).out, b(Fabs(w)).out
        store(b, given[2], y)
        store(b, given[3], z)

    for name, run in programs(lambda: module_of([POINTER] * 4, body), limit).items():
        a, w = (rng.standard_normal(36).astype(np.float32) for _ in range(2))
        d, wanted = np.zeros(36, np.float32), np.abs(w)
        run["f"][1](a, w, w, d)
        assert np.array_equal(w, np.maximum(a, 0)), name
        assert np.array_equal(d, wanted), name


@at_both_limits
@pytest.mark.parametrize("shift", [-36, -35, -1, 0, 7, 35])
def test_targets_that_overlap_what_is_read(rng: np.random.Generator, limit: int, shift: int) -> None:
    """Copies relaid, products and functions into memory that overlaps that of an operand."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        a = load(b, given[0])
        store(b, given[1], b(Transpose(a, (1, 0))).out)

    def product(b: Builder, given: Sequence[Value]) -> None:
        a = load(b, given[0])
        store(b, given[1], b(MatMul(a, a)).out)

    def function(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[1], b(Floor(load(b, given[0]))).out)

    kinds: list[tuple[Callable[[Builder, Sequence[Value]], None], Callable[[Array], Array]]] = [
        (body, lambda x: x.T),
        (product, lambda x: x @ x),
        (function, np.floor),
    ]
    for make, wanted in kinds:
        for name, run in programs(lambda make=make: module_of([POINTER] * 2, make), limit).items():
            memory = rng.integers(-4, 5, 160).astype(np.float32)
            expected = memory.copy()
            expected[60 + shift : 96 + shift] = wanted(memory[60:96].reshape(6, 6)).reshape(-1)
            run["f"][1](memory[60:96], memory[60 + shift : 96 + shift])
            assert np.array_equal(memory, expected), name


def test_large_products_in_place_and_through_a_buffer(rng: np.random.Generator) -> None:
    """As large as factors are packed; the target is apart, or one of the factors."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        type_ = TensorType.dense(F32, (130, 130))
        store(b, given[2], b(MatMul(load(b, given[0], type_), load(b, given[1], type_))).out)

    run = compiled(lowered(module_of([POINTER] * 3, body), 4096))["f"][1]
    x, y = (rng.integers(-3, 4, (130, 130)).astype(np.float32) for _ in range(2))
    wanted, out = x @ y, np.zeros_like(x)
    run(x, y, out)
    assert np.array_equal(out, wanted)
    run(x, y, x)
    assert np.array_equal(x, wanted)


def test_a_product_is_computed_where_it_is_stored() -> None:
    """One buffer for the case that target and factors overlap, and none for operands; the address that is computed
    behind the product stands in front of it."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        product = b(MatMul(load(b, given[0]), load(b, given[1]))).out
        store(b, b(arith.Add(given[2], b.constant(64, I64))).out, product)

    ops = list(lowered(module_of([POINTER] * 3, body), 8).walk())
    assert sum(op.name == "memref.reserve" for op in ops) == 1
    assert sum(isinstance(op, tl.Gemm) for op in ops) == 1
    assert sum(isinstance(op, scf.If) for op in ops) == 1


@pytest.mark.covering(1)
@pytest.mark.parametrize("shift", [None, 0, 1, 40])
@at_both_limits
def test_sums_of_vectors_are_computed_where_they_are_stored(
    rng: np.random.Generator, limit: int, shift: int | None
) -> None:
    """Unless what is read lies there too, however far apart; then not before all of it is read."""
    type_ = TensorType.dense(F32, (5, 1001))

    def body(b: Builder, given: Sequence[Value]) -> None:
        x, y = (b(ToVector(load(b, p, type_))).out for p in given[:2])
        total = b(arith.Add(b(arith.Mul(x, y)).out, y)).out
        store(b, given[2], b(TypeInfo(total, result_types=[type_])).out)

    module = lowered(module_of([POINTER] * 3, body), limit)
    assert any(isinstance(op, scf.If) for op in module.walk()), "a copy is made only if memory overlaps"
    for run in programs(lambda: module_of([POINTER] * 3, body), limit).values():
        memory = rng.integers(-9, 10, 5200).astype(np.float32)
        x = memory[: 5 * 1001]
        out = np.zeros_like(x) if shift is None else memory[shift : shift + 5 * 1001]
        y = rng.integers(-9, 10, x.shape).astype(np.float32)
        wanted = x * y + y
        run["f"][1](x, y, out)
        assert np.array_equal(out, wanted)


@pytest.mark.parametrize(("extents", "inner"), [((140, 129), 0), ((140, 128), 1)])
def test_copies_into_another_order_take_whole_lines_of_both(extents: tuple[int, int], inner: int) -> None:
    """Boxes follow each other along rows of the source where these are long, else along those of the target."""
    type_ = TensorType.dense(F32, extents)

    def body(b: Builder, given: Sequence[Value]) -> None:
        turned = b(Transpose(load(b, given[0], type_), (1, 0))).out
        store(b, given[1], turned)

    module = lowered(module_of([POINTER] * 2, body), 4096)
    loads = [op for op in module.walk() if isinstance(op, tile.Load) and tile_type(op.out).shape == (64, 64)]
    assert loads
    for op in loads:
        loop = op.parent_op
        assert isinstance(loop, scf.For)
        assert op.indices[inner] is loop.index
