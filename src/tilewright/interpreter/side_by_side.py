"""Running blocks of a cluster, or roles of a block, side by side: one goes on at a time, until it waits or is done.

Each has a thread of Python's, since handlers of operations call each other; a thread runs only while it is its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from random import Random
from threading import Semaphore, Thread
from typing import Generic, TypeVar

from msgspec import Struct, field

from tilewright.diagnostics.kernel_error import fail
from tilewright.ir.core import Operation

CODE = "R025"
BlockT = TypeVar("BlockT")


class _AbandonedError(BaseException):
    """The others have failed."""


class _Member(Struct, Generic[BlockT], eq=False):
    """A block, what it waits for if it waits, and whether it has come to its end."""

    block: BlockT
    may_go: Semaphore = field(default_factory=lambda: Semaphore(0))
    ready: Callable[[], bool] | None = None
    at: Operation | None = None
    lacks: Callable[[], str] | None = None
    is_done: bool = False


class Cluster(Generic[BlockT]):
    """Blocks by their ranks. With an `order` any that can goes on, also where it need not wait, else the first.

    `noun` is what messages call one of them. Where one of those `around` runs these, it waits when all of these do.
    """

    def __init__(
        self,
        blocks: Sequence[BlockT],
        order: Random | None = None,
        noun: str = "block",
        around: Cluster[BlockT] | None = None,
    ) -> None:
        self._members = [_Member(block) for block in blocks]
        self._noun = noun
        self._around = around
        self._order = order
        self._changed = Semaphore(0)
        self._error: BaseException | None = None
        self._running = 0
        self._met, self._meetings = dict[int, int](), dict[int, int]()

    def run(self, body: Callable[[BlockT], None]) -> None:
        """Run all blocks to their ends. Raises what one of them raises, KernelError (R025) if all wait."""
        threads: list[Thread] = []
        for member in self._members:
            context = copy_context()
            threads.append(Thread(target=context.run, args=(self._run, member, body), daemon=True))
        for thread in threads:
            thread.start()
        try:
            while self._error is None and not all(member.is_done for member in self._members):
                self._go_on()
        except BaseException as error:
            self._error = self._error or error
        for member, thread in zip(self._members, threads, strict=True):
            # whoever is not done finds the error
            member.may_go.release()
            thread.join()
        if self._error is not None:
            raise self._error

    def block(self, rank: int, op: Operation) -> BlockT:
        """A block that is there, whose memory an operation accesses."""
        if self._members[rank].is_done:
            fail(CODE, op.location, f"{op.name} accesses the memory of block {rank} of the cluster, which has ended")
        return self._members[rank].block

    def wait(self, op: Operation, ready: Callable[[], bool], lacks: Callable[[], str]) -> None:
        """Let the block that runs wait until it is `ready`; `lacks` says for what."""
        if self._order is None and ready():
            return
        member = self._members[self._running]
        member.ready, member.at, member.lacks = ready, op, lacks
        self._pause(member)

    def __len__(self) -> int:
        return len(self._members)

    def meet(self, op: Operation, count: int | None = None, among: Cluster[BlockT] | None = None) -> None:
        """Wait until all blocks do, or so many, of which each waits for as many; those `among` others go on meanwhile
        that run in one of these."""
        count = count or len(self._members)
        met, number = self._met.get(count, 0) + 1, self._meetings.get(count, 0)
        self._met[count] = met % count
        self._meetings[count] = number + (met == count)
        (among or self).wait(
            op,
            lambda: self._meetings[count] > number,
            lambda: f"{count - self._met[count]} {self._noun}s are missing",
        )

    def _pause(self, member: _Member[BlockT]) -> None:
        self._changed.release()
        member.may_go.acquire()
        if self._error is not None:
            raise _AbandonedError
        member.ready = None

    def _go_on(self) -> None:
        """Let one go on that can."""
        members = self._members
        if self._around is not None and (self._order is not None or not self._able()):
            at = next(each.at for each in members if not each.is_done)
            if at is not None:
                self._around.wait(at, lambda: bool(self._able()), self._lacks)
        able = self._able()
        if not able:
            self._stuck()
        self._running = able[0] if self._order is None else self._order.choice(able)
        members[self._running].may_go.release()
        self._changed.acquire()

    def _able(self) -> list[int]:
        """Those that can go on."""
        return [
            rank for rank, each in enumerate(self._members) if not each.is_done and (each.ready is None or each.ready())
        ]

    def _lacks(self) -> str:
        """What those lack that wait."""
        said = [
            f"{self._noun} {rank} at {each.at.name}: {each.lacks()}"
            for rank, each in enumerate(self._members)
            if not each.is_done and each.at is not None and each.lacks is not None
        ]
        return "; ".join(said)

    def _stuck(self) -> None:
        first = next(each.at for each in self._members if not each.is_done)
        assert first is not None
        fail(CODE, first.location, f"all {self._noun}s wait without end: {self._lacks()}")

    def _run(self, member: _Member[BlockT], body: Callable[[BlockT], None]) -> None:
        member.may_go.acquire()
        try:
            if self._error is None:
                body(member.block)
        except _AbandonedError:
            pass
        except BaseException as error:
            self._error = self._error or error
        member.is_done = True
        self._changed.release()
