"""The codes under which findings in LLVM text are reported; whoever reads such text says them."""

from __future__ import annotations

from msgspec import Struct


class Codes(Struct, frozen=True):
    """One code for each kind of finding."""

    syntax: str
    redefined: str
    undefined: str
    malformed: str
    mismatch: str
    unsupported: str
    elements: str
    limit: str
