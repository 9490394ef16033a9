"""The command: has the server run a program in its place, with the same streams, and ends as that does.

    python -S -E command.py SOCKET ARGUMENTS..

It imports next to nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import socket
import sys

_STREAMS = range(3)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _request(streams: list[int], arguments: list[str]) -> bytes:
    """What the server is told: the folder, the limit on files, which streams are open, arguments, the environment."""
    limits = ",".join(map(str, resource.getrlimit(resource.RLIMIT_FSIZE)))
    environment = [f"{name}={value}" for name, value in os.environ.items()]
    parts = [os.getcwd(), limits, "".join(map(str, streams)), str(len(arguments)), *arguments, *environment]
    return os.fsencode("\0".join(parts))


def _answer(address: str, arguments: list[str]) -> int:
    """The exit status of the program, or the negative number of the signal that ended it."""
    streams = [k for k in _STREAMS if _is_open(k)]
    body = _request(streams, arguments)
    with socket.socket(socket.AF_UNIX) as found:
        # a stream that is closed stays so
        descriptor = fcntl.fcntl(found.fileno(), fcntl.F_DUPFD_CLOEXEC, len(_STREAMS))
    with socket.socket(fileno=descriptor) as server:
        server.connect(address)
        socket.send_fds(server, [len(body).to_bytes(4, "little")], streams)
        server.sendall(body)
        answer = server.recv(4)
    if len(answer) < 4:
        raise SystemExit("the server of warm processes has ended")
    return int.from_bytes(answer, "little", signed=True)


def main() -> None:
    status = _answer(sys.argv[1], sys.argv[2:])
    if status < 0:
        with contextlib.suppress(OSError):  # nobody handles SIGKILL
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


main()
