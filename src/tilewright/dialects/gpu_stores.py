"""Boxes that a unit of the machine stores by itself, from slabs of shared memory that warps have filled.

A slab has `ROWS` rows of 128 or 64 bytes, swizzled as boxes are that the unit brings (`gpu_tensors`): what a warp has
of the accumulators of a group of warps, which stand in 16 rows. Slabs are stages of a memref `[near, row, 1, stage]`.
Where neighbours in memory lie across these rows slabs are `turned`: of 16 neighbours each, in lines of 32 or 64 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_tensors import no_map, no_slabs
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.tile_rules import fail, tile_of
from tilewright.ir.definition import (
    CONVERGENT,
    SPMD_ONLY,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
)
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.types import FRAGMENT, INDEX_ONLY, MEMREF, TILE, AddressSpace, MemrefType

ROWS: Final = 16
"""Of a slab."""
LINES: Final = (128, 64)
"""Bytes of each, the best first."""
_LANES: Final = 32
_BYTES: Final = (2, 4)


def line_of(slabs: MemrefType) -> int:
    """Bytes of a row of slabs."""
    return (slabs.shape[0] or 0) * slabs.element.bytes


def _slab(op: Operation, report: Report, slabs: Value) -> None:
    type_ = memref_of(slabs)
    reason = no_slabs(type_)
    if reason is None and not (_is_slab(type_) or is_turned_slab(type_)):
        reason = f"slabs have {ROWS} rows of 128 or 64 bytes, of elements of 2 or 4 bytes, not as {type_}"
    if reason is not None:
        fail(op, report, reason)


def _is_slab(type_: MemrefType) -> bool:
    return type_.shape[1:3] == (ROWS, 1) and type_.element.bytes in _BYTES and line_of(type_) in LINES


def is_turned_slab(type_: MemrefType) -> bool:
    """Whether slabs are of `ROWS` neighbours in each line."""
    near, lines, slabs = type_.shape[:3]
    is_known = type_.element.bytes in _BYTES and near == ROWS and slabs == 1
    return is_known and lines is not None and lines % ROWS == 0


def _box(op: StoreTile | StoreTensor, report: Report) -> None:
    _slab(op, report, op.slabs)
    target = memref_of(op.memref)
    if len(op.indices) != target.order or sorted(op.modes) != list(range(target.order)):
        fail(op, report, f"a box along {op.modes} from {len(op.indices)} indices on is none of {target}")
    elif target.element is not memref_of(op.slabs).element or target.space is AddressSpace.LOCAL:
        fail(op, report, f"boxes are stored from shared to global memory, not from {memref_of(op.slabs)} to {target}")
    elif (reason := no_map(target, op.modes)) is not None:
        fail(op, report, reason)


class StoreTile(Operation, name="gpu.store_tile"):
    """Stores the accumulators of a product of groups of warps, or what was computed of them, through slabs.

    Rows of a slab run along mode `modes[0]` of the memref. What lies outside of it is not written. Nobody may access
    the memref's elements in this kernel any more, nor the slabs, which each warp has an equal share of, before
    `gpu.await_stores`. There are slabs for so many `sides`, work-groups of a block that take tiles by turns. They are
    `turned` where the 16 rows of a warp are neighbours in memory.
    """

    value: Value = operand(TILE)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    slabs: Value = operand(MEMREF)
    modes: tuple[int, int] = attribute(tuple)
    sides: int = optional_attribute(int, default=1)
    turned: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [*writes(self.memref), *writes(self.slabs)]

    def verify(self, report: Report) -> None:
        _box(self, report)
        _check_turned(self, report)
        if tile_of(self.value).element is not memref_of(self.memref).element:
            fail(self, report, f"{self.value.type} is stored to {self.memref.type}")


def _check_turned(op: StoreTile | StoreSlab, report: Report) -> None:
    if not (is_turned_slab if op.turned else _is_slab)(memref_of(op.slabs)):
        fail(op, report, f"slabs of {op.slabs.type} are{'' if op.turned else ' not'} filled as turned ones", "turned")


class StoreSlab(Operation, name="lane.store_slab", traits=(SPMD_ONLY, CONVERGENT)):
    """Each warp writes a slab of accumulators, as its lanes have them.

    Register `4 j + 2 h + p` of lane l is element `[8 j + 2 (l % 4) + p, l / 4 + 8 h]` of the stage, the other way round
    in one that is `turned`.
    """

    value: Value = operand(FRAGMENT)
    slabs: Value = operand(MEMREF)
    stage: Value = operand(INDEX_ONLY)
    turned: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return writes(self.slabs)

    def verify(self, report: Report) -> None:
        _slab(self, report, self.slabs)
        _check_turned(self, report)
        type_, found = memref_of(self.slabs), fragment_of(self.value)
        size = prod(extent or 0 for extent in type_.shape[:3]) // _LANES
        if found.element is not type_.element or found.size != size:
            fail(self, report, f"{found} fills no slab of {type_}")


class StoreTensor(Operation, name="gpu.store_tensor"):
    """Begins to copy a slab to a box of a matrix; what lies outside of it is not written.

    One thread of a warp issues it. Others' writes to the slab it must have seen, behind their `gpu.fence_async`.
    Nobody may write the slab before that thread has awaited the group of copies.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    slabs: Value = operand(MEMREF)
    stage: Value = operand(INDEX_ONLY)
    modes: tuple[int, int] = attribute(tuple)

    def effects(self) -> Sequence[Effect]:
        return [*writes(self.memref), *reads(self.slabs)]

    def verify(self, report: Report) -> None:
        _box(self, report)


class CommitStores(Operation, name="gpu.commit_stores"):
    """The boxes that a thread has begun to store since it last said so are a group."""

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class AwaitStores(Operation, name="gpu.await_stores"):
    """Of a thread's groups of boxes the slabs of all but the last `pending` have been read."""

    pending: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        if self.pending < 0:
            fail(self, report, f"{self.pending} groups cannot be left", "pending")
