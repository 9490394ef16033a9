"""Where reading goes on behind something broken: at the next line that begins an operation, or the end of the block."""

from __future__ import annotations

import re
from typing import Final

from tilewright.dialects.cuda_tile import BY_MNEMONIC

_SCAN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?+|//[^\n]*+|[{}\n]')
_NAME: Final = r"%[A-Za-z0-9_$.-]++(?::[0-9]++)?+"
_BEGIN: Final = re.compile(
    rf'[ \t]*+(?:({_NAME}(?:[ \t]*+,[ \t]*+{_NAME})*+[ \t]*+=(?!=))|"cuda_tile\.|(?:cuda_tile\.)?+([a-z_0-9]++)\b)'
)


def begins_operation(text: str, line: int) -> bool:
    """Whether a line begins an operation."""
    found = _BEGIN.match(text, line)
    if found is None:
        return False
    return found[2] is None or found[2] in BY_MNEMONIC


def resume(text: str, start: int, failed: int) -> int:
    """Where to go on after what began at `start` could not be read at `failed`. Braces between are skipped in pairs."""
    least = max(text.rfind("\n", 0, failed), start)
    depth = 0
    for found in _SCAN.finditer(text, start):
        match found[0]:
            case "{":
                depth += 1
            case "}" if depth:
                depth -= 1
            case "}" if found.start() >= failed:
                return found.start()
            case "\n" if not depth and found.start() >= least and begins_operation(text, found.end()):
                return found.end()
            case _:
                pass
    return len(text)
