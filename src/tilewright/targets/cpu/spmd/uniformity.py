"""Which values differ between the work-items of a subgroup.

A value varies if an operand does, or if its operation makes it so (the lane number, a scan, an atomic's old value).
A value that only depends on uniform ones is uniform even under divergent control flow, since inactive lanes do not
matter; results of divergent branches and loops vary.
"""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.dialects import memref, scf, team, tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import TileType

_SOURCES = (
    team.SubgroupLocalId,
    team.Scan,
    tile.ShareExtract,
    memref.AtomicRmw,
    memref.AtomicLoad,
)
_UNIFORM = (team.Broadcast, team.Reduce)


def varying_values(region_op: Operation) -> frozenset[Value]:
    """Varying values inside the regions of a `team.spmd`; a fixpoint over its loops."""
    analysis = _Uniformity()
    changed = True
    while changed:
        before = len(analysis.varying)
        for op in region_op.walk():
            analysis.visit(op)
        changed = len(analysis.varying) != before
    return frozenset(analysis.varying)


class _Uniformity:
    def __init__(self) -> None:
        self.varying: set[Value] = set()

    def visit(self, op: Operation) -> None:
        match op:
            case scf.If():
                self._if(op)
            case scf.For():
                self._for(op)
            case tile.Map():
                self.varying.update(op.body.entry.arguments)
            case _ if isinstance(op, _UNIFORM):
                return
            case _ if isinstance(op, _SOURCES) or any(o in self.varying for o in op.operands):
                self._mark(op.results)
            case _:
                return

    def _mark(self, values: Iterable[Value]) -> None:
        self.varying.update(v for v in values if not isinstance(v.type, TileType))

    def _if(self, op: scf.If) -> None:
        divergent = op.condition in self.varying
        arms = [scf.yielded(r) for r in op.regions]
        for index, result in enumerate(op.results):
            if divergent or any(arm[index] in self.varying for arm in arms):
                self._mark([result])

    def _for(self, op: scf.For) -> None:
        bounds = [op.lower, op.upper, *([op.step] if op.step is not None else [])]
        divergent = any(b in self.varying for b in bounds)
        if divergent:
            self._mark([op.index])
        yields = scf.yielded(op.body)
        for init, argument, value, result in zip(op.inits, op.carried, yields, op.results, strict=True):
            if divergent or any(v in self.varying for v in (init, argument, value)):
                self._mark([argument, result])
