"""One process a thread count, with NumPy's OpenBLAS and tilewright both limited to it; and what the machine is."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_LIMITS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TILEWRIGHT_NUM_THREADS")
_SPIN: Final = 0.04


def rows_of_children(script: str, arguments: Sequence[str], threads: Sequence[int]) -> list[dict[str, object]]:
    """Run `script ARGUMENTS --child THREADS`, which prints its rows as JSON, for each thread count in turn."""
    rows: list[dict[str, object]] = []
    for count in threads:
        command = [sys.executable, script, *arguments, "--child", str(count)]
        environment = {**os.environ, **dict.fromkeys(_LIMITS, str(count))}
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
        rows += json.loads(done.stdout)
    return rows


def settle(threads: int) -> None:
    """Let idle threads of OpenBLAS fall asleep: they spin for about 25 ms, on a core that whoever is next needs.

    This thread stays busy meanwhile, for a machine that sleeps is slow at first.
    """
    end = time.perf_counter() + (_SPIN if threads > 1 else 0.0)
    while time.perf_counter() < end:
        pass


def machine() -> str:
    """The processor's name and how many cores this process may use."""
    cores = len(os.sched_getaffinity(0))
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {cores} cores"
