"""MLIR's vector, of which here are the accesses to a row of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import INDEX_TYPE, MEMREF_TYPE, MlirOperation, fail, memref_of, shape_of
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import Value, operand, operands, optional_attribute, result
from tilewright.ir.effects import Effect, reads, writes
from tilewright.ir.mlir.types import VectorType
from tilewright.ir.types import Constraint

VECTOR: Final = Constraint("a vector", lambda t: isinstance(t, VectorType))


class _VectorAccess(MlirOperation):
    """Elements of a memref that follow each other along its last dimension."""

    @property
    def vector(self) -> VectorType:
        """The type of what is read or written."""
        raise NotImplementedError

    @property
    def box(self) -> tuple[int, ...]:
        """How many elements of each dimension are touched."""
        return (*(1,) * (len(shape_of(self.memref)) - 1), self.vector.shape[0])

    @property
    def memref(self) -> Value:
        """The memory."""
        raise NotImplementedError

    def check_access(self, report: Report, memref: Value, indices: Sequence[Value]) -> None:
        """The memory has elements as the vector has, which is of one dimension, and an index for each dimension."""
        type_ = self.vector
        if len(type_.shape) != 1 or any(type_.scalable) or type_.element != memref_of(memref).element:
            fail(self, report, f"a row of {memref.type} is a vector of one dimension of its elements, not {type_}")
        if len(indices) != len(shape_of(memref)):
            fail(self, report, f"{memref.type} takes {len(shape_of(memref))} indices, not {len(indices)}")


class Load(_VectorAccess, name="vector.load", assembly="$base '[' $indices ']' <attributes> : @base , @out"):
    """Reads a row of elements."""

    base: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    nontemporal: Attribute = optional_attribute(object, default=None)
    out: Value = result(VECTOR)

    @property
    def memref(self) -> Value:
        return self.base

    @property
    def vector(self) -> VectorType:
        assert isinstance(self.out.type, VectorType)
        return self.out.type

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        self.check_access(report, self.base, self.indices)


class Store(
    _VectorAccess,
    name="vector.store",
    assembly="$valueToStore , $base '[' $indices ']' <attributes> : @base , @valueToStore",
):
    """Writes a row of elements."""

    valueToStore: Value = operand(VECTOR)
    base: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    nontemporal: Attribute = optional_attribute(object, default=None)

    @property
    def memref(self) -> Value:
        return self.base

    @property
    def vector(self) -> VectorType:
        assert isinstance(self.valueToStore.type, VectorType)
        return self.valueToStore.type

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])

    def verify(self, report: Report) -> None:
        self.check_access(report, self.base, self.indices)
