"""Stock `mlir-opt`, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

_MARK = "// -----"
_GENERIC = ("--allow-unregistered-dialect", "--mlir-print-op-generic")
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
    return printed(text, *_GENERIC, *options).removesuffix("\n")


def reprinted_together(texts: Iterable[str]) -> Callable[[str], str]:
    """`reprinted` for these texts; see `printed_together`."""
    ready = printed_together(texts, *_GENERIC)
    return lambda text: ready(text).removesuffix("\n")


def printed_together(texts: Iterable[str], *options: str) -> Callable[[str], str]:
    """`printed` for these texts, with one run of the tool for all: to start it takes longer than to print them.

    Where it does not take all of them, each is printed by itself, and one that is refused fails alone.
    """
    wanted = list(dict.fromkeys(texts))
    ready = dict(zip(wanted, _parts(wanted, options), strict=False))
    return lambda text: ready[text] if text in ready else printed(text, *options)


def _parts(texts: Sequence[str], options: Sequence[str]) -> Sequence[str]:
    """What the tool prints of each text in one run; nothing if it refuses one."""
    tool = find()
    assert tool is not None
    command = [tool, *options, "--split-input-file", f"--output-split-marker={_MARK}"]
    text = f"\n{_MARK}\n".join(texts)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)
    found = done.stdout.split(f"{_MARK}\n")
    return found if done.returncode == 0 and len(found) == len(texts) else []


@cache
def printed(text: str, *options: str) -> str:
    """What the tool prints with these options, asked once; fails if it does not accept the text."""
    tool = find()
    assert tool is not None
    done = subprocess.run([tool, *options], input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


needed = pytest.mark.skipif(find() is None, reason="mlir-opt (Debian's mlir-19-tools) is not installed")
same_version_needed = pytest.mark.skipif(not is_our_version(), reason=f"mlir-opt {VERSION} is not installed")
