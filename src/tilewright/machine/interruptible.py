"""Long calls of libraries that do not look at signals: made by another thread, so that Ctrl-C ends the wait for them.

A call that nobody waits for any more goes on, and the interpreter does not end before it: LLVM, still at work while
`exit` takes its global objects away, crashes. Ctrl-C once more ends the process at once.
"""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from tilewright.once import once

if TYPE_CHECKING:
    from collections.abc import Generator

T = TypeVar("T")

_NAME: Final = "tilewright-compile"
_PATIENCE: Final = 0.5
_STILL_AT_WORK: Final = "tilewright: LLVM is still at work on what was interrupted; Ctrl-C ends it at once"

# LLVM recurses; what other threads are given is less than the main thread has, on some systems far less
_STACK_BYTES: Final = 16 << 20
_stack_size_lock: Final = threading.Lock()


class _Call(Generic[T]):
    """A call that another thread makes."""

    __slots__ = ("_done", "_error", "_result", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._done = threading.Event()
        self._result: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result.append(self._work())
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def wait(self) -> T:
        self._done.wait()
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                # the error's traceback holds this frame
                del error
        return self._result[0]


def interruptibly(work: Callable[[], T]) -> T:
    """What `work` returns or raises. On the main thread, signal handlers run meanwhile.

    If one raises, as Python's own does on Ctrl-C, so does this at once. `work` then goes on in a thread of its own to
    its end, and its result is dropped; what it shares with others it must use under locks. On other threads, where
    Python runs no handlers, `work` is simply called.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    _wait_at_exit()
    call = _Call(work)
    try:
        with _large_stacks():
            threading.Thread(target=call.run, name=_NAME, daemon=True).start()
    except RuntimeError:
        # the system gives no more threads, or the interpreter is about to end
        return work()
    return call.wait()


@contextmanager
def _large_stacks() -> Generator[None]:
    with _stack_size_lock:
        before = threading.stack_size(_STACK_BYTES)
        try:
            yield
        finally:
            threading.stack_size(before)


@once
def _wait_at_exit() -> None:
    atexit.register(_let_calls_end)


def _let_calls_end() -> None:
    left = [thread for thread in threading.enumerate() if thread.name == _NAME]
    try:
        for thread in left:
            thread.join(_PATIENCE)
            if thread.is_alive() and getattr(sys, "stderr", None) is not None:
                print(_STILL_AT_WORK, file=sys.stderr)
            thread.join()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
