"""Codes under which the reader of generic MLIR reports what is wrong with a text."""

from __future__ import annotations

from typing import Final

from tilewright.ir.mlir.cursor import Codes

SYNTAX: Final = "M1"
WORDS: Final = "M2"
LIMIT: Final = "M3"
NUMBER: Final = "M4"
VISIBILITY: Final = "M5"
MISMATCH: Final = "M6"
COUNTS: Final = "M7"
ILLEGAL: Final = "M8"
BLOCKS: Final = "M9"
CODES: Final = Codes(syntax=SYNTAX, words=WORDS, limit=LIMIT, number=NUMBER)
