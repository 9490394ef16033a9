"""Limits on input: hostile text and bytecode is refused before it exhausts time, memory or the stack."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Limits(Struct, frozen=True):
    """How much the readers take. The defaults are far above what kernels need.

    With `any_extents` extents of tiles of Tile IR need not be powers of two, as its specification demands.
    """

    source_bytes: int = 16 * 1024 * 1024
    operations: int = 500_000
    nesting: int = 256
    attribute_nesting: int = 32
    debug_nesting: int = 4_096
    rank: int = 64
    name: int = 1024
    errors: int = 100
    any_extents: bool = False


DEFAULT_LIMITS: Final = Limits()
