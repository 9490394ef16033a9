"""Modules whose functions are translated when they are first asked for."""

from __future__ import annotations

from typing import Final

import numpy as np

from .frame import Code, cut
from .instructions import translate
from .memory import READABLE, WRITABLE, Memory
from .numbers import Array
from .text import parse

_SHARED_SPACE: Final = 3


class Program:
    """A module, its functions translated when first asked for."""

    def __init__(self, text: str) -> None:
        self._module = parse(text)
        self._codes: dict[str, Code] = {}

    def code(self, name: str) -> Code:
        """A function."""
        if name not in self._codes:
            self._codes[name] = cut(self._module.functions[name], translate)
        return self._codes[name]

    def placed(self, memory: Memory) -> dict[str, Array]:
        """Put the globals into memory; their addresses, each in its own space."""
        addresses: dict[str, Array] = {}
        for name, found in self._module.globals.items():
            if found.space == _SHARED_SPACE:
                addresses[name] = np.zeros(1, np.int64)
                continue
            rights = READABLE if found.constant else READABLE | WRITABLE
            place = memory.allocate(len(found.contents), rights)
            place.write(found.contents)
            addresses[name] = np.array([place.address])
        return addresses
