"""Which system this is, as far as code of our own for one of them is concerned."""

from __future__ import annotations

import os
import sys


def is_linux_on_x86_64() -> bool:
    """Whether processor and system are those; a process of 32 bits may run on them, too, and is not meant."""
    return sys.platform == "linux" and os.uname().machine == "x86_64" and sys.maxsize > 1 << 32
