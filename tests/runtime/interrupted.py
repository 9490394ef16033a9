"""What the child processes of `test_interruption` run: long launches, long texts, and a signal in their middle."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np

from runtime.hand_written import SIGNATURE
from tilewright.artifacts.artifact import Artifact, KernelInfo, MemrefParameter, ScalarParameter
from tilewright.machine.native import compile_text
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.launch import BoundKernel, bind_artifact
from tilewright.runtime.pool import Pool

SECONDS = 15
TOTAL = 20_000
SPINS = 5_000_000

# done[i] = 1 after counting to `spins`, or when after[1] is set, for each work-group or each part of the only one; the
# latter then sets after[0].
SLOW = f"""
define void @slow(ptr %slots, i64 %begin, i64 %end) {{
entry:
  %done = load ptr, ptr %slots
  %spins.p = getelementptr i8, ptr %slots, i64 32
  %spins = load i64, ptr %spins.p
  %after.p = getelementptr i8, ptr %slots, i64 16
  %after = load ptr, ptr %after.p
  %hurry.p = getelementptr i64, ptr %after, i64 1
  br label %groups
groups:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %set ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %spin, label %leave
spin:
  %n = phi i64 [ 0, %groups ], [ %n.next, %spin ]
  %hurry = load volatile i64, ptr %hurry.p
  %n.next = add i64 %n, 1
  %short = icmp slt i64 %n.next, %spins
  %wanted = icmp eq i64 %hurry, 0
  %again = and i1 %short, %wanted
  br i1 %again, label %spin, label %set
set:
  %p = getelementptr i64, ptr %done, i64 %i
  store i64 1, ptr %p
  %i.next = add i64 %i, 1
  br label %groups
leave:
  ret void
}}
define void @groups{SIGNATURE} {{
  call void @slow(ptr %slots, i64 %begin, i64 %end)
  ret void
}}
define void @part(ptr %slots, i64 %begin, i64 %end, ptr %scratch, i64 %thread) {{
  call void @slow(ptr %slots, i64 %begin, i64 %end)
  ret void
}}
define void @shared{SIGNATURE} {{
entry:
  %after.p = getelementptr i8, ptr %slots, i64 16
  %after = load ptr, ptr %after.p
  %count.p = getelementptr i8, ptr %slots, i64 8
  %count = load i64, ptr %count.p
  %alone = icmp eq ptr %team, null
  br i1 %alone, label %serial, label %parallel
serial:
  call void @slow(ptr %slots, i64 0, i64 %count)
  br label %last
parallel:
  %fn = load ptr, ptr %team
  %interrupted = call i32 %fn(ptr %team, ptr @part, ptr %slots, i64 %count)
  %fine = icmp eq i32 %interrupted, 0
  br i1 %fine, label %last, label %leave
last:
  store i64 1, ptr %after
  br label %leave
leave:
  ret void
}}
"""


def _words(name: str) -> MemrefParameter:
    return MemrefParameter(name, "i64", (None,), (1,))


class Launches:
    """Launches on a pool that take minutes, unless they are told to end soon, and short ones."""

    def __init__(self, threads: int, pool: Pool | None = None) -> None:
        parameters = (_words("done"), _words("after"), ScalarParameter("spins", "i64"))
        infos = tuple(KernelInfo(name, name, parameters) for name in ("groups", "shared"))
        self.pool = pool or Pool(threads)
        self.total = TOTAL
        self.spins = SPINS
        self.done = np.zeros(TOTAL, np.int64)
        self.after = np.zeros(2, np.int64)
        self._kernels: dict[str, BoundKernel] = bind_artifact(
            Artifact("cpu", infos, compile_text(SLOW)), pool=self.pool
        )
        self.few()

    def groups(self) -> None:
        """Many work-groups."""
        self._kernels["groups"].launch(self.total, (self.done, self.after, self.spins))

    def shared(self) -> None:
        """One, whose parts the team shares."""
        self._kernels["shared"].launch(1, (self.done, self.after, self.spins))

    def hurry(self) -> None:
        """Launches do the rest at once."""
        self.after[1] = 1

    def warmed(self) -> Callable[..., None]:
        """The first kernel after enough calls for the next to be direct."""
        call = self._kernels["groups"].prepare(self.total)
        for _ in range(3):
            call(self.done, self.after, 0)
        return call

    def few(self) -> None:
        """Both kernels do all their work when they are left alone."""
        for name, total in (("groups", 1000), ("shared", 1)):
            done, after = np.zeros(1000, np.int64), np.zeros(2, np.int64)
            self._kernels[name].launch(total, (done, after, 10))
            assert done.all(), name
            assert bool(after[0]) == (name == "shared")


@contextmanager
def signalled(begun: AnyArray, after: float = 0.02) -> Generator[None]:
    """Send this process SIGINT once, so many seconds after something shows in the array."""

    def send() -> None:
        while not begun.any():
            time.sleep(0.001)
        time.sleep(after)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        yield
    finally:
        sender.join()


def interrupted(launch: Callable[[], object], done: AnyArray) -> None:
    """Interrupt a launch once `done` shows that it has begun: it must end soon, before its end, and nobody go on."""
    began = time.perf_counter()
    with signalled(done):
        try:
            launch()
        except KeyboardInterrupt:
            found = done.copy()
        else:
            raise AssertionError("it ran to its end")
    assert time.perf_counter() - began < SECONDS
    assert 0 < np.count_nonzero(found) < found.size
    time.sleep(0.1)  # fifty work-groups or parts
    assert np.array_equal(found, done), "somebody went on"


def long_text(length: int) -> str:
    """LLVM IR that code generation takes about half a millisecond for by unit of length."""
    lines: list[str] = []
    for k in range(length):
        lines += [f"  %a{k} = load volatile float, ptr %p", f"  %b{k} = call float @llvm.sin.f32(float %a{k})"]
        lines += [f"  %c{k} = fmul float %b{k}, %b{max(k - 7, 0)}", f"  store volatile float %c{k}, ptr %p"]
    body = "\n".join(lines)
    return f"declare float @llvm.sin.f32(float)\ndefine void @long(ptr %p) {{\n{body}\n  ret void\n}}\n"
