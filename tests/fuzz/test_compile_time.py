"""A few kernels of the compile-time fuzzer; its bounds are generous here, since other tests run on the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from effort import count

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz_compile_time.py"


def test_nothing_takes_long() -> None:
    options = [
        "--kernels",
        str(count("RANDOM_COMPILE_TIMES", 1, 40)),
        "--jobs",
        "1",
        "--seconds",
        "60",
        "--megabytes",
        "1000",
        "--minutes",
        "10",
    ]
    done = subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
