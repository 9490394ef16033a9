"""A context as what lives in it sees it, which needs no more of `driver` than that."""

from __future__ import annotations

from typing import Protocol


class Caller(Protocol):
    """A context."""

    def call(self, name: str, *arguments: object) -> None:
        """Call a driver function with this context current."""
        ...

    def free_memory(self) -> tuple[int, int]:
        """Bytes of the device that are free, and all of them."""
        ...
