"""Names in object code and PTX: different kernels and globals of a program have different ones, whatever their names.

Letters, digits and underscores stay as they are, any other character becomes its code point between dollar signs.
Neither of the prefixes continues the other, and none is that of a system's symbol.
"""

from __future__ import annotations

import re
from typing import Final

_ENCODED: Final = re.compile(r"[^A-Za-z0-9_]")


def entry_symbol(kernel: str) -> str:
    """The symbol of a kernel's entry."""
    return f"tw_{_encoded(kernel)}"


def mapped_symbol(entry: str) -> str:
    """The symbol of a kernel's entry for launches that have all maps; no name is written so."""
    return f"{entry}$maps"


def global_symbol(name: str) -> str:
    """The symbol of a global of the program."""
    return f"tw$global${_encoded(name)}"


def reports_symbol(kernel: str) -> str:
    """The symbol of the list of what a kernel prints and asserts."""
    return f"tw$reports${_encoded(kernel)}"


def _encoded(name: str) -> str:
    return _ENCODED.sub(lambda found: f"${ord(found[0]):x}$", name)
