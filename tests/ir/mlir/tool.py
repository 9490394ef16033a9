"""Stock `mlir-opt`, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

VERSION = "19"
"""The version that printed the programs in `printed`."""


def find() -> str | None:
    """The tool on PATH or where Debian puts it, of our version if there are several."""
    folders = sorted(Path("/usr/lib").glob("llvm-*/bin"), key=lambda p: p.parts[-2] != f"llvm-{VERSION}")
    path = ":".join(map(str, folders))
    return shutil.which("mlir-opt") or shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path=path or None)


def is_our_version() -> bool:
    """Whether the tool is the one that printed the programs."""
    tool = find()
    if tool is None:
        return False
    done = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True, timeout=60)
    return f"LLVM version {VERSION}." in done.stdout


def reprinted(text: str, *options: str) -> str:
    """What the tool prints of a text in the generic form; fails if it does not accept it."""
    return printed(text, "--allow-unregistered-dialect", "--mlir-print-op-generic", *options).removesuffix("\n")


def printed(text: str, *options: str) -> str:
    """What the tool prints with these options; fails if it does not accept the text."""
    tool = find()
    assert tool is not None
    done = subprocess.run([tool, *options], input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


needed = pytest.mark.skipif(find() is None, reason="mlir-opt (Debian's mlir-19-tools) is not installed")
same_version_needed = pytest.mark.skipif(not is_our_version(), reason=f"mlir-opt {VERSION} is not installed")
