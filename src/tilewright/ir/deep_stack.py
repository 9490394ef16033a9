"""Room on Python's stack for passes and code generation, which descend into regions by recursion.

Python allows a thousand frames unless somebody says otherwise. Regions within the limits of the languages take more: at
most eight frames a level, and the caller's own come on top. The limit is that of the whole interpreter, so it is
raised while somebody needs it and set back when the last one is done.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Final

FRAMES: Final = 256 * 8 + 1000
"""What the deepest region that is read takes, and what is called from there."""


class _Room:
    """Who needs more frames than the limit allows, and what the limit was before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._before = 0

    def enter(self) -> None:
        """Raise the limit for a caller."""
        with self._lock:
            if not self._users:
                self._before = sys.getrecursionlimit()
            self._users += 1
            sys.setrecursionlimit(max(sys.getrecursionlimit(), _depth() + FRAMES))

    def leave(self) -> None:
        """Set it back if nobody else needs it."""
        with self._lock:
            self._users -= 1
            if not self._users:
                sys.setrecursionlimit(self._before)


_ROOM: Final = _Room()


@contextmanager
def deep_stack() -> Generator[None]:
    """For as long as this lasts, regions as deep as any that are read can be descended into, on any thread."""
    _ROOM.enter()
    try:
        yield
    finally:
        _ROOM.leave()


def _depth() -> int:
    """Frames on the stack of this thread."""
    frame, count = inspect.currentframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count
