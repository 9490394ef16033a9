"""Tile IR: views of tensors in memory, and loads and stores of tiles through them."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_memory, rules_views
from tilewright.dialects.cuda_tile.attributes import Hints, MemoryOrdering, MemoryScope
from tilewright.dialects.cuda_tile.base import TileOperation, token_type
from tilewright.dialects.cuda_tile.types import (
    GATHER_SCATTER_VIEW,
    INTEGER,
    PARTITION_VIEW,
    SCALAR_INTEGER,
    SCALAR_POINTER,
    STRIDED_VIEW,
    TENSOR_VIEW,
    TILE,
    TOKENS,
    VIEW,
    TensorView,
    Version,
)
from tilewright.ir.definition import (
    PURE,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    result,
    results,
)
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import mixed

_TAIL = "( 'token' = $token )? ( 'optimization_hints' = optimization_hints )? ( 'inbounds' = inbounds )?"


class MakeTensorView(TileOperation, name="cuda_tile.make_tensor_view", opcode=0x43, assembly="!make_tensor_view"):
    """A tensor in memory: sizes and strides that its type leaves open are operands, read as unsigned."""

    base: Value = operand(SCALAR_POINTER)
    dynamic_shape: list[Value] = operands(SCALAR_INTEGER)
    dynamic_strides: list[Value] = operands(SCALAR_INTEGER)
    out: Value = result(TENSOR_VIEW)

    @property
    def type(self) -> TensorView:
        """The type of the tensor."""
        type_ = self.out.type
        assert isinstance(type_, TensorView)
        return type_

    @property
    def mixed_layout(self) -> tuple[list[int | Value], list[int | Value]]:
        """Extents and strides, known or not."""
        return mixed(self.type.shape, self.dynamic_shape), mixed(self.type.strides, self.dynamic_strides)

    def effects(self) -> Sequence[Effect]:
        return ()

    def verify(self, report: Report) -> None:
        rules_views.tensor_view(self, report, self.base, self.dynamic_shape, self.dynamic_strides, self.out)


class MakePartitionView(
    TileOperation, name="cuda_tile.make_partition_view", traits=(PURE,), opcode=0x42, assembly="$tensor : @out"
):
    """A tensor cut into tiles."""

    tensor: Value = operand(TENSOR_VIEW)
    out: Value = result(PARTITION_VIEW)

    def verify(self, report: Report) -> None:
        rules_views.view_of(self, report, self.tensor, self.out)


class MakeStridedView(
    TileOperation,
    name="cuda_tile.make_strided_view",
    traits=(PURE,),
    opcode=0x74,
    since=Version.V13_3,
    assembly="$tensor : @out",
):
    """Tiles at regular distances."""

    tensor: Value = operand(TENSOR_VIEW)
    out: Value = result(STRIDED_VIEW)

    def verify(self, report: Report) -> None:
        rules_views.view_of(self, report, self.tensor, self.out)


class MakeGatherScatterView(
    TileOperation,
    name="cuda_tile.make_gather_scatter_view",
    traits=(PURE,),
    opcode=0x73,
    since=Version.V13_3,
    assembly="$tensor : @out",
):
    """Tiles whose rows are chosen one by one."""

    tensor: Value = operand(TENSOR_VIEW)
    out: Value = result(GATHER_SCATTER_VIEW)

    def verify(self, report: Report) -> None:
        rules_views.view_of(self, report, self.tensor, self.out)


class GetTensorShape(
    TileOperation, name="cuda_tile.get_tensor_shape", opcode=0x2F, assembly="$tensor : @tensor -> !dimension_type"
):
    """Sizes of a tensor, unsigned; undefined where one does not fit."""

    tensor: Value = operand(TENSOR_VIEW)
    out: list[Value] = results(SCALAR_INTEGER)

    def effects(self) -> Sequence[Effect]:
        return ()

    def verify(self, report: Report) -> None:
        rules_views.dimensions(self, report, self.tensor)


class GetIndexSpaceShape(
    TileOperation, name="cuda_tile.get_index_space_shape", opcode=0x2D, assembly="$view : @view -> !dimension_type"
):
    """How many tiles a view has along each dimension, unsigned; undefined where one does not fit."""

    view: Value = operand(VIEW)
    out: list[Value] = results(SCALAR_INTEGER)

    def effects(self) -> Sequence[Effect]:
        return ()

    def verify(self, report: Report) -> None:
        rules_views.dimensions(self, report, self.view)


class LoadView(
    TileOperation,
    name="cuda_tile.load_view_tko",
    opcode=0x3E,
    newer={"inbounds": Version.V13_4},
    assembly="memory_ordering_semantics memory_scope? $view '[' $index ']' "
    + _TAIL
    + " : @view , @index+ -> @out , @result_token",
):
    """Loads a tile; beyond the edge of the tensor it holds the view's padding, or anything without one."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    view: Value = operand(VIEW)
    index: list[Value] = operands(INTEGER)
    memory_scope: MemoryScope | None = optional_attribute(MemoryScope, default=None)
    optimization_hints: Hints | None = optional_attribute(Hints, default=None)
    inbounds: tuple[bool, ...] = optional_attribute(tuple, default=())
    token: Value | None = optional_operand(TOKENS, default=None)
    out: Value = result(TILE)
    result_token: Value = result(TOKENS)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.READ)]

    def verify(self, report: Report) -> None:
        rules_memory.load_order(self, report, self.memory_ordering_semantics, self.memory_scope)
        rules_views.access(self, report, self.view, self.index, self.out.type)
        rules_views.inbounds(self, report, self.view, self.inbounds)


class StoreView(
    TileOperation,
    name="cuda_tile.store_view_tko",
    opcode=0x66,
    newer={"inbounds": Version.V13_4},
    assembly="memory_ordering_semantics memory_scope? $value , $view '[' $index ']' "
    + _TAIL
    + " : @value , @view , @index+ -> @result_token",
):
    """Stores a tile; elements beyond the edge of the tensor are not written."""

    memory_ordering_semantics: MemoryOrdering = attribute(MemoryOrdering)
    value: Value = operand(TILE)
    view: Value = operand(VIEW)
    index: list[Value] = operands(INTEGER)
    memory_scope: MemoryScope | None = optional_attribute(MemoryScope, default=None)
    optimization_hints: Hints | None = optional_attribute(Hints, default=None)
    inbounds: tuple[bool, ...] = optional_attribute(tuple, default=())
    token: Value | None = optional_operand(TOKENS, default=None)
    result_token: Value = result(TOKENS, infer=token_type)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.WRITE)]

    def verify(self, report: Report) -> None:
        rules_memory.store_order(self, report, self.memory_ordering_semantics, self.memory_scope)
        rules_views.access(self, report, self.view, self.index, self.value.type)
        rules_views.inbounds(self, report, self.view, self.inbounds)
