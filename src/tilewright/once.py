"""What a process has one of, whoever asks first.

`functools.cache` lets two threads that ask at the same time make one each, and forgets one of them: for code in memory
that is fatal, since its addresses outlive it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """A function that calls `make` at its first call and returns that result ever after; threads wait for the first."""
    made: list[T] = []
    mutex = threading.RLock()

    def get() -> T:
        if not made:
            with mutex:
                if not made:
                    made.append(make())
        return made[0]

    return get
