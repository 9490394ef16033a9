"""Names of values: visible in nested regions, unique along the chain of enclosing ones."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from msgspec import Struct, field

from tilewright.diagnostics import Diagnostic, Location
from tilewright.ir.core import Value

_SHAPE: Final = re.compile(r"(.+?)((?:x[0-9]*)+)")


def canonical(name: str) -> str:
    """The name as a key: unnamed identifiers are numbers, so `%07` is `%7`."""
    if name[1] == "0" and name[1:].isdigit():
        return "%" + (name[1:].lstrip("0") or "0")
    return name


class Names(Struct):
    """The values of one function by name (with `%`).

    `ended` holds values of regions that are over, `broken` names whose definition could not be read and that are
    therefore not reported when used, `undefined` what was reported, to say later where the definition follows.
    """

    visible: dict[str, Value] = field(default_factory=dict[str, Value])
    ended: dict[str, Value] = field(default_factory=dict[str, Value])
    broken: set[str] = field(default_factory=set[str])
    undefined: dict[str, Diagnostic] = field(default_factory=dict[str, Diagnostic])

    def define(self, name: str, value: Value, location: Location) -> Value | None:
        """Give `value` a name; the value in its way if the name is taken."""
        taken = self.visible.get(name)
        if taken is not None:
            return taken
        value.name = name[1:]
        self.visible[name] = value
        if self.undefined:
            earlier = self.undefined.pop(name, None)
            if earlier is not None:
                earlier.label(location, "defined here, after the use")
        return None

    def end(self, names: list[str]) -> None:
        """Forget the names of a region that is over."""
        for name in names:
            self.ended[name] = self.visible.pop(name)


def with_blank(name: str, visible: Container[str]) -> str | None:
    """`$m x4` for `$mx4` if there is `$m`: names swallow what is written right behind them in a shape."""
    found = _SHAPE.fullmatch(name)
    return None if found is None or found[1] not in visible else f"{found[1]} {found[2]}"
