"""The gpu level of products: factors are copied into shared memory while threads go on, and multiplied from there.

A factor lies in a memref of shared memory, `[near, far, stage]`: `near` are neighbours, along k or along the other
dimension of the factor. Of a swizzled one rows are cut into slabs of 128 bytes: `[near in slab, far, slab, stage]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tilewright.diagnostics import Report
from tilewright.dialects.matrix_instructions import instruction_of
from tilewright.dialects.tile_rules import fail, tile_of
from tilewright.ir.definition import PURE, Operation, Value, attribute, operand, operands, optional_attribute, result
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.types import INDEX_ONLY, MEMREF, TILE, AddressSpace, MemrefType, TileType

COPIED_BYTES = (4, 8, 16)
"""What one asynchronous copy moves."""


def memref_of(value: Value) -> MemrefType:
    """The type of an operand whose constraint holds."""
    assert isinstance(value.type, MemrefType)
    return value.type


class CopyAsync(Operation, name="gpu.copy_async"):
    """Begins to copy a box of a memref into one of shared memory, `shape` elements from `target_indices` on.

    Mode j of the target runs along mode `modes[j]` of the source; several that run along one are digits of its
    coordinate, the first fastest, counted by the extents of the target. The last mode is that of stages, of which the
    box is in one. `check[k]` tests mode k of the source; zeros are written for what is outside. Nobody may touch the
    box before the copy has been awaited; `width` elements are one copy, aligned to its bytes.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    target: Value = operand(MEMREF)
    target_indices: list[Value] = operands(INDEX_ONLY)
    modes: tuple[int, ...] = attribute(tuple)
    shape: tuple[int, ...] = attribute(tuple)
    width: int = attribute(int)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())

    def effects(self) -> Sequence[Effect]:
        return [*reads(self.memref), *writes(self.target)]

    def verify(self, report: Report) -> None:
        source, target = memref_of(self.memref), memref_of(self.target)
        copied_apart(self, report, source, target, self.width)
        if len(self.indices) != source.order or len(self.target_indices) != target.order:
            fail(self, report, f"{len(self.indices)} and {len(self.target_indices)} indices for {source} and {target}")
        elif len(self.shape) != target.order or len(self.modes) != target.order - 1 or self.shape[-1] != 1:
            fail(self, report, f"a box of {self.shape} along {self.modes} is no part of a stage of {target}", "shape")
        elif any(not 0 <= mode < source.order for mode in self.modes):
            fail(self, report, f"the source has {source.order} modes", "modes")
        elif self.shape[0] % self.width:
            fail(self, report, f"rows of {self.shape[0]} elements are no copies of {self.width}", "width")


def copied_apart(op: Operation, report: Report, source: MemrefType, target: MemrefType, width: int) -> None:
    """What asynchronous copies ask of both sides."""
    if source.element is not target.element:
        fail(op, report, f"{source.element} is copied to {target.element}")
    if target.space is not AddressSpace.LOCAL or source.space is AddressSpace.LOCAL:
        fail(op, report, f"copies go from global to shared memory, not from {source} to {target}")
    if width * source.element.bytes not in COPIED_BYTES:
        fail(op, report, f"one copy moves 4, 8 or 16 bytes, not {width} elements of {source.element}", "width")


class CommitCopies(Operation, name="gpu.commit_copies"):
    """The copies that each thread has begun since it last said so are a group."""

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class AwaitCopies(Operation, name="gpu.await_copies"):
    """Of each thread's groups of copies all but the last `pending` have arrived, for that thread to see."""

    pending: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        if self.pending < 0:
            fail(self, report, f"{self.pending} groups cannot be left", "pending")


class FenceAsync(Operation, name="gpu.fence_async"):
    """What a thread has written to shared memory, or `everywhere`, is seen by units that access it by themselves."""

    everywhere: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class Mma(Operation, name="gpu.mma"):
    """`acc` and the product of two factors in shared memory, by one of the target's instructions.

    The factors are m x k and k x n of the stages `lhs_stage` and `rhs_stage`; `along` says of each whether neighbours
    are along m, or n: the last slab of a swizzled one may reach beyond these. `warps` share m and n among them;
    instructions interleave `scales` of their parts along m, n and k. The rows of the instruction are those of the left
    factor, or, `swapped`, the columns of the right one. The tile's layout follows from that. Of groups of warps the
    factor that has the rows may be a tile, which they have in registers: it is multiplied by as much of the other one,
    from `first` along k on. The result of a unit that works by itself (`wgmma`) must be awaited, and until then what it
    has in registers stays as it is.
    """

    lhs: Value = operand(MEMREF | TILE)
    lhs_stage: Value = operand(INDEX_ONLY)
    rhs: Value = operand(MEMREF | TILE)
    rhs_stage: Value = operand(INDEX_ONLY)
    acc: Value = operand(TILE, var="T")
    instruction: str = attribute(str)
    warps: tuple[int, int] = attribute(tuple)
    scales: tuple[int, int, int] = attribute(tuple)
    along: tuple[bool, bool] = attribute(tuple)
    swapped: bool = attribute(bool)
    first: int = optional_attribute(int, default=0)
    out: Value = result(var="T")

    @property
    def held(self) -> Value | None:
        """The factor in registers, if there is one."""
        found = (self.lhs, self.rhs)[self.swapped]
        return found if isinstance(found.type, TileType) else None

    def effects(self) -> Sequence[Effect]:
        return [effect for factor in (self.lhs, self.rhs) if factor is not self.held for effect in reads(factor)]

    def verify(self, report: Report) -> None:
        instruction = instruction_of(self.instruction)
        if instruction is None:
            fail(self, report, f"there is no instruction {self.instruction!r}", "instruction")
            return
        total = tile_of(self.out)
        depths = set[int]()
        held = None if self.held is None else tile_of(self.held).shape[1 - self.swapped]
        for factor, along, outer in ((self.lhs, self.along[0], 0), (self.rhs, self.along[1], 1)):
            if isinstance(type_ := factor.type, TileType):
                depths.add(type_.shape[1 - outer])
                if factor is not self.held or not instruction.reads_memory:
                    fail(self, report, f"{instruction.name} has the {'right' if outer else 'left'} factor in memory")
                elif type_.element is not instruction.factor or type_.shape[outer] != total.shape[outer]:
                    fail(self, report, f"{type_} is no factor of {total} by {instruction.name}")
                continue
            type_ = memref_of(factor)
            near, far = rows_of(type_)
            depth = far if along else near
            depths.add(depth if held is None or self.first + held > depth else held)
            beyond = (near if along else far) - total.shape[outer]
            if beyond and not (along and type_.swizzle is not None and 0 < beyond < (type_.shape[0] or 0)):
                fail(self, report, f"{type_} is no factor of {total}")
            if type_.element is not instruction.factor or type_.space is not AddressSpace.LOCAL:
                fail(self, report, f"{instruction.name} multiplies {instruction.factor} in shared memory, not {type_}")
        if len(depths) != 1:
            fail(self, report, f"factors of {' and '.join(map(str, sorted(depths)))} along k")
        if total.element is not instruction.sum:
            fail(self, report, f"accumulators of {instruction.name} are {instruction.sum}, not {total.element}")


