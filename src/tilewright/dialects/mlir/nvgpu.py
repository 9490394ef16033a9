"""MLIR's nvgpu, of which here are copies from global to shared memory that go on by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import INDEX_TYPE, MEMREF_TYPE, MlirOperation, fail, integer_of, memref_of, shape_of
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation
from tilewright.ir.definition import Value, attribute, operand, operands, optional_attribute, result
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.types import OpaqueType
from tilewright.ir.types import Constraint, Type

TOKEN: Final = OpaqueType(("!nvgpu.device.async.token",))
TOKEN_TYPE: Final = Constraint("a token of copies", lambda t: t == TOKEN)


def _token_type(op: Operation) -> Type:
    return TOKEN


class DeviceAsyncCopy(MlirOperation, name="nvgpu.device_async_copy"):
    """A thread begins to copy a row of `dstElements` elements; those behind the first `srcElements` of them are zero.

    Nobody may touch the target before a `DeviceAsyncWait` says that the copy's group has arrived.
    """

    dst: Value = operand(MEMREF_TYPE)
    dstIndices: list[Value] = operands(INDEX_TYPE)
    src: Value = operand(MEMREF_TYPE)
    srcIndices: list[Value] = operands(INDEX_TYPE)
    srcElements: list[Value] = operands(INDEX_TYPE)
    dstElements: Attribute = attribute(IntegerAttribute)
    bypassL1: Attribute = optional_attribute(object, default=None)
    asyncToken: Value = result(TOKEN_TYPE, infer=_token_type)

    @property
    def elements(self) -> int:
        """How many elements are written."""
        return integer_of(self.dstElements)

    def effects(self) -> Sequence[Effect]:
        return [*reads(self.src), *writes(self.dst)]

    def verify(self, report: Report) -> None:
        if memref_of(self.src).element != memref_of(self.dst).element:
            fail(self, report, f"{self.src.type} has not the elements of {self.dst.type}")
        for memory, indices in ((self.src, self.srcIndices), (self.dst, self.dstIndices)):
            if len(indices) != len(shape_of(memory)):
                fail(self, report, f"{memory.type} takes {len(shape_of(memory))} indices, not {len(indices)}")
        if len(self.srcElements) > 1:
            fail(self, report, f"one number of elements is read, not {len(self.srcElements)}")
        if self.elements < 1:
            fail(self, report, f"{self.elements} elements are copied")


class DeviceAsyncCreateGroup(MlirOperation, name="nvgpu.device_async_create_group"):
    """The copies that a thread has begun since it last said so are a group."""

    inputTokens: list[Value] = operands(TOKEN_TYPE)
    asyncToken: Value = result(TOKEN_TYPE, infer=_token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class DeviceAsyncWait(MlirOperation, name="nvgpu.device_async_wait"):
    """Of the thread's groups all but the last `numGroups` have arrived; all, if that is not said."""

    asyncDependencies: Value = operand(TOKEN_TYPE)
    numGroups: Attribute = optional_attribute(object, default=None)

    @property
    def pending(self) -> int:
        """Groups that may still be on their way."""
        return integer_of(self.numGroups) if isinstance(self.numGroups, IntegerAttribute) else 0

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        if self.pending < 0:
            fail(self, report, f"{self.pending} groups cannot be left")
