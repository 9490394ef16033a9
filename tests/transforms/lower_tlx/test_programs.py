"""Programs of several operations: loops, branches, vectors that live in memory, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.diagnostics.report import CompileError
from tilewright.dialects import arith, scf, tile, tl
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.memref import Alloca
from tilewright.dialects.tlx.elementwise import Relu
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.products import Smma
from tilewright.dialects.tlx.shapes import Transpose
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Value
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.types import (
    BF16,
    F32,
    I8,
    I32,
    I64,
    INDEX,
    AddressSpace,
    PointerType,
    ScalarType,
    TileType,
    memref,
)
from tilewright.numerics.arrays import array_of
from tilewright.transforms.lower_tlx import LowerTlx
from tilewright.transforms.lower_tlx.postconditions import broken_postconditions
from transforms.lower_tlx.memory_programs import (
    POINTER,
    SQUARE,
    at_both_limits,
    load,
    module_of,
    programs,
    store,
)
from transforms.lower_tlx.programs import lowered

Array = NDArray[Any]


@at_both_limits
@pytest.mark.parametrize(("narrow", "wide"), [(I8, I32), (BF16, F32)], ids=str)
def test_a_loop_that_carries_a_vector(
    rng: np.random.Generator, limit: int, narrow: ScalarType, wide: ScalarType
) -> None:
    """The accumulator is carried as a vector and given its type on each trip (decision 36); rows lie a pitch apart."""
    steps, pitch = 5, 20
    acc_type = TensorType.dense(wide, (4, 6))
    m, n = acc_type.shape

    def body(b: Builder, given: Sequence[Value]) -> None:
        start = b(ToVector(load(b, given[2], acc_type))).out
        region, block = new_region([INDEX, start.type])
        inner = Builder(block)
        index = inner(arith.Cast(block.arguments[0], result_types=[I64])).out
        size = narrow.bytes
        a_at = inner(arith.Add(given[0], inner(arith.Mul(index, inner.constant(4 * size, I64))).out)).out
        b_at = inner(arith.Add(given[1], inner(arith.Mul(index, inner.constant(4 * n * size, I64))).out)).out
        acc = inner(TypeInfo(block.arguments[1], result_types=[acc_type])).out
        x = load(inner, a_at, TensorType.dense(narrow, (m, 4)), (pitch, 1))
        y = load(inner, b_at, TensorType.dense(narrow, (4, n)))
        inner(scf.Yield([inner(ToVector(inner(Smma(acc, x, y)).out)).out]))
        loop = scf.For(b.index(0), b.index(steps), region, None, [start], result_types=[start.type])
        store(b, given[3], b(TypeInfo(b(loop).outs[0], result_types=[acc_type])).out)

    pointers = [PointerType(e) for e in (narrow, narrow, wide, wide)]
    a, b, c = (
        array_of(element.format, rng.integers(-9, 10, shape).tolist())
        for element, shape in ((narrow, (m, pitch)), (narrow, (4 * steps, n)), (wide, (m, n)))
    )
    wanted = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)
    for name, run in programs(lambda: module_of(pointers, body), limit).items():
        out = np.zeros_like(c)
        run["f"][1](a, b, c, out)
        assert np.array_equal(out, wanted), name


@at_both_limits
def test_arithmetic_on_vectors(rng: np.random.Generator, limit: int) -> None:
    """`x < 0 ? x * 2 : x + 1` on stored elements, with constants and numbers, through comparisons."""
    type_ = TensorType.dense(F32, (5, 7))

    def body(b: Builder, given: Sequence[Value]) -> None:
        x = b(ToVector(load(b, given[0], type_))).out
        vector = TileType((35,), F32)
        two, one = b.constant(2.0, vector), b(tile.Splat(given[2], result_types=[vector])).out
        less = b(arith.Cmp(arith.Predicate.LT, x, b.zero(vector))).out
        found = b(arith.Select(less, b(arith.Mul(x, two)).out, b(arith.Add(x, one)).out)).out
        store(b, given[1], b(TypeInfo(found, result_types=[type_])).out)

    x = rng.standard_normal(35).astype(np.float32)
    for name, run in programs(lambda: module_of([POINTER, POINTER, F32], body), limit).items():
        out = np.zeros(35, np.float32)
        run["f"][1](x, out, np.float32(1))
        assert np.array_equal(out, np.where(x < 0, x * 2, x + 1)), name


@at_both_limits
def test_vectors_are_loaded_and_stored(rng: np.random.Generator, limit: int) -> None:
    """By plain loads and stores, from positions further on, into memory that overlaps what was loaded."""
    vector = TileType((30,), F32)

    def body(b: Builder, given: Sequence[Value]) -> None:
        views = [b(FromAddress(a, [], [], result_types=[memref(F32, (40,))])).out for a in given]
        x = b(tile.Load(views[0], [b.index(2)], result_types=[vector])).out
        b(tile.Store(x, views[1], [b.index(5)]))
        b(tile.Store(b(arith.Neg(x)).out, views[1], [b.index(6)]))

    for name, run in programs(lambda: module_of([POINTER] * 2, body), limit).items():
        x = rng.standard_normal(40).astype(np.float32)
        wanted, loaded = x.copy(), x[2:32].copy()
        wanted[5:35], wanted[6:36] = loaded, -loaded
        run["f"][1](x, x)
        assert np.array_equal(x, wanted), name


@at_both_limits
def test_a_typeinfo_of_another_type_reads_the_stored_elements(rng: np.random.Generator, limit: int) -> None:
    """Relaid, then given the identity: the transposed matrix (decision 8)."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        relaid = b(Transpose(load(b, given[0], TensorType.dense(F32, (4, 6))), (1, 0))).out
        vector = b(ToVector(relaid)).out
        store(b, given[1], b(TypeInfo(vector, result_types=[TensorType.dense(F32, (6, 4))])).out)

    x = rng.standard_normal((4, 6)).astype(np.float32)
    for name, run in programs(lambda: module_of([POINTER] * 2, body), limit).items():
        out = np.zeros((6, 4), np.float32)
        run["f"][1](x, out)
        assert np.array_equal(out, x.T), name


