"""What threads have read before they arrived at a barrier that others wait at, before these let a copy overwrite it."""

from __future__ import annotations

import numpy as np

from .numbers import Array

_WARP = 32


class Readers:
    """Which reads each thread knows to be over: `turns` of a moment say how many barriers of its warp each has passed.

    One that has passed another one since it read has read when a thread of its warp arrives; who waits there learns it.
    """

    def __init__(self, threads: int) -> None:
        self._told: dict[int, Array] = {}
        self._known: dict[int, Array] = {}
        self._none = np.full(threads, -1)

    def tell(self, thread: int, word: int, turns: Array) -> None:
        """A thread arrives where others look, behind what its warp has read."""
        told = self._told.setdefault(word, self._none.copy())
        warp = slice(thread // _WARP * _WARP, (thread // _WARP + 1) * _WARP)
        told[warp] = turns[warp]

    def learn(self, thread: int, word: int) -> None:
        """A thread looks at a word behind all who have told there."""
        told = self._told.get(word)
        if told is not None:
            self._known[thread] = np.maximum(self.known(thread), told)

    def known(self, thread: int) -> Array:
        """Of each thread the turn before which it has read all it reads, for all that this one knows."""
        return self._known.get(thread, self._none)
