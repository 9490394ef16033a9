"""Completion, asked of the shells themselves where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.cli.completion_variable import COMPLETE
from tilewright.diagnostics.codes import CODES
from tilewright.targets import find_target, target_names
from tilewright.transforms.registry import pass_names

FIRST_VERBS = ["bench", "cache", "check", "compile", "completion", "doctor", "env", "explain", "fmt", "opt", "run"]
VERBS = [*FIRST_VERBS, "translate", "tune", "upgrade"]
PASSES = pass_names(find_target("cpu").passes(2))
Complete = Callable[[str], list[str]]

BASH = """
source "$SCRIPT"
COMP_LINE="$LINE" COMP_POINT=${#LINE} COMPREPLY=()
compopt() { echo "compopt $*"; }
_tilewright_completion tilewright
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compdef() { : }
compset() { : }
_files() { print -- files }
_describe() { print -l -- ${${(P)3}%%:*} }
compadd() { print -l -- ${(P)4} }
source "$SCRIPT"
words=(${(z)LINE})
[[ $LINE == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
_tilewright_completion
"""
FISH = 'source "$SCRIPT"; complete -C "$LINE"'
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def environment(folder: Path) -> dict[str, str]:
    """A home of its own, and a command called `tilewright` on the path."""
    command = folder / "bin" / "tilewright"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tilewright "$@"\n')
    command.chmod(0o755)
    own = {"HOME": str(folder), "PATH": f"{command.parent}:{os.environ['PATH']}"}
    return {k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | own


def installed(shell: str, folder: Path) -> Path:
    """The script, in the place where the command puts it."""
    done = subprocess.run(
        ["tilewright", "completion", shell],
        env=environment(folder),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    path = Path(done.stderr.partition(": ")[0])
    assert path.is_relative_to(folder)
    return path


@pytest.fixture(scope="module", params=SHELLS)
def script(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A shell, and the script in its place."""
    shell: str = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} on this machine")
    return shell, installed(shell, tmp_path_factory.mktemp(shell))


@pytest.fixture
def complete(script: tuple[str, Path], tmp_path: Path) -> Complete:
    """What a shell offers for a line, without what it says about it."""
    shell, place = script

    def offered(line: str) -> list[str]:
        done = subprocess.run(
            [shell, "-c", SHELLS[shell]],
            env={**environment(tmp_path), "SCRIPT": str(place), "LINE": line},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            cwd=tmp_path,
        )
        assert not done.stderr, done.stderr
        lines = [found.partition("\t")[0] for found in done.stdout.splitlines() if found]
        # bash replaces what is behind the last colon, fish the whole word
        word = line.rpartition(" ")[2]
        before = word.rpartition(":")[0] + ":" if shell == "bash" and ":" in word else ""
        option = word.partition("=")[0] + "=" if shell == "fish" and "=" in word else ""
        return sorted((before.rpartition("=")[2] + found).removeprefix(option) for found in lines)

    return offered


def test_verbs(complete: Complete) -> None:
    assert complete("tilewright ") == VERBS
    assert complete("tilewright co") == ["compile", "completion"]


def test_codes(complete: Complete) -> None:
    assert complete("tilewright explain V4") == sorted(code for code in CODES if code.startswith("V4"))


def test_passes(complete: Complete) -> None:
    assert complete("tilewright opt --passes cse,li") == [f"cse,{name}" for name in PASSES if name.startswith("li")]


def test_targets(complete: Complete) -> None:
    for word in ("cpu:", "cpu:avx"):
        expected = sorted(name for name in target_names() if name.startswith(word))
        assert complete(f"tilewright compile --target={word}") == expected
    assert "interpreter" in complete("tilewright run --target i")


def test_files(complete: Complete, tmp_path: Path) -> None:
    (tmp_path / "kernel.tl").touch()
    assert complete("tilewright check ker")[0] in ("kernel.tl", "files", "compopt -o default")


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_printed_or_put_where_shells_look(shell: str, tmp_path: Path) -> None:
    path = installed(shell, tmp_path)
    printed = subprocess.run(
        ["tilewright", "completion", shell, "-o", "-"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert printed.stdout == path.read_text()
    assert f"{COMPLETE}={shell}_complete" in printed.stdout
