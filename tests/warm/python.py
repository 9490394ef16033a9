"""The command that takes the place of Python; this process starts its server when it asks for it first."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final, Literal

_FOLDER: Final = Path(__file__).parent
_SOURCES: Final = _FOLDER.parents[1] / "src"


class _Server:
    """A process with a socket in a folder, which are there until this process ends."""

    def __init__(self, state: str) -> None:
        folder = tempfile.mkdtemp(prefix="tilewright-warm-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        self.address = os.path.join(folder, "socket")
        paths = [str(_SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, str(_FOLDER / "server.py"), self.address, state],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        atexit.register(self._stop)
        assert self._process.stdout is not None
        with self._process.stdout as said:
            assert said.readline() == b"ready\n"

    def seconds(self) -> float:
        """CPU seconds of the process and of its children that have ended."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        # of the user and the system: its own, its children's
        return sum(map(int, stat[11:15])) / os.sysconf("SC_CLK_TCK")

    def _stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


@cache
def _servers() -> dict[str, _Server]:
    """Those that this process has started."""
    return {}


def _server(state: str) -> _Server:
    started = _servers()
    if state not in started:
        started[state] = _Server(state)
    return started[state]


def seconds_of_servers() -> float:
    """CPU seconds of this process's servers, and of the programs that they have run to the end."""
    return sum(server.seconds() for server in _servers().values())


def command(state: Literal["used", "imported"] = "used") -> tuple[str, ...]:
    """To be followed by `-c` and a program, `-m` and a module, or a script, and its arguments.

    Where the compiler has been used, it knows that there are no plug-ins; where it was imported, it has not looked.
    """
    return sys.executable, "-S", "-E", str(_FOLDER / "command.py"), _server(state).address
