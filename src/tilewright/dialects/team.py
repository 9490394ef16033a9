"""Who computes: grid, work-group, subgroup, work-item; SPMD regions, barriers, subgroup operations.

Grid of work-groups > work-group of `num_subgroups` subgroups > subgroup of S work-items. With work-group size (m, n):
`num_subgroups = (m / S, n, 1)`, `subgroup_linear_id = subgroup_id.x + subgroup_id.y * num_subgroups.x`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.memref import AtomicKind
from tilewright.dialects.tile_rules import fail
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import (
    COLLECTIVE,
    CONVERGENT,
    PURE,
    RECURSIVE_EFFECTS,
    SPMD_ONLY,
    SPMD_REGION,
    Operation,
    Region,
    Value,
    attribute,
    operand,
    optional_attribute,
    region,
    result,
)
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import I32, INDEX, INDEX_ONLY, INT32, MEMREF, NUMBER, AddressSpace, MemrefType


class GroupId(Operation, name="team.group_id", traits=(PURE,)):
    """Position of the work-group in the grid along dimension `dim` (0, 1, 2 for x, y, z)."""

    dim: int = attribute(int)
    out: Value = result(infer=lambda op: INDEX)


class NumGroups(Operation, name="team.num_groups", traits=(PURE,)):
    """Extent of the grid along `dim`."""

    dim: int = attribute(int)
    out: Value = result(infer=lambda op: INDEX)


class Part(Operation, name="team.part", traits=(PURE,)):
    """Number of the block among those that the work-group is divided into; 0 where it is not divided.

    Each block runs the whole kernel with local memory of its own, in no order, as work-groups do.
    """

    out: Value = result(infer=lambda op: INDEX)


class NumParts(Operation, name="team.num_parts", traits=(PURE,)):
    """Into how many blocks the work-group is divided, 1 if it is not."""

    out: Value = result(infer=lambda op: INDEX)


class NumSubgroups(Operation, name="team.num_subgroups", traits=(PURE,)):
    """Extent of the work-group in subgroups along `dim`."""

    dim: int = attribute(int)
    out: Value = result(infer=lambda op: I32)


class SubgroupSize(Operation, name="team.subgroup_size", traits=(PURE,)):
    """Work-items of a subgroup."""

    out: Value = result(infer=lambda op: I32)


class SubgroupId(Operation, name="team.subgroup_id", traits=(PURE, SPMD_ONLY), code="V21"):
    """Position of the subgroup in the work-group along `dim`."""

    dim: int = attribute(int)
    out: Value = result(infer=lambda op: I32)


class SubgroupLinearId(Operation, name="team.subgroup_linear_id", traits=(PURE, SPMD_ONLY), code="V21"):
    """Number of the subgroup in the work-group."""

    out: Value = result(infer=lambda op: I32)


class SubgroupLocalId(Operation, name="team.subgroup_local_id", traits=(PURE, SPMD_ONLY), code="V21"):
    """Number of the work-item in its subgroup."""

    out: Value = result(infer=lambda op: I32)


class Spmd(Operation, name="team.spmd", traits=(COLLECTIVE, SPMD_REGION, RECURSIVE_EFFECTS), code="V20"):
    """Every work-item of the work-group runs the body once (`parallel` of the tensor language)."""

    body: Region = region()


class Barrier(Operation, name="team.barrier", traits=(CONVERGENT,)):
    """All work-items of the work-group arrive before any leaves; fences the named address spaces for the work-group."""

    fence_global: bool = optional_attribute(bool, default=False)
    fence_local: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class Publish(Operation, name="team.publish", traits=(CONVERGENT,)):
    """What the block has written to `memory` is there for the one that awaits the flag of a number.

    Flags are numbers of a work-group's memory that are 0 before a launch and behind it. A flag is awaited once, by a
    block with a greater number (`team.part`): blocks begin in the order of their numbers, so none waits for one that
    cannot begin.
    """

    memory: Value = operand(MEMREF)
    flags: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_flags(self, report, self.flags)


class AwaitPublished(Operation, name="team.await_published", traits=(CONVERGENT,)):
    """Waits until a block with a smaller number has published `memory` by the flag of a number, which is 0 then."""

    memory: Value = operand(MEMREF)
    flags: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_flags(self, report, self.flags)


def check_flags(op: CoreOperation, report: Report, flags: Value) -> None:
    """Flags are 32-bit integers, one beside the other, in memory that other blocks see."""
    type_ = flags.type
    assert isinstance(type_, MemrefType)
    if type_.element is not I32 or type_.strides != (1,) or type_.space is not AddressSpace.GLOBAL:
        fail(op, report, f"flags are i32 beside each other in global memory, not {type_}")


class Broadcast(Operation, name="team.broadcast", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V34"):
    """`value` of work-item `lane` of the subgroup, for all of them; `lane` is dynamically uniform, 0 <= lane < S."""

    value: Value = operand(NUMBER, var="T")
    lane: Value = operand(INT32)
    out: Value = result(var="T")


class Reduce(Operation, name="team.reduce", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V34"):
    """Sum, maximum or minimum over the subgroup, for all its work-items; no order of summation."""

    value: Value = operand(NUMBER, var="T")
    kind: AtomicKind = attribute(AtomicKind)
    out: Value = result(var="T")


class Scan(Operation, name="team.scan", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V34"):
    """Prefix sum, maximum or minimum over work-items 0..S-1; exclusive ones start with the identity.

    Identities: add 0; max MIN or -inf; min MAX or +inf.
    """

    value: Value = operand(NUMBER, var="T")
    kind: AtomicKind = attribute(AtomicKind)
    inclusive: bool = attribute(bool)
    out: Value = result(var="T")
