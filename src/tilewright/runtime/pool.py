"""A persistent pool of threads that starts a job in about a microsecond.

Python threads donate themselves: each calls a function of `pool_ir` through ctypes, which drops the GIL for good, and
there waits for jobs, spinning first and sleeping in the kernel after a while. A launch is one call from Python.

Several Python threads may launch at once: one has the pool, the others run their kernels alone. A forked child starts
workers of its own on its first launch. Workers leave when the pool is closed or the interpreter exits.

A launch from the main thread lets signal handlers run every now and then, as Python's own long calls do, and ends with
the exception of a handler that raises (KeyboardInterrupt, mostly); by then no thread works on it any more.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator
from functools import partial
from typing import Final

from msgspec import Struct

from tilewright.machine.native import LoadedObject, load_object
from tilewright.machine.own_code import own_code
from tilewright.machine.pages import private_pages
from tilewright.once import once
from tilewright.runtime import pool_layout
from tilewright.runtime.pool_ir import pool_text
from tilewright.runtime.pool_pieces_ir import PYTHON_IMPORTS
from tilewright.runtime.threads import available_processors, default_thread_count
from tilewright.settings.settings import MAX_THREADS

__all__ = ["Pool", "default_pool"]

_SPINS: Final = 10_000
_SPINS_OVERSUBSCRIBED: Final = 50
_PAGE: Final = 4096
_HUGE_PAGE: Final = 1 << 21
_JOIN_SECONDS: Final = 5.0

_EXPORTS: Final = ("tw_worker", "tw_launch", "tw_launch_alone", "tw_parallel_for", "tw_lock", "tw_unlock", "tw_leave")


class _Code(Struct, frozen=True):
    """The pool's functions as ctypes callables, with what keeps them in memory."""

    loaded: LoadedObject
    worker: Callable[[int, int], None]
    launch: Callable[[int, int], int]
    launch_alone: Callable[[int, int], int]
    parallel_for: Callable[[int, int, int, int], int]
    lock: Callable[[int], int]
    unlock: Callable[[int], None]
    leave: Callable[[int], None]


@once
def _code() -> _Code:
    loaded = load_object(own_code(pool_text()), _EXPORTS, symbols=_symbols())
    word, size = ctypes.c_void_p, ctypes.c_int64
    # called with the GIL, which they let go of themselves; a pending exception is raised when they return
    launch = ctypes.PYFUNCTYPE(ctypes.c_int32, word, word)
    return _Code(
        loaded,
        ctypes.CFUNCTYPE(None, word, size)(loaded.address("tw_worker")),
        launch(loaded.address("tw_launch")),
        launch(loaded.address("tw_launch_alone")),
        ctypes.CFUNCTYPE(ctypes.c_int32, word, word, word, size)(loaded.address("tw_parallel_for")),
        ctypes.CFUNCTYPE(ctypes.c_int32, word)(loaded.address("tw_lock")),
        ctypes.CFUNCTYPE(None, word)(loaded.address("tw_unlock")),
        ctypes.CFUNCTYPE(None, word)(loaded.address("tw_leave")),
    )


def _symbols() -> dict[str, int]:
    """What the pool's code calls, by name: of the system, and of Python."""
    system = ctypes.CDLL(None)
    wait = "syscall" if pool_layout.uses_futex() else "usleep"
    found = {name: getattr(system, name) for name in (wait, "clock_gettime")}
    found |= {name: getattr(ctypes.pythonapi, name) for name in PYTHON_IMPORTS}
    return {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in found.items()}


class _Memory:
    """Zeroed pages, aligned to a page, committed by whoever touches them first.

    Much memory is of huge pages where the system has such: packed factors are read faster than small pages are found.
    """

    def __init__(self, size: int) -> None:
        huge = size >= _HUGE_PAGE and sys.platform == "linux"
        self._pages = _huge_pages(size) if huge else private_pages(size)
        self._view = ctypes.c_char.from_buffer(self._pages)
        self.address = ctypes.addressof(self._view)
        if huge:
            self.address += -self.address % _HUGE_PAGE

    def word(self, offset: int) -> ctypes.c_int64:
        """The 64-bit word at an offset."""
        return ctypes.c_int64.from_address(self.address + offset)


def _huge_pages(size: int) -> mmap.mmap:
    """So many bytes from the first multiple of a huge page on."""
    pages = private_pages(size + _HUGE_PAGE)
    with contextlib.suppress(OSError):
        pages.madvise(mmap.MADV_HUGEPAGE)
    return pages


