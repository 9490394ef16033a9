"""Whether a file is Tile IR, as text or bytecode; looks at its beginning only and loads nothing."""

from __future__ import annotations

import re
from typing import Final

_FIRST: Final = re.compile(
    r"(?:\s++|//[^\n]*+)*+"
    r"(?:(?:cuda_tile\.|builtin\.)?+(?:module|entry|global)\b|\"(?:cuda_tile|builtin)\.|[!#][A-Za-z_][\w$.]*+\s*+=)"
)

BYTECODE_MAGIC: Final = b"\x7fTileIR\0"
"""The first bytes of a file of bytecode."""


def is_bytecode(data: bytes) -> bool:
    """Whether some bytes begin like Tile IR bytecode."""
    return data.startswith(BYTECODE_MAGIC)


def is_tile_ir(text: str) -> bool:
    """Whether a text begins as Tile IR does: with a module, an entry, a global, or an alias."""
    return _FIRST.match(text) is not None
