"""Building IR without the cyclic garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Generator[None]:
    """Without the cyclic garbage collector: the IR is a large web of objects that all live until code is generated,
    and walking it again and again would take longer than the passes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
