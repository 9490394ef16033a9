"""Which values are visible: a name is, from its definition to the end of the region that has it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tilewright.ir.core import Value

_NAMES: Final = re.compile(r"%[A-Za-z0-9_$.-]+")
_LONGEST: Final = 1024


class Scopes:
    """`visible` by name; `broken` names are of operations that could not be read, `hidden` ones of regions."""

    def __init__(self) -> None:
        self.visible: dict[str, Value] = {}
        self.broken: dict[str, None] = {}
        self.hidden: dict[str, Value] = {}
        self.lost = 0
        self._defined: list[tuple[str, Value | None]] = []

    def enter(self) -> int:
        """Begin a region; the answer is for `leave`."""
        return len(self._defined)

    def leave(self, mark: int) -> None:
        """End a region: what it defined is visible no more."""
        for name, outer in reversed(self._defined[mark:]):
            value = self.visible.pop(name, None)
            if value is not None:
                self.hidden[name] = value
            if outer is not None:
                self.visible[name] = outer
                self.broken.pop(name, None)
        del self._defined[mark:]

    def isolate(self) -> dict[str, Value]:
        """Hide everything; the answer is for `restore`."""
        outer, self.visible = self.visible, {}
        return outer

    def restore(self, outer: dict[str, Value]) -> None:
        """Undo `isolate`."""
        self.visible = outer

    def clear(self) -> None:
        """Forget what is visible: nothing of it can be trusted."""
        self.visible.clear()
        self._defined.clear()

    def define(self, name: str, value: Value) -> Value | None:
        """Make a value visible. The value that had the name, if there is one: then neither is visible, since nobody
        knows which one a use means."""
        before = self.visible.pop(name, None)
        self._defined.append((name, before))
        if before is not None:
            self.broken[name] = None
            return before
        self.visible[name] = value
        self.broken.pop(name, None)
        return None

    def poison(self, names: Iterable[str]) -> None:
        """Remember names whose operation is broken, so that their uses are not reported."""
        self.broken.update(dict.fromkeys(names))

    def poison_line(self, text: str, start: int) -> None:
        """As `poison`, for an operation in front of which no names could be read: one that is not defined later on may
        be its result. `lost` counts such operations."""
        end = text.find("\n", start)
        head, equals, _ = text[start : end if end >= 0 else len(text)].partition("=")
        if equals:
            self.lost += 1
            self.poison(name for name in _NAMES.findall(head[:_LONGEST]) if name not in self.visible)

    def poison_all(self, text: str) -> None:
        """Remember every name in a text that could not be read."""
        self.poison(_NAMES.findall(text))
