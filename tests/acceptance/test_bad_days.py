"""The launch works whatever happens to the cache: full, read-only, foreign, a compile that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.shell import AXPBY, environment, python

LAUNCH = f"""
import numpy as np
import tilewright as tw
x, y = np.arange(6, dtype=np.float32), np.full(6, np.nan, np.float32)
tw.compile({AXPBY!r}).axpby[1](2.0, x, 0.0, y)
assert (y == 2 * x).all()
"""
FULL_DISK = """
import errno, os
real = os.write
def write(descriptor, data):
    raise OSError(errno.ENOSPC, "No space left on device")
os.write = write
def fsync(descriptor):
    raise OSError(errno.ENOSPC, "No space left on device")
os.fsync = fsync
"""
HANGS = f"""
import time
import tilewright.api as api
import tilewright.compiler as compiler
def forever(*arguments):
    print("compiling", flush=True)
    time.sleep(600)
compiler.compile_source = forever
api.compile({AXPBY!r})
"""


def launches(folder: Path, before: str = "") -> None:
    done = python("-c", before + LAUNCH, TILEWRIGHT_CACHE_DIR=str(folder))
    assert done.returncode == 0, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "cache"
    made.mkdir(mode=0o700)
    return made


def test_a_full_disk(folder: Path) -> None:
    launches(folder, FULL_DISK)
    launches(folder)


def test_foreign_files(folder: Path) -> None:
    (folder / ("0" * 64 + ".twa")).write_bytes(os.urandom(100))
    (folder / "notes.txt").write_text("mine")
    launches(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_killed_compile(folder: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HANGS],
        stdout=subprocess.PIPE,
        env=environment(TILEWRIGHT_CACHE_DIR=str(folder)),
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "compiling\n"
    child.send_signal(signal.SIGKILL)
    child.wait(30)
    child.stdout.close()
    launches(folder)
