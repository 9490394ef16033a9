"""Work-items that run freely: the interpreter without its promise that each step is finished by the whole work-group.

Behind `insert-barriers` only barriers order what work-items do, and here nothing else does. `races` looks at one run
with the interpreter's race detector: what the steps of a collective region do to memory is done by nobody knows whom,
so two of them must not meet in a byte without a barrier, but for what one collective instruction does to one element.
`in_random_order` hands the work-group to several who take turns at random: each element that a tile is loaded from or
stored to belongs to one of them while the step lasts, and scalars all of them load for themselves.

Memory is two runs of bytes, global and local. Local memory lies where `assign-stack` has put it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import AtomicKind
from tilewright.interpreter.engine import Argument, all_handlers, runtime_value
from tilewright.interpreter.memory import Buffer, View
from tilewright.interpreter.scalars import enter_spmd
from tilewright.interpreter.shadow import Shadow, Touch, among_work_items
from tilewright.interpreter.state import Handler, RuntimeValue, WorkGroup
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.numerics.arrays import dtype_of
from tilewright.transforms.steps import STEP

Array = NDArray[Any]
FUEL = 1_000_000
_FIRST_STEP = 1 << 20
"""Steps have numbers from here on."""
_ITEMS = 1 << 20
"""Work-items and subgroups of a step have numbers from this times its number on: nobody relies on which work-item does
what in another step."""


class Diverged(AssertionError):
    """Not all work-items wait at the same barrier."""


class _Abandoned(Exception):
    """Somebody else has failed."""


@dataclass(frozen=True, slots=True)
class _Detector:
    """Who touched each byte since the last barrier, and which steps updated it in a way that has an order.

    Atomics do not race, but steps happen one after another all the same unless their updates commute. So for each kind
    of update those of that kind are reads, those of others atomic writes, and other atomic accesses plain ones.
    """

    races: Shadow = field(default_factory=among_work_items)
    order: Mapping[AtomicKind, Shadow] = field(default_factory=lambda: {k: among_work_items() for k in AtomicKind})

    def synchronise(self, spaces: Sequence[AddressSpace]) -> None:
        for shadow in (self.races, *self.order.values()):
            shadow.synchronise(spaces)


def _in_order(op: Operation, kind: AtomicKind, touch: Touch) -> Touch | None:
    """What an atomic access is to those of one kind."""
    if touch not in (Touch.ATOMIC_READ, Touch.ATOMIC_WRITE):
        return None
    if isinstance(op, memref.AtomicRmw | tile.AtomicRmw):
        if touch is Touch.ATOMIC_READ:
            return None
        if op.out.uses:
            return Touch.WRITE
        return Touch.READ if op.kind is kind else Touch.ATOMIC_WRITE
    return Touch.READ if touch is Touch.ATOMIC_READ else Touch.WRITE


@dataclass(slots=True, eq=False)
class _Team:
    """What those who run a work-group share: memory, who touched it, what was done once for all of them."""

    memory: Mapping[AddressSpace, Buffer]
    members: int
    salt: int
    rnd: Random
    pauses: float
    detector: _Detector | None
    steps: dict[object, int] = field(default_factory=dict[object, int])
    done: dict[object, Array] = field(default_factory=dict[object, Array])
    read: dict[object, tuple[Array, Array]] = field(default_factory=dict[object, tuple[Array, Array]])
    back: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    failure: BaseException | None = None

    def step(self, key: object) -> int:
        """The number of one execution of a step."""
        return self.steps.setdefault(key, _FIRST_STEP + len(self.steps))


class _Member(WorkGroup, kw_only=True):
    """Some of the work-items of a work-group: all of them, or one of several shares of whole subgroups."""

    team: _Team
    place: int
    mine: Array
    baton: threading.Semaphore = msgspec.field(default_factory=lambda: threading.Semaphore(0))
    waits: Operation | None = None
    ended: bool = False
    collective: bool = True
    region: int = 0
    current: Operation | None = None
    visits: Counter[Operation] = msgspec.field(default_factory=Counter[Operation])

    def run(self, block: Block) -> None:
        owner = block.parent_op
        if isinstance(owner, scf.For | scf.While):
            self.visits[owner] += 1
        for op in block:
            self.current = op
            if not isinstance(op, scf.For | scf.While):
                self.visits[op] += 1
            if self.team.rnd.random() < self.team.pauses:
                self.pause()
            self.fuel -= 1
            assert self.fuel > 0, "the kernel does not end"
            self.handlers[type(op)](self, op)

    def pause(self) -> None:
        """Let somebody else go on."""
        self.team.back.release()
        self.baton.acquire()
        if self.team.failure is not None:
            raise _Abandoned

    def step(self) -> int:
        """The step that runs now: one execution of a collective instruction, or else of this operation alone."""
        op = self.current
        assert op is not None
        tag = op.attributes.get(STEP)
        if tag is None:
            return self.team.step((op, self.visits[op]))
        around = [a for a in op.ancestors() if isinstance(a, scf.For | scf.While) and a.attributes.get(STEP) != tag]
        return self.team.step((tag, *(self.visits[a] for a in around)))

    def read(self, view: View, indices: Sequence[Array], where: Location, atomic: bool = False) -> Array:
        """What an element's owner has read everybody knows; who is faster than the owner looks for himself."""
        found = WorkGroup.read(self, view, indices, where, atomic)
        if not self.collective or self.mask is None or self.team.members == 1:
            return found
        assert self.current is not None
        buffer, at, _ = self._locate(view, indices, where)
        mine = np.broadcast_to(self._owners(buffer, at) == self.place, found.shape)
        nobody = np.zeros(found.shape, bool), found
        known, values = self.team.read.get((self.current, self.visits[self.current]), nobody)
        values = np.where(known, values, found)
        self.team.read[self.current, self.visits[self.current]] = known | mine, values
        return values

    def write(self, view: View, indices: Sequence[Array], values: Array, where: Location, atomic: bool = False) -> None:
        if not self.collective or self.team.members == 1:
            WorkGroup.write(self, view, indices, values, where, atomic)
            return
        buffer, at, _ = self._locate(view, indices, where)
        mine = self._owners(buffer, at) == self.place
        if not mine.any():
            return
        before = self.mask
        self.mask = None if before is None else before & mine
        WorkGroup.write(self, view, indices, values, where, atomic)
        self.mask = before

    def _owners(self, buffer: Buffer, at: Array) -> Array:
        """Who writes each element in this step: anybody, but the same one as long as the step lasts."""
        mixed = (self._bytes(buffer, at) + self.step() % 0x10000 * 0x9E37 + self.team.salt) * 0x45D9F3B
        return (mixed >> 9) % self.team.members

    def _bytes(self, buffer: Buffer, at: Array) -> Array:
        """Where elements of a buffer begin in its space."""
        whole = self.team.memory[buffer.space]
        return at * buffer.data.itemsize + int(buffer.data.ctypes.data - whole.data.ctypes.data)

    def _note(self, buffer: Buffer, at: Array, touch: Touch, where: Location, active: Array) -> None:
        detector = self.team.detector
        if detector is None:
            return
        assert self.current is not None
        if self.collective:
            who = step = np.full(at.shape, self.step())
        else:
            assert self.who is not None
            own = self.who[active if active.ndim else self.active]
            step = np.full(own.shape, self.region)
            who = step * _ITEMS + own % _ITEMS
        whole, size = self.team.memory[buffer.space], buffer.data.itemsize
        first = self._bytes(buffer, np.broadcast_to(at, who.shape))
        places = (first[..., None] + np.arange(size)).ravel()
        detector.races.note(whole, places, np.repeat(who, size), touch, where)
        for kind, order in detector.order.items():
            seen = _in_order(self.current, kind, touch)
            if seen is not None:
                order.note(whole, places, np.repeat(step, size), seen, where)


