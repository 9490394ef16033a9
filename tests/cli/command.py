"""The command line, called in this process; `acceptance.shell` starts one, which takes half a second."""

from __future__ import annotations

import io
import sys
from subprocess import CompletedProcess

import pytest

from tilewright.cli.main import main


def run_on_bytes(*arguments: str, data: bytes = b"", **settings: str) -> CompletedProcess[bytes]:
    """Call `tilewright` with streams and settings of its own."""
    stdin, stdout, stderr = (io.TextIOWrapper(io.BytesIO(given), "utf-8") for given in (data, b"", b""))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            patch.setattr(sys, name, stream)
        patch.setattr(sys, "argv", ["tilewright", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
    assert isinstance(end.value.code, int)
    return CompletedProcess(arguments, end.value.code, _written(stdout), _written(stderr))


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()


def run(*arguments: str, text: str = "", **settings: str) -> CompletedProcess[str]:
    """The same on text."""
    done = run_on_bytes(*arguments, data=text.encode(), **settings)
    return CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())
