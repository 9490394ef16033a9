"""The tutorial's files, commands and programs work, one after another in one folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

import tilewright as tw
from warm.python import command

_ROOT: Final = Path(__file__).parents[2]
_PAGE: Final = _ROOT / "docs" / "guide" / "tutorial.md"
_FENCE: Final = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _shell(lines: str, folder: Path) -> str:
    """Output of commands, with `tilewright` that of this working tree."""
    tools = folder / "tools"
    if not tools.exists():
        tools.mkdir()
        script = tools / "tilewright"
        script.write_text(f'#!/bin/sh\nexec {shlex.join(command())} -m tilewright "$@"\n')
        script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "TILEWRIGHT_CACHE": "off",
    }
    done = subprocess.run(
        ["sh", "-e", "-c", lines],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")
def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    with tw.config(cache="off"):
        for kind, file, text in _FENCE.findall(_PAGE.read_text(encoding="utf-8")):
            if file:
                (tmp_path / file).write_text(text)
            elif kind == "python":
                exec(compile(text, str(_PAGE), "exec"), names)
            else:
                assert kind == "sh", f"a block of {kind} is neither run nor a file"
                printed = _shell(text, tmp_path)
    assert printed == "right\n"
