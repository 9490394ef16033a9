"""Turns of groups of warps. All groups come at once: what is checked is that each turn is passed on and awaited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import gpu_turns as ops
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation

CODE: Final = "R025"


def _all_groups(w: WorkGroup, op: Operation) -> None:
    if w.mask is not None and not w.mask.all():
        fail("R022", op.location, f"not all work-items reach this {op.name}")


def _open(w: WorkGroup, op: Operation) -> None:
    _all_groups(w, op)
    if w.turn is not None:
        fail(CODE, op.location, "turns are open already")
    w.turn = True


def _await(w: WorkGroup, op: Operation) -> None:
    _all_groups(w, op)
    if not w.turn:
        fail(CODE, op.location, "waits for a turn that nobody passes on")
    w.turn = False


def _pass(w: WorkGroup, op: Operation) -> None:
    _all_groups(w, op)
    if w.turn is not False:
        fail(CODE, op.location, "passes on a turn that it has not")
    w.turn = True


def _close(w: WorkGroup, op: Operation) -> None:
    _await(w, op)
    w.turn = None


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {ops.OpenTurns: _open, ops.AwaitTurn: _await, ops.PassTurn: _pass, ops.CloseTurns: _close}
