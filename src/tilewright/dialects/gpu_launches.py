"""What kernels know of their launch: that the one before it has ended, and whether it has maps of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.definition import PURE, Operation, Value, operand, result
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import BOOL, BOOLEAN


class AwaitLaunch(Operation, name="gpu.await_launch"):
    """Waits until the launch before this one is over and what it wrote is there, unless that has been awaited."""

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class HasMaps(Operation, name="gpu.has_maps", traits=(PURE,)):
    """Whether a launch has maps of some matrices: what `tests` of where they begin and how they lie tell.

    Code for launches that have all maps of the kernel need not test.
    """

    tests: Value = operand(BOOLEAN)
    out: Value = result(infer=lambda op: BOOL)
