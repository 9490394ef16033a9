"""What has been computed on every way to where code is emitted."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.targets.llvm.values import Value


class Computed:
    """Values by the instruction that computes them, of the blocks that dominate the current one.

    Structured forms open a scope where they begin a block that later ones need not have come through: what is found in
    it is forgotten where it ends. What is emitted in the order of dominance needs no other bookkeeping.
    """

    __slots__ = ("_scopes",)

    def __init__(self) -> None:
        self._scopes: list[dict[str, Value]] = [{}]

    def find(self, operation: str) -> Value | None:
        """The value of an instruction, if it has one here."""
        for scope in reversed(self._scopes):
            if (found := scope.get(operation)) is not None:
                return found
        return None

    def add(self, operation: str, value: Value) -> None:
        """Remember a value to the end of the scope."""
        self._scopes[-1][operation] = value

    @contextmanager
    def scope(self) -> Generator[None]:
        """What is computed inside is known inside alone."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()