class ReadParts(Operation, name="gpu.read_parts"):
    """What warps multiply of a factor in shared memory, some of it along k from `deep` on, read into registers.

    The other attributes and `warps` are those of `gpu.mma`; `side` is 0 for the left factor. `out` is m x k or k x n.
    Groups of warps read rows that are turned.
    """

    memory: Value = operand(MEMREF)
    stage: Value = operand(INDEX_ONLY)
    deep: Value = operand(INDEX_ONLY)
    instruction: str = attribute(str)
    warps: tuple[int, int] = attribute(tuple)
    scales: tuple[int, int, int] = attribute(tuple)
    along: bool = attribute(bool)
    swapped: bool = attribute(bool)
    side: int = attribute(int)
    out: Value = result(TILE)

    def effects(self) -> Sequence[Effect]:
        return reads(self.memory)

    def verify(self, report: Report) -> None:
        instruction = instruction_of(self.instruction)
        if instruction is None or (instruction.reads_memory and not instruction.turned):
            fail(self, report, f"no warp multiplies from registers by {self.instruction!r}", "instruction")
            return
        type_, found = memref_of(self.memory), tile_of(self.out)
        near, far = rows_of(type_)
        outer, depth = (near, far) if self.along else (far, near)
        taken = found.shape[1 - self.side]
        together = instruction.shape[2] * self.scales[2]
        is_turned = type_.swizzle is not None and self.along and self.side == self.swapped
        # the last slab may reach beyond what is multiplied
        beyond, most_beyond = outer - found.shape[self.side], (type_.shape[0] or 1) if is_turned else 1
        is_right = is_turned if instruction.turned else type_.swizzle is None
        if type_.space is not AddressSpace.LOCAL or not is_right:
            fail(self, report, f"warps read parts of rows in shared memory, not of {type_}")
        elif found.element is not type_.element or type_.element is not instruction.factor:
            fail(self, report, f"{instruction.name} multiplies {instruction.factor}, not {type_.element}")
        elif not 0 <= beyond < most_beyond or depth % taken or taken % together:
            fail(self, report, f"{found} is no whole parts of {type_} by {together} along k")


class MmaParts(Operation, name="gpu.mma_parts", traits=(PURE,)):
    """`acc` and the product of what warps have of both factors in registers: `gpu.read_parts` with these attributes."""

    lhs: Value = operand(TILE)
    rhs: Value = operand(TILE)
    acc: Value = operand(TILE, var="T")
    instruction: str = attribute(str)
    warps: tuple[int, int] = attribute(tuple)
    scales: tuple[int, int, int] = attribute(tuple)
    swapped: bool = attribute(bool)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        instruction = instruction_of(self.instruction)
        if instruction is None or instruction.reads_memory:
            fail(self, report, f"no warp multiplies from registers by {self.instruction!r}", "instruction")
            return
        lhs, rhs, total = tile_of(self.lhs), tile_of(self.rhs), tile_of(self.out)
        if (lhs.shape[0], rhs.shape[1]) != total.shape or lhs.shape[1] != rhs.shape[0]:
            fail(self, report, f"{lhs} by {rhs} is no {total}")
        elif total.element is not instruction.sum or not lhs.element is rhs.element is instruction.factor:
            fail(self, report, f"{instruction.name} adds products of {instruction.factor} to {instruction.sum}")


def rows_of(factor: MemrefType) -> tuple[int, int]:
    """The length of the rows of a factor in shared memory, and how many there are."""
    near, far, *slabs = (extent or 0 for extent in factor.shape[:-1])
    return near * prod(slabs), far


class AwaitMma(Operation, name="gpu.await_mma", traits=(PURE,)):
    """The accumulators of a unit that works by itself, once all of its products but the last `pending` are formed.

    Nobody may use accumulators of which products are left, but for more products that are added to them. What the
    others have read may be written again. If the products that are left are of `others`, these accumulators are there.
    """

    acc: Value = operand(TILE, var="T")
    pending: int = optional_attribute(int, default=0)
    others: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        if self.pending < 0:
            fail(self, report, f"{self.pending} products cannot be left", "pending")
