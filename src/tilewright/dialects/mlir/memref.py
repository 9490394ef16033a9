"""MLIR's memref: memory with a layout, views of it, access."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import (
    INDEX_TYPE,
    MEMREF_TYPE,
    MlirOperation,
    element_type,
    fail,
    index_type,
    integers_of,
    memref_of,
    shape_of,
)
from tilewright.dialects.mlir.view_layouts import check_bounds, check_view, contradict, layout_of, product
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import PURE, Value, attribute, operand, operands, optional_attribute, result
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.mlir.attributes import IntegerAttribute, SymbolReference
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.types import ANY, Type, mixed

DYNAMIC = -(2**63)
"""What stands among static numbers for one that is an operand; before 16 it is -1 for sizes."""


def known_numbers(value: Attribute) -> tuple[int | None, ...]:
    """Static numbers; None for those that are operands."""
    return tuple(None if n == DYNAMIC else n for n in integers_of(value))


class Load(
    MlirOperation,
    name="memref.load",
    assembly="$memref '[' $indices ']' <attributes> : @memref",
):
    """Reads an element."""

    memref: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    nontemporal: Attribute = optional_attribute(object, default=None)
    out: Value = result(infer=element_type)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        _check_indices(self, report, self.memref, self.indices)
        if self.result.type != memref_of(self.memref).element:
            fail(self, report, f"{self.memref.type} holds no {self.result.type}", 0)


class Store(
    MlirOperation,
    name="memref.store",
    assembly="$value , $memref '[' $indices ']' <attributes> : @memref",
    element_of={"value": "memref"},
):
    """Writes an element."""

    value: Value = operand()
    memref: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    nontemporal: Attribute = optional_attribute(object, default=None)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])

    def verify(self, report: Report) -> None:
        _check_indices(self, report, self.memref, self.indices)
        if self.value.type != memref_of(self.memref).element:
            fail(self, report, f"{self.memref.type} holds no {self.value.type}", 0)


def _check_indices(op: MlirOperation, report: Report, memref: Value, indices: Sequence[Value]) -> None:
    rank = len(shape_of(memref))
    if rank != len(indices):
        fail(op, report, f"{memref.type} takes {rank} indices, not {len(indices)}")


class _Allocation(MlirOperation):
    """Memory of undefined content; `dynamicSizes` are the extents that the type leaves open."""

    dynamicSizes: list[Value] = operands(INDEX_TYPE)
    symbolOperands: list[Value] = operands(INDEX_TYPE)
    alignment: Attribute = optional_attribute(IntegerAttribute, default=None)
    memref: Value = result(MEMREF_TYPE)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ALLOCATE, self.results[0])]

    def verify(self, report: Report) -> None:
        wanted = shape_of(self.memref).count(None)
        if wanted != len(self.dynamicSizes):
            fail(self, report, f"{self.memref.type} has {wanted} extents to be given, not {len(self.dynamicSizes)}")


_ALLOCATION = "'(' $dynamicSizes ')' <symbols> <attributes> : @memref"


class Alloc(_Allocation, name="memref.alloc", assembly=_ALLOCATION):
    """Memory until it is deallocated."""


class Alloca(_Allocation, name="memref.alloca", assembly=_ALLOCATION):
    """Memory until the function (or the scope around) ends."""


class Dealloc(MlirOperation, name="memref.dealloc", assembly="$memref <attributes> : @memref"):
    """Ends the life of allocated memory."""

    memref: Value = operand(MEMREF_TYPE)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.FREE, self.operands[0])]


class Dim(MlirOperation, name="memref.dim", traits=(PURE,), assembly="<attributes> $source , $index : @source"):
    """The extent of a dimension."""

    source: Value = operand(MEMREF_TYPE)
    index: Value = operand(INDEX_TYPE)
    out: Value = result(INDEX_TYPE, infer=index_type)


class Cast(MlirOperation, name="memref.cast", traits=(PURE,), assembly="$source <attributes> : @source to @dest"):
    """The same memory with more or less known of its extents and layout."""

    source: Value = operand(MEMREF_TYPE)
    dest: Value = result(MEMREF_TYPE)

    def verify(self, report: Report) -> None:
        if not _may_be_alike(self.source, self.dest) or contradict(
            memref_of(self.dest), layout_of(memref_of(self.source))
        ):
            fail(self, report, f"{self.source.type} is never a {self.dest.type}", 0)


class Copy(MlirOperation, name="memref.copy", assembly="$source , $target <attributes> : @source to @target"):
    """Copies the elements; the two do not overlap."""

    source: Value = operand(MEMREF_TYPE)
    target: Value = operand(MEMREF_TYPE)

    def effects(self) -> Sequence[Effect]:
        return [*reads(self.operands[0]), *writes(self.operands[1])]

    def verify(self, report: Report) -> None:
        if not _may_be_alike(self.source, self.target):
            fail(self, report, f"{self.source.type} cannot be copied to {self.target.type}", 0)


def _may_be_alike(first: Value, second: Value) -> bool:
    """Whether two memrefs have one element type, and extents that are equal where they are known."""
    if memref_of(first).element != memref_of(second).element or len(shape_of(first)) != len(shape_of(second)):
        return False
    return all(a is None or b is None or a == b for a, b in zip(shape_of(first), shape_of(second), strict=True))


class _Cut(MlirOperation):
    """A view with offsets, sizes and strides of its own, each an operand or static."""

    source: Value = operand(MEMREF_TYPE)
    offsets: list[Value] = operands(INDEX_TYPE)
    sizes: list[Value] = operands(INDEX_TYPE)
    strides: list[Value] = operands(INDEX_TYPE)
    static_offsets: Attribute = attribute(object)
    static_sizes: Attribute = attribute(object)
    static_strides: Attribute = attribute(object)
    out: Value = result(MEMREF_TYPE)

    @property
    def mixed_offsets(self) -> list[int | Value]:
        """The offsets, known or not."""
        return mixed(known_numbers(self.static_offsets), self.offsets)

    @property
    def mixed_sizes(self) -> list[int | Value]:
        """The sizes, known or not."""
        return mixed(known_numbers(self.static_sizes), self.sizes)

    @property
    def mixed_strides(self) -> list[int | Value]:
        """The strides, known or not."""
        return mixed(known_numbers(self.static_strides), self.strides)

    def lists(self) -> list[tuple[str, Attribute, Sequence[Value]]]:
        """Name, static numbers and operands of each list."""
        return [
            ("offsets", self.static_offsets, self.offsets),
            ("sizes", self.static_sizes, self.sizes),
            ("strides", self.static_strides, self.strides),
        ]

    def check_lists(self, report: Report, wanted: Sequence[int]) -> bool:
        """Whether each list has as many entries as it should, and as many operands as entries that are not static."""
        return lists_fit(self, report, self.lists(), wanted)


def lists_fit(
    op: MlirOperation,
    report: Report,
    lists: Sequence[tuple[str, Attribute, Sequence[Value]]],
    wanted: Sequence[int],
) -> bool:
    """Whether lists have as many entries as wanted, and as many operands as entries that are not static."""
    for (name, static, dynamic), count in zip(lists, wanted, strict=True):
        known = known_numbers(static)
        if len(known) != count or known.count(None) != len(dynamic):
            fail(op, report, f"{name} has {len(known)} entries, {known.count(None)} of them operands; not {count}")
            return False
    return True


def said_sizes(sizes: Sequence[int | Value]) -> str:
    """Sizes in a message."""
    return "[" + ", ".join(str(s) if isinstance(s, int) else "?" for s in sizes) + "]"


class Subview(_Cut, name="memref.subview", traits=(PURE,), assembly="<subview>"):
    """A box of the source, with steps; dimensions of size 1 may be dropped from the result."""

    def verify(self, report: Report) -> None:
        rank = len(shape_of(self.source))
        if not self.check_lists(report, (rank, rank, rank)):
            return
        kept = kept_dimensions(self)
        if kept is None:
            fail(self, report, f"the result {self.result.type} has not the sizes {said_sizes(self.mixed_sizes)}")
            return
        starts, steps = known_numbers(self.static_offsets), known_numbers(self.static_strides)
        check_bounds(self, report, shape_of(self.source), starts, known_numbers(self.static_sizes), steps)
        strides, offset = layout_of(memref_of(self.source))
        for start, stride in zip(starts, strides, strict=True):
            moved = 0 if start == 0 else product(start, stride)
            offset = None if offset is None or moved is None else offset + moved
        check_view(self, report, self.source, ([product(strides[k], steps[k]) for k in kept], offset))


def kept_dimensions(op: Subview) -> list[int] | None:
    """The dimensions of the source that those of the result are; None if the sizes do not fit."""
    return kept_of(op.mixed_sizes, shape_of(op.result))


def kept_of(sizes: Sequence[int | Value], wanted: Sequence[int | None]) -> list[int] | None:
    """The dimensions of a box that are those of a shape, which lacks some of size 1; None if the sizes do not fit."""
    if not sizes:
        return None if wanted else []
    first = sizes[0] if isinstance(sizes[0], int) else None
    # where several may be the one that is kept, it is the last
    found = kept_of(sizes[1:], wanted) if first == 1 and len(sizes) > len(wanted) else None
    if found is not None:
        return [k + 1 for k in found]
    if not wanted or wanted[0] != first:
        return None
    rest = kept_of(sizes[1:], wanted[1:])
    return None if rest is None else [0, *(k + 1 for k in rest)]


class ReinterpretCast(_Cut, name="memref.reinterpret_cast", traits=(PURE,), assembly="<reinterpret>"):
    """The memory of the source, from its base on, with another offset, other sizes and strides."""

    def verify(self, report: Report) -> None:
        rank = len(shape_of(self.result))
        if not self.check_lists(report, (1, rank, rank)):
            return
        pairs = zip(known_numbers(self.static_sizes), shape_of(self.result), strict=True)
        if any(None not in pair and pair[0] != pair[1] for pair in pairs):
            fail(self, report, f"the result {self.result.type} has not the sizes {said_sizes(self.mixed_sizes)}")
            return
        (offset,) = known_numbers(self.static_offsets)
        check_view(self, report, self.source, (known_numbers(self.static_strides), offset))


class Global(MlirOperation, name="memref.global", assembly="<global>"):
    """Static memory of a module."""

    sym_name: str = attribute(str)
    type: Type = attribute(MemrefType)
    sym_visibility: str | None = optional_attribute(str, default=None)
    initial_value: Attribute = optional_attribute(object, default=None)
    constant: Attribute = optional_attribute(object, default=None)
    alignment: Attribute = optional_attribute(IntegerAttribute, default=None)

    @property
    def tensor(self) -> TensorType:
        """The type of the initial value."""
        type_ = self.type
        assert isinstance(type_, MemrefType)
        return TensorType(type_.shape, type_.element)


class GetGlobal(MlirOperation, name="memref.get_global", traits=(PURE,), assembly="<name> <attributes> : @out"):
    """The memory of a global."""

    name_: Attribute = attribute(SymbolReference)
    out: Value = result(ANY)
