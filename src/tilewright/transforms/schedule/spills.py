"""Registers of a thread that wait in shared memory: `gpu.spill`.

    memory: elements of 16 bytes x threads x as many of these as a thread keeps there

Each thread reads what it has written itself, so nobody waits for others; lanes beside each other access neighbours of
16 bytes, in which no two of a quarter of a warp meet in one bank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import gpu, lane
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import Alloca
from tilewright.ir.core import Operation, Value
from tilewright.ir.layouts import Owner
from tilewright.ir.types import AddressSpace, FragmentType, MemrefType, memref
from tilewright.transforms import emit
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads

PIECE_BYTES: Final = 16
"""What a thread writes or reads at once."""


def memory_type(type_: FragmentType, threads: int, most: int) -> MemrefType:
    """That in which the fragments of all threads lie, as far as `most` bytes have room for them."""
    together = PIECE_BYTES // type_.element.bytes
    pieces = min(type_.size // together, most // (threads * PIECE_BYTES))
    return memref(type_.element, (together, threads, pieces), space=AddressSpace.LOCAL)


class Spills(Struct):
    """The tiles of a kernel that wait, and which operations are lowered."""

    of: dict[Value, Spilled] = field(default_factory=dict[Value, "Spilled"])
    done: set[Operation] = field(default_factory=set[Operation])

    def begin(
        self, op: gpu.Spill, type_: FragmentType, threads: Threads, shared: Builder, using: Sequence[Operation]
    ) -> Spilled:
        """Where the fragment of a tile will wait; `using` are read, part by part, before it is written."""
        wanted = memory_type(type_, threads.teams.threads, op.bytes)
        free = (memory for memory in self._memories() if memory.type == wanted and self._is_free(memory, op, using))
        memory = next(free, None) or shared(Alloca(result_types=[wanted])).out
        found = self.of[op.out] = Spilled(type_, memory, thread_number(threads))
        return found

    def _memories(self) -> Iterable[Value]:
        return dict.fromkeys(spilled.memory for spilled in self.of.values())

    def _is_free(self, memory: Value, op: Operation, using: Sequence[Operation]) -> bool:
        """Whether nobody needs what is there once `using` have read it; what is before a loop stays to its end."""
        users = (user for value, each in self.of.items() if each.memory is memory for user in value.uses)
        return all(here in self.done or here in using for here in (_beside(user, op) for user in users))


def _beside(user: Operation, op: Operation) -> Operation:
    """The operation beside `op` that is a user, or has it inside."""
    return next((each for each in (user, *user.ancestors()) if each.block is op.block), user)


class Spilled(Struct):
    """A fragment of `type`, whose first registers are in `memory`; `kept` are others, with their numbers."""

    type: FragmentType
    memory: Value
    thread: Value
    kept: list[tuple[Value, Sequence[int]]] = field(default_factory=list[tuple[Value, Sequence[int]]])

    def store(self, build: Builder, value: Value, numbers: Sequence[int]) -> None:
        """Put registers where they wait: `value` has those of these numbers, one behind the other."""
        places = {number: place for place, number in enumerate(numbers)}
        for run, width in self._runs(numbers):
            part = picked(build, [value], [places[number] for number in run])
            build(lane.Store(part, self.memory, *self._access(build, run), width=width))
        rest = [number for number in numbers if number >= self._there]
        if rest:
            self.kept.append((picked(build, [value], [places[number] for number in rest]), rest))

    def load(self, build: Builder, numbers: Sequence[int]) -> Value:
        """Registers with these numbers, one behind the other."""
        found: list[tuple[Value, Sequence[int]]] = []
        for run, width in self._runs(numbers):
            out = FragmentType(len(run), self.type.element)
            at, steps = self._access(build, run)
            found.append((build(lane.Load(self.memory, at, steps, width=width, result_types=[out])).out, run))
        found += [(value, kept) for value, kept in self.kept if not set(kept).isdisjoint(numbers)]
        order = {number: k for k, number in enumerate(n for _, each in found for n in each)}
        return picked(build, [value for value, _ in found], [order[number] for number in numbers])

    @property
    def _together(self) -> int:
        """Registers that are one access."""
        return emit.memref_type(self.memory).shape[0] or 1

    @property
    def _there(self) -> int:
        """Registers in memory."""
        return self._together * (emit.memref_type(self.memory).shape[2] or 0)

    def _runs(self, numbers: Sequence[int]) -> Iterator[tuple[range, int]]:
        """Those in memory, in runs that lie behind each other, and how many are one access."""
        inside = sorted(number for number in numbers if number < self._there)
        breaks = [k for k, (a, b) in enumerate(pairwise(inside), 1) if b != a + 1]
        for first, end in pairwise([0, *breaks, len(inside)]):
            run = range(inside[first], inside[end - 1] + 1) if first < end else range(0)
            if run.start % self._together == 0 and len(run) % self._together == 0:
                yield from [(run, self._together)] if run else []
            else:
                yield from ((range(number, number + 1), 1) for number in run)

    def _access(self, build: Builder, run: range) -> tuple[list[Value], lane.Steps]:
        """Where the first of some registers lies, and the digits of all."""
        piece, within = divmod(run.start, self._together)
        steps = ((self._together, 0, 1), (len(run) // self._together, 2, 1)) if len(run) > 1 else ()
        return [build.index(within), self.thread, build.index(piece)], steps


def thread_number(threads: Threads) -> Value:
    """Of all in the block."""
    head = threads.head
    warps = emit.mul(head, threads.number(Owner.WARP), head.index(threads.teams.lanes))
    return emit.add(head, warps, threads.number(Owner.LANE))
