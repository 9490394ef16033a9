"""What LLVM's text is held to before code is made of it: the promise behind the last stage of lowering.

LLVM ends the process on some of what is refused here, and compiles unknown intrinsics silently to calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tilewright.machine.llvm_binding import binding
from tilewright.machine.native import unknown_intrinsics

_FOREIGN: Final = (
    (re.compile(r"\btoken\b"), "a token is left"),
    (re.compile(r"@\"?llvm\.tensor\b"), "an intrinsic of TLX is left"),
    (re.compile(r"\btarget\s*\(\s*\""), "a target type is left"),
)
_VECTOR: Final = re.compile(r"<(?:vscale x )?(\d+) x ([a-z]\w*)>")
_LONGEST: Final = 1024
"""Elements of the longest vectors that LLVM gets: it takes time with longer ones, and ends the process from some on."""
_ODD: Final = re.compile(r"i(\d+)")


def gate_faults(text: str) -> list[str]:
    """Why a text must not reach code generation; empty if it may."""
    found = list(_faults(text))
    return found or list(_refused(text))


def _faults(text: str) -> Iterator[str]:
    plain = re.sub(r'c"[^"]*"|;[^\n]*', "", text)
    for pattern, message in _FOREIGN:
        if pattern.search(plain):
            yield message
    for count, element in sorted({(int(count), element) for count, element in _VECTOR.findall(plain)}):
        width = _ODD.fullmatch(element)
        if count > _LONGEST:
            yield f"<{count} x {element}> is longer than {_LONGEST:,} elements"
        if width is not None and int(width[1]) % 8 and int(width[1]) != 1:
            yield f"<{count} x {element}> has elements that are no whole bytes"


def _refused(text: str) -> Iterator[str]:
    """What LLVM itself says of it."""
    try:
        module = binding().parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        yield f"LLVM refuses the text: {str(error).strip()}"
        return
    for unknown in unknown_intrinsics(module):
        yield f"LLVM does not know an intrinsic: {unknown}"
