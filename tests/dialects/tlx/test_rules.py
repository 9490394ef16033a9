"""Each rule is broken once, and the message names both numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dialects.tlx.tensors import value
from tilewright.diagnostics import Report
from tilewright.diagnostics.codes import CODES
from tilewright.dialects.tlx import BY_INTRINSIC, OPERATIONS
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.elementwise import Broadcast, Tanh
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.products import Contract, Convolution, MatMul, Smma, Umma
from tilewright.dialects.tlx.reductions import ReduceAnd, ReduceMax
from tilewright.dialects.tlx.shapes import Concat, Pad, ReshapeBlock, ReshapePermute, Transpose
from tilewright.dialects.tlx.types import TensorType
from tilewright.dialects.tlx.vectors import ReduceMac
from tilewright.ir.core import Value
from tilewright.ir.types import BF16, F16, F32, F64, I8, I16, I32, I64, ScalarType, TileType, Type
from tilewright.ir.verifier import verify_alone


def dense(*shape: int, element: ScalarType = F32) -> Value:
    return value(TensorType.dense(element, shape))


def info(
    extents: Sequence[int], layout: Sequence[int], padding: Sequence[int], count: int, element: ScalarType = F32
) -> TypeInfo:
    type_ = TensorType(element, tuple(extents), tuple(layout), tuple(padding))
    return TypeInfo(value(TileType((count,), F32)), result_types=[type_])


def vector(count: int, element: ScalarType) -> Type:
    return TileType((count,), element)


ADDRESS = value(I64)
ONE = value(F32)
BROKEN: list[tuple[TlxOperation, list[str]]] = [
    (info([2, 2, 2], [0, 1], [0, 0, 0], 8), ["TLX301 typeinfo: shape has 3 entries, layout 2"]),
    (info([2], [0], [0, 0], 2), ["TLX301 typeinfo: shape has 1 entry, padding 2"]),
    (
        info([2, 2, 2], [0, 2, 2], [0, 0, 0], 8),
        ["TLX302 typeinfo: layout <0,2,2> is no permutation of 0..2: 1 is missing, 2 is repeated"],
    ),
    (
        info([2, 2], [0, 5], [0, 0], 4),
        ["TLX302 typeinfo: layout <0,5> is no permutation of 0..1: 5 is out of range, 1 is missing"],
    ),
    (info([4], [0], [4], 4), ["TLX304 typeinfo: padding 4 leaves nothing of extent 4 at position 0"]),
    (info([4], [0], [-1], 4), ["TLX304 typeinfo: padding -1 at position 0 is negative"]),
    (info([0], [0], [0], 0), ["TLX304 typeinfo: extent 0 at position 0 is not positive"]),
    (info([2, 2], [0, 1], [0, 0], 8), ["TLX305 typeinfo: <8 x f32> cannot hold 2x2 = 4 elements"]),
    (info([2, 2], [0, 1], [0, 0], 4, I32), ["TLX310 typeinfo: tile<4xf32> holds no i32 elements"]),
    (
        TypeInfo(ToVector(dense(2, 3)).out, result_types=[TensorType.dense(F32, (2, 4))]),
        ["TLX319 typeinfo: reinterpretation needs the same element count: 6 elements are not 2x4 = 8 elements"],
    ),
    (
        Load(ADDRESS, [], (1,), result_types=[TensorType.dense(F32, (2, 2))]),
        ["TLX301 load: distances has 1 entries for 2 dimensions"],
    ),
    (
        Load(ADDRESS, [], (None, 1), result_types=[TensorType.dense(F32, (2, 2))]),
        ["TLX301 load: 0 operands for 1 distances that are not constant"],
    ),
    (
        Load(ADDRESS, [], (2, -1), result_types=[TensorType.dense(F32, (2, 2))]),
        ["TLX318 load: a distance of -1 elements is less than 1"],
    ),
    (
        Load(ADDRESS, [], (2, 1), result_types=[TensorType(F32, (2, 2), (0, 0), (0, 0))]),
        ["TLX302 load: layout <0,0> is no permutation of 0..1: 1 is missing, 0 is repeated"],
    ),
    (
        Store(ADDRESS, dense(3, 4), [], (2, 1)),
        ["TLX318 store: two elements of this store share one address: distances 2 and 1 along positions 0 and 1"],
    ),
    (Load(ONE, [], (1,), result_types=[TensorType.dense(F32, (2,))]), ["TLX203 load: address must be i64, not f32"]),
    (MatMul(dense(3, 4), dense(3, 5)), ["TLX306 matmul: A is 3x4, B is 3x5; 4 and 3 must be equal"]),
    (
        MatMul(dense(10, 3, 4), dense(12, 4, 5)),
        ["TLX307 matmul: batch 10 against 12 at dimension 0"],
    ),
    (MatMul(dense(3, 4), dense(1, 4, 5)), ["TLX307 matmul: factors have one rank of at least 2, not 2 and 3"]),
    (MatMul(dense(3), dense(3)), ["TLX307 matmul: factors have one rank of at least 2, not 1 and 1"]),
    (
        MatMul(dense(2, 2, element=I8), dense(2, 2, element=I32)),
        ["TLX310 matmul: factors have one element type, not i8 and i32: use smma, umma, usmma or summa"],
    ),
    (
        MatMul(dense(2, 2, element=I8), dense(2, 2, element=I8), result_types=[TensorType.dense(I32, (2, 2))]),
        ["TLX310 matmul: products of i8 are not summed in i32: use smma, umma, usmma or summa"],
    ),
    (
        MatMul(dense(2, 2, element=F64), dense(2, 2, element=F64), result_types=[TensorType.dense(F32, (2, 2))]),
        ["TLX310 matmul: products of f64 are not summed in f32"],
    ),
    (
        MatMul(dense(2, 2), dense(2, 2), result_types=[TensorType.dense(F32, (2, 3))]),
        ["TLX305 matmul: the result is tensor<2x2xf32>, not tensor<2x3xf32>"],
    ),
    (
        MatMul(dense(2, 4), dense(4, 2), result_types=[TensorType(F32, (1, 4), (1, 0), (0, 0))]),
        ["TLX319 matmul: the result is tensor<2x2xf32, layout <1,0>>, not tensor<1x4xf32, layout <1,0>>"],
    ),
    (
        Contract(dense(2, 3), dense(3, 2), (1, 3), (0, 1)),
        ["TLX308 contract: axis 3 of axes_a is out of range 0..1"],
    ),
    (Contract(dense(2, 2), dense(2, 2), (1, 1), (0, 1)), ["TLX308 contract: axis 1 of axes_a is repeated"]),
    (Contract(dense(2, 3), dense(3, 2), (0, 1), (0,)), ["TLX308 contract: 2 axes against 1"]),
    (Contract(dense(4, 2), dense(6, 2), (0,), (0,)), ["TLX308 contract: axes 0 and 0 have extents 4 and 6"]),
    (Smma(dense(3, 4), dense(3, 2), dense(2, 3)), ["TLX309 smma: accumulator is 3x4, product is 3x3"]),
    (
        Smma(dense(2, 2, element=I32), dense(2, 2), dense(2, 2, element=I8)),
        ["TLX310 smma: products of f32 are not summed in i32"],
    ),
    (
        Umma(dense(2, 2), dense(2, 2), dense(2, 2)),
        ["TLX311 umma: the operation is not defined for f32 elements; smma takes floats"] * 2,
    ),
    (Tanh(dense(2, element=I32)), ["TLX311 tanh: the operation is not defined for i32 elements"]),
    (ReduceAnd(dense(2), (2,), (1,)), ["TLX311 reduce.and: the operation is not defined for f32 elements"]),
    (
        Smma(dense(2, 2, element=I16), dense(2, 2, element=I32), dense(2, 2, element=I8)),
        ["TLX312 smma: i32 operands with an accumulator of i16"],
    ),
    (
        Smma(dense(2, 2, element=F16), dense(2, 2, element=BF16), dense(2, 2, element=F16)),
        ["TLX312 smma: bf16 operands with an accumulator of f16"],
    ),
    (
        Convolution(dense(3, 4), dense(4, 3), (1, 2), (1, 1), (1, 1)),
        ["TLX313 convolution: kernel extent 4 exceeds input extent 3"],
    ),
    (
        Convolution(dense(3, 3), dense(2, 2), (1, 1), (1, 1), (1, 3)),
        ["TLX313 convolution: kernel extent 4 exceeds input extent 3 with dilations"],
    ),
    (
        Convolution(dense(1, 8, 3, 3), dense(1, 6, 3, 3), (1, 1), (1, 1), (1, 1)),
        ["TLX313 convolution: channels 8 of the input and 6 of the kernel"],
    ),
    (
        Convolution(dense(3, 3), dense(2, 2), (0, 1), (-1, 1), (1, 1)),
        [
            "TLX313 convolution: stride 0 is less than 1",
            "TLX313 convolution: input dilation -1 is less than 0",
        ],
    ),
    (
        Convolution(dense(3, 3, 3), dense(2, 2, 2), (1, 1), (1, 1), (1, 1)),
        ["TLX313 convolution: input and kernel have rank 2 or rank 4, not 3 and 3"],
    ),
    (
        Convolution(dense(3, 3), dense(2, 2), (1,), (1, 1), (1, 1)),
        ["TLX301 convolution: strides has 1 entries for 2 dimensions"],
    ),
    (
        ReduceMax(dense(4, 4), (5, 0), (0, 1)),
        [
            "TLX314 reduce.max: window 5 exceeds extent 4",
            "TLX314 reduce.max: stride 0 is less than 1",
            "TLX314 reduce.max: window 0 is empty",
        ],
    ),
    (ReduceMax(dense(4), (1, 1), (1, 1)), ["TLX314 reduce.max: more windows (2) than dimensions (1)"]),
    (ReduceMax(dense(4), (1,), ()), ["TLX301 reduce.max: strides has 0 entries for 1 dimensions"]),
    (ReshapePermute(dense(16, 5, 3), (7, 35)), ["TLX315 reshape.permute: 240 elements cannot become 7x35"]),
    (ReshapePermute(dense(4), (-2, -2)), ["TLX304 reshape.permute: extent -2 is not positive"]),
    (ReshapeBlock(dense(4), (0,), (0,)), ["TLX315 reshape.block: block size 0 is less than 1"]),
    (ReshapeBlock(dense(4), (0, 0), (2, 2)), ["TLX315 reshape.block: dimension 0 is named twice"]),
    (ReshapeBlock(dense(4), (1,), (2,)), ["TLX315 reshape.block: dimension 1 is out of range 0..0"]),
    (Pad(dense(4), ONE, (-1,), (0,), (0,)), ["TLX316 pad: low -1 is negative"]),
    (Pad(dense(4), ONE, (1,), (0, 0), (0,)), ["TLX301 pad: high has 2 entries for 1 dimensions"]),
    (Pad(dense(4), value(I32), (1,), (0,), (0,)), ["TLX310 pad: the number is i32, the elements are f32"]),
    (Concat(dense(4, 4), dense(2, 5), 0), ["TLX316 concat: extents 4 and 5 differ at dimension 1"]),
    (Concat(dense(4), dense(2), 1), ["TLX316 concat: dimension 1 is out of range 0..0"]),
    (Concat(dense(4), dense(2, 2), 0), ["TLX307 concat: ranks 1 and 2 differ"]),
    (Concat(dense(4), dense(2, element=I32), 0), ["TLX310 concat: elements are f32 and i32"]),
    (Broadcast(dense(4), value(I32)), ["TLX310 broadcast: the number is i32, the elements are f32"]),
    (
        Transpose(dense(4, 4), (0, 0)),
        ["TLX302 transpose: layout <0,0> is no permutation of 0..1: 1 is missing, 0 is repeated"],
    ),
    (Transpose(dense(4, 4), (0,)), ["TLX301 transpose: new_layout has 1 entries for 2 dimensions"]),
    (
        ReduceMac(value(vector(8, I8)), value(vector(8, I8)), 3, result_types=[vector(2, I32)]),
        ["TLX305 vector.reduce.mac: 8 elements in groups of 3 do not give 2"],
    ),
    (
        ReduceMac(value(vector(8, I32)), value(vector(8, I32)), 4, result_types=[vector(2, I8)]),
        ["TLX312 vector.reduce.mac: i32 operands with a result of i8"],
    ),
]


@pytest.mark.parametrize(("op", "wanted"), BROKEN, ids=str)
def test_rules(op: TlxOperation, wanted: list[str]) -> None:
    report = Report()
    verify_alone(op, report)
    found = [f"{d.code} {d.message}" for d in report.diagnostics]
    assert found == wanted


def test_every_rule_of_the_dialect_is_broken_once() -> None:
    """Constants and layouts that users disagree on are the reader's, what has no lowering the pass's."""
    elsewhere = {"TLX303", "TLX317"}
    rules = {code for code in CODES if code.startswith("TLX3")} - elsewhere
    assert {message[:6] for _, wanted in BROKEN for message in wanted} >= rules


def test_operands_of_unsound_types_are_reported_once_where_they_come_from() -> None:
    bad = info([2, 2], [0, 0], [0, 0], 4)
    report = Report()
    for op in (bad, Tanh(bad.out), MatMul(bad.out, bad.out), Store(ADDRESS, bad.out, [], (2, 1))):
        verify_alone(op, report)
    assert [d.code for d in report.diagnostics] == ["TLX302"]


def test_intrinsics_are_unique() -> None:
    names = [n for cls in OPERATIONS for n in (cls.spec.intrinsic, *cls.spec.aliases)]
    assert len(names) == len(set(names)) == len(BY_INTRINSIC)
    assert BY_INTRINSIC["llvm.tensor.mma"] is BY_INTRINSIC["llvm.tensor.smma"] is Smma


@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.name)
def test_the_assembly_names_what_is_declared(cls: type[TlxOperation]) -> None:
    operands = {w[1:] for w in cls.spec.assembly if w[0] == "$"}
    attributes = {w.rstrip("?") for w in cls.spec.assembly if w[0] not in "$@"}
    assert operands == set(cls.definition.operands) - {"dynamic"}
    assert attributes == {key for key, spec in cls.definition.attributes.items() if spec.required}
    assert {w for w in cls.spec.assembly if w[0] == "@"} <= {"@extents", "@layout", "@padding"}
