"""What barriers wait for: accesses in front of each that conflict with accesses behind it, up to the next.

Loops are gone through twice, so that what an iteration does waits for the one before.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from tilewright.dialects import lane_roles, scf, team
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import AddressSpace
from tilewright.transforms.aliasing import Access, roots_may_overlap
from tilewright.transforms.explanations.costs import place_of
from tilewright.transforms.explanations.records import Wait
from tilewright.transforms.footprints import Footprints
from tilewright.transforms.pending import SPACES, spaces_of

_Fence = tuple[team.Barrier, AddressSpace]
_DONE: Final = {EffectKind.READ: "loaded", EffectKind.WRITE: "stored", EffectKind.UPDATE: "updated"}


class _State(Struct):
    """By space: accesses since the last barrier of it on some path, and the barriers that stand last on one."""

    before: dict[AddressSpace, dict[Access, None]] = field(default_factory=lambda: {space: {} for space in SPACES})
    last: dict[AddressSpace, dict[team.Barrier, None]] = field(default_factory=lambda: {space: {} for space in SPACES})

    def copy(self) -> _State:
        """The same, to be changed on its own."""
        return _State(
            {space: dict(found) for space, found in self.before.items()},
            {space: dict(found) for space, found in self.last.items()},
        )

    def join(self, other: _State) -> None:
        """Another path comes here."""
        for space in SPACES:
            self.before[space] |= other.before[space]
            self.last[space] |= other.last[space]


class Waits(Struct):
    """Of one kernel; `names` tells memory from memory."""

    names: dict[Value, str]
    footprints: Footprints = field(default_factory=Footprints)
    pending: dict[_Fence, dict[Access, None]] = field(default_factory=dict[_Fence, dict[Access, None]])
    reasons: dict[team.Barrier, dict[str, None]] = field(default_factory=dict[team.Barrier, dict[str, None]])

    def of(self, body: Block) -> tuple[Wait, ...]:
        """The barriers of a kernel in order."""
        self._block(body, _State())
        return tuple(Wait(place_of(barrier), tuple(reasons)) for barrier, reasons in self.reasons.items())

    def _block(self, block: Block, state: _State) -> None:
        for op in block:
            match op:
                case team.Barrier():
                    self._barrier(op, state)
                case scf.If():
                    self._branches(op, state)
                case scf.For() | scf.While():
                    self._loop(op, state)
                case lane_roles.Roles():
                    # barriers of the work-group are not for the other role
                    self._block(op.main.entry, state)
                case _ if op.regions:
                    for region in op.regions:
                        self._block(region.entry, state)
                case _:
                    self._access(op, state)

    def _barrier(self, op: team.Barrier, state: _State) -> None:
        self.reasons.setdefault(op, {})
        for space in SPACES:
            if op.fence_local if space is AddressSpace.LOCAL else op.fence_global:
                self.pending.setdefault((op, space), {}).update(state.before[space])
                state.before[space], state.last[space] = {}, {op: None}

    def _branches(self, op: scf.If, state: _State) -> None:
        ends: list[_State] = []
        for region in op.regions:
            ends.append(state.copy())
            self._block(region.entry, ends[-1])
        if len(ends) == 1:
            state.join(ends[0])
        else:
            state.before, state.last = ends[0].before, ends[0].last
            state.join(ends[1])

    def _loop(self, op: scf.For | scf.While, state: _State) -> None:
        for _ in range(2):
            end = state.copy()
            self._block(op.body.entry, end)
            state.join(end)

    def _access(self, op: Operation, state: _State) -> None:
        for access in self.footprints.of(op).accesses:
            for space in spaces_of(access):
                for barrier in state.last[space]:
                    for earlier in self.pending[barrier, space]:
                        if _conflict(earlier, access):
                            self.reasons[barrier][self._reason(earlier, access)] = None
                state.before[space][access] = None

    def _reason(self, earlier: Access, access: Access) -> str:
        is_same = earlier.root is access.root
        other = "it" if is_same else self._name(access.root)
        again = "again " if is_same and earlier.kind is access.kind else ""
        first, then = place_of(earlier.op), place_of(access.op)
        done, todo = _DONE[earlier.kind], _DONE[access.kind]
        return f"{self._name(earlier.root)} {done} at {first} before {other} is {again}{todo} at {then}"

    def _name(self, root: Value | None) -> str:
        return "memory at addresses" if root is None else self.names.get(root, "memory")


def _conflict(earlier: Access, access: Access) -> bool:
    if not (earlier.writes or access.writes):
        return False
    if earlier.root is None or access.root is None:
        return True
    return earlier.root is access.root or roots_may_overlap(earlier.root, access.root)