@at_both_limits
def test_distances_of_the_launch(rng: np.random.Generator, limit: int) -> None:
    def body(b: Builder, given: Sequence[Value]) -> None:
        type_ = TensorType.dense(F32, (4, 5))
        x = b(Load(given[0], [given[2]], (None, 1), result_types=[type_])).out
        b(Store(given[1], b(Relu(x)).out, [given[2], given[3]], (None, None)))

    x = rng.standard_normal(200).astype(np.float32)
    for name, run in programs(lambda: module_of([POINTER, POINTER, INDEX, INDEX], body), limit).items():
        out = np.zeros(200, np.float32)
        run["f"][1](x, out, 30, 2)
        at = np.arange(4)[:, None] * 30
        wanted = np.zeros(200, np.float32)
        wanted[at + np.arange(5) * 2] = np.maximum(x[at + np.arange(5)], 0)
        assert np.array_equal(out, wanted), name


@at_both_limits
def test_loops_and_branches_hand_on_vectors(rng: np.random.Generator, limit: int) -> None:
    """Two vectors trade places in a counted loop beside a number, one is doubled in a branch of another loop."""
    vector = TileType((30,), I32)

    def body(b: Builder, given: Sequence[Value]) -> None:
        type_ = TensorType.dense(I32, (30,))
        x, y = (b(ToVector(load(b, a, type_))).out for a in given[:2])
        region, block = new_region([INDEX, vector, I32, vector])
        inner = Builder(block)
        _, p, count, q = block.arguments
        more = inner(arith.Add(count, inner.int32(1))).out
        inner(scf.Yield([q, more, inner(arith.Add(p, inner.constant(3, vector))).out]))
        types = [vector, I32, vector]
        loop = b(scf.For(b.index(0), b.index(5), region, None, [x, b.int32(0), y], result_types=types))
        p, count, q = loop.outs
        region, block = new_region([I32, vector])
        inner = Builder(block)
        left, v = block.arguments
        odd = inner(arith.Cmp(arith.Predicate.EQ, inner(arith.And(left, inner.int32(1))).out, inner.int32(1))).out
        (then, yes), (orelse, no) = new_region(), new_region()
        at = Builder(yes)
        at(scf.Yield([at(arith.Add(v, v)).out]))
        Builder(no)(scf.Yield([q]))
        chosen = inner(scf.If(odd, then, orelse, result_types=[vector])).outs[0]
        less = inner(arith.Sub(left, inner.int32(1))).out
        again = inner(arith.Cmp(arith.Predicate.GT, less, inner.int32(0))).out
        inner(scf.Yield([again, less, chosen]))
        outer = b(scf.While([count, p], region, result_types=[I32, vector]))
        store(b, given[2], b(TypeInfo(outer.outs[1], result_types=[type_])).out)

    pointers = [PointerType(I32)] * 3
    x, y = (rng.integers(-100, 100, 30).astype(np.int32) for _ in range(2))
    p: Array = x
    q: Array = y
    for _ in range(5):
        p, q = q, p + 3
    wanted: Array = p
    for left in range(5, 0, -1):
        wanted = wanted + wanted if left % 2 else q
    for name, run in programs(lambda: module_of(pointers, body), limit).items():
        out = np.zeros(30, np.int32)
        run["f"][1](x, y, out)
        assert np.array_equal(out, wanted), name


