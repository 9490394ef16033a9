"""Names of values in a printed text: those that they have, made distinct, and numbers for the others."""

from __future__ import annotations

import re
from typing import Final

from tilewright.ir.core import Value

_LEGAL: Final = re.compile(r"[A-Za-z_$.-][A-Za-z0-9_$.-]*")


class Names:
    """Names that are visible. A name may serve again when the region that had it has ended."""

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._taken: dict[str, None] = {}
        self._order: list[Value] = []
        self._suffixes: dict[str, int] = {}
        self._number = 0

    def clear(self) -> None:
        """Forget everything: a new entry begins."""
        self._names.clear()
        self._taken.clear()
        self._order.clear()
        self._suffixes.clear()
        self._number = 0

    def enter(self) -> tuple[int, int]:
        """Begin a region; the answer is for `leave`."""
        return len(self._order), self._number

    def leave(self, mark: tuple[int, int]) -> None:
        """End a region: its names are free."""
        for value in self._order[mark[0] :]:
            del self._taken[self._names.pop(value)]
        del self._order[mark[0] :]
        self._number = mark[1]

    def define(self, value: Value) -> str:
        """The name of a value that is visible from here on."""
        name = value.name
        if name is None or not _LEGAL.fullmatch(name):
            text = f"%{self._number}"
            self._number += 1
        else:
            text = "%" + name
            while text in self._taken:
                self._suffixes[name] = self._suffixes.get(name, -1) + 1
                text = f"%{name}_{self._suffixes[name]}"
        self._names[value] = text
        self._taken[text] = None
        self._order.append(value)
        return text

    def of(self, value: Value) -> str:
        """The name of a visible value."""
        return self._names[value]