def _spmd(w: WorkGroup, op: Operation) -> None:
    assert isinstance(w, _Member)
    assert isinstance(op, team.Spmd)
    w.collective, w.region = False, w.step()
    enter_spmd(w, np.arange(w.items), w.mine.copy())
    w.run(op.body.entry)
    w.mask = w.who = None
    w.collective = True


def _barrier(w: WorkGroup, op: Operation) -> None:
    assert isinstance(w, _Member)
    assert isinstance(op, team.Barrier)
    if w.mask is not None and not np.array_equal(w.mask, w.mine):
        raise Diverged("work-items of one subgroup part before a barrier")
    if w.team.members > 1:
        w.waits = op
        w.pause()
    elif w.team.detector is not None:
        fenced = {AddressSpace.GLOBAL: op.fence_global, AddressSpace.LOCAL: op.fence_local}
        w.team.detector.synchronise([space for space in AddressSpace if fenced[space]])


def _alloca(w: WorkGroup, op: Operation) -> None:
    assert isinstance(w, _Member)
    assert isinstance(op, memref.Alloca)
    type_ = op.out.type
    assert isinstance(type_, MemrefType)
    assert op.offset is not None
    assert type_.span is not None
    dtype = dtype_of(type_.element)
    whole = w.team.memory[AddressSpace.LOCAL].data
    data = whole[op.offset : op.offset + type_.span * dtype.itemsize].view(dtype)
    buffer = Buffer(f"%{op.out.name or 'local'}", data, space=AddressSpace.LOCAL)
    w.values[op.out] = View(buffer, 0, tuple(s or 0 for s in type_.shape), tuple(s or 0 for s in type_.strides))


