"""Tile IR: atomic updates. The elements of one operation are independent transactions in no given order."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_memory, rules_views
from tilewright.dialects.cuda_tile.attributes import AtomicMode, MemoryOrdering, MemoryScope
from tilewright.dialects.cuda_tile.base import TileOperation, token_type
from tilewright.dialects.cuda_tile.types import (
    BOOLEAN,
    INDEXED_VIEW,
    NUMBER,
    POINTER,
    SCALAR_INTEGER,
    TOKENS,
    Version,
)
from tilewright.ir.definition import Value, attribute, operand, operands, optional_operand, result
from tilewright.ir.effects import Effect, EffectKind


class AtomicCas(
    TileOperation,
    name="cuda_tile.atomic_cas_tko",
    opcode=0x07,
    assembly="memory_ordering_semantics memory_scope $pointers , $compare , $value ( , $mask )? "
    "( 'token' = $token )? : @pointers , @T ( , @mask )? -> @T , @result_token",
):
    """Stores a value where memory holds the bits of `compare`; the result is what memory held."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    memory_scope: MemoryScope = attribute(MemoryScope)
    pointers: Value = operand(POINTER)
    compare: Value = operand(NUMBER, var="T")
    value: Value = operand(NUMBER, var="T")
    mask: Value | None = optional_operand(BOOLEAN, default=None)
    token: Value | None = optional_operand(TOKENS, default=None)
    out: Value = result(var="T")
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        rules_memory.atomic_order(self, report, self.memory_ordering_semantics)
        rules_memory.through_pointers(self, report, self.pointers, self.value.type, self.mask)
        rules_memory.exchanged(self, report, self.value)


class AtomicRmw(
    TileOperation,
    name="cuda_tile.atomic_rmw_tko",
    opcode=0x08,
    assembly="memory_ordering_semantics memory_scope $pointers , mode , $value ( , $mask )? "
    "( 'token' = $token )? : @pointers , @T ( , @mask )? -> @T , @result_token",
):
    """Updates memory; the result is what it held before."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    memory_scope: MemoryScope = attribute(MemoryScope)
    mode: AtomicMode = attribute(AtomicMode)
    pointers: Value = operand(POINTER)
    value: Value = operand(NUMBER, var="T")
    mask: Value | None = optional_operand(BOOLEAN, default=None)
    token: Value | None = optional_operand(TOKENS, default=None)
    out: Value = result(var="T")
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        rules_memory.atomic_order(self, report, self.memory_ordering_semantics)
        rules_memory.through_pointers(self, report, self.pointers, self.value.type, self.mask)
        rules_memory.update(self, report, self.mode, self.value)


class AtomicRedView(
    TileOperation,
    name="cuda_tile.atomic_red_view_tko",
    opcode=0x75,
    since=Version.V13_3,
    assembly="memory_ordering_semantics memory_scope $view '[' $index ']' , mode , $value "
    "( 'token' = $token )? : @value , @view , @index+ -> @result_token",
):
    """Updates the tile of a view, element by element, without a result."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    memory_scope: MemoryScope = attribute(MemoryScope)
    mode: AtomicMode = attribute(AtomicMode)
    view: Value = operand(INDEXED_VIEW)
    index: list[Value] = operands(SCALAR_INTEGER)
    value: Value = operand(NUMBER)
    token: Value | None = optional_operand(TOKENS, default=None)
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        rules_memory.reduction_order(self, report, self.memory_ordering_semantics, self.memory_scope)
        rules_views.access(self, report, self.view, self.index, self.value.type)
        rules_views.unpadded(self, report, self.view)
        rules_memory.reduction_mode(self, report, self.mode, self.value)
