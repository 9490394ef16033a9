"""What belongs to each operation: handlers of an interpreter, lowerings of a target."""

from __future__ import annotations

from typing import Generic, TypeVar

from tilewright.ir.core import Operation

_Entry = TypeVar("_Entry")


class OperationTable(dict[type[Operation], _Entry], Generic[_Entry]):
    """Entries by operation, family or interface; an operation without one has that of what it derives from."""

    def find(self, cls: type[Operation]) -> _Entry | None:
        """The entry of an operation, None if there is none."""
        return next((self[base] for base in cls.__mro__ if base in self and issubclass(base, Operation)), None)

    def __missing__(self, cls: type[Operation]) -> _Entry:
        found = self.find(cls)
        if found is None:
            raise KeyError(cls.name)
        return self.setdefault(cls, found)
