"""Limits on input: hostile text is refused with a diagnostic before it exhausts time, memory or the stack."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Limits(Struct, frozen=True):
    """How much the front end reads. The defaults are far above what kernels need."""

    source_bytes: int = 16 * 1024 * 1024
    tokens: int = 500_000
    nesting: int = 256
    attribute_nesting: int = 32
    attribute_entries: int = 100_000
    identifier: int = 1024
    literal: int = 64
    order: int = 32
    operands: int = 1024
    errors: int = 100


DEFAULT_LIMITS: Final = Limits()

SOURCE_SIZE: Final = "L001"
TOKEN_COUNT: Final = "L002"
NESTING: Final = "L003"
IDENTIFIER_LENGTH: Final = "L004"
LITERAL_LENGTH: Final = "L005"
TENSOR_ORDER: Final = "L006"
OPERAND_COUNT: Final = "L007"
ATTRIBUTE_SIZE: Final = "L008"
