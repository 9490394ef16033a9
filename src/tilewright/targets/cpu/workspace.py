"""Memory of a thread beside the work-group's local memory: buffers of tiles too large for the stack, packed factors."""

from __future__ import annotations

from typing import Final

_ALIGNMENT: Final = 128


class Workspace:
    """Layout of a kernel's workspace; offsets count from a thread's scratch memory.

    The layout is one for all functions of a kernel: parts of it that run elsewhere (`outline`) use the offsets of their
    own in the scratch of whichever thread runs them, the kernel's own thread included.
    """

    __slots__ = ("_size",)

    def __init__(self, local_bytes: int) -> None:
        self._size = local_bytes

    @property
    def size(self) -> int:
        """Bytes of scratch memory that a thread needs, local memory included."""
        return self._size

    def reserve(self, size: int) -> int:
        """The offset of that many bytes, aligned for any vector."""
        offset = -(-self._size // _ALIGNMENT) * _ALIGNMENT
        self._size = offset + size
        return offset
