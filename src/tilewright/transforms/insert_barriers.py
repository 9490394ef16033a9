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

The state is what was accessed since the last barrier of its space. An if joins its arms (or the way around). What
happened before a loop is fenced in front of it, so nothing from outside bears on where barriers are needed inside: a
loop is worked out once, on its own, and is a step with a summary wherever it is met again. One walk over the body finds
what an iteration leaves behind, a second one what the next must wait for. So each operation is visited at most three
times, however deep it stands. Needs the stack offsets: allocations that share bytes conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct, field

from tilewright.dialects import scf, team
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace
from tilewright.transforms.aliasing import Access
from tilewright.transforms.footprints import Footprints
from tilewright.transforms.pending import Loop, Pending


class InsertBarriers(Pass, frozen=True):
    """Insert `team.barrier` in collective regions."""

    name: ClassVar[str] = "insert-barriers"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            if kernel.work_group_size != (1, 1):
                _Insertion().block(kernel.body.entry, Pending())


class _Insertion(Struct):
    footprints: Footprints = field(default_factory=Footprints)
    summaries: dict[Loop, Pending] = field(default_factory=dict[Loop, Pending])
    placed: int = 0

    def block(self, block: Block, state: Pending) -> Pending:
        """Insert barriers in a block that is entered with `state`, which becomes the state at its end."""
        for op in block:
            match op:
                case team.Barrier():
                    state.fence(_fences(op))
                case scf.If():
                    state = self._if(op, state)
                case scf.For() | scf.While():
                    self._fence_before(op, self.footprints.of(op).accesses, state)
                    state.join(self._summary(op))
                case team.Spmd():
                    self._spmd(op, state)
                case _:
                    touched = self.footprints.of(op).accesses
                    self._fence_before(op, touched, state)
                    state.add(touched)
        return state

    def _if(self, op: scf.If, state: Pending) -> Pending:
        first, *others = [self.block(region.entry, state.copy()) for region in op.regions]
        for other in others or [state]:
            first.join(other)
        return first

    def _summary(self, op: Loop) -> Pending:
        """What a loop leaves behind, its body made safe on the way."""
        known = self.summaries.get(op)
        if known is None:
            body = op.body.entry
            end = self.block(body, Pending())
            before = self.placed
            self.block(body, end.around(op))
            if self.placed > before:
                end = self.block(body, Pending())
            known = self.summaries[op] = end.after(op)
        return known

    def _spmd(self, op: team.Spmd, state: Pending) -> None:
        """One step with the union of its accesses; barriers at the top level of the body cut it for their spaces."""
        parts: list[tuple[list[Access], frozenset[AddressSpace]]] = [([], frozenset())]
        for inner in op.body.entry:
            if isinstance(inner, team.Barrier):
                parts.append(([], _fences(inner)))
            else:
                parts[-1][0].extend(self.footprints.of(inner).accesses)
        before = state.copy()
        touched: list[Access] = []
        for part, spaces in parts:
            before.fence(spaces)
            touched += [a for a in part if before.waits(a)]
        self._fence_before(op, touched, state)
        for part, spaces in parts:
            state.fence(spaces)
            state.add(part)

    def _fence_before(self, op: Operation, touched: Sequence[Access], state: Pending) -> None:
        """Put a barrier in front of `op` if accesses of it conflict with pending ones."""
        spaces = state.hazards(touched)
        if not spaces:
            return
        barrier = team.Barrier(location=op.location)
        if AddressSpace.GLOBAL in spaces:
            barrier.fence_global = True
        if AddressSpace.LOCAL in spaces:
            barrier.fence_local = True
        assert op.block is not None
        op.block.insert(barrier, op)
        self.placed += 1
        state.fence(spaces)


def _fences(op: team.Barrier) -> frozenset[AddressSpace]:
    spaces = {AddressSpace.GLOBAL} if op.fence_global else set[AddressSpace]()
    return frozenset(spaces | {AddressSpace.LOCAL} if op.fence_local else spaces)
