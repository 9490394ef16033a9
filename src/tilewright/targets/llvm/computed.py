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

    __slots__ = ("_known",)

    def __init__(self) -> None:
        # in the order in which they were computed: what the innermost scope has added is last
        self._known: dict[str, Value] = {}

    def find(self, operation: str) -> Value | None:
        """The value of an instruction, if it has one here."""
        return self._known.get(operation)

    def add(self, operation: str, value: Value) -> None:
        """Remember a value that was not known to the end of the scope."""
        assert operation not in self._known, f"{operation} has been computed"
        self._known[operation] = value

    @contextmanager
    def scope(self) -> Generator[None]:
        """What is computed inside is known inside alone."""
        known = self._known
        outside = len(known)
        try:
            yield
        finally:
            while len(known) > outside:
                known.popitem()
