"""What an operation does to memory: the facts behind CSE, DCE, code motion, hazards and checked mode."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tilewright.ir.core import Value


class EffectKind(Enum):
    """Kinds of access. UPDATE is an atomic read-modify-write, ORDER a barrier or fence.

    HINT touches no memory and orders nothing, it is there for speed alone. GUARD may end the work-group: what follows
    must not run ahead of it.
    """

    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    ALLOCATE = "allocate"
    FREE = "free"
    ORDER = "order"
    HINT = "hint"
    GUARD = "guard"


class Effect(Struct, frozen=True):
    """An access to the memory behind `value` (a memref or group), or to all memory if that is None."""

    kind: EffectKind
    value: Value | None = None


def reads(*values: Value) -> list[Effect]:
    """Read effects on each value."""
    return [Effect(EffectKind.READ, v) for v in values]


def writes(*values: Value) -> list[Effect]:
    """Write effects on each value."""
    return [Effect(EffectKind.WRITE, v) for v in values]
