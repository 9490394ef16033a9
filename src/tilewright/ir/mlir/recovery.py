"""Where reading goes on behind something broken: at the next line that begins an operation, or the end of the block."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_SCAN: Final = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"?+|//[^\n]*+|[{}\n]')


def resume(text: str, start: int, failed: int, begins: Callable[[str, int], bool]) -> int:
    """Where to go on after what began at `start` could not be read at `failed`. Braces between are skipped in pairs.

    `begins` says of the start of a line whether the line begins an operation.
    """
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
            case "\n" if not depth and found.start() >= least and begins(text, found.end()):
                return found.end()
            case _:
                pass
    return len(text)
