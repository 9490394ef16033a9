"""Roles of a block's warps: those of the work-group compute, a producer warp beside them issues their copies.

    lane.roles {                       all warps of the work-group
      ..  lane.meet  ..  gpu.await_phase %full ..  gpu.arrive %read ..
    } {                                one warp beside them
      lane.meet  scf.for .. { gpu.await_readers %read ..  gpu.copy_tensor .. %full .. }
    }

Two work-groups may run `main`, its `sides`: they take the iterations of a loop by turns, and all else that is done once
is done by the first one.

Both see the same values and memory from in front of them, and go on beside each other, held up only by barriers of
words that count arrivals and copies (`gpu_tensors`) and where both meet. Barriers of the work-group are not for the
warp beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import (
    CONVERGENT,
    PURE,
    RECURSIVE_EFFECTS,
    SPMD_ONLY,
    Operation,
    Region,
    Value,
    optional_attribute,
    region,
    result,
)
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import INDEX

SIDES: Final = 2
"""Work-groups of a block that take tiles by turns."""
ALTERNATES: Final = "alternates"
"""Of a loop whose iterations they take: an attribute."""


class Roles(Operation, name="lane.roles", traits=(SPMD_ONLY, CONVERGENT, RECURSIVE_EFFECTS)):
    """The warps of the work-group run `main`, and a warp that is not of it runs `beside`, once each.

    The latter has the numbers of the work-group's first warp, of whose work nothing else is its own.
    """

    main: Region = region()
    beside: Region = region()
    sides: int = optional_attribute(int, default=1)

    def verify(self, report: Report) -> None:
        if self.sides not in (1, SIDES):
            fail(self, report, f"one work-group or {SIDES} run a role, not {self.sides}", "sides")


class Side(Operation, name="lane.side", traits=(SPMD_ONLY, PURE)):
    """Which of the work-groups that run a role this thread is of: 0 if there is one."""

    out: Value = result(infer=lambda op: INDEX)


class Meet(Operation, name="lane.meet", traits=(SPMD_ONLY, CONVERGENT)):
    """All warps of both roles arrive before any leaves, and see what each other wrote to shared and global memory.

    With `sides` those of all work-groups that run the first role, and no others; with `cluster` those of all blocks of
    the cluster, who see of each other's memory the barriers that were opened.
    """

    sides: bool = optional_attribute(bool, default=False)
    cluster: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        if self.sides and self.cluster:
            fail(self, report, "either the work-groups of a block meet or all blocks of a cluster", "cluster")