def _elected_update(w: WorkGroup, op: Operation) -> None:
    """In a collective region one does it and tells the others the old value."""
    assert isinstance(w, _Member)
    assert isinstance(op, memref.AtomicRmw)
    update = all_handlers()[memref.AtomicRmw]
    if not w.collective or w.team.members == 1:
        update(w, op)
        return
    key = (op, w.visits[op])
    if key not in w.team.done:
        w.team.members, members = 1, w.team.members
        update(w, op)
        w.team.members = members
        w.team.done[key] = w.scalar(op.out)
    w.values[op.out] = w.team.done[key]


@dataclass(frozen=True, slots=True)
class FreeRun:
    """A kernel behind `insert-barriers` and the global memory that its arguments lie in."""

    kernel: Kernel
    memory: Array
    arguments: Sequence[Argument]

    handlers: ClassVar[OperationTable[Handler]] = OperationTable(
        {
            **all_handlers(),
            team.Spmd: _spmd,
            team.Barrier: _barrier,
            memref.Alloca: _alloca,
            memref.AtomicRmw: _elected_update,
        }
    )

    def races(self) -> str:
        """What the race detector says of a run with these arguments; nothing if it says nothing."""
        shared = self._team(1, Random(0), 0, _Detector())
        try:
            self._member(shared, 0).run(self.kernel.body.entry)
        except KernelError as error:
            if error.diagnostics[0].code != "R020":
                raise
            return error.diagnostics[0].message
        return ""

    def in_random_order(self, rnd: Random) -> None:
        """Run it by subgroups that take turns at random; memory changes in place."""
        assert self.kernel.work_group_size is not None
        assert self.kernel.subgroup_size is not None
        rows, columns = self.kernel.work_group_size
        count = rows * columns // self.kernel.subgroup_size
        shared = self._team(count, rnd, rnd.choice([0, 0.02, 0.3]), None)
        members = [self._member(shared, number) for number in range(count)]
        threads = [threading.Thread(target=self._play, args=[m], daemon=True) for m in members]
        for thread in threads:
            thread.start()
        try:
            _take_turns(shared, members)
        finally:
            _send_home(shared, members, threads)

    def _team(self, members: int, rnd: Random, pauses: float, detector: _Detector | None) -> _Team:
        whole = Buffer("global memory", self.memory)
        local = np.frombuffer(rnd.randbytes(max(1, self.kernel.local_bytes)), np.uint8).copy()
        space = Buffer("local memory", local, space=AddressSpace.LOCAL)
        memory = {AddressSpace.GLOBAL: whole, AddressSpace.LOCAL: space}
        return _Team(memory, members, rnd.getrandbits(30), rnd, pauses if members > 1 else 0, detector)

    def _member(self, shared: _Team, number: int) -> _Member:
        kernel = self.kernel
        assert kernel.work_group_size is not None
        assert kernel.subgroup_size is not None
        size, subgroup = kernel.work_group_size, kernel.subgroup_size
        items = np.arange(size[0] * size[1])
        mine = items // subgroup == number if shared.members > 1 else np.ones(items.size, bool)
        given = zip(kernel.parameters, self.arguments, strict=True)
        values: dict[Value, RuntimeValue] = {p: runtime_value(kernel, p, a) for p, a in given}
        one = (0, 0, 0), (1, 1, 1)
        return _Member(
            kernel, self.handlers, subgroup, size, *one, True, FUEL, values, team=shared, place=number, mine=mine
        )

    def _play(self, member: _Member) -> None:
        member.baton.acquire()
        try:
            if member.team.failure is None:
                member.run(self.kernel.body.entry)
        except _Abandoned:
            pass
        except BaseException as error:
            member.team.failure = error
        member.ended = True
        member.team.back.release()


def _take_turns(shared: _Team, members: Sequence[_Member]) -> None:
    """One at a time, at random, until each waits at a barrier or is at the end."""
    while not all(m.ended for m in members):
        ready = [m for m in members if not m.ended and m.waits is None]
        if not ready:
            places = {m.waits for m in members}
            if len(places) > 1:
                raise Diverged("work-items wait at different barriers, or for one that is at its end")
            for member in members:
                member.waits = None
            continue
        chosen = shared.rnd.choice(ready)
        chosen.baton.release()
        shared.back.acquire()
        if shared.failure is not None:
            raise shared.failure


def _send_home(shared: _Team, members: Sequence[_Member], threads: Sequence[threading.Thread]) -> None:
    """Nobody stays behind when one has failed."""
    if not all(m.ended for m in members):
        shared.failure = shared.failure or _Abandoned()
        for member in members:
            member.baton.release()
    for thread in threads:
        thread.join()
