"""Registers that the fragments of a kernel fill at a time, as far as the lane level tells.

ptxas computes what belongs together register by register, so that it needs fewer between two waits; what is there while
threads wait for each other it must hold.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, lane, scf, team
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import BOOL, FragmentType

_WORD: Final = 4
_MOST: Final = 4096
"""Operations of a kernel that is looked at; longer ones are products, or written out."""

Cell = tuple[Value, int]
"""A register where it was computed: of a fragment, or the scalar that all of one have."""


class Pressure(Struct, frozen=True):
    """Words of a thread that are `held` while it waits for others, and that there are at `most` at any time."""

    held: int
    most: int


def pressure(kernel: Kernel) -> Pressure | None:
    """That of a kernel on the lane level; None if its threads do not wait for each other, or it is long."""
    operations = [op for op in kernel.walk() if op is not kernel]
    barriers = [op for op in operations if isinstance(op, team.Barrier)]
    if not barriers or len(operations) > _MOST:
        return None
    found = _Lives()
    found.number(kernel.body.entry)
    for op in operations:
        found.take(op)
    counts = found.counts()
    return Pressure(max(counts[found.begin[op]] for op in barriers), max(counts))


class _Lives:
    """From where to where each cell lives, by numbers of operations in order."""

    def __init__(self) -> None:
        self.begin: dict[Operation, int] = {}
        self._end: dict[Operation, int] = {}
        self._cells: dict[Value, tuple[Cell, ...]] = {}
        self._lives: dict[Cell, tuple[int, int, float]] = {}

    def number(self, block: Block) -> None:
        """Give operations and their ends numbers."""
        for op in block:
            self.begin[op] = len(self.begin) + len(self._end)
            for region in op.regions:
                for inner in region.blocks:
                    self.number(inner)
            self._end[op] = len(self.begin) + len(self._end)

    def take(self, op: Operation) -> None:
        """What an operation computes, and what its regions receive."""
        for value in op.results:
            self._add(value, self._end[op])
        for region in op.regions:
            for block in region.blocks:
                for value in block.arguments:
                    self._add(value, self.begin[op])

    def _add(self, value: Value, at: int) -> None:
        if not isinstance(value.type, FragmentType) or value.type.element is BOOL:
            return
        cells = self._cells[value] = self._cells_of(value)
        last = max((self._until(user, value) for user in value.uses), default=at)
        words = value.type.element.bytes / _WORD
        for cell in dict.fromkeys(cells):
            first, before, _ = self._lives.get(cell, (at, at, words))
            self._lives[cell] = (first, max(before, last), words)

    def _cells_of(self, value: Value) -> tuple[Cell, ...]:
        size = fragment_of(value).size
        match value.defining_op:
            case arith.Constant() | lane.Numbers():
                return ()
            case lane.Fill() as op:
                return ((op.value, 0),) * size
            case lane.Pick() as op:
                cells = [
                    cell for each in op.fragments for cell in self._cells[each] or ((each, 0),) * fragment_of(each).size
                ]
                return tuple(cells[register] for register in op.registers)
            case _:
                return tuple((value, k) for k in range(size))

    def _until(self, user: Operation, value: Value) -> int:
        """Where a use is over: with the loops around it in which the value is not computed."""
        home = value.defining_op.block if value.defining_op is not None else value.owner
        last = self.begin[user]
        for parent in user.ancestors():
            if parent.block is home or any(home is block for region in parent.regions for block in region.blocks):
                if parent.block is home and isinstance(parent, scf.For | scf.While):
                    last = max(last, self._end[parent])
                break
            if isinstance(parent, scf.For | scf.While):
                last = max(last, self._end[parent])
        return last

    def counts(self) -> list[int]:
        """Words that live behind each number."""
        steps = [0.0] * (len(self.begin) + len(self._end) + 1)
        for first, last, words in self._lives.values():
            steps[first] += words
            steps[last] -= words
        total, found = 0.0, list[int]()
        for step in steps:
            total += step
            found.append(round(total))
        return found
