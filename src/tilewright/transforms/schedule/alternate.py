"""Two work-groups of a block take the iterations of a loop by turns, which is what their role runs.

before:  scf.for %t .. (%turn = 0) { X  yield %turn' }
after:   scf.for %t .. (%turn = 0, %whose = 0) { scf.if (%whose == lane.side) { X }  yield %turn', 1 - %whose }

Each side knows what iterations hand on, also of those that the other one runs: that is arithmetic. What is done once
beside the loop the first side does, and where that is shown to the work-group both meet. So while one side does what is
left of an iteration, the other one is in the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilewright.dialects import gpu_clusters, gpu_stores, gpu_tensors, lane_products, lane_roles, scf, team
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.iterations import carried

_APART: Final = (
    gpu_tensors.OpenBarriers,
    gpu_tensors.CloseBarriers,
    gpu_tensors.AwaitPhase,
    gpu_tensors.Arrive,
    gpu_tensors.AwaitReaders,
    gpu_tensors.Expect,
    gpu_tensors.CopyTensor,
    gpu_clusters.MulticastTensor,
    gpu_clusters.ReleaseByWarps,
    gpu_stores.StoreSlab,
    gpu_stores.StoreTensor,
    lane_products.MmaAsync,
)
"""What accesses shared memory of which each side has its own, or the stages that are its turn."""


_WRITES: Final = (EffectKind.WRITE, EffectKind.UPDATE)


def alternating(operations: Sequence[Operation]) -> scf.For | None:
    """The loop whose iterations sides take, if there is one."""
    return next((op for op in operations if isinstance(op, scf.For) and lane_roles.ALTERNATES in op.attributes), None)


def obstacle(loop: scf.For, body: Block) -> str | None:
    """Why sides that run a body cannot take the iterations of a loop in it by turns; None if they can."""
    for op in loop.body.entry:
        for each in op.walk():
            if isinstance(each, team.Barrier):
                return "threads meet in a tile"
            if not isinstance(each, _APART) and any(map(_is_shared, each.operands)):
                return f"{each.name} accesses shared memory, of which both work-groups have the same"
    if _behind(scf.yielded(loop.body), loop) is None:
        return "what a tile hands on is not computed of numbers alone"
    for block, inner in _around(loop, body):
        if any(op is not inner and _writes(op) and any(out.uses for out in op.results) for op in block):
            return "what is written beside the loop over tiles is used"
    return None


def alternate(loop: scf.For, body: Block) -> None:
    """Let sides that run a body take the iterations of a loop in it by turns."""
    del loop.attributes[lane_roles.ALTERNATES]
    for block, inner in list(_around(loop, body)):
        _beside(block, inner)
        branch = inner.parent_op
        if block is not body and isinstance(branch, scf.If):
            for region in branch.regions:
                if region.entry is not block:
                    _by_first(list(region.entry))
    _take_turns(loop)


def _around(loop: scf.For, body: Block) -> Iterator[tuple[Block, Operation]]:
    """The blocks around a loop up to a body, and what of each the loop stands in."""
    op: Operation = loop
    while True:
        assert op.block is not None
        yield op.block, op
        if op.block is body:
            return
        assert op.parent_op is not None
        op = op.parent_op


def _beside(block: Block, inner: Operation) -> None:
    """What stands beside an operation and writes is done by the first side; where the work-group meets, all do."""
    for op in list(block):
        if isinstance(op, team.Barrier):
            Builder.before_op(op)(lane_roles.Meet(sides=True))
            op.erase()
        elif op is not inner and _writes(op):
            _by_first([op])


def _by_first(ops: Sequence[Operation]) -> None:
    """Let the first side alone run operations that follow each other, but for the end of their block."""
    ops = [op for op in ops if not isinstance(op, scf.Yield)]
    if not ops:
        return
    build = Builder.before_op(ops[0])
    first = emit.open_if(build, emit.equals_zero(build, build(lane_roles.Side()).out))
    for op in ops:
        op.detach()
        first(op)


def _take_turns(loop: scf.For) -> None:
    whose = carried(Builder.before_op(loop), loop, lane_roles.SIDES, "whose")
    end = loop.body.entry.last
    assert isinstance(end, scf.Yield)
    handed = _behind(end.operands, loop)
    assert handed is not None, "assign-roles has asked"
    rest = [op for op in loop.body.entry if op not in handed and op is not end]
    build = Builder.before_op(end)
    mine = emit.open_if(build, build(Cmp(Predicate.EQ, whose, build(lane_roles.Side()).out)).out)
    for op in rest:
        op.detach()
        mine(op)


def _behind(values: Sequence[Value], loop: scf.For) -> set[Operation] | None:
    """The operations of a loop's body of which values are computed; None if these are not arithmetic."""
    found, waiting = set[Operation](), list(values)
    while waiting:
        op = waiting.pop().defining_op
        if op is None or op in found or not loop.is_ancestor_of(op):
            continue
        if op.block is not loop.body.entry or op.regions or op.effects() is None or op.effects():
            return None
        found.add(op)
        waiting += op.operands
    return found


def _is_shared(value: Value) -> bool:
    return isinstance(value.type, MemrefType) and value.type.space is AddressSpace.LOCAL


def _writes(op: Operation) -> bool:
    return any(effect.kind in _WRITES for each in op.walk() for effect in each.effects() or ())
