"""Programs that begin warm are processes like others: their streams, folder, limits, environment and ends."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from warm.python import command

SAYS = """
import os, resource, sys
print(os.getcwd(), os.environ["WORD"], sys.argv, sys.path[:2], resource.getrlimit(resource.RLIMIT_FSIZE)[0])
print(sys.stdin.read(), sys.dont_write_bytecode, file=sys.stderr)
sys.exit(7)
"""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))


@pytest.mark.parametrize("kind", ["-c", "-m", "script"])
def test_what_a_program_is_given(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "said.py"
    script.write_text(SAYS)
    chosen = {"-c": ["-c", SAYS], "-m": ["-m", "said"], "script": [str(script)]}[kind]
    other = "" if sys.dont_write_bytecode else "1"
    both = [
        subprocess.run(
            [*python, *chosen, "a", ""],
            input="given é",
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "WORD": "two words", "PYTHONPATH": "/nowhere", "PYTHONDONTWRITEBYTECODE": other},
            preexec_fn=limited,
        )
        for python in (command(), [sys.executable])
    ]
    found, usual = ((done.returncode, done.stdout, done.stderr) for done in both)
    assert found == usual
    assert found[0] == 7


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("", 0),
        ("raise SystemExit('said')", 1),
        ("1 / 0", 1),
        ("import os; os._exit(200)", 200),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os, sys; print('x', flush=False); os.close(1)", 120),
    ],
)
def test_how_a_program_ends(program: str, status: int) -> None:
    done = subprocess.run([*command(), "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == status
    if program == "1 / 0":
        assert done.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed: str, tmp_path: Path) -> None:
    program = "import sys; open('found', 'w').write(repr([s is None for s in (sys.stdin, sys.stdout, sys.stderr)]))"
    subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *command(), "-c", program], cwd=tmp_path, check=True)
    assert (tmp_path / "found").read_text() == repr([name in closed.split() for name in ("<&-", ">&-", "2>&-")])


def test_a_program_that_nobody_waits_for_is_killed() -> None:
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with subprocess.Popen([*command(), "-c", program], stdout=subprocess.PIPE, text=True) as asker:
        assert asker.stdout is not None
        process = os.pidfd_open(int(asker.stdout.readline()))
        asker.kill()
    poll = select.poll()
    poll.register(process, select.POLLIN)
    assert poll.poll(60_000)
    os.close(process)


def test_programs_run_side_by_side() -> None:
    first = subprocess.Popen(
        [*command(), "-c", "input(); print('first')"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    second = subprocess.run([*command(), "-c", "print('second')"], capture_output=True, text=True, check=True)
    assert second.stdout == "second\n"
    assert first.communicate("\n")[0] == "first\n"
