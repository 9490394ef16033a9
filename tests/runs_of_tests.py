"""Runs of tests that are made for tests of how tests run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

NO_CODE = """
from contextlib import nullcontext as quick_code_generation
"""
"""Instead of `code_generation`: to import the compiler takes longer than these tests, which compile nothing."""


def run_of(folder: Path, tests: str, options: list[str]) -> subprocess.CompletedProcess[str]:
    """A run of tests in a folder with the settings of these."""
    (folder / "conftest.py").write_text((Path(__file__).parent / "conftest.py").read_text())
    (folder / "code_generation.py").write_text(NO_CODE)
    (folder / "test_some.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TILEWRIGHT_", "PYTEST_"))}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-m", "pytest", "-q", *options]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
