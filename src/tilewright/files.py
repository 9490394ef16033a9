"""Files that users name: read up to a limit, and replaced in one step.

`/dev/stdin`, `/dev/stdout` and `/dev/fd/63` (what shells write for `<(command)`) mean a descriptor that is open already
and are used as it is, pipe or not. Whatever else is read must be a regular file: a named pipe would wait for a writer,
and a device has no end.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["FilePath", "is_stream", "open_to_read", "read_file", "replacing"]

FilePath = str | os.PathLike[str]

_STREAMS: Final = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR: Final = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})", re.ASCII)
_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def read_file(path: FilePath, limit: int) -> bytes:
    """The content of a file, one byte more than `limit` at most: who gets that many was given too large a file.

    Raises OSError, for what is no regular file too.
    """
    with open_to_read(path) as file:
        return file.read(limit + 1)


def open_to_read(path: FilePath) -> BinaryIO:
    """A regular file, or a descriptor that the path names. Raises OSError for anything else, and waits for nothing."""
    number = _named_descriptor(path)
    if number is not None:
        return os.fdopen(_duplicate(number), "rb")
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _require_regular(path, os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


@contextlib.contextmanager
def replacing(path: FilePath, mode: int = 0o666) -> Generator[BinaryIO]:
    """A stream whose bytes are the file's when the block ends without an exception; until then the old ones are.

    What a link leads to is replaced, not the link. A new file gets `mode` less the umask, an old one keeps its own; one
    that is read-only is refused. Pipes, devices and open descriptors are written when the block ends. Raises OSError.
    """
    if not is_stream(path):
        with _replacing_regular(path, Path(os.path.realpath(path)), mode) as stream:
            yield stream
        return
    held = io.BytesIO()
    yield held
    number = _named_descriptor(path)
    with open(path, "wb") if number is None else os.fdopen(_duplicate(number), "wb") as stream:
        stream.write(held.getbuffer())


def is_stream(path: FilePath) -> bool:
    """Whether a path names a descriptor, a pipe or a device: what has no content that could be replaced.

    Raises OSError for a folder.
    """
    if _named_descriptor(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    return not stat.S_ISREG(mode)


@contextlib.contextmanager
def _replacing_regular(path: FilePath, target: Path, mode: int) -> Generator[BinaryIO]:
    try:
        before = target.stat()
    except FileNotFoundError:
        before = None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", os.fspath(path))
    temporary = target.parent / f".tilewright-{os.urandom(8).hex()}.tmp"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            # Only root may give files away; anyone else's copy is their own.
            with contextlib.suppress(PermissionError):
                os.chown(temporary, before.st_uid, before.st_gid)
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _named_descriptor(path: FilePath) -> int | None:
    """The open descriptor that a path names, if it does. To open such a path anew would start at the beginning of a
    file that others write to as well."""
    text = os.fspath(path)
    found = _DESCRIPTOR.fullmatch(text)
    return int(found[1]) if found else _STREAMS.get(text)


def _duplicate(number: int) -> int:
    # The number of a standard stream that was closed at the start may be that of a file opened since.
    if number < len(_STREAMS) and (sys.__stdin__, sys.__stdout__, sys.__stderr__)[number] is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return os.dup(number)


def _require_regular(path: FilePath, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"this is {kind}, not a regular file", os.fspath(path))
