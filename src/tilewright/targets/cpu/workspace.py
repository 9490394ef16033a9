"""Memory of a thread beside the work-group's local memory: buffers of tiles too large for the stack, packed factors."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_ALIGNMENT: Final = 128


class Workspace:
    """Layout of a kernel's workspace; offsets count from a thread's scratch memory.

    The layout is one for all functions of a kernel: outlined parts of it (`outlining`) use the offsets of their own in
    the scratch of whichever thread runs them, the kernel's own thread included.
    """

    __slots__ = ("_depth", "_size", "_spare", "_taken")

    def __init__(self, local_bytes: int) -> None:
        self._size = local_bytes
        self._spare: list[tuple[int, int]] = []
        self._taken: list[tuple[int, int]] = []
        self._depth = 0

    @property
    def size(self) -> int:
        """Bytes of scratch memory that a thread needs, local memory included."""
        return self._size

    def reserve(self, size: int) -> int:
        """The offset of that many bytes, aligned for any vector."""
        offset = -(-self._size // _ALIGNMENT) * _ALIGNMENT
        self._size = offset + size
        return offset

    @contextmanager
    def passing(self) -> Generator[None]:
        """What is borrowed inside is free for others to borrow behind it; not to reserve, which may be for longer.

        Inside of another one it ends with that.
        """
        self._depth += 1
        yield
        self._depth -= 1
        if not self._depth:
            self._spare += self._taken
            self._taken.clear()

    def borrow(self, size: int) -> int:
        """As `reserve`, for what is needed only inside of `passing`."""
        fitting = [held for held in self._spare if size <= held[1]]
        if fitting:
            held = min(fitting, key=lambda held: held[1])
            self._spare.remove(held)
        else:
            held = (self.reserve(size), size)
        self._taken.append(held)
        return held[0]
