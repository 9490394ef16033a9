"""insert-barriers: work-items wait where one step of a collective region needs what another did.

before:  tile.store %x, %t, ..                         {step = 0}
         team.spmd { .. memref.load %t .. }
after:   tile.store %x, %t, ..
         team.barrier {fence_local = true}
         team.spmd { .. memref.load %t .. }

A collective region means sequential execution, but work-items run freely. A barrier is needed between two accesses on
some path if both may touch a common byte, one writes, they are no commuting atomics, and no barrier that fences the
space lies between. Accesses to tiles with one `step` attribute come from one collective instruction, whose operands do
not overlap except element for element; they need none among themselves. Inside SPMD bodies nothing is inserted.

The state is the list of accesses since the last barrier of their space. An if joins its arms (or the way around), a
loop its entry and its back edge. What happened before a loop is fenced in front of it. Needs the stack offsets:
allocations that share bytes conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tilewright.dialects import scf, team, tile
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace
from tilewright.transforms.aliasing import Access, Accessor, commute, may_overlap
from tilewright.transforms.footprints import Footprints

STEP = "step"
"""Attribute that ties the tile accesses and loops of one collective instruction together."""

Loop = scf.For | scf.While

BOTH = frozenset(AddressSpace)


@dataclass(frozen=True)
class InsertBarriers(Pass):
    """Insert `team.barrier` in collective regions."""

    name: ClassVar[str] = "insert-barriers"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            if kernel.work_group_size != (1, 1):
                _Insertion().block(kernel.body.entry, {})


@dataclass(frozen=True, slots=True)
class _Pending:
    """An access that later ones may have to wait for; `loops` are those whose back edge lies in between."""

    access: Access
    loops: tuple[Loop, ...] = ()


State = dict[_Pending, None]
"""Pending accesses in order, each once. A dictionary hashes an access when it comes, not at every step."""


@dataclass(frozen=True, slots=True)
class _Insertion:
    footprints: Footprints = field(default_factory=Footprints)

    def block(self, block: Block, state: State) -> State:
        """Insert barriers in a block that is entered with `state`, which it may change; the state at its end."""
        for op in block:
            match op:
                case team.Barrier():
                    state = _fenced(state, _fences(op))
                case scf.If():
                    arms = [self.block(region.entry, dict(state)) for region in op.regions]
                    state = _joined(arms if len(arms) == 2 else [*arms, state])
                case scf.For() | scf.While():
                    state = self._loop(op, state)
                case team.Spmd():
                    state = self._spmd(op, state)
                case _:
                    state = _step(op, self.footprints.of(op).accesses, state)
        return state

    def _loop(self, op: Loop, state: State) -> State:
        body = op.body.entry
        state = _fence_before(op, self.footprints.of(op).accesses, state)
        entry = state
        while True:
            size = len(entry)
            end = self.block(body, dict(entry))
            back = {_Pending(p.access, (*p.loops, op)): None for p in end if op not in p.loops and _inside(p, op)}
            entry = _joined([entry, back])
            if len(entry) == size:
                return _joined([state, end])

    def _spmd(self, op: team.Spmd, state: State) -> State:
        """One step with the union of its accesses; barriers at the top level of the body cut it for their spaces."""
        parts: list[tuple[list[Access], frozenset[AddressSpace]]] = [([], frozenset())]
        for inner in op.body.entry:
            if isinstance(inner, team.Barrier):
                parts.append(([], _fences(inner)))
            else:
                parts[-1][0].extend(self.footprints.of(inner).accesses)
        before = state
        touched: list[Access] = []
        for part, spaces in parts:
            before = _fenced(before, spaces)
            touched += [a for a in part if any(_conflict(p, a) for p in before)]
        state = _fence_before(op, touched, state)
        for part, spaces in parts:
            state = _joined([_fenced(state, spaces), {_Pending(a): None for a in part}])
        return state


def _step(op: Operation, touched: Sequence[Access], state: State) -> State:
    if touched:
        state = _fence_before(op, touched, state)
        state.update((_Pending(a), None) for a in touched)
    return state


def _fence_before(op: Operation, touched: Sequence[Access], state: State) -> State:
    """Put a barrier in front of `op` if accesses of it conflict with pending ones."""
    spaces: set[AddressSpace] = set()
    for pending in state:
        for access in touched:
            space = pending.access.space or access.space
            if (space is None or space not in spaces) and _conflict(pending, access):
                spaces |= BOTH if space is None else {space}
    if not spaces:
        return state
    barrier = team.Barrier(location=op.location)
    if AddressSpace.GLOBAL in spaces:
        barrier.fence_global = True
    if AddressSpace.LOCAL in spaces:
        barrier.fence_local = True
    assert op.block is not None
    op.block.insert(barrier, op)
    return _fenced(state, frozenset(spaces))


def _conflict(pending: _Pending, access: Access) -> bool:
    before = pending.access
    if not (before.writes or access.writes) or commute(before, access):
        return False
    if _one_step(pending, access):
        return False
    return may_overlap(before, access, pending.loops)


def _one_step(pending: _Pending, access: Access) -> bool:
    """Whether two tile accesses belong to one execution of one collective instruction."""
    before = pending.access.op
    if not (isinstance(before, Accessor) and isinstance(access.op, Accessor)):
        return False
    step = before.attributes.get(STEP)
    return (
        step is not None
        and access.op.attributes.get(STEP) == step
        and all(loop.attributes.get(STEP) == step for loop in pending.loops)
    )


def _fences(op: team.Barrier) -> frozenset[AddressSpace]:
    spaces = {AddressSpace.GLOBAL} if op.fence_global else set[AddressSpace]()
    return frozenset(spaces | {AddressSpace.LOCAL} if op.fence_local else spaces)


def _fenced(state: State, spaces: frozenset[AddressSpace]) -> State:
    return {p: None for p in state if p.access.space not in spaces and not (p.access.space is None and spaces == BOTH)}


def _joined(states: list[State]) -> State:
    joined: State = {}
    for state in states:
        joined |= state
    return joined


def _inside(pending: _Pending, op: Operation) -> bool:
    return op.is_ancestor_of(pending.access.op)


def tag_step(ops: list[Operation], step: int) -> None:
    """Mark loops and accesses to tiles as parts of one collective instruction."""
    for root in ops:
        for op in root.walk():
            if isinstance(op, scf.For | tile.Load | tile.Store | tile.AtomicStore | tile.AtomicRmw):
                op.attributes[STEP] = step
