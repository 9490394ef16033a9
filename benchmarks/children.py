"""One process a thread count, with NumPy's OpenBLAS and tilewright both limited to it; and what the machine is."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_LIMITS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TILEWRIGHT_NUM_THREADS")


def rows_of_children(script: str, arguments: Sequence[str], threads: Sequence[int]) -> list[dict[str, object]]:
    """Run `script ARGUMENTS --child THREADS`, which prints its rows as JSON, for each thread count in turn."""
    rows: list[dict[str, object]] = []
    for count in threads:
        command = [sys.executable, script, *arguments, "--child", str(count)]
        environment = {**os.environ, **dict.fromkeys(_LIMITS, str(count))}
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
        rows += json.loads(done.stdout)
    return rows


def machine() -> str:
    """The processor's name and how many cores this process may use."""
    cores = len(os.sched_getaffinity(0))
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {cores} cores"
