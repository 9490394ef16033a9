"""Limits on LLVM text: what is beyond them is refused before it exhausts time, memory or the stack."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Limits(Struct, frozen=True):
    """How much the reader takes. `elements` and `bytes` are those of one vector or array."""

    source_bytes: int = 16 * 1024 * 1024
    tokens: int = 2_000_000
    nesting: int = 64
    name: int = 1024
    digits: int = 64
    integer_bits: int = 64
    elements: int = 1 << 28
    bytes: int = 1 << 34
    functions: int = 1_000
    instructions: int = 100_000
    block_instructions: int = 5_000
    errors: int = 100


DEFAULT_LIMITS: Final = Limits()
