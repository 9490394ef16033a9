"""Verbs meet pipes, devices, closed streams and full disks: no hang, no internal error, no file half written."""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from acceptance.shell import AXPBY, environment, tilewright
from warm.python import command

ROOT = Path(__file__).parents[2]
MATMUL = ROOT / "examples" / "matmul.tileir"
VERBS = [["check"], ["fmt", "--check"], ["upgrade"], ["translate"], ["opt"], ["compile"], ["run"], ["bench"]]
WRITERS = [
    ["compile", "k.tl", "--emit=ir", "-o", "out.npy"],
    ["compile", "k.tl", "--emit=so", "-o", "out.npy"],
    ["translate", str(MATMUL), "-o", "out.npy"],
    ["run", "k.tl", "--save=y=out.npy"],
    ["fmt", "out.npy"],
]


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "k.tl"
    path.write_text(AXPBY)
    return path


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell: `$tilewright` is the command; `$fresh` is too, and has all descriptors of the shell."""
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env=environment(tilewright=f"{shlex.join(command())} -m tilewright", fresh=f"{sys.executable} -m tilewright"),
    )


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pipe", "a named pipe, not a regular file"),
        ("/dev/zero", "a device, not a regular file"),
        (".", "Is a directory"),
    ],
)
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_what_is_no_file_is_told_and_not_waited_for(verb: list[str], name: str, reason: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = tilewright(*verb, str(tmp_path / name))
    assert (done.returncode, reason in done.stderr) == (2, True), done.stderr


def test_arrays_are_regular_files(tmp_path: Path, kernel: Path) -> None:
    os.mkfifo(tmp_path / "x.npy")
    done = tilewright("run", str(kernel), f"--arg=x={tmp_path / 'x.npy'}")
    assert done.returncode == 2
    assert "a named pipe, not a regular file" in done.stderr


def test_what_the_shell_gives_as_a_descriptor_is_read(kernel: Path) -> None:
    done = shell("$fresh check <(cat k.tl) && cat k.tl | $tilewright check /dev/stdin", kernel.parent)
    assert (done.returncode, done.stderr) == (0, "")
    endless = shell("$tilewright check - < /dev/zero", kernel.parent)
    assert (endless.returncode, "error[L001]" in endless.stdout) == (1, True)


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
def test_a_full_disk_leaves_the_old_file(writer: list[str], kernel: Path) -> None:
    old = "func @f(%x:f32 ) {\n}\n" + "; more\n" * 2000
    target = kernel.parent / "out.npy"
    target.write_text(old)

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))

    done = subprocess.run(
        [*command(), "-m", "tilewright", *writer],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=kernel.parent,
        env=environment(TILEWRIGHT_CACHE="off", PYTHONDONTWRITEBYTECODE="1"),
        preexec_fn=full,
    )
    assert (done.returncode, "internal error" in done.stderr) == (2, False), done.stderr
    assert target.read_text() == old
    assert sorted(os.listdir(kernel.parent)) == ["k.tl", "out.npy"]


def test_results_go_where_a_path_leads(kernel: Path) -> None:
    folder = kernel.parent
    done = shell("$tilewright compile k.tl --emit=ir -o /dev/stdout | grep -c axpby", folder)
    assert int(done.stdout) > 0
    done = shell("(echo first; $tilewright compile k.tl --emit=ir -o /dev/stdout) > log; head -1 log", folder)
    assert done.stdout == "first\n"
    done = shell("$tilewright run k.tl --save=y=/dev/stdout > y.npy", folder)
    assert done.returncode == 0, done.stderr
    assert np.load(folder / "y.npy").dtype == np.float32


def test_a_terminal_that_lacks_a_character_gets_an_escape(kernel: Path) -> None:
    (kernel.parent / "bad.tl").write_text("func @f(%é: f32) {\n}\n", encoding="utf-8")
    done = shell("PYTHONIOENCODING=ascii $tilewright check bad.tl", kernel.parent)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\\xe9" in done.stdout


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    ("verb", "arguments", "closed", "status", "said"),
    [
        ("check", "k.tl", ">&-", 0, ""),
        ("check", "k.tl", "<&- >&- 2>&-", 0, ""),
        ("check", "bad.tl", ">&-", 1, ""),
        ("check", "bad.tl", "<&- >&- 2>&-", 1, ""),
        ("check", "-", "<&-", 2, "standard input is closed"),
        ("compile", "k.tl", ">&-", 2, "standard output is closed"),
        ("compile", "k.tl -o out.s", ">&- 2>&- <&-", 0, ""),
        ("compile", "k.tl -o /dev/stdout", ">&-", 2, "Bad file descriptor"),
        ("compile", "bad.tl", "2>&-", 1, ""),
        ("opt", "k.tl", ">&-", 2, "standard output is closed"),
        ("fmt", "- < k.tl", ">&-", 2, "standard output is closed"),
        ("upgrade", "k.tl", ">&-", 2, "standard output is closed"),
        ("run", "k.tl", "<&- >&- 2>&-", 0, ""),
        ("run", "print.tileir", ">&-", 0, ""),
        ("run", "print.tileir --target=interpreter", ">&-", 0, ""),
        ("explain", "", ">&-", 0, ""),
    ],
)
def test_streams_that_are_closed(verb: str, arguments: str, closed: str, status: int, said: str, kernel: Path) -> None:
    (kernel.parent / "bad.tl").write_text("func @f(%a: f32) {\n    %b = add %a, %c : f32\n}\n")
    (kernel.parent / "print.tileir").write_text(
        'cuda_tile.module @m {\n  entry @k() {\n    print "hello"\n    return\n  }\n}\n'
    )
    done = shell(f"$tilewright {verb} {arguments} {closed}", kernel.parent)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr
    assert "internal error" not in done.stderr
