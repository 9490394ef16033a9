"""The cost model: what schedule suits an NVIDIA GPU, by figures that can be read."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

_HELD: Final = 8
"""Elements that a thread should hold: two accesses of 16 bytes in flight hide the distance of memory."""

_LEAST: Final = 128
"""Threads of a block at least: with fewer, blocks do not fill a multiprocessor."""

_MOST_THREADS: Final = 512
"""Threads of a block with more than that wait for each other too long; only what does not fit takes more."""

_MOST_HELD: Final = 32
"""Elements of a tile that a thread may hold: with a few tiles at once it has 255 registers at most."""


class NvidiaSchedulePolicy(Struct, frozen=True):
    """As many threads as the elements of a tile keep busy."""

    def threads(self, elements: int) -> int:
        """A power of two from 128 to 1024."""
        threads = _LEAST
        while threads < _MOST_THREADS and threads * _HELD < elements:
            threads *= 2
        return 1024 if threads * _MOST_HELD < elements else threads
