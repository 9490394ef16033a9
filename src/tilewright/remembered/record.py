"""The file in which schedules are remembered: TOML, a table `[[kernel]]` for each kernel, device and extents.

    [[kernel]]
    name = "softmax"
    program = "5e0c4bb4.."              what the kernel says, whatever its layout and comments
    target = "nvidia:sm_90a"
    device = "NVIDIA H200"
    grid = "4096"
    arguments = "x=4096x8192 f32, y=4096x8192 f32"
    schedule = "lanes threads=256"
    model = "lanes threads=128"
    model_us = 21.5
    best_us = 17.25
    gain = 1.24
    date = "2026-11-23"
    version = "0.1.0"

Files are for reading, changing and keeping beside kernels in version control. What is no such file, or of a format to
come, is told as a warning, and no schedule is taken from it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import warnings
from collections.abc import Generator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from tilewright.diagnostics.caller_error import CallerError
from tilewright.files import read_file, replacing

_LARGEST: Final = 1 << 24
"""Bytes of a file that are read."""
_HEAD: Final = "# schedules that `tilewright tune` found: docs/guide/tuning.md\n"


class RecordWarning(UserWarning):
    """A file of schedules could not be read; kernels are compiled as the model has them."""


class NoRecord(CallerError, ValueError):
    """A file was named that is no file of schedules, or one of a format to come."""


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One kernel on one device, with arguments of some extents: its best schedule, and times of a launch in us."""

    name: str
    program: str
    target: str
    device: str
    grid: str
    arguments: str
    schedule: str
    model: str
    model_us: float
    best_us: float
    gain: float
    date: str
    version: str

    @property
    def key(self) -> tuple[str, ...]:
        """What a later entry replaces it by."""
        return (self.program, self.target, self.device, self.grid, self.arguments)


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    kernel: tuple[Entry, ...] = field(default=())


def read_record(path: Path) -> Sequence[Entry]:
    """The entries of a file. Raises OSError, and `NoRecord`."""
    import tomllib

    content = read_file(path, _LARGEST)
    if len(content) > _LARGEST:
        raise NoRecord(f"{path} is no file of schedules: it has more than {_LARGEST:,} bytes")
    try:
        return msgspec.convert(tomllib.loads(content.decode()), _File).kernel
    except (ValueError, RecursionError) as error:
        raise NoRecord(f"{path} is no file of schedules: {error}") from None


def entries_in(path: Path) -> Sequence[Entry]:
    """The entries of a file that may not be there, read once as long as it does not change."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return _entries(path, (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=16)
def _entries(path: Path, _state: tuple[int, ...]) -> Sequence[Entry]:
    try:
        return read_record(path)
    except (OSError, NoRecord) as error:
        warnings.warn(f"no schedules are taken: {error}", RecordWarning, stacklevel=5)
        return ()


def remember(path: Path, entry: Entry) -> None:
    """Put an entry into a file, in place of an older one of the same key; what others put there meanwhile stays.

    Raises OSError, and `NoRecord` for a file that stays as it is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(path.parent):
        kept = [other for other in read_record(path) if other.key != entry.key] if path.exists() else []
        text = _HEAD + "".join(_table(each) for each in sorted([*kept, entry], key=lambda each: (each.name, each.key)))
        with replacing(path) as stream:
            stream.write(text.encode())


@contextlib.contextmanager
def _alone_in(folder: Path) -> Generator[None]:
    """Whoever else remembers something in the folder waits; where its file system knows no locks, nobody does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _table(entry: Entry) -> str:
    lines = [f"{name} = {_spelled(getattr(entry, name))}" for name in entry.__struct_fields__]
    return "\n[[kernel]]\n" + "\n".join(lines) + "\n"


def _spelled(value: str | float) -> str:
    # strings of JSON are strings of TOML, but for one character that has to be escaped
    return (
        json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else f"{value:.6g}"
    )
