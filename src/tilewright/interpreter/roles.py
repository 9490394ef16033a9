"""Roles of a block's warps: the work-group and the warp beside it, in any order between where they meet."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Final

import numpy as np

from tilewright.dialects import lane_roles as ops
from tilewright.interpreter.side_by_side import Cluster
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation
from tilewright.ir.types import AddressSpace

_WARP: Final = 32


def _roles(w: WorkGroup, op: Operation) -> None:
    """The warp beside has the numbers of the first one, sides those of each other, and all what is known by now."""
    assert isinstance(op, ops.Roles)
    sides, beside = [copy(w) for _ in range(op.sides)], copy(w)
    beside.mask = np.arange(w.items) < _WARP
    all_ = Cluster([*sides, beside], w.order, "role", w.cluster)
    for number, each in enumerate((*sides, beside)):
        each.values, each.roles, each.side = dict(w.values), all_, number
    all_.run(lambda each: each.run((op.beside if each is beside else op.main).entry))


def _meet(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.Meet)
    assert w.roles is not None, "both roles meet"
    if op.cluster:
        assert w.cluster is not None, "kernels with clusters have blocks in them"
        w.cluster.meet(op, len(w.cluster) * len(w.roles), w.roles)
    else:
        w.roles.meet(op, ops.SIDES if op.sides else None)
    w.shadow.synchronise(list(AddressSpace))


def _side(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.Side)
    w.values[op.out] = np.asarray(w.side, np.int64)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {ops.Roles: _roles, ops.Meet: _meet, ops.Side: _side}
