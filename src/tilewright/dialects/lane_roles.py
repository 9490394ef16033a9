"""Roles of a block's warps: those of the work-group compute, one beside them does what it is asked for.

    lane.roles {                       all warps of the work-group
      ..  lane.meet  ..  gpu.await_phase %full ..  gpu.arrive %read ..
    } {                                one warp beside them
      lane.meet  scf.for .. { gpu.await_readers %read ..  gpu.copy_tensor .. %full .. }
    }

Both see the same values and memory from in front of them, and go on beside each other, held up only by barriers of
words that count arrivals and copies (`gpu_tensors`) and where both meet. Barriers of the work-group are not for the
warp beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.definition import CONVERGENT, RECURSIVE_EFFECTS, SPMD_ONLY, Operation, Region, region
from tilewright.ir.effects import Effect, EffectKind


class Roles(Operation, name="lane.roles", traits=(SPMD_ONLY, CONVERGENT, RECURSIVE_EFFECTS)):
    """The warps of the work-group run `main`, and a warp that is not of it runs `beside`, once each.

    The latter has the numbers of the work-group's first warp, of whose work nothing else is its own.
    """

    main: Region = region()
    beside: Region = region()


class Meet(Operation, name="lane.meet", traits=(SPMD_ONLY, CONVERGENT)):
    """All warps of both roles arrive before any leaves, and see what each other wrote to shared and global memory."""

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]
