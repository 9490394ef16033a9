"""MLIR's expand_shape and collapse_shape of memref and tensor: dimensions split and joined, elements in their order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import INDEX_TYPE, MEMREF_TYPE, MlirOperation, fail, integers_of, memref_of
from tilewright.dialects.mlir.memref import known_numbers
from tilewright.dialects.mlir.tensor import TENSOR_TYPE
from tilewright.dialects.mlir.view_layouts import Layout, check_view, layout_of, product
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import PURE, Value, attribute, operand, operands, optional_attribute, result
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.types import Type


class Regrouping(MlirOperation):
    """Each dimension of the smaller shape is a group of neighbours of the larger one, which `reassociation` says."""

    of: ClassVar[type[Type]]
    src: Value = operand(MEMREF_TYPE | TENSOR_TYPE)
    reassociation: tuple[Attribute, ...] = attribute(tuple)
    out: Value = result(MEMREF_TYPE | TENSOR_TYPE)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The dimensions of the larger shape for each of the smaller one."""
        return [integers_of(group) for group in self.reassociation]

    @property
    def larger(self) -> Value:
        """The value of more dimensions."""
        return self.out

    def verify(self, report: Report) -> None:
        other = next((v.type for v in (self.src, self.out) if not isinstance(v.type, self.of)), None)
        if other is not None:
            fail(self, report, f"{other} is of another dialect")
            return
        larger = self.larger
        smaller = self.src if larger is self.out else self.out
        big, small = extents_of(larger), extents_of(smaller)
        flat = [dimension for group in self.groups for dimension in group]
        is_one = not small and not self.groups and all(extent == 1 for extent in big)
        if not is_one and (flat != list(range(len(big))) or len(self.groups) != len(small) or () in self.groups):
            fail(self, report, f"the groups are not the dimensions of {larger.type} for each of {smaller.type}")
            return
        for extent, group in zip(small, self.groups, strict=True):
            if not _is_product(extent, [big[k] for k in group]):
                fail(self, report, f"{larger.type} grouped as {list(map(list, self.groups))} is no {smaller.type}")
                return
        if _type(self.src).element != _type(self.out).element:
            fail(self, report, f"{self.out.type} has other elements than {self.src.type}")
            return
        layout = self.layout()
        if layout is not None:
            check_view(self, report, self.src, layout)

    def layout(self) -> Layout | None:
        """That of the result, if it is a view."""
        return None


def _type(value: Value) -> MemrefType | TensorType:
    assert isinstance(value.type, MemrefType | TensorType)
    return value.type


def extents_of(value: Value) -> tuple[int | None, ...]:
    """Those of a memref or tensor with a rank."""
    return _type(value).shape or ()


def _is_product(extent: int | None, parts: Sequence[int | None]) -> bool:
    known = [part for part in parts if part is not None]
    return extent is None if len(known) < len(parts) else extent == prod(known)


class _Expand(Regrouping):
    """`output_shape` says the extents, those of operands too; before version 19 there is none."""

    output_shape: list[Value] = operands(INDEX_TYPE)
    static_output_shape: Attribute = optional_attribute(object, default=None)

    def verify(self, report: Report) -> None:
        if self.static_output_shape is not None:
            said = known_numbers(self.static_output_shape)
            if said != extents_of(self.out) or said.count(None) != len(self.output_shape):
                fail(self, report, f"the output shape is not that of {self.out.type}")
                return
        super().verify(report)


class _Collapse(Regrouping):
    @property
    def larger(self) -> Value:
        return self.src


class ExpandTensor(_Expand, name="tensor.expand_shape", traits=(PURE,), assembly="<regrouped>"):
    """Dimensions of a tensor split."""

    of: ClassVar[type[Type]] = TensorType


class CollapseTensor(_Collapse, name="tensor.collapse_shape", traits=(PURE,), assembly="<regrouped>"):
    """Dimensions of a tensor joined."""

    of: ClassVar[type[Type]] = TensorType


class ExpandMemref(_Expand, name="memref.expand_shape", traits=(PURE,), assembly="<regrouped>"):
    """A view with dimensions split."""

    of: ClassVar[type[Type]] = MemrefType

    def layout(self) -> Layout:
        extents, (before, offset) = extents_of(self.out), layout_of(memref_of(self.src))
        strides: list[int | None] = [None] * len(extents)
        for stride, group in zip(before, self.groups, strict=True):
            for k in reversed(group):
                strides[k] = stride
                stride = product(stride, extents[k])
        return strides, offset


class CollapseMemref(_Collapse, name="memref.collapse_shape", traits=(PURE,), assembly="<regrouped>"):
    """A view with dimensions joined, whose elements lie side by side."""

    of: ClassVar[type[Type]] = MemrefType

    def layout(self) -> Layout:
        extents, (strides, offset) = extents_of(self.src), layout_of(memref_of(self.src))
        last = [next((k for k in reversed(group) if extents[k] != 1), None) for group in self.groups]
        return [None if k is None else strides[k] for k in last], offset
