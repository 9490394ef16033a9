"""Tile IR: tokens, and loads and stores through tiles of pointers. Only tokens order memory operations."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_memory
from tilewright.dialects.cuda_tile.attributes import Hints, MemoryOrdering, MemoryScope
from tilewright.dialects.cuda_tile.base import TileOperation, token_type
from tilewright.dialects.cuda_tile.types import BOOLEAN, POINTER, SCALAR_POINTER, TILE, TOKENS, Version
from tilewright.ir.definition import (
    PURE,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    result,
)
from tilewright.ir.effects import Effect, EffectKind

_TOKEN_AND_HINTS = "( 'token' = $token )? ( 'optimization_hints' = optimization_hints )?"


class MakeToken(TileOperation, name="cuda_tile.make_token", traits=(PURE,), opcode=0x44, assembly=": @result_token"):
    """A token with no past."""

    result_token: Value = result(TOKENS, infer=token_type)


class JoinTokens(
    TileOperation, name="cuda_tile.join_tokens", traits=(PURE,), opcode=0x3C, assembly="$tokens : @result_token"
):
    """A token after all of the operands."""

    tokens: list[Value] = operands(TOKENS)
    result_token: Value = result(TOKENS, infer=token_type)

    def verify(self, report: Report) -> None:
        rules_memory.join(self, report, self.tokens)


class LoadPtr(
    TileOperation,
    name="cuda_tile.load_ptr_tko",
    opcode=0x3D,
    assembly="memory_ordering_semantics memory_scope? $source ( , $mask ( , $padding )? )? "
    + _TOKEN_AND_HINTS
    + " : @source ( , @mask ( , @padding )? )? -> @out , @result_token",
):
    """Gathers. Masked-off elements are the padding, or undefined without one, and their addresses are not touched."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    source: Value = operand(POINTER)
    memory_scope: MemoryScope | None = optional_attribute(MemoryScope, default=None)
    optimization_hints: Hints | None = optional_attribute(Hints, default=None)
    mask: Value | None = optional_operand(BOOLEAN, default=None)
    padding: Value | None = optional_operand(TILE, default=None)
    token: Value | None = optional_operand(TOKENS, default=None)
    out: Value = result(TILE)
    result_token: Value = result(TOKENS)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.READ)]

    def verify(self, report: Report) -> None:
        rules_memory.load_order(self, report, self.memory_ordering_semantics, self.memory_scope)
        rules_memory.through_pointers(self, report, self.source, self.out.type, self.mask)
        rules_memory.padding(self, report, self.padding, self.out)


class StorePtr(
    TileOperation,
    name="cuda_tile.store_ptr_tko",
    opcode=0x65,
    assembly="memory_ordering_semantics memory_scope? $destination , $value ( , $mask )? "
    + _TOKEN_AND_HINTS
    + " : @destination , @value ( , @mask )? -> @result_token",
):
    """Scatters; masked-off elements are not written."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    destination: Value = operand(POINTER)
    value: Value = operand(TILE)
    memory_scope: MemoryScope | None = optional_attribute(MemoryScope, default=None)
    optimization_hints: Hints | None = optional_attribute(Hints, default=None)
    mask: Value | None = optional_operand(BOOLEAN, default=None)
    token: Value | None = optional_operand(TOKENS, default=None)
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.WRITE)]

    def verify(self, report: Report) -> None:
        rules_memory.store_order(self, report, self.memory_ordering_semantics, self.memory_scope)
        rules_memory.through_pointers(self, report, self.destination, self.value.type, self.mask)


class Alloca(
    TileOperation,
    name="cuda_tile.alloca",
    opcode=0x71,
    since=Version.V13_3,
    assembly="'num_elem' = num_elem , 'alignment' = alignment is_global:global? : @out",
    generic={"is_global": "global"},
):
    """Uninitialised memory that lives until its block ends."""

    num_elem: int = attribute(int)
    alignment: int = attribute(int)
    is_global: bool = optional_attribute(bool, default=False)
    out: Value = result(SCALAR_POINTER)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ALLOCATE)]

    def verify(self, report: Report) -> None:
        rules_memory.alloca(self, report, self.num_elem, self.alignment, self.out)


class MemoryFenceAlias(
    TileOperation,
    name="cuda_tile.memory_fence_alias_tko",
    opcode=0x7A,
    since=Version.V13_4,
    assembly="$token",
):
    """A fence against everything; not documented publicly."""

    token: Value = operand(TOKENS)
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class GdcLaunchDependents(
    TileOperation,
    name="cuda_tile.gdc_launch_dependents_tko",
    opcode=0x77,
    since=Version.V13_4,
    assembly="( 'token' = $token )? -> @result_token",
):
    """Lets the grid that waits for this one start."""

    token: Value | None = optional_operand(TOKENS, default=None)
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class GdcWait(
    TileOperation,
    name="cuda_tile.gdc_wait_tko",
    opcode=0x78,
    since=Version.V13_4,
    assembly="( 'token' = $token )? -> @result_token",
):
    """Waits for the grid before this one; later memory operations see what it wrote."""

    token: Value | None = optional_operand(TOKENS, default=None)
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]
