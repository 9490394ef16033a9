"""How many threads to use: what the settings or OpenMP's variable ask for, else what the process may run on."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping

from tilewright.settings.config import current
from tilewright.settings.settings import MAX_THREADS


def available_processors() -> int:
    """Processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_thread_count(environment: Mapping[str, str] | None = None) -> int:
    """The setting `num_threads`, else the outermost level of OMP_NUM_THREADS, else the affinity mask.

    A wrong value is an error in our own setting; in OpenMP's variable it is ignored with a warning, as OpenMP runtimes
    do.
    """
    variables = os.environ if environment is None else environment
    return current(environment=variables).num_threads or _of_openmp(variables) or available_processors()


def _of_openmp(variables: Mapping[str, str]) -> int | None:
    given = variables.get("OMP_NUM_THREADS", "").strip()
    if not given:
        return None
    outermost = given.split(",")[0].strip()
    if outermost.isascii() and outermost.isdigit() and len(outermost) <= 6 and 1 <= int(outermost) <= MAX_THREADS:
        return int(outermost)
    message = f"OMP_NUM_THREADS={given!r} is ignored: it does not begin with a number from 1 to {MAX_THREADS}"
    warnings.warn(message, stacklevel=3)
    return None
