"""Object code in this process, whoever linked it."""

from __future__ import annotations

from collections.abc import Mapping


class LinkError(RuntimeError):
    """Object code that cannot be loaded: a symbol is missing, or the bytes are no object."""


class LoadedObject:
    """Object code in this process; its addresses are valid as long as this object lives.

    `keeper` is what holds the memory.
    """

    def __init__(self, keeper: object, addresses: Mapping[str, int]) -> None:
        self._keeper = keeper
        self._addresses = addresses

    def address(self, symbol: str) -> int:
        """Where an exported symbol lies."""
        return self._addresses[symbol]
