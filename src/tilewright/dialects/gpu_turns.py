"""Turns: groups of four warps go on one after the other, so that some multiply while others compute.

Each group awaits its turn, begins its products, and passes the turn on to the group behind it, the last one to the
first. Turns are opened with that of the first group, and closed when it has come back there: then as often as a group
has passed its turn on another one has awaited it. On the gpu level, where the work-group comes at once, all groups have
had their turns when they are passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import Operation, attribute
from tilewright.ir.effects import Effect, EffectKind

MOST_GROUPS: Final = 8
"""That take turns: each has one of the machine's barriers for itself."""


def _in_order() -> Sequence[Effect]:
    return [Effect(EffectKind.ORDER)]


def _several(op: Operation, groups: int, report: Report) -> None:
    if not 2 <= groups <= MOST_GROUPS:
        fail(op, report, f"2 to {MOST_GROUPS} groups take turns, not {groups}", "groups")


class OpenTurns(Operation, name="gpu.open_turns"):
    """Gives the first of so many groups its turn."""

    groups: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return _in_order()

    def verify(self, report: Report) -> None:
        _several(self, self.groups, report)


class AwaitTurn(Operation, name="gpu.await_turn"):
    """Each group waits until it is its turn."""

    groups: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return _in_order()

    def verify(self, report: Report) -> None:
        _several(self, self.groups, report)


class PassTurn(Operation, name="gpu.pass_turn"):
    """Each group gives the next one its turn, and waits for nobody."""

    groups: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return _in_order()

    def verify(self, report: Report) -> None:
        _several(self, self.groups, report)


class CloseTurns(Operation, name="gpu.close_turns"):
    """The first group waits until the turn has come back to it, behind which nobody has one."""

    groups: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return _in_order()

    def verify(self, report: Report) -> None:
        _several(self, self.groups, report)
