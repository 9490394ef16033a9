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
    """The warp beside has the numbers of the first one, and what both know by now."""
    assert isinstance(op, ops.Roles)
    assert w.cluster is None, "blocks of a cluster have no roles"
    beside = copy(w)
    beside.values, beside.mask = dict(w.values), np.arange(w.items) < _WARP
    both = Cluster([w, beside], w.order, "role")
    w.cluster = beside.cluster = both
    both.run(lambda each: each.run((op.main if each is w else op.beside).entry))
    w.cluster = None


def _meet(w: WorkGroup, op: Operation) -> None:
    assert w.cluster is not None, "both roles meet"
    w.cluster.meet(op)
    w.shadow.synchronise(list(AddressSpace))


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {ops.Roles: _roles, ops.Meet: _meet}
