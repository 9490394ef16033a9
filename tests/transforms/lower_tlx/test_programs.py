"""Programs of several operations: order of reads and writes, overlapping memory, loops, vectors that live in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialects.tlx.tensors import in_format, value
from targets.nvidia.launching import program_of_module
from tilewright.diagnostics.report import CompileError
from tilewright.dialects import arith, scf, tile, tl
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.memref import Alloca
from tilewright.dialects.tlx.elementwise import Fabs, Floor, Relu
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.products import Contract, Convolution, MatMul, Smma
from tilewright.dialects.tlx.reductions import ReduceMax
from tilewright.dialects.tlx.shapes import Transpose
from tilewright.dialects.tlx.types import TensorType, dense_distances
from tilewright.interpreter.program import interpreted_module
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
    Type,
    memref,
)
from tilewright.ir.verifier import verified
from tilewright.numerics.arrays import array_of
from tilewright.program import Program
from tilewright.transforms.lower_tlx import LowerTlx
from tilewright.transforms.lower_tlx.postconditions import broken_postconditions
from tilewright.transforms.tile_values import tile_type
from transforms.lower_tlx.programs import compiled, lowered, program

Array = NDArray[Any]
LIMITS = (4096, 8)
SQUARE = TensorType.dense(F32, (6, 6))
at_both_limits = pytest.mark.parametrize("limit", LIMITS)


def module_of(parameters: Sequence[Type], body: Callable[[Builder, Sequence[Value]], None]) -> Module:
    """Kernel `f`, whose body is given the addresses that its pointers hold, and its numbers."""
    region, block = new_region(parameters)
    b = Builder(block)
    body(b, [b(AddressOf(p)).out if isinstance(p.type, PointerType) else p for p in list(block.arguments)])
    outer, top = new_region()
    top.append(Kernel("f", region))
    module = Module(outer)
    verified(module)
    return module


def programs(make: Callable[[], Module], limit: int) -> dict[str, Program]:
    """As written and behind the first stage, interpreted and compiled, for an emulated GPU too."""
    return {
        "written": interpreted_module(make(), "", False),
        "lowered": interpreted_module(lowered(make(), limit), "", False),
        "compiled": compiled(lowered(make(), limit)),
        "on the emulated device": program_of_module(lowered(make(), limit)),
    }


def load(b: Builder, address: Value, type_: TensorType = SQUARE, distances: tuple[int, ...] = ()) -> Value:
    return b(Load(address, [], distances or dense_distances(type_), result_types=[type_])).out


def store(b: Builder, address: Value, tensor: Value, distances: tuple[int, ...] = ()) -> None:
    assert isinstance(tensor.type, TensorType)
    b(Store(address, tensor, [], distances or dense_distances(tensor.type)))


POINTER = PointerType(F32)


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


@pytest.mark.parametrize("extent", [5, 6, 8, 9])
def test_windows_in_steps_of_tiles(rng: np.random.Generator, extent: int) -> None:
    """Two of three elements from every third on; behind the last there may be nothing."""
    x = rng.permutation(extent).astype(np.int32)
    module, out = program([TensorType.dense(I32, (extent,))], lambda b, v: b(ReduceMax(v[0], (2,), (3,))).out)
    found = np.zeros(out.shape, np.int32)
    compiled(lowered(module, extent))["f"][1](x, found)
    assert found.tolist() == [max(x[k : k + 2]) for k in range(0, extent - 1, 3)]


@pytest.mark.parametrize(("height", "stride"), [(3, 1), (6, 2)])
def test_a_convolution_of_many_channels(rng: np.random.Generator, height: int, stride: int) -> None:
    """Two images, three of the kernel's rows."""
    types = [TensorType.dense(F32, (2, 128, height, 42)), TensorType.dense(F32, (64, 128, 3, 3))]
    _same_convolution(rng, types, stride)


@pytest.mark.parametrize("channels", [37, 38])
def test_a_convolution_of_many_channels_to_few_maps(rng: np.random.Generator, channels: int) -> None:
    """Too narrow for one product; as many channels are summed at once as divide them and fit, all if none do."""
    types = [TensorType.dense(F32, (1, channels, 60, 62)), TensorType.dense(F32, (3, channels, 1, 1))]
    _same_convolution(rng, types, 1)


