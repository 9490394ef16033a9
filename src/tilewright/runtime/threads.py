"""How many threads to use: what the environment asks for, else what the process may run on."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping


def available_processors() -> int:
    """Processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_thread_count(environment: Mapping[str, str] | None = None) -> int:
    """TILEWRIGHT_NUM_THREADS, else the outermost level of OMP_NUM_THREADS, else the affinity mask.

    A value that is no positive number is an error in our own variable; in OpenMP's it is ignored with a warning, as
    OpenMP runtimes do.
    """
    variables = os.environ if environment is None else environment
    own = variables.get("TILEWRIGHT_NUM_THREADS", "").strip()
    if own:
        count = _positive(own)
        if count is None:
            raise ValueError(f"TILEWRIGHT_NUM_THREADS must be a positive number, not {own!r}")
        return count
    openmp = variables.get("OMP_NUM_THREADS", "").strip()
    if openmp:
        count = _positive(openmp.split(",")[0].strip())
        if count is not None:
            return count
        warnings.warn(f"OMP_NUM_THREADS={openmp!r} is no list of positive numbers; ignored", stacklevel=2)
    return available_processors()


def _positive(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        return None
    return int(text) or None