class _Crew:
    """One control block with its workers; a pool replaces it when it is resized or forked."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.workers: list[threading.Thread] = []
        self.scratch: list[_Memory] = []
        self.control = _Memory(pool_layout.control_size(threads))
        control, address = self.control, self.control.address
        control.word(pool_layout.THREADS).value = threads
        control.word(pool_layout.SCRATCH_BYTES).value = -1
        crowded = threads > available_processors()
        control.word(pool_layout.SPINS).value = _SPINS_OVERSUBSCRIBED if crowded else _SPINS
        control.word(pool_layout.TEAM).value = _code().loaded.address("tw_parallel_for")
        control.word(pool_layout.TEAM_THREADS).value = threads
        control.word(pool_layout.TEAM_CONTROL).value = address

    def prepare(self, scratch_bytes: int) -> None:
        """Start the workers if there are none yet and give every thread its scratch. The crew's lock must be held."""
        current = self.control.word(pool_layout.SCRATCH_BYTES)
        if scratch_bytes > current.value:
            size = -(-max(scratch_bytes, _PAGE) // _PAGE) * _PAGE
            # Ctrl-C may come between any two lines: what the control block points to must be alive all the time
            made = [_Memory(size) for _ in range(self.threads + 1)]
            self.scratch += made
            for index, memory in enumerate(made):
                line = pool_layout.LINES + index * pool_layout.LINE
                self.control.word(line + pool_layout.LINE_SCRATCH).value = memory.address
            current.value = size
            self.scratch = made
        while len(self.workers) < self.threads - 1:
            self._start_worker(len(self.workers) + 1)

    def _start_worker(self, index: int) -> None:
        # the target must not refer to the crew, or an abandoned pool would never be collected
        target = partial(_code().worker, self.control.address, index)
        worker = threading.Thread(target=target, name=f"tilewright-{index}", daemon=True)
        # before it starts: after Ctrl-C in the middle of that, a second worker of this number would share its scratch
        self.workers.append(worker)
        try:
            worker.start()
        except RuntimeError:
            self.workers.remove(worker)
            raise

    def dismiss(self) -> None:
        """Send the workers home and wait for them."""
        _code().leave(self.control.address)
        for worker in self.workers:
            if worker.ident is not None:
                worker.join(_JOIN_SECONDS)
        self.workers.clear()


class Pool:
    """Threads for kernels. `threads` counts the launching thread: a pool of one has no workers."""

    def __init__(self, threads: int | None = None) -> None:
        self._mutex = threading.RLock()
        self._retired: list[_Crew] = []
        # where callers that are not Python find the address to pass to `entry`
        self._current = ctypes.c_int64(0)
        self.place: Final = ctypes.addressof(self._current)
        self.entry: Final = _code().loaded.address("tw_launch")
        self._install(_Crew(_checked(default_thread_count() if threads is None else threads)))
        self.call: Final = _code().launch
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=partial(_after_fork, weakref.ref(self)))

    def _install(self, crew: _Crew) -> None:
        self._crew = crew
        # `address` is what a launch passes to `call`: read anew each time, since it changes with the crew
        self.address = self._current.value = crew.control.address
        self._finalizer = weakref.finalize(self, crew.dismiss)

    @property
    def threads(self) -> int:
        """How many threads take part in a job."""
        return self._crew.threads

    def launch(self, frame: int) -> None:
        """Run the kernel described by a launch frame (see `launch_frame`), on all threads if there is work for them."""
        status = self.call(self.address, frame)
        if status:
            self.resolve(status, frame)

    def resolve(self, status: int, frame: int) -> None:
        """Finish a launch that the fast path could not do: prepare the pool for it, or run it on this thread alone."""
        local_bytes = ctypes.c_int64.from_address(frame + pool_layout.FRAME_LOCAL_BYTES).value
        while status == pool_layout.PREPARE_STATUS:
            self._prepare(local_bytes)
            status = self.call(self.address, frame)
        if status == pool_layout.BUSY_STATUS:
            scratch = _Memory(local_bytes)
            _code().launch_alone(frame, scratch.address)

    def run(self, function: int, context: int, total: int, scratch_bytes: int = 0) -> None:
        """Call `void(ptr context, i64 begin, i64 end, ptr scratch, i64 thread)` on a partition of `[0, total)`."""
        with self._mutex, self._locked() as crew:
            crew.prepare(scratch_bytes)
            _code().parallel_for(crew.control.address + pool_layout.TEAM, function, context, total)

    def _prepare(self, scratch_bytes: int) -> None:
        with self._mutex, self._locked() as crew:
            crew.prepare(scratch_bytes)

    @contextlib.contextmanager
    def _locked(self) -> Generator[_Crew]:
        crew = self._crew
        _acquire(crew)
        try:
            yield crew
        finally:
            _code().unlock(crew.control.address)

    def resize(self, threads: int) -> None:
        """Change the number of threads; waits for running launches."""
        count = _checked(threads)
        with self._mutex:
            if count != self.threads:
                self._replace(_Crew(count))

    def close(self) -> None:
        """Let the workers go. Launches still work afterwards, on the calling thread alone."""
        self.resize(1)

    def _replace(self, crew: _Crew) -> None:
        # The old lock is never released and the old block never freed: a launch that read the old address a moment
        # ago finds the crew busy and runs alone.
        old = self._crew
        _acquire(old)
        self._finalizer.detach()
        self._retired.append(old)
        self._install(crew)
        old.dismiss()

    def after_fork(self) -> None:
        """In a forked child: the workers were left behind, and so was whoever held a lock."""
        self._mutex = threading.RLock()
        self._finalizer.detach()
        self._retired.append(self._crew)
        self._install(_Crew(self._crew.threads))


def _after_fork(reference: weakref.ref[Pool]) -> None:
    pool = reference()
    if pool is not None:
        pool.after_fork()


def _acquire(crew: _Crew) -> None:
    while _code().lock(crew.control.address):
        if crew.control.word(pool_layout.WATCH).value == _own_state():
            raise RuntimeError("a signal handler cannot change the thread pool in the middle of a launch on it")
        time.sleep(1e-4)


_thread_state = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))


def _own_state() -> int:
    """Address of Python's state of this thread, by which a launch under way knows its thread."""
    return _thread_state() or 0


def _checked(threads: int) -> int:
    if not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"a pool has 1 to {MAX_THREADS} threads, not {threads}")
    return threads


@once
def default_pool() -> Pool:
    """The pool that launches use unless they are given another: one a process, sized by the settings at first use."""
    return Pool()