def _same_convolution(rng: np.random.Generator, types: list[TensorType], stride: int) -> None:
    """A compiled convolution against that of NumPy, with integers."""
    x, kernel = (rng.integers(-3, 4, t.shape).astype(np.float32) for t in types)

    def body(b: Builder, v: Sequence[Value]) -> Value:
        return b(Convolution(v[0], v[1], (stride, 1), (1, 1), (1, 1))).out

    module, out = program(types, body)
    found = np.zeros(out.shape, np.float32)
    compiled(lowered(module, 4096))["f"][1](x, kernel, found)
    patches = np.lib.stride_tricks.sliding_window_view(x, kernel.shape[2:], (2, 3))[:, :, ::stride]
    assert np.array_equal(found, np.einsum("nchwij,ocij->nohw", patches, kernel, optimize=True))


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [("acik", "kbcj", "abij"), ("caik", "bkcj", "jbia"), ("abid", "dcj", "abcij"), ("abcij", "kijc", "bka")],
)
def test_contractions_whose_dimensions_no_stride_merges(
    rng: np.random.Generator, left: str, right: str, result: str
) -> None:
    """They are one product, whatever the layout of the result; the interpreter agrees behind the first stage."""
    sizes = {"a": 9, "b": 11, "c": 17, "d": 20, "i": 7, "j": 13, "k": 19}
    both = [c for c in left if c in right]
    free = [c for c in left if c not in both] + [c for c in right if c not in both]
    types = [TensorType.dense(F32, [sizes[c] for c in letters]) for letters in (left, right)]
    x, y = (rng.integers(-3, 4, t.shape).astype(np.float32) for t in types)

    def make() -> Module:
        def body(b: Builder, v: Sequence[Value]) -> Value:
            axes = [tuple(letters.index(c) for c in both) for letters in (left, right)]
            plain = TensorType.dense(F32, [sizes[c] for c in free])
            type_ = plain.relaid([free.index(c) for c in result])
            return b(Contract(v[0], v[1], *axes, result_types=[type_])).out

        return lowered(program(types, body)[0], 4096)

    assert sum(isinstance(op, tl.Contract) for op in make().walk()) == 1
    wanted = np.einsum(f"{left},{right}->{result}", x, y)
    for run in (interpreted_module(make(), "", False), compiled(make())):
        found = np.full(wanted.shape, np.nan, np.float32)
        run["f"][1](x, y, found)
        assert np.array_equal(found, wanted)


@pytest.mark.covering(1)
@pytest.mark.parametrize(("element", "layout"), [(F32, (0, 1, 2, 3)), (BF16, (0, 2, 3, 1)), (I8, (1, 0, 3, 2))])
@pytest.mark.parametrize(("strides", "spread", "dilations"), [((1, 1), (1, 1), (1, 1)), ((2, 3), (2, 1), (1, 2))])
def test_large_convolutions_are_one_product(
    rng: np.random.Generator,
    element: ScalarType,
    layout: tuple[int, ...],
    strides: tuple[int, int],
    spread: tuple[int, int],
    dilations: tuple[int, int],
) -> None:
    """Strides, dilations of either, results in any layout; 16-bit floats are rounded once."""
    types = [TensorType.dense(element, (2, 19, 23, 26)), TensorType.dense(element, (17, 19, 3, 3))]
    x, kernel = (rng.integers(-2, 3, t.shape) for t in types)

    def body(b: Builder, v: Sequence[Value]) -> Value:
        source, weights = map(value, types)
        natural = Convolution(source, weights, strides, spread, dilations).out.type
        assert isinstance(natural, TensorType)
        result = [natural.relaid(layout)]
        return b(Convolution(v[0], v[1], strides, spread, dilations, result_types=result)).out

    module, out = program(types, body)
    module = lowered(module, 4096)
    assert sum(isinstance(op, tl.Contract) for op in module.walk()) == 1
    stored = in_format(np.zeros(out.extents, np.int64), element)
    compiled(module)["f"][1](*(in_format(a, element) for a in (x, kernel)), stored)
    wide = np.zeros((2, 19, 22 * spread[0] + 1, 25 * spread[1] + 1), np.int64)
    wide[:, :, :: spread[0], :: spread[1]] = x
    size = [2 * d + 1 for d in dilations]
    patches = np.lib.stride_tricks.sliding_window_view(wide, size, (2, 3))
    patches = patches[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    wanted = np.einsum("nchwij,ocij->nohw", patches, kernel, optimize=True).transpose(layout)
    assert stored.tobytes() == in_format(wanted, element).tobytes()


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


@pytest.mark.parametrize("columns", [63, 128, 129, 300])
def test_rows_of_every_length(rng: np.random.Generator, columns: int) -> None:
    """Shorter than what is combined at once, as long, longer by a rest."""
    type_ = TensorType.dense(F32, (37, columns))
    x = rng.standard_normal(type_.shape).astype(np.float32)
    x[3, columns - 1] = np.nan

    def body(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[1], b(ReduceMax(load(b, given[0], type_), (columns,), (1,))).out)

    for run in programs(lambda: module_of([POINTER] * 2, body), 64).values():
        out = np.zeros(37, np.float32)
        run["f"][1](x, out)
        assert np.array_equal(out, x.max(1), equal_nan=True)


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


def test_long_rows_are_combined_as_several_streams(rng: np.random.Generator) -> None:
    """Rows of 4 KiB, a few more than whole rounds of eight; an element that is no number wins."""
    rows, columns = 19, 1030
    type_ = TensorType.dense(F32, (rows, columns))
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    x[3, columns - 1] = x[17, 5] = np.nan

    def body(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[1], b(ReduceMax(load(b, given[0], type_), (columns,), (1,))).out)

    module = module_of([POINTER] * 2, body)
    shapes = {tile_type(op.out).shape for op in lowered(module, 4096).walk() if isinstance(op, tile.Load)}
    assert (16, 8) in shapes
    for run in programs(lambda: module_of([POINTER] * 2, body), 4096).values():
        out = np.zeros(rows, np.float32)
        run["f"][1](x, out)
        assert np.array_equal(out, x.max(1), equal_nan=True)
