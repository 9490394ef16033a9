"""Bounds on what a file stands for: short records may refer to long strings, constants and signatures many times."""

from __future__ import annotations

from typing import Final

from tilewright.frontends.tile_ir.bytecode.cursor import Cursor
from tilewright.ir.mlir.limits import Limits

_EXPANSION: Final = 16
"""How many times the largest file everything may be that is referred to, counted at each reference."""


class Budget:
    """What may still come in this file."""

    def __init__(self, limits: Limits) -> None:
        self._operations = limits.operations
        self._bytes = _EXPANSION * limits.source_bytes
        self._limits = limits

    def operations(self, cursor: Cursor, count: int = 1) -> None:
        """More operations, globals, entries or parameters."""
        self._operations -= count
        if self._operations < 0:
            cursor.fail("B11", f"more than {self._limits.operations:,} operations and parameters")

    def bytes(self, cursor: Cursor, count: int) -> None:
        """A reference to so many bytes."""
        self._bytes -= count
        if self._bytes < 0:
            total = _EXPANSION * self._limits.source_bytes
            cursor.fail("B11", f"all strings and constants, counted at each use, have more than {total:,} bytes")