@at_both_limits
def test_parts_and_rows_of_vectors(rng: np.random.Generator, limit: int) -> None:
    """Long and short parts taken out of a vector and put together in another order."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        x = b(ToVector(load(b, given[0]))).out
        starts, lengths = (30, 1, 6), (6, 5, 25)
        parts = [
            b(tile.Extract(x, (start,), result_types=[TileType((length,), F32)])).out
            for start, length in zip(starts, lengths, strict=True)
        ]
        row = b(tile.Cat(parts, 0, result_types=[TileType((36,), F32)])).out
        store(b, given[1], b(TypeInfo(row, result_types=[SQUARE])).out)

    for name, run in programs(lambda: module_of([POINTER] * 2, body), limit).items():
        x, out = rng.standard_normal(36).astype(np.float32), np.zeros(36, np.float32)
        run["f"][1](x, out)
        assert np.array_equal(out, np.concatenate([x[30:], x[1:6], x[6:31]])), name


def test_what_has_no_code_yet_is_said_with_its_name() -> None:
    """A vector too long for registers in another shape."""

    def body(b: Builder, given: Sequence[Value]) -> None:
        x = b(ToVector(load(b, given[0]))).out
        wide = b(tile.Reshape(x, result_types=[TileType((6, 6), F32)])).out
        back = b(tile.Reshape(wide, result_types=[TileType((36,), F32)])).out
        store(b, given[0], b(TypeInfo(back, result_types=[SQUARE])).out)

    module = module_of([POINTER], body)
    with pytest.raises(CompileError) as caught:
        PassManager([LowerTlx(8)]).run(module, PassContext())
    (found,) = caught.value.diagnostics
    assert found.code == "TLX401"
    assert found.message == "no lowering: tile.reshape of a vector of more than 8 elements, which lives in memory"


def test_the_check_of_the_first_stage_notices() -> None:
    def body(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[0], b(Relu(load(b, given[0]))).out)

    assert {f.code for f in broken_postconditions(module_of([POINTER], body), 8)} == {"1"}
    assert {f.code for f in broken_postconditions(lowered(module_of([POINTER], body), 4096), 8)} == {"3"}

    def loops(b: Builder, given: Sequence[Value]) -> None:
        region, _ = new_region([INDEX])
        b(scf.For(b.index(0), given[0], region)).parallel = True
        one = b.constant(1.0, F32)
        rows = [b(Alloca(result_types=[memref(F32, n, space=AddressSpace.LOCAL)])).out for n in ((2, 2), (2,), (2, 2))]
        b(tl.Gemm(one, rows[0], rows[1], one, rows[2]))

    assert [f.code for f in broken_postconditions(module_of([INDEX], loops), 8)] == ["2", "1"]
