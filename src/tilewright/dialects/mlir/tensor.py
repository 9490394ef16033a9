"""MLIR's tensor: values of many elements, made, taken apart and changed into others."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import INDEX_TYPE, MlirOperation, fail, index_type
from tilewright.dialects.mlir.memref import kept_of, known_numbers, lists_fit, said_sizes
from tilewright.dialects.mlir.view_layouts import check_bounds
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import PURE, Value, attribute, operand, operands, result
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import INDEX, Constraint, Type, mixed

TENSOR_TYPE = Constraint("a tensor with a rank", lambda t: isinstance(t, TensorType) and t.shape is not None)


def tensor_of(value: Value) -> TensorType:
    """The type of a value that is a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type


def tensor_shape(value: Value) -> tuple[int | None, ...]:
    """The extents of a tensor, which has a rank."""
    shape = tensor_of(value).shape
    assert shape is not None
    return shape


def _element_type(op: CoreOperation) -> Type:
    return next((v.type.element for v in op.operands if isinstance(v.type, TensorType)), INDEX)


def _check_indices(op: MlirOperation, report: Report, tensor: Value, indices: Sequence[Value]) -> None:
    rank = len(tensor_shape(tensor))
    if rank != len(indices):
        fail(op, report, f"{tensor.type} takes {rank} indices, not {len(indices)}")


class Empty(MlirOperation, name="tensor.empty", traits=(PURE,), assembly="'(' $dynamicSizes ')' <attributes> : @out"):
    """Elements that nobody has said anything of; `dynamicSizes` are the extents that the type leaves open."""

    dynamicSizes: list[Value] = operands(INDEX_TYPE)
    out: Value = result(TENSOR_TYPE)

    def verify(self, report: Report) -> None:
        wanted = tensor_shape(self.out).count(None)
        if wanted != len(self.dynamicSizes):
            fail(self, report, f"{self.out.type} has {wanted} extents to be given, not {len(self.dynamicSizes)}")


class Dim(MlirOperation, name="tensor.dim", traits=(PURE,), assembly="<attributes> $source , $index : @source"):
    """The extent of a dimension."""

    source: Value = operand(TENSOR_TYPE)
    index: Value = operand(INDEX_TYPE)
    out: Value = result(INDEX_TYPE, infer=index_type)


class Extract(
    MlirOperation, name="tensor.extract", traits=(PURE,), assembly="$tensor '[' $indices ']' <attributes> : @tensor"
):
    """An element."""

    tensor: Value = operand(TENSOR_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    out: Value = result(infer=_element_type)

    def verify(self, report: Report) -> None:
        _check_indices(self, report, self.tensor, self.indices)
        if self.result.type != tensor_of(self.tensor).element:
            fail(self, report, f"{self.tensor.type} holds no {self.result.type}", 0)


class Insert(
    MlirOperation,
    name="tensor.insert",
    traits=(PURE,),
    assembly="$scalar into $dest '[' $indices ']' <attributes> : @dest",
    element_of={"scalar": "dest"},
):
    """The tensor with one element changed."""

    scalar: Value = operand()
    dest: Value = operand(TENSOR_TYPE, var="T")
    indices: list[Value] = operands(INDEX_TYPE)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        _check_indices(self, report, self.dest, self.indices)
        if self.scalar.type != tensor_of(self.dest).element:
            fail(self, report, f"{self.dest.type} holds no {self.scalar.type}", 0)


class Cast(MlirOperation, name="tensor.cast", traits=(PURE,), assembly="$source <attributes> : @source to @dest"):
    """The same elements with more or less known of the extents."""

    source: Value = operand(TENSOR_TYPE)
    dest: Value = result(TENSOR_TYPE)

    def verify(self, report: Report) -> None:
        mine, others = tensor_shape(self.source), tensor_shape(self.dest)
        fits = len(mine) == len(others) and all(
            a is None or b is None or a == b for a, b in zip(mine, others, strict=True)
        )
        if not fits or tensor_of(self.source).element != tensor_of(self.dest).element:
            fail(self, report, f"{self.source.type} is never a {self.dest.type}", 0)


class ExtractSlice(MlirOperation, name="tensor.extract_slice", traits=(PURE,), assembly="<subview>"):
    """A box of the source, with steps; dimensions of size 1 may be dropped from the result."""

    source: Value = operand(TENSOR_TYPE)
    offsets: list[Value] = operands(INDEX_TYPE)
    sizes: list[Value] = operands(INDEX_TYPE)
    strides: list[Value] = operands(INDEX_TYPE)
    static_offsets: Attribute = attribute(object)
    static_sizes: Attribute = attribute(object)
    static_strides: Attribute = attribute(object)
    out: Value = result(TENSOR_TYPE)

    def verify(self, report: Report) -> None:
        _check_box(self, report, self.source, self.out)


class InsertSlice(MlirOperation, name="tensor.insert_slice", traits=(PURE,), assembly="<insertion>"):
    """The tensor `dest` with a box of it changed to `source`, which may lack dimensions of size 1."""

    source: Value = operand(TENSOR_TYPE)
    dest: Value = operand(TENSOR_TYPE, var="T")
    offsets: list[Value] = operands(INDEX_TYPE)
    sizes: list[Value] = operands(INDEX_TYPE)
    strides: list[Value] = operands(INDEX_TYPE)
    static_offsets: Attribute = attribute(object)
    static_sizes: Attribute = attribute(object)
    static_strides: Attribute = attribute(object)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        _check_box(self, report, self.dest, self.source)


class Box(Struct, frozen=True):
    """A box of a tensor, each number known or not; `kept` are the dimensions that the smaller tensor has."""

    offsets: Sequence[int | Value]
    sizes: Sequence[int | Value]
    strides: Sequence[int | Value]
    kept: Sequence[int]


def box_of(op: ExtractSlice | InsertSlice) -> Box:
    """The box of an operation that is valid."""
    sizes = mixed(known_numbers(op.static_sizes), op.sizes)
    kept = kept_of(sizes, tensor_shape(op.out if isinstance(op, ExtractSlice) else op.source))
    assert kept is not None, "verified"
    offsets, strides = (
        mixed(known_numbers(static), given)
        for static, given in ((op.static_offsets, op.offsets), (op.static_strides, op.strides))
    )
    return Box(offsets, sizes, strides, kept)


def _check_box(op: ExtractSlice | InsertSlice, report: Report, whole: Value, part: Value) -> None:
    rank = len(tensor_shape(whole))
    lists = [
        ("offsets", op.static_offsets, op.offsets),
        ("sizes", op.static_sizes, op.sizes),
        ("strides", op.static_strides, op.strides),
    ]
    if not lists_fit(op, report, lists, (rank, rank, rank)):
        return
    sizes = mixed(known_numbers(op.static_sizes), op.sizes)
    if kept_of(sizes, tensor_shape(part)) is None or tensor_of(part).element != tensor_of(whole).element:
        fail(op, report, f"{part.type} is no box of {whole.type} with the sizes {said_sizes(sizes)}")
        return
    check_bounds(op, report, tensor_shape(whole), *(known_numbers(static) for _, static, _ in lists))
