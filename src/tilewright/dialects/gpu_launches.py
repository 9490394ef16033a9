"""Launches that begin while the one before them in their stream ends."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.definition import Operation
from tilewright.ir.effects import Effect, EffectKind


class AwaitLaunch(Operation, name="gpu.await_launch"):
    """Waits until the launch before this one is over and what it wrote is there, unless that has been awaited."""

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]
