"""A process that has used the compiler once, or only imported it, and forks for each program that it is asked to run.

    python server.py SOCKET used|imported

It ends with its standard input. Whoever asks hands over the streams of the program and waits for its exit status; the
program is killed when its asker is gone.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import pkgutil
import resource
import runpy
import selectors
import signal
import socket
import sys
import tempfile
import types
from typing import IO, Any, Final, NamedTuple

KERNELS: Final = (
    "func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {\n    axpby %a, %x, %b, %y\n}\n",
    "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n",
)
NOT_IMPORTED: Final = ("tilewright.__main__",)
"""They run when they are imported."""
VERBS: Final = (["check", "-"], ["fmt", "-"], ["compile", "-", "--emit=so", "-o", os.devnull], ["compile", "-"])


class Request(NamedTuple):
    """A program: its folder, the limits on the size of files, its streams by number, arguments, environment."""

    folder: str
    limits: tuple[int, int]
    streams: dict[int, int]
    arguments: list[str]
    environment: dict[str, str]


class Running(NamedTuple):
    """A program that runs, and who waits for its end."""

    process: int
    asker: socket.socket


def main(address: str, state: str) -> None:
    """Serve until standard input ends. A process that becomes a program returns from here when that is over."""
    {"used": _use, "imported": _import}[state]()
    # What is here now is never garbage, and to look at it would copy its pages.
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as selector:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        selector.register(sys.stdin, selectors.EVENT_READ)
        selector.register(listener, selectors.EVENT_READ)
        request = _serve(listener, selector)
    if request is not None:
        _become(request)


def _use() -> None:
    """Import and build what most programs will want, without launching anything: threads would not be there."""
    from tilewright.cli.main import main as verb

    kept = sys.argv, sys.stdin, sys.stdout, os.environ.copy()
    os.environ["TILEWRIGHT_CACHE"] = "off"
    for text in KERNELS:
        for arguments in VERBS:
            sys.argv = ["tilewright", *arguments]
            sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
            sys.stdout = io.TextIOWrapper(io.BytesIO())
            with contextlib.suppress(SystemExit):
                verb()
    sys.argv, sys.stdin, sys.stdout = kept[:3]
    os.environ.clear()
    os.environ.update(kept[3])


def _import() -> None:
    """All modules, and nothing of what they build when they are used first: tables that know plug-ins for instance."""
    import tilewright

    for found in pkgutil.walk_packages(tilewright.__path__, "tilewright."):
        if found.name not in NOT_IMPORTED:
            importlib.import_module(found.name)


def _serve(listener: socket.socket, selector: selectors.BaseSelector) -> Request | None:
    """Fork for each request; the new process returns it, this one None at the end of standard input."""
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                return None
            if key.fileobj is listener:
                asker, _ = listener.accept()
                if (request := _start(asker, selector)) is not None:
                    return request
            else:
                _end(key, selector)


def _start(asker: socket.socket, selector: selectors.BaseSelector) -> Request | None:
    request = _received(asker)
    process = os.fork()
    if process == 0:
        for key in list(selector.get_map().values()):
            if key.data is not None:
                key.data.asker.close()
        asker.close()
        return request
    for descriptor in request.streams.values():
        os.close(descriptor)
    running = Running(process, asker)
    selector.register(os.pidfd_open(process), selectors.EVENT_READ, running)
    selector.register(asker, selectors.EVENT_READ, running)
    return None


def _end(key: selectors.SelectorKey, selector: selectors.BaseSelector) -> None:
    """A program has ended, or nobody waits for it any more."""
    running: Running = key.data
    selector.unregister(key.fileobj)
    if key.fileobj is running.asker:
        with contextlib.suppress(ProcessLookupError):
            os.kill(running.process, signal.SIGKILL)
        return
    assert isinstance(key.fileobj, int)
    os.close(key.fileobj)
    status = os.waitstatus_to_exitcode(os.waitpid(running.process, 0)[1])
    with contextlib.suppress(KeyError):
        selector.unregister(running.asker)
    with contextlib.suppress(OSError):
        running.asker.sendall(status.to_bytes(4, "little", signed=True))
    running.asker.close()


def _received(asker: socket.socket) -> Request:
    head, descriptors, *_ = socket.recv_fds(asker, 4, 3)
    size, body = int.from_bytes(head, "little"), b""
    while len(body) < size:
        body += asker.recv(size - len(body))
    folder, limits, streams, count, *rest = os.fsdecode(body).split("\0")
    soft, hard = map(int, limits.split(","))
    open_streams = dict(zip(map(int, streams), descriptors, strict=True))
    environment = dict(each.split("=", 1) for each in rest[int(count) :])
    return Request(folder, (soft, hard), open_streams, rest[: int(count)], environment)


def _become(request: Request) -> None:
    """Run the program as this process, as Python does from its beginning."""
    os.chdir(request.folder)
    known = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    os.environ.clear()
    os.environ.update(request.environment)
    tempfile.tempdir = None
    # Under a limit on the size of files Python would leave modules behind that are cut off, for all who come later.
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    _take_streams(request.streams)
    resource.setrlimit(resource.RLIMIT_FSIZE, request.limits)
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[1:] = [*paths, *(path for path in sys.path[1:] if path not in known)]
    match request.arguments:
        case ["-c", code, *rest]:
            sys.argv, sys.path[0] = ["-c", *rest], ""
            program = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(code, "<string>", "exec"), program.__dict__)
        case ["-m", module, *rest]:
            sys.argv, sys.path[0] = [module, *rest], os.getcwd()
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *rest]:
            sys.argv, sys.path[0] = [script, *rest], os.path.dirname(os.path.abspath(script))
            runpy.run_path(script, run_name="__main__")
        case _:
            raise SystemExit("no program")


def _take_streams(given: dict[int, int]) -> None:
    streams: list[IO[Any] | None] = []
    for number, mode in enumerate("rww"):
        if number not in given:
            os.close(number)
            streams.append(None)
            continue
        os.dup2(given[number], number, inheritable=True)
        os.close(given[number])
        streams.append(_text(number, mode))
    sys.stdin, sys.stdout, sys.stderr = streams  # pyright: ignore[reportAttributeAccessIssue]
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams  # pyright: ignore[reportAttributeAccessIssue]


def _text(number: int, mode: str) -> IO[Any]:
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")
    usual = "backslashreplace" if number == 2 else "strict"
    lines = 1 if number == 2 or os.isatty(number) else -1
    return open(number, mode, lines, encoding, errors or usual, closefd=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
