"""What the line of a kernel says of its schedule so far."""

from __future__ import annotations

from tilewright.dialects.builtin import Kernel
from tilewright.ir.schedules import Schedule, parse_line


def schedule_of(kernel: Kernel) -> Schedule:
    """What passes have said; nothing if none has. Raises ValueError for what is no schedule."""
    return parse_line(kernel.schedule or "")
