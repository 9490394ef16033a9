"""Codes under which the readers of Tile IR report what is wrong with a text."""

from __future__ import annotations

from typing import Final

from tilewright.ir.mlir.cursor import Codes

SYNTAX: Final = "C1"
WORDS: Final = "C2"
LIMIT: Final = "C3"
NUMBER: Final = "C4"
CODES: Final = Codes(syntax=SYNTAX, words=WORDS, limit=LIMIT, number=NUMBER)
