"""Memory: allocation, views, access, atomics. Views never copy; element (i, ..) lies at `base + sum i_k S_k`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from msgspec import structs

from tilewright.diagnostics import Report
from tilewright.ir.definition import (
    PURE,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    result,
)
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.interfaces import AccessedBox, AccessesBox, ViewLike
from tilewright.ir.types import (
    BOOL,
    GROUP,
    INDEX,
    INDEX_ONLY,
    MEMREF,
    NUMBER,
    Constraint,
    GroupType,
    MemrefType,
    ScalarType,
    Type,
    mixed,
)
from tilewright.numerics.updates import Update

MEMREF_OR_GROUP = Constraint("a memref or group", lambda t: isinstance(t, MemrefType | GroupType))


def element_type(op: Operation) -> Type:
    """Element type of the first memref among the operands."""
    for value in op.operands:
        if isinstance(value.type, MemrefType):
            return value.type.element
    return INDEX


def _shape(view: Value) -> tuple[int | None, ...]:
    assert isinstance(view.type, MemrefType)
    return view.type.shape


def _order(view: Value) -> int:
    return len(_shape(view))


class Alloca(Operation, name="memref.alloca", code="V25"):
    """Work-group memory of undefined content, freed at the end of the enclosing region; fresh per loop iteration.

    `offset` is the byte offset in the work-group's local memory once the stack is assigned.
    """

    alignment: int | None = optional_attribute(int, default=None)
    offset: int | None = optional_attribute(int, default=None)
    out: Value = result(MEMREF)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ALLOCATE, self.results[0])]


class GroupMemory(Operation, name="memref.group_memory", traits=(PURE,)):
    """Memory of the device that a work-group keeps while a kernel is run in several launches, from byte `offset` on.

    Its content is undefined before the first of them.
    """

    offset: int = attribute(int)
    out: Value = result(MEMREF)


class LifetimeStop(Operation, name="memref.lifetime_stop", code="V6"):
    """Last use of an allocation and all its views: its bytes may be used again."""

    memref: Value = operand(MEMREF)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.FREE, self.operands[0])]


class Load(AccessesBox, name="memref.load", code="V30"):
    """Reads one element, `len(indices) == order`."""

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    out: Value = result(NUMBER, infer=element_type)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, (1,) * len(self.indices), self.out, writes=False)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])


class Store(AccessesBox, name="memref.store", code="V30"):
    """Writes one element; in a collective region once, by one elected work-item."""

    value: Value = operand(NUMBER)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, (1,) * len(self.indices), self.value, writes=True)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])


class GroupLoad(Operation, name="memref.group_load", traits=(PURE,), code="V31"):
    """Element `index` of a group: pointer `table[index] + offset`, dynamic extents and strides from their arrays."""

    group: Value = operand(GROUP)
    index: Value = operand(INDEX_ONLY)
    out: Value = result(MEMREF)


class Size(Operation, name="memref.size", traits=(PURE,), code="V29"):
    """Extent of mode `mode` of a memref, or the size of a group (mode 0)."""

    source: Value = operand(MEMREF_OR_GROUP)
    mode: int = attribute(int)
    out: Value = result(INDEX_ONLY, infer=lambda op: INDEX)


class Stride(Operation, name="memref.stride", traits=(PURE,)):
    """Stride of mode `mode` in elements; not in any source language."""

    source: Value = operand(MEMREF)
    mode: int = attribute(int)
    out: Value = result(INDEX_ONLY, infer=lambda op: INDEX)


class Associated(Operation, name="memref.associated", traits=(PURE,), code="V34"):
    """Whether the base pointer of the root that a view comes from is not null."""

    source: Value = operand(MEMREF_OR_GROUP)
    out: Value = result(infer=lambda op: BOOL)


class Expand(ViewLike, name="memref.expand", traits=(PURE,), code="V26"):
    """Splits mode `mode` into the extents `static_sizes`, where None stands for the next of `sizes`.

    Strides: S_mode, then previous stride x previous extent. The product equals the extent of the mode.
    """

    sizes: list[Value] = operands(INDEX_ONLY)
    mode: int = attribute(int)
    static_sizes: tuple[int | None, ...] = attribute(tuple)
    out: Value = result(MEMREF)

    @property
    def mixed_sizes(self) -> list[int | Value]:
        """The extents, known or not."""
        return mixed(self.static_sizes, self.sizes)

    def source_modes(self) -> Sequence[tuple[int, ...]]:
        parts = [self.mode] * len(self.static_sizes)
        return [(k,) for k in (*range(self.mode), *parts, *range(self.mode + 1, _order(self.memref)))]

    def given_extent(self, mode: int) -> int | Value | None:
        inside = self.mode <= mode < self.mode + len(self.static_sizes)
        return self.mixed_sizes[mode - self.mode] if inside else None

    @property
    def is_whole(self) -> bool:
        return True

    @property
    def is_contained(self) -> bool:
        return None not in self.static_sizes and _shape(self.memref)[self.mode] is not None

    @property
    def keeps_order(self) -> bool:
        return None not in self.static_sizes


class _Regrouped(ViewLike):
    """Has every element of the operand, and larger indices lie further on if they do there."""

    @property
    def is_whole(self) -> bool:
        return True

    @property
    def is_contained(self) -> bool:
        return True

    @property
    def keeps_order(self) -> bool:
        return True


class Fuse(_Regrouped, name="memref.fuse", traits=(PURE,), code="V27"):
    """Makes modes `first` to `last` (inclusive) one, with the product extent and the stride of `first`."""

    first: int = attribute(int)
    last: int = attribute(int)
    out: Value = result(MEMREF)

    def source_modes(self) -> Sequence[tuple[int, ...]]:
        fused = tuple(range(self.first, self.last + 1))
        behind = range(self.last + 1, _order(self.memref))
        return [*((k,) for k in range(self.first)), fused, *((k,) for k in behind)]


class Subview(ViewLike, name="memref.subview", traits=(PURE,), code="V28"):
    """A box of the operand: per mode an offset and a size.

    `static_offsets[k]` is None if the offset is the next of `offsets`; `static_sizes[k]` is None if the size is the
    next of `sizes`, and 0 if the mode is dropped from the result.
    """

    offsets: list[Value] = operands(INDEX_ONLY)
    sizes: list[Value] = operands(INDEX_ONLY)
    static_offsets: tuple[int | None, ...] = attribute(tuple)
    static_sizes: tuple[int | None, ...] = attribute(tuple)
    out: Value = result(MEMREF)

    def verify(self, report: Report) -> None:
        order = _order(self.memref)
        for key, static, given in (
            ("offsets", self.static_offsets, self.offsets),
            ("sizes", self.static_sizes, self.sizes),
        ):
            if len(static) != order or sum(n is None for n in static) != len(given):
                said = f"static_{key} is {list(static)}, with {len(given)} {key} given"
                report.error("V28", self.location, f"subview: {said}; there is one for each of the {order} modes")
        kept, made = len(self.source_modes()), _order(self.out)
        if kept != made:
            said = f"static_sizes is {list(self.static_sizes)}, and the result has {made} modes"
            report.error("V28", self.location, f"subview: {said}; it has those {kept} whose size is not 0")

    @property
    def mixed_offsets(self) -> list[int | Value]:
        """An offset for each mode of the operand, known or not."""
        return mixed(self.static_offsets, self.offsets)

    @property
    def mixed_sizes(self) -> list[int | Value]:
        """A size for each mode of the operand, known or not; 0 where the mode is dropped."""
        return mixed(self.static_sizes, self.sizes)

    def source_modes(self) -> Sequence[tuple[int, ...]]:
        return [(k,) for k, size in enumerate(self.static_sizes) if size != 0]

    def source_offsets(self) -> Sequence[int | Value]:
        return self.mixed_offsets

    def given_extent(self, mode: int) -> int | Value | None:
        return [size for size in self.mixed_sizes if size != 0][mode]

    @property
    def is_contained(self) -> bool:
        box = zip(self.mixed_offsets, self.mixed_sizes, _shape(self.memref), strict=True)
        return all(self._inside(mode, *part) for mode, part in enumerate(box))

    def _inside(self, mode: int, offset: int | Value, size: int | Value, extent: int | None) -> bool:
        """Whether a mode surely lies within that of the operand."""
        if isinstance(size, int):
            return isinstance(offset, int) and extent is not None and offset + max(size, 1) <= extent
        whole = size.defining_op
        return offset == 0 and isinstance(whole, Size) and whole.source is self.memref and whole.mode == mode

    @property
    def keeps_order(self) -> bool:
        return True


class Strided(ViewLike, name="memref.strided", traits=(PURE,)):
    """A view of elements with gaps between them.

    Mode k of the result has a size of its own and every so many elements of mode `modes[k]` of the operand, from its
    first on. `static_sizes[k]` is None if the size is the next of `sizes`, `static_steps[k]` if the step is the next of
    `steps`. Several modes may be of one mode of the operand; a mode of which none is stays where it begins. Not in any
    source language.
    """

    sizes: list[Value] = operands(INDEX_ONLY)
    steps: list[Value] = operands(INDEX_ONLY)
    modes: tuple[int, ...] = attribute(tuple)
    static_sizes: tuple[int | None, ...] = attribute(tuple)
    static_steps: tuple[int | None, ...] = attribute(tuple)
    out: Value = result(MEMREF)

    def verify(self, report: Report) -> None:
        count, order = len(self.modes), _order(self.memref)
        given = [(self.static_sizes, self.sizes), (self.static_steps, self.steps)]
        fits = all(len(static) == count and static.count(None) == len(values) for static, values in given)
        if not fits or not all(0 <= mode < order for mode in self.modes):
            said = f"modes are {list(self.modes)}; each has a size, a step and a mode of the {order} of the operand"
            report.error("V28", self.location, f"strided: {said}")

    def source_modes(self) -> Sequence[tuple[int, ...]]:
        return [(mode,) for mode in self.modes]

    def given_extent(self, mode: int) -> int | Value | None:
        return mixed(self.static_sizes, self.sizes)[mode]

    def given_step(self, mode: int) -> int | Value | None:
        return mixed(self.static_steps, self.steps)[mode]


def permuted_type(op: Operation) -> Type:
    """The memref type with its modes in the order of the attribute `order`."""
    type_ = op.operands[0].type
    order = op.attributes["order"]
    assert isinstance(type_, MemrefType)
    assert isinstance(order, tuple)
    modes = [int(str(k)) for k in order]
    shape, strides = (tuple(each[k] for k in modes) for each in (type_.shape, type_.strides))
    return structs.replace(type_, shape=shape, strides=strides)


class Permute(_Regrouped, name="memref.permute", traits=(PURE,)):
    """The same memory with its modes in another order: mode k of the result is mode `order[k]` of the operand.

    A transposed view; its type need not obey the stride rule of the languages. Bytes of swizzled memory lie where they
    did. Not in any source language.
    """

    memref: Value = operand(MEMREF)
    order: tuple[int, ...] = attribute(tuple)
    out: Value = result(MEMREF, infer=permuted_type)

    def source_modes(self) -> Sequence[tuple[int, ...]]:
        return [(k,) for k in self.order]


class AtomicKind(Enum):
    """Read-modify-write operations; float max and min prefer the number over NaN."""

    ADD = "add"
    MAX = "max"
    MIN = "min"

    @property
    def update(self) -> Update:
        """What becomes of the number in memory."""
        return Update(self.value)

    def of_nothing(self, element: ScalarType) -> int | float | complex:
        """What no numbers at all give: 0, the least number or -inf for max, the greatest or inf for min."""
        if self is AtomicKind.ADD:
            return 0j if element.is_complex else 0.0 if element.is_float else 0
        if element.is_float:
            return -math.inf if self is AtomicKind.MAX else math.inf
        least = -(1 << (element.bits - 1))
        return least if self is AtomicKind.MAX else -least - 1


class Scope(Enum):
    """Who sees the atomic as one step; targets may strengthen."""

    SUBGROUP = "subgroup"
    WORK_GROUP = "work_group"
    DEVICE = "device"
    CROSS_DEVICE = "cross_device"


class Semantics(Enum):
    """Memory order of an atomic."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQUIRE_RELEASE = "acquire_release"
    SEQUENTIALLY_CONSISTENT = "sequentially_consistent"


class AtomicLoad(AccessesBox, name="memref.atomic_load", code="V33"):
    """Reads one element atomically."""

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    scope: Scope = optional_attribute(Scope, default=Scope.WORK_GROUP)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(NUMBER, infer=element_type)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, (1,) * len(self.indices), self.out, writes=False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[0])]


class AtomicStore(AccessesBox, name="memref.atomic_store", code="V33"):
    """Writes one element atomically."""

    value: Value = operand(NUMBER)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    scope: Scope = optional_attribute(Scope, default=Scope.WORK_GROUP)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, (1,) * len(self.indices), self.value, writes=True)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[1])]


class AtomicRmw(AccessesBox, name="memref.atomic_rmw", code="V33"):
    """Updates one element atomically and returns its old value; complex parts are updated one after the other."""

    value: Value = operand(NUMBER)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    kind: AtomicKind = attribute(AtomicKind)
    scope: Scope = optional_attribute(Scope, default=Scope.WORK_GROUP)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(NUMBER, infer=element_type)

    def box(self) -> AccessedBox:
        return AccessedBox(
            self.memref, self.indices, (1,) * len(self.indices), self.value, writes=True, update=self.kind
        )

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[1])]
