"""The fuzzer of all languages runs, and says how many kernels it has compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz_many.py"


@pytest.mark.parametrize("language", ["tensor", "tile-ir", "tlx"])
def test_a_few_kernels(language: str) -> None:
    options = ["--language", language, "--kernels", "3", "--jobs", "1"]
    done = subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 kernels, 0 faults" in done.stdout
